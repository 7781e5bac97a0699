#include "planner/fastest_pool.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

namespace plimsoll {
namespace {

class FasterSteps final : public StepTimeModel {
 public:
  FasterSteps(StepTimePtr a, StepTimePtr b) : a_(std::move(a)), b_(std::move(b)) {}

  double step_us(const BatchShape& batch) const override {
    return std::fmin(a_->step_us(batch), b_->step_us(batch));
  }
  double ranks_us(std::span<const BatchShape> ranks) const override {
    return std::fmin(a_->ranks_us(ranks), b_->ranks_us(ranks));
  }
  double queueing_us(std::int64_t input_tokens) const override {
    return std::fmin(a_->queueing_us(input_tokens), b_->queueing_us(input_tokens));
  }
  double output_token_us() const override {
    return std::fmin(a_->output_token_us(), b_->output_token_us());
  }
  double post_decode_us() const override {
    return std::fmin(a_->post_decode_us(), b_->post_decode_us());
  }

 private:
  StepTimePtr a_;
  StepTimePtr b_;
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
  for (std::size_t i = 1; i < pools.size(); ++i) {
    fastest.step_time = std::make_shared<FasterSteps>(fastest.step_time, pools[i].step_time);
    take_limits(pools[i].engine, &fastest.engine);
  }
  fastest.num_instances = 1;
  fastest.has_fixed_size = false;
  return fastest;
}

}  // namespace plimsoll
