#include "planner/rate_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/batching_rule.h"
#include "engine/ranks.h"
#include "perf/step_time_model.h"

namespace plimsoll {
namespace {

/// What a step does, in shares of what one request needs of each kind, and in how long.
struct StepYield {
  double decodes = 0;
  double prompts = 0;
  double seconds = 0;
};

// Steps cost most of their worth at the ends of the tiles of matrix products.
constexpr std::int64_t kTile = 8;
constexpr std::int64_t kManyTokens = 65'536;  // beyond, a token of a step costs what it costs

// All up to one tile, then by tiles, then by sixteenths of the value; `most` always.
std::vector<std::int64_t> grid(std::int64_t most) {
  std::vector<std::int64_t> values;
  for (std::int64_t v = 0; v < most; v += v < kTile ? 1 : std::max(kTile, v / 16 / kTile * kTile)) {
    values.push_back(v);
  }
  values.push_back(most);
  return values;
}

class Steps {
 public:
  Steps(const Pool& pool, const TokenShape& shape)
      : model_(*pool.step_time),
        ranks_(pool.ranks),
        engine_(share_of(pool.engine, ranks_)),
        shape_(shape) {
    rule_chunks_ = batching_rule(engine_.batching_rule).chunks_prompts;
    sets_aside_ = batching_rule(engine_.batching_rule).sets_aside;
    cached_ = engine_.prefix_caching ? std::fmin(shape.shareable, shape.prompt - 1) : 0;
  }

  std::vector<StepYield> all() const {
    std::vector<StepYield> yields;
    const std::vector<std::int64_t> decodes = grid(most_requests());
    for (const std::int64_t tokens : grid(most_tokens())) {
      BatchShape batch;
      add_prompts(tokens, &batch);
      for (const std::int64_t requests : decodes) {
        const bool allowed = !rule_chunks_ || tokens + requests <= engine_.max_num_batched_tokens;
        if (tokens + requests == 0 || !allowed) continue;
        batch.decode_requests = requests;
        batch.decode_context = std::llround(static_cast<double>(requests) * shape_.context);
        yields.push_back(yield_of(batch));
      }
    }
    return yields;
  }

 private:
  double fresh() const { return shape_.prompt - cached_; }

  // Of one request, at least: what it shares with nobody.
  double own_blocks() const {
    double tokens = shape_.context;
    if (sets_aside_ == SetsAside::longest_request) {
      tokens = engine_.max_model_len > 0 ? static_cast<double>(engine_.max_model_len)
                                         : shape_.prompt + shape_.answer;
    }
    return std::fmax(1, (tokens - cached_) / static_cast<double>(engine_.block_size));
  }

  std::int64_t most_requests() const {
    const double by_memory = std::ceil(static_cast<double>(engine_.total_kv_blocks) / own_blocks());
    return static_cast<std::int64_t>(
        std::fmax(1, std::fmin(by_memory, static_cast<double>(engine_.max_num_seqs))));
  }

  std::int64_t most_tokens() const {
    if (rule_chunks_) return engine_.max_num_batched_tokens;
    const double all = static_cast<double>(engine_.max_num_seqs) * fresh();
    return std::llround(std::fmin(all, static_cast<double>(kManyTokens)) + fresh());
  }

  // Of a rank: whole prompts and the beginning of another: where attention has least to look at.
  void add_prompts(std::int64_t tokens, BatchShape* batch) const {
    const std::int64_t whole = std::max<std::int64_t>(1, std::llround(fresh()));
    const std::int64_t start = std::llround(cached_);
    for (std::int64_t left = tokens; left > 0; left -= whole) {
      batch->add_prefill(std::min(left, whole), start, std::llround(shape_.prompt));
    }
  }

  StepYield yield_of(const BatchShape& batch) const {
    const double decodes = shape_.answer - 1;
    const auto ranks = static_cast<double>(ranks_);
    StepYield yield;
    if (decodes > 0) yield.decodes = ranks * static_cast<double>(batch.decode_requests) / decodes;
    yield.prompts = ranks * static_cast<double>(batch.prefill_tokens) / fresh();
    yield.seconds = std::fmax(1, std::floor(step_us(batch))) / 1e6;  // as the engine cuts it
    return yield;
  }

  double step_us(const BatchShape& of_each_rank) const {
    if (ranks_ == 1) return model_.step_us(of_each_rank);
    return model_.ranks_us(std::vector(static_cast<std::size_t>(ranks_), of_each_rank));
  }

