#include "planner/estimate.h"

#include <cmath>
#include <unordered_map>

#include "engine/batching_rule.h"
#include "metrics/arrival_counts.h"
#include "planner/cluster_share.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kSample = 5'000;
constexpr std::int64_t kMostOfWhole = 1'000'000;  // whose later requests may be unlike the first

struct Step {
  double us = 0;
  double decode_us = 0;
  double all_reduces_us = 0;
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
  return {model.step_us(step), decode_us, model.all_reduces_us(step)};
}

struct Piece {
  double tokens = 0;
  std::int64_t requests = 0;  // that have it
};
using Pieces = std::unordered_map<std::uint64_t, Piece>;

void count_pieces(const Request& request, TokenShape* shape, Pieces* pieces) {
  for (const PrefixSegment& segment : request.prefix) {
    const auto tokens = static_cast<double>(segment.tokens);
    Piece& piece = (*pieces)[segment.content];
    shape->shareable += tokens;
    if (piece.requests > 0) shape->repeated += std::min(tokens, piece.tokens);
    piece.requests += 1;
    piece.tokens = std::max(tokens, piece.tokens);
  }
}

std::vector<CommonPrefix> by_share(const Pieces& pieces, double requests) {
  std::map<std::int64_t, double> tokens;
  for (const auto& [content, piece] : pieces) tokens[piece.requests] += piece.tokens;
  std::vector<CommonPrefix> prefixes;
  for (const auto& [count, sum] : tokens) {
    prefixes.push_back({static_cast<double>(count) / requests, sum});
  }
  return prefixes;
}

/// KV blocks of a batch: what prompts have in common is held once, the rest by each request.
class HeldBlocks {
 public:
  HeldBlocks(const EngineConfig& engine, const TokenShape& shape) : engine_(engine), shape_(shape) {
    const auto block = static_cast<double>(engine.block_size);
    double tokens = shape.context + block / 2;
    const SetsAside sets_aside = batching_rule(engine.batching_rule).sets_aside;
    if (sets_aside != SetsAside::nothing) tokens = shape.prompt + shape.answer;
    if (sets_aside == SetsAside::longest_request && engine.max_model_len > 0)
      tokens = static_cast<double>(engine.max_model_len);
    if (engine.prefix_caching) tokens -= shape.shareable;
    own_ = std::fmax(1, std::ceil(tokens / block));
  }

  double of_batch(std::int64_t requests) const {
    double common = 0;  // a piece is there unless none of them has it
    if (engine_.prefix_caching) {
      for (const CommonPrefix& p : shape_.prefixes) {
        common += p.tokens * (1 - std::pow(1 - p.share, static_cast<double>(requests)));
      }
    }
    return common / static_cast<double>(engine_.block_size) + static_cast<double>(requests) * own_;
  }

 private:
  const EngineConfig& engine_;
  const TokenShape& shape_;
  double own_ = 1;
};

// The largest number up to `most` that passes, at least 1; larger ones pass less easily.
template <class Test>
std::int64_t largest(std::int64_t most, Test passes) {
  std::int64_t low = 1;
  std::int64_t high = most + 1;
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (passes(middle) ? low : high) = middle;
  }
  return low;
}

double fresh_tokens(const EngineConfig& engine, const TokenShape& shape) {
  return engine.prefix_caching ? std::max(1.0, shape.prompt - shape.repeated) : shape.prompt;
}

// `fresh`: prompt tokens of a request that the instance computes.
CapacityEstimate estimate_with(const StepTimeModel& model, const EngineConfig& engine,
                               const TokenShape& shape, double fresh, Duration tpot_limit) {
  CapacityEstimate estimate;
  const HeldBlocks held(engine, shape);
  const auto fits = [&](std::int64_t batch) {
    return held.of_batch(batch) <= static_cast<double>(engine.total_kv_blocks);
  };
  const auto narrow = [&](std::int64_t most, EstimateLimit limit) {
    if (most >= estimate.batch) return;
    estimate.batch = most;
    estimate.limit = limit;
  };
  estimate.batch = engine.max_num_seqs;
  narrow(largest(engine.max_num_seqs, fits), EstimateLimit::memory);
  if (batching_rule(engine.batching_rule).chunks_prompts) {
    const double tokens = 1 + fresh / shape.answer;
    narrow(static_cast<std::int64_t>(static_cast<double>(engine.max_num_batched_tokens) / tokens),
           EstimateLimit::step_tokens);
  }
  estimate.batch = std::max<std::int64_t>(1, estimate.batch);
  if (tpot_limit != kNoDuration) {
    const auto keeps = [&](std::int64_t batch) {
      return step_of(model, shape, fresh, batch).us <= to_us(tpot_limit);
    };
    narrow(largest(estimate.batch, keeps), EstimateLimit::latency);
  }
  const Step step = step_of(model, shape, fresh, estimate.batch);
  estimate.step_ms = step.us / 1e3;
  estimate.prefill_share = (step.us - step.decode_us) / step.us;
  estimate.all_reduce_share = step.all_reduces_us / step.us;
  estimate.rate_rps = static_cast<double>(estimate.batch) / shape.answer / (step.us / 1e6);
  return estimate;
}

}  // namespace

