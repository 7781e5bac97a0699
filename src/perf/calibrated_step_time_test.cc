#include "perf/calibration.h"

#include <array>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

/// 1000 us a step, 10 us per decode, 0.1 us per token of context, 2 us per prompt token; 50 us of
/// the client.
class KnownModel final : public StepTimeModel {
 public:
  double step_us(const BatchShape& b) const override {
    return 1000 + 10 * static_cast<double>(b.decode_requests) +
           0.1 * static_cast<double>(b.decode_context) + 2 * static_cast<double>(b.prefill_tokens);
  }
  double queueing_us(std::int64_t) const override { return 50; }
  double output_token_us() const override { return 3; }
  double post_decode_us() const override { return 4; }
};

CalibratedStepTime corrected(const Correction& correction) {
  return {std::make_shared<KnownModel>(), correction};
}

BatchShape mixed() {
  BatchShape batch;
  batch.decode_requests = 7;
  batch.decode_context = 700;
  batch.add_prefill(100, 0, 100);
  return batch;
}

TEST(CalibratedStepTime, changes_nothing_unless_told) {
  EXPECT_EQ(corrected({}).step_us(mixed()), KnownModel().step_us(mixed()));
  EXPECT_EQ(corrected({}).queueing_us(10), 50);
  EXPECT_EQ(corrected({}).output_token_us(), 3);
  EXPECT_EQ(corrected({}).post_decode_us(), 4);
}

TEST(CalibratedStepTime, adds_each_term_of_the_law) {
  const auto model = corrected({1.5, 200, 20, 0.5, 1000, 2});
  EXPECT_DOUBLE_EQ(model.step_us(mixed()), 1.5 * (1000 + 70 + 70 + 200) + 200 + 140 + 50);
  EXPECT_DOUBLE_EQ(model.queueing_us(10), 50 + 1000 + 20);
}

TEST(CalibratedStepTime, prices_many_decode_steps_to_the_last_bit_as_one_by_one) {
  const auto model = corrected({1.37, -33.3, 0.77, 0.5, 0, 0});
  std::array<double, 40> us{};
  model.decode_steps_us(13, 999, us);
  BatchShape batch;
  batch.decode_requests = 13;
  batch.decode_context = 999;
  for (const double step : us) {
    EXPECT_EQ(step, model.step_us(batch));
    batch.decode_context += 13;
  }
}

TEST(CalibratedStepTime, never_takes_less_than_no_time) {
  const auto model = corrected({1, -1e6, 0, 0, -1e6, 0});
  EXPECT_EQ(model.step_us(mixed()), 0);
  EXPECT_EQ(model.queueing_us(10), 0);
  std::array<double, 2> us{};
  model.decode_steps_us(1, 1, us);
  EXPECT_EQ(us[1], 0);
}

TEST(Correction, loses_the_client_when_the_engine_looks_at_itself) {
  const Correction seen = without_client({1.5, 200, 20, 0.5, 1000, 2});
  EXPECT_EQ(seen.request_us, 0);
  EXPECT_EQ(seen.prompt_token_us, 0);
  EXPECT_EQ(seen.scale, 1.5);
  EXPECT_EQ(seen.prefill_us, 0.5);
}

}  // namespace
}  // namespace plimsoll