  const StepTimeModel& model_;
  const std::int64_t ranks_;
  const EngineConfig engine_;  ///< of a rank
  const TokenShape& shape_;
  bool rule_chunks_ = false;
  SetsAside sets_aside_ = SetsAside::nothing;
  double cached_ = 0;
};

double most_with_weight(const std::vector<StepYield>& steps, double weight) {
  double most = 0;
  for (const StepYield& s : steps) {
    most = std::max(most, (weight * s.decodes + (1 - weight) * s.prompts) / s.seconds);
  }
  return most;
}

// Convex in the weight; any weight gives a bound.
template <class Bound>
double least_over_weights(const Bound& bound) {
  double low = 0;
  double high = 1;
  constexpr int kNarrowings = 24;
  for (int i = 0; i < kNarrowings; ++i) {
    const double third = (high - low) / 3;
    const bool left = bound(low + third) < bound(high - third);
    (left ? high : low) += left ? -third : third;
  }
  return bound((low + high) / 2);
}

// Those that no other step beats in decodes and prompts a second: with any weight, one of them is
// the most.
std::vector<StepYield> steps_of(const Pool& pool, const TokenShape& shape) {
  std::vector<StepYield> steps = Steps(pool, shape).all();
  const auto decodes_first = [](const StepYield& a, const StepYield& b) {
    return std::pair(a.decodes / a.seconds, a.prompts / a.seconds) >
           std::pair(b.decodes / b.seconds, b.prompts / b.seconds);
  };
  std::ranges::sort(steps, decodes_first);
  double most_prompts = -1;
  std::erase_if(steps, [&](const StepYield& s) {
    const double prompts = s.prompts / s.seconds;
    if (prompts <= most_prompts) return true;
    most_prompts = prompts;
    return false;
  });
  return steps;
}

}  // namespace

double most_rps(const Pool& pool, const TokenShape& shape) {
  const std::vector<StepYield> steps = steps_of(pool, shape);
  if (shape.answer <= 1) return most_with_weight(steps, 0);
  return least_over_weights([&](double weight) { return most_with_weight(steps, weight); });
}

RateBound RateBound::of(const Pool& pool, const TokenShape& shape) {
  constexpr int kWeights = 32;
  const std::vector<StepYield> steps = steps_of(pool, shape);
  RateBound bound;
  // Where nothing is decoded but the first token, prompts are all that bounds.
  for (int i = 0; i <= (shape.answer <= 1 ? 0 : kWeights); ++i) {
    bound.by_weight_.push_back(most_with_weight(steps, static_cast<double>(i) / kWeights));
  }
  return bound;
}

double RateBound::rps(std::int64_t own, const RateBound& other, std::int64_t others) const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < by_weight_.size(); ++i) {
    least = std::min(least, static_cast<double>(own) * by_weight_[i] +
                                static_cast<double>(others) * other.by_weight_[i]);
  }
  return least;
}

std::int64_t RateBound::fewest(double rate_rps, const RateBound& other, std::int64_t others) const {
  double most = 1;
  for (std::size_t i = 0; i < by_weight_.size(); ++i) {
    const double left = rate_rps - static_cast<double>(others) * other.by_weight_[i];
    if (left > 0) most = std::max(most, std::ceil(left / by_weight_[i]));
  }
  return std::llround(std::min(most, static_cast<double>(kMostInstances)));
}

double most_rps(const Deployment& deployment, const TokenShape& shape) {
  const Pool& answers = deployment.main();
  if (!deployment.splits()) return most_rps(answers, shape);
  const Pool& prefills = deployment.pools.front();
  const std::vector<StepYield> steps = steps_of(answers, shape);
  const auto answering = static_cast<double>(answers.num_instances);
  const double prompts =
      static_cast<double>(prefills.num_instances) * most_with_weight(steps_of(prefills, shape), 0);
  const bool all_apart = deployment.disaggregation.decider == "always";
  // By answers: a weight of 1.
  const auto both = [&](double weight) {
    return (1 - weight) * prompts + answering * most_with_weight(steps, weight);
  };
  if (shape.answer <= 1) return all_apart ? prompts : both(0);
  const double decodes = both(1);
  return all_apart ? std::fmin(prompts, decodes) : std::fmin(decodes, least_over_weights(both));
}

}  // namespace plimsoll
