#include "planner/fastest_pool.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "engine/ranks.h"

namespace plimsoll {
namespace {

// Of each step the shortest that any of the pools makes of it, all of it on one rank.
class FastestSteps final : public StepTimeModel {
 public:
  explicit FastestSteps(const std::vector<Pool>& pools) {
    for (const Pool& pool : pools) of_pools_.push_back({pool.step_time, pool.ranks});
  }

  double step_us(const BatchShape& batch) const override {
    return least([&](const OfPool& pool) {
      if (pool.ranks == 1) return pool.steps->step_us(batch);
      std::vector<BatchShape> ranks(static_cast<std::size_t>(pool.ranks));
      ranks.front() = batch;
      return pool.steps->ranks_us(ranks);
    });
  }
  double queueing_us(std::int64_t input_tokens) const override {
    return least([&](const OfPool& pool) { return pool.steps->queueing_us(input_tokens); });
  }
  double output_token_us() const override {
    return least([](const OfPool& pool) { return pool.steps->output_token_us(); });
  }
  double post_decode_us() const override {
    return least([](const OfPool& pool) { return pool.steps->post_decode_us(); });
  }

 private:
  struct OfPool {
    StepTimePtr steps;
    std::int64_t ranks = 1;
  };
  template <class Us>
  double least(const Us& us) const {
    double least = us(of_pools_.front());
    for (const OfPool& pool : of_pools_) least = std::fmin(least, us(pool));
    return least;
  }

  std::vector<OfPool> of_pools_;
};

// With the limits of the pool that has the larger ones: what one serves, or serves at once, this
// one does.
void take_limits(const EngineConfig& other, EngineConfig* own) {
  const auto take_larger = [&](auto EngineConfig::*limit) {
    own->*limit = std::max(own->*limit, other.*limit);
  };
  take_larger(&EngineConfig::max_num_seqs);
  take_larger(&EngineConfig::max_num_batched_tokens);
  take_larger(&EngineConfig::total_kv_blocks);
  // 0: requests of any length.
  const bool any_length = own->max_model_len == 0 || other.max_model_len == 0;
  own->max_model_len = any_length ? 0 : std::max(own->max_model_len, other.max_model_len);
}

}  // namespace

Pool fastest_of(const std::vector<Pool>& pools) {
  Pool fastest = pools.front();
  fastest.step_time = std::make_shared<FastestSteps>(pools);
  fastest.engine = share_of(fastest.engine, fastest.ranks);
  fastest.ranks = 1;
  for (const Pool& pool : pools) take_limits(share_of(pool.engine, pool.ranks), &fastest.engine);
  fastest.num_instances = 1;
  fastest.has_fixed_size = false;
  return fastest;
}

}  // namespace plimsoll
