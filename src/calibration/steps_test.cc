#include "calibration/experiment.h"

#include <gtest/gtest.h>

#include "calibration/fit.h"
#include "perf/calibration.h"

namespace plimsoll {
namespace {

/// Reads weights for 10 ms, then 0.05 ms per prompt token.
class Base final : public StepTimeModel {
 public:
  double step_us(const BatchShape& b) const override {
    return 10'000 + 50 * static_cast<double>(b.prefill_tokens) +
           0.3 * static_cast<double>(b.decode_context);
  }
};

std::vector<MeasuredSteps> measured(const StepTimeModel& truth, std::int64_t n) {
  std::vector<MeasuredSteps> out;
  for (std::int64_t i = 0; i < n; ++i) {
    MeasuredSteps step{"step", {}, 1, 0};
    if (i % 2 == 0) step.batch.add_prefill(64 << (i % 5), 0, 64 << (i % 5));
    step.batch.decode_requests = i % 7;
    step.batch.decode_context = (i % 7) * 500;
    step.steps = i % 2 == 1 && i % 7 > 0 ? 3 : 1;
    step.ms = predicted_ms(step, truth) * (i % 3 == 0 ? 1.004 : 0.998);
    out.push_back(step);
  }
  return out;
}

const auto kBase = std::make_shared<const Base>();

Experiment with_truth(const Correction& truth, std::int64_t n) {
  const CalibratedStepTime model(kBase, truth);
  return experiment_of(measured(model, n), kBase, "steps");
}

TEST(Steps, the_correction_of_each_step_is_found_without_a_simulation) {
  const auto found = fit({with_truth({1.2, 800, 60, 4}, 60)}, true);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->errors.size(), 1U);
  EXPECT_EQ(found->errors[0].metric, "step_ms");
  EXPECT_EQ(found->errors[0].fitted, 40);
  EXPECT_EQ(found->errors[0].held_out, 20);
  EXPECT_GT(found->errors[0].held_out_before, 15);
  EXPECT_LT(found->errors[0].held_out_after, 1);
  const CalibratedStepTime fitted(kBase, found->correction);
  BatchShape usual;
  usual.decode_requests = 5;
  usual.decode_context = 3000;
  EXPECT_NEAR(fitted.step_us(usual) / (1.2 * kBase->step_us(usual) + 800 + 5 * 60), 1, 0.01);
}

TEST(Steps, a_law_of_its_own_needs_no_base) {
  Correction law;
  law.scale = 0;
  law.step_us = 9000;
  law.decode_us = 70;
  law.prefill_us = 35;
  const auto found = fit({with_truth(law, 60)}, false);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->correction.step_us, 9000, 180);
  EXPECT_NEAR(found->correction.decode_us, 70, 30);
  EXPECT_NEAR(found->correction.prefill_us, 35, 0.7);
}

TEST(Steps, few_of_them_move_the_scale_alone) {
  const auto found = fit({with_truth({1.2, 0, 0, 0}, 4)}, true);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->correction.scale, 1.2, 0.02);
  EXPECT_EQ(found->correction.step_us, 0);
  EXPECT_EQ(found->correction.prefill_us, 0);
  EXPECT_FALSE(fit({with_truth({1.2, 0, 0, 0}, 4)}, false));
}

}  // namespace
}  // namespace plimsoll
