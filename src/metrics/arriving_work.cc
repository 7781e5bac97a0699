#include "metrics/arriving_work.h"

#include <algorithm>
#include <cstdint>

#include "metrics/latency.h"

namespace plimsoll {
namespace {

/// Over instances.
struct Steps {
  double prompts_s = 0;
  double decodes_s = 0;
  double prompt_tokens = 0;
  double decode_tokens = 0;
  double count = 0;
  double lone_s = 0;  ///< a decode step of one request, summed over decode_tokens
  double places = 0;  ///< of an instance

  double per_prompt_token_s() const { return ratio_or_zero(prompts_s, prompt_tokens); }
  double per_decode_token_s() const { return ratio_or_zero(decodes_s, decode_tokens); }

  /// Likewise with all places taken, on the line through a request alone and the batches of the
  /// run.
  double per_decode_token_in_full_batch_s() const {
    const double lone = ratio_or_zero(lone_s, decode_tokens);
    const double others = ratio_or_zero(decode_tokens, count) - 1;
    const double by_one_more = ratio_or_zero(ratio_or_zero(decodes_s, count) - lone, others);
    return std::max(by_one_more, 0.0) + ratio_or_zero(lone, places);
  }
};

Steps steps_of(const RunRecord& record) {
  Steps steps;
  for (const InstanceRecord& r : record.instances) {
    steps.prompts_s += to_seconds(r.prefill_work);
    steps.decodes_s += to_seconds(r.busy - r.prefill_work);
    steps.prompt_tokens += static_cast<double>(r.prefill_tokens);
    const auto decode_tokens = static_cast<double>(r.decode_tokens);
    steps.decode_tokens += decode_tokens;
    steps.count += static_cast<double>(r.steps);
    steps.lone_s += to_seconds(r.lone_decode_step) * decode_tokens;
    steps.places = std::max(steps.places, static_cast<double>(r.max_num_seqs));
  }
  return steps;
}

// The first token of an answer comes of its prompt.
std::int32_t decoded(const RequestTable& table, std::size_t row) {
  return std::max(0, table.output_tokens[row] - 1);
}

}  // namespace

ArrivingWork arriving_work(const RunRecord& record, double offered_rps) {
  const RequestTable& table = record.requests;
  double prompts = 0;
  double answers = 0;
  double asked = 0;
  double cached = 0;
  bool gives_up = false;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.outcome[row] == Outcome::dropped) continue;  // nobody serves it
    prompts += table.input_tokens[row];
    answers += decoded(table, row);
    gives_up = gives_up || table.outcome[row] == Outcome::timed_out;
    if (table.scheduling_delay[row] == kNoDuration) continue;
    asked += table.input_tokens[row];
    cached += table.cached_tokens[row];
  }
  const Steps steps = steps_of(record);
  const double decode_s =
      gives_up ? std::min(steps.per_decode_token_s(), steps.per_decode_token_in_full_batch_s())
               : steps.per_decode_token_s();
  const double per_request = ratio_or_zero(offered_rps, static_cast<double>(table.size()));
  const double computed = 1 - ratio_or_zero(cached, asked);
  return {per_request * prompts * computed * steps.per_prompt_token_s(),
          per_request * answers * decode_s};
}

double share_too_slow_alone(const RunRecord& record, double lone_decode_s) {
  const RequestTable& table = record.requests;
  Duration longest;  // that anybody waited; kNoDuration is less than any
  for (std::size_t row = 0; row < table.size(); ++row) {
    longest = std::max({longest, table.ttft[row], table.e2e[row]});
  }
  if (longest == Duration{}) return 0;
  std::int64_t late = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    late += decoded(table, row) * lone_decode_s > to_seconds(longest) ? 1 : 0;
  }
  return ratio_or_zero(late, std::ssize(table.arrival));
}

}  // namespace plimsoll
