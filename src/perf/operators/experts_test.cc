// How long do the routed experts of a layer take, and which GPU do the others wait for?
#include "perf/operators/experts.h"

#include <cmath>

#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace plimsoll {
namespace {

TEST(BusiestLoad, grows_with_fewer_experts_of_more_gpus) {
  EXPECT_EQ(busiest_load(256, 1, 1.76), 1);
  // The largest of 8 normal variables lies 1.42 deviations above their mean; 32 experts each.
  EXPECT_NEAR(busiest_load(256, 8, 1.76), 1 + 1.424 / std::sqrt(32 * 1.76), 0.003);
  EXPECT_NEAR(busiest_load(256, 32, 1.76), 1 + 2.070 / std::sqrt(8 * 1.76), 0.02);
  EXPECT_NEAR(busiest_load(256, 2, 1.76), 1 + 0.564 / std::sqrt(128 * 1.76), 0.002);
  EXPECT_NEAR(busiest_load(256, 8, 1e12), 1, 1e-6);  // all alike
  // An expert of 32 is four of 128.
  EXPECT_DOUBLE_EQ(busiest_load(32, 4, 1.76), busiest_load(128, 4, 1.76));
}

TEST(ExpertsCost, is_that_of_the_busiest_gpu_unless_the_load_is_given) {
  const Device device = *device_of(*find_gpu("H100", SemanticsMode::vllm), Engine::vllm);
  Mlp mlp;
  mlp.kind = MlpKind::experts;
  mlp.experts = 128;
  mlp.experts_per_token = 8;
  mlp.expert_width = 768;
  Parallelism layout;
  layout.tp = 8;
  layout.ep = 8;
  const auto us = [&](double imbalance) {
    layout.expert_imbalance = imbalance;
    return ExpertsCost(mlp, 2048, layout, WeightFormat{}, device).us(4096);
  };
  const double usual = busiest_load(128, 8, device.overheads.expert_evenness);
  EXPECT_GT(usual, 1.2);
  EXPECT_DOUBLE_EQ(us(0), us(usual));
  EXPECT_LT(us(1), us(0));
  layout.ep = 1;  // each GPU has a slice of all experts
  EXPECT_DOUBLE_EQ(us(0), us(1));
}

}  // namespace
}  // namespace plimsoll
