// Is what is reserved the count with the least expected bill?
#include "forecast/runway/gpu_plan.h"

#include <cmath>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

// Two GPUs, an instance each, carry a load of 2; each path needs one GPU for each unit of it.
struct Fan {
  explicit Fan(std::vector<std::vector<double>> paths) {
    outlook.paths = std::move(paths);
    outlook.point = outlook.paths.front();
    plan.steps.resize(outlook.horizon());
    plan.deployed = 2;
    plan.peak.fill(5);
    plan.most.fill(10);
  }

  std::optional<ReservePlan> reserve(double reserved, double on_demand) const {
    const LoadAhead load{&outlook, 2};
    return plan_reserve(plan, std::span(&load, 1), reserved, on_demand);
  }

  double bill(double gpus, double reserved, double on_demand) const {
    double sum = 0;
    double steps = 0;
    for (const auto& path : outlook.paths) {
      for (const double load : path) {
        sum += gpus * reserved + std::max(0.0, std::ceil(load) - gpus) * on_demand;
        steps += 1;
      }
    }
    return 730 * sum / steps;
  }

  Outlook outlook;
  GpuPlan plan;
};

TEST(ReservePlan, does_no_other_count_cost_less) {
  const Fan fan({{1, 2, 3, 4, 5}, {2, 4, 6, 8, 10}, {1, 1, 1, 9, 3}});
  for (const double reserved : {0.3, 1.0, 1.7, 2.9}) {
    const auto plan = fan.reserve(reserved, 3);
    ASSERT_TRUE(plan);
    EXPECT_NEAR(plan->usd_per_month, fan.bill(static_cast<double>(plan->gpus), reserved, 3), 1e-6);
    for (int other = 0; other <= 10; ++other)
      EXPECT_LE(plan->usd_per_month, fan.bill(other, reserved, 3) + 1e-6);
    EXPECT_NEAR(plan->saving_usd_per_month, fan.bill(0, reserved, 3) - plan->usd_per_month, 1e-6);
    EXPECT_LE(plan->saving_band.low, plan->saving_usd_per_month);
    EXPECT_GE(plan->saving_band.high, plan->saving_usd_per_month);
  }
}

TEST(ReservePlan, is_nothing_reserved_at_a_price_that_saves_nothing) {
  const Fan fan({{1, 2, 3}});
  EXPECT_EQ(fan.reserve(3, 3)->gpus, 0);
  EXPECT_EQ(fan.reserve(4, 3)->saving_usd_per_month, 0);
}

// A batch on one day of five: a GPU that is reserved stands idle on the others.
TEST(ReservePlan, needs_a_day_on_which_nothing_comes_no_gpu) {
  const Fan fan({{0, 0, 1, 0, 0}});
  EXPECT_EQ(fan.reserve(2, 3)->gpus, 0);
  EXPECT_NEAR(fan.reserve(2, 3)->usd_per_month, 730 * 3 / 5.0, 1e-6);
}

TEST(ReservePlan, is_there_none_where_the_history_is_too_short) {
  Fan fan({{1, 2, 3}});
  fan.outlook.too_short = true;
  EXPECT_FALSE(fan.reserve(1, 3));
}

}  // namespace
}  // namespace plimsoll