Result<TokenShape> token_shape(const LoadMaker& make_load) {
  TRY(load, make_load(1, kSample));
  const auto sample = static_cast<double>(load.is_whole ? kMostOfWhole : kSample);
  TokenShape shape;
  double requests = 0;
  double context = 0;
  Pieces pieces;
  ArrivalOrder arrivals(*load.source, Duration{});  // as if all answers came at once
  Request request;
  while (requests < sample && arrivals.next(&request)) {
    const auto prompt = static_cast<double>(request.input_tokens);
    const auto answer = std::max(1.0, static_cast<double>(request.output_tokens));
    requests += 1;
    shape.later_rounds += request.tags.round > 0 ? 1 : 0;
    shape.prompt += prompt;
    count_pieces(request, &shape, &pieces);
    shape.answer += answer;
    context += answer * (prompt + answer / 2);
  }
  if (requests <= 0) return fail(ErrorKind::usage, "the traffic has no requests");
  shape.context = context / shape.answer;
  shape.prompt = std::max(1.0, shape.prompt / requests);
  shape.shareable /= requests;
  shape.repeated /= requests;
  shape.later_rounds /= requests;
  shape.prefixes = by_share(pieces, requests);
  shape.answer /= requests;
  return shape;
}

CapacityEstimate estimate_capacity(const StepTimeModel& model, const EngineConfig& engine,
                                   const TokenShape& shape, Duration tpot_limit) {
  return estimate_with(model, engine, shape, fresh_tokens(engine, shape), tpot_limit);
}

CapacityEstimate estimate_pool(const Pool& pool, bool apart, const TokenShape& shape,
                               Duration tpot_limit) {
  const auto estimate = [&] {
    if (!apart) return estimate_capacity(*pool.step_time, pool.engine, shape, tpot_limit);
    if (pool.answers()) return estimate_with(*pool.step_time, pool.engine, shape, 1, tpot_limit);
    TokenShape prompts = shape;
    prompts.answer = 1;
    prompts.context = shape.prompt;
    return estimate_capacity(*pool.step_time, pool.engine, prompts);
  };
  CapacityEstimate of_pool = estimate();
  of_pool.ranks = pool.ranks;
  return of_pool;
}

CapacityEstimate estimate_replica(const Deployment& deployment, const TokenShape& shape,
                                  Duration tpot_limit) {
  const bool apart = deployment.splits();
  CapacityEstimate whole = estimate_pool(deployment.main(), apart, shape, tpot_limit);
  whole.independent = are_independent(deployment);
  if (deployment.pools.size() == 1) return whole;
  double answers = 0;
  double prompts = 0;
  std::int64_t places = 0;
  whole.answering = 0;
  for (const Pool& pool : deployment.pools) {
    const CapacityEstimate one = estimate_pool(pool, apart, shape, tpot_limit);
    (pool.answers() ? answers : prompts) += one.rate_rps * static_cast<double>(pool.num_instances);
    if (!pool.answers()) continue;
    whole.answering += pool.num_instances;
    whole.ranks = std::min(whole.ranks, one.ranks);
    places += one.batch * pool.num_instances;
  }
  whole.batch = std::max<std::int64_t>(1, places / whole.answering);
  whole.rate_rps = apart ? std::fmin(answers, prompts) : answers;
  return whole;
}

CapacityEstimate side_by_side(const CapacityEstimate& own, std::int64_t instances,
                              const CapacityEstimate& other, std::int64_t others) {
  CapacityEstimate both = own;
  both.answering = instances + others;
  both.ranks = std::min(own.ranks, other.ranks);
  both.rate_rps =
      static_cast<double>(instances) * own.rate_rps + static_cast<double>(others) * other.rate_rps;
  const std::int64_t places = instances * own.batch + others * other.batch;
  both.batch = std::max<std::int64_t>(1, places / both.answering);
  return both;
}

double stay_s(const CapacityEstimate& estimate) {
  return static_cast<double>(estimate.batch * estimate.answering) / estimate.rate_rps;
}

double alone_rps(const CapacityEstimate& estimate) {
  constexpr double kStaysApart = 20;  // of full batches, in which requests stay longest
  const auto places = static_cast<double>(estimate.batch * estimate.answering);
  return estimate.rate_rps / places / kStaysApart;
}

std::int64_t requests_to_settle(const CapacityEstimate& estimate, std::int64_t instances) {
  constexpr double kStays = 25;
  constexpr double kStaysInAll = 400;
  const auto ranks = static_cast<double>(estimate.ranks);
  return std::llround(std::fmax(kStays * ranks * static_cast<double>(instances), kStaysInAll) *
                      static_cast<double>(estimate.batch) / ranks);
}

double share_to_simulate(const CapacityEstimate& estimate, std::int64_t requests) {
  const auto usual = static_cast<double>(ProbeEffort().most_requests);
  return estimate.independent ? std::fmin(1, usual / static_cast<double>(requests)) : 1;
}

ProbeEffort effort_to_settle(const CapacityEstimate& estimate, std::int64_t instances) {
  constexpr std::int64_t kLongestFirst = 2'000'000;  // beyond it somebody has to ask for more
  ProbeEffort effort;
  effort.first_requests = requests_to_settle(estimate, instances);
  effort.share = share_to_simulate(estimate, effort.first_requests);
  if (effort.share >= 1) effort.first_requests = std::min(effort.first_requests, kLongestFirst);
  effort.most_requests = std::max(effort.most_requests, 2 * effort.first_requests);
  return effort;
}

Duration strictest_gap(const std::vector<Slo>& slos) {
  Duration least = kNoDuration;
  for (const Slo& slo : slos) {
    if (slo.metric != &GroupSummary::tpot && slo.metric != &GroupSummary::itl) continue;
    if (least == kNoDuration || slo.limit < least) least = slo.limit;
  }
  return least;
}

}  // namespace plimsoll
