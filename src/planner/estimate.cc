#include "planner/estimate.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {
namespace {

constexpr std::int64_t kSample = 5'000;

struct Step {
  double us = 0;
  double decode_us = 0;
};

// Prompts come whole and rarely, or in parts: the mean step has the mean of their tokens.
Step step_of(const StepTimeModel& model, const TokenShape& shape, double fresh,
             std::int64_t batch) {
  const auto requests = static_cast<double>(batch);
  BatchShape step;
  step.decode_requests = batch;
  step.decode_context = std::llround(requests * shape.context);
  const double decode_us = model.step_us(step);
  const double tokens = requests * fresh / shape.answer;
  const std::int64_t n = std::max<std::int64_t>(1, std::llround(tokens));
  step.add_prefill(n, 0, std::llround(shape.prompt));
  step.prefill_requests = std::max<std::int64_t>(1, std::llround(tokens / fresh));
  return {model.step_us(step), decode_us};
}

}  // namespace

Result<TokenShape> token_shape(const LoadMaker& make_load) {
  auto load = make_load(1, kSample);
  if (!load) return pass_on(load);
  TokenShape shape;
  double requests = 0;
  double context = 0;
  Request request;
  while (requests < kSample && load->source->next(&request)) {
    const auto prompt = static_cast<double>(request.input_tokens);
    const auto answer = std::max(1.0, static_cast<double>(request.output_tokens));
    requests += 1;
    shape.prompt += prompt;
    for (const PrefixSegment& segment : request.prefix) {
      shape.shared += static_cast<double>(segment.tokens);
    }
    shape.answer += answer;
    context += answer * (prompt + answer / 2);
  }
  if (requests <= 0) return fail(ErrorKind::usage, "the traffic has no requests");
  shape.context = context / shape.answer;
  shape.prompt = std::max(1.0, shape.prompt / requests);
  shape.shared /= requests;
  shape.answer /= requests;
  return shape;
}

CapacityEstimate estimate_capacity(const StepTimeModel& model, const EngineConfig& engine,
                                   const TokenShape& shape, Duration tpot_limit) {
  CapacityEstimate estimate;
  const double fresh =
      engine.prefix_caching ? std::max(1.0, shape.prompt - shape.shared) : shape.prompt;
  const auto block = static_cast<double>(engine.block_size);
  const double blocks = std::ceil((shape.context + block / 2) / block);
  const auto by_memory =
      static_cast<std::int64_t>(static_cast<double>(engine.total_kv_blocks) / blocks);
  const auto by_tokens = static_cast<std::int64_t>(
      static_cast<double>(engine.max_num_batched_tokens) / (1 + fresh / shape.answer));
  std::int64_t most = engine.max_num_seqs;
  if (by_memory < most) {
    most = by_memory;
    estimate.limit = EstimateLimit::memory;
  }
  if (by_tokens < most) {
    most = by_tokens;
    estimate.limit = EstimateLimit::step_tokens;
  }
  std::int64_t batch = std::max<std::int64_t>(1, most);
  if (tpot_limit != kNoDuration) {
    const auto keeps = [&](std::int64_t b) {
      return step_of(model, shape, fresh, b).us <= to_us(tpot_limit);
    };
    std::int64_t low = 1;  // taken even if a request alone is too slow
    std::int64_t high = batch + 1;
    while (high - low > 1) {
      const std::int64_t middle = (low + high) / 2;
      (keeps(middle) ? low : high) = middle;
    }
    if (low < batch) estimate.limit = EstimateLimit::latency;
    batch = low;
  }
  const Step step = step_of(model, shape, fresh, batch);
  estimate.batch = batch;
  estimate.step_ms = step.us / 1e3;
  estimate.prefill_share = (step.us - step.decode_us) / step.us;
  estimate.rate_rps = static_cast<double>(batch) / shape.answer / (step.us / 1e6);
  return estimate;
}

std::int64_t requests_to_settle(const CapacityEstimate& estimate, std::int64_t instances) {
  constexpr double kStays = 25;
  constexpr double kStaysInAll = 400;
  return std::llround(std::fmax(kStays * static_cast<double>(instances), kStaysInAll) *
                      static_cast<double>(estimate.batch));
}

Duration strictest_gap(const std::vector<Slo>& slos) {
  Duration least = kNoDuration;
  for (const Slo& slo : slos) {
    if (slo.metric != SloMetric::tpot && slo.metric != SloMetric::itl) continue;
    if (least == kNoDuration || slo.limit < least) least = slo.limit;
  }
  return least;
}

}  // namespace plimsoll
