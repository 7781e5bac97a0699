#include "profile/measured_steps.h"

#include <numeric>

namespace plimsoll {
namespace {

std::string name_of(const ProfileRow& row) {
  const std::string size = std::to_string(row.tokens) + " x " + std::to_string(row.batch_size);
  if (row.phase == ProfilePhase::prefill) return "prefill " + size;
  return "decode " + size +
         (row.new_tokens > 1 ? " for " + std::to_string(row.new_tokens) + " tokens" : "");
}

}  // namespace

std::vector<MeasuredSteps> steps_of(const Profile& profile) {
  std::vector<MeasuredSteps> out;
  for (const ProfileRow& row : profile.rows) {
    MeasuredSteps measured{name_of(row), {}, row.new_tokens, row.ms};
    if (row.phase == ProfilePhase::decode) {
      measured.batch.decode_requests = row.batch_size;
      measured.batch.decode_context = row.batch_size * row.tokens;
    } else {
      for (std::int64_t i = 0; i < row.batch_size; ++i) {
        measured.batch.add_prefill(row.tokens, 0, row.tokens);
      }
    }
    out.push_back(std::move(measured));
  }
  return out;
}

double predicted_ms(const MeasuredSteps& measured, const StepTimeModel& model) {
  if (measured.steps == 1) return model.step_us(measured.batch) / 1000;
  std::vector<double> us(static_cast<std::size_t>(measured.steps));
  model.decode_steps_us(measured.batch.decode_requests, measured.batch.decode_context, us);
  return std::accumulate(us.begin(), us.end(), 0.0) / 1000;
}

WorkDone work_of(const MeasuredSteps& measured) {
  const BatchShape& b = measured.batch;
  const std::int64_t steps = measured.steps;
  // Each step finds one token more in the cache of each request, and attends to the newest, too.
  const std::int64_t read =
      steps * b.decode_context + b.decode_requests * (steps * (steps - 1) / 2);
  WorkDone work;
  work.steps = steps;
  work.tokens = b.prefill_tokens + steps * b.decode_requests;
  work.sampled_tokens = b.prefill_requests + steps * b.decode_requests;
  work.attended_tokens = b.prefill_tokens_context +
                         (b.prefill_tokens_squared + b.prefill_tokens) / 2 + read +
                         steps * b.decode_requests;
  work.kv_tokens_read = b.prefill_context + read;
  return work;
}

}  // namespace plimsoll
