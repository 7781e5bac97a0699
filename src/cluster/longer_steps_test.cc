#include "cluster/longer_steps.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

class EachMillisecond final : public StepTimeModel {
 public:
  double step_us(const BatchShape&) const override { return 1000; }
};

TEST(LongerSteps, are_those_of_every_pool) {
  Deployment deployment;
  deployment.pools.resize(2);
  deployment.pools[0].role = PoolRole::prefill;
  for (Pool& pool : deployment.pools) pool.step_time = std::make_shared<EachMillisecond>();
  BatchShape batch;
  batch.decode_requests = 1;
  for (const Pool& pool : with_longer_steps(deployment, 1.5).pools) {
    EXPECT_DOUBLE_EQ(pool.step_time->step_us(batch), 1500);
  }
  EXPECT_DOUBLE_EQ(deployment.pools[0].step_time->step_us(batch), 1000) << "a copy is changed";
}

}  // namespace
}  // namespace plimsoll
