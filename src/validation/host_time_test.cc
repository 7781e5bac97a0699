// How much longer does a slow host make a step?
#include "validation/host_time.h"

#include <array>

#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace plimsoll {
namespace {

/// 3 us for each decode.
class PerDecode final : public StepTimeModel {
 public:
  double step_us(const BatchShape& batch) const override {
    return 3 * static_cast<double>(batch.decode_requests);
  }
  double queueing_us(std::int64_t input_tokens) const override {
    return static_cast<double>(input_tokens);
  }
  double output_token_us() const override { return 7; }
  double post_decode_us() const override { return 9; }
};

BatchShape decodes(std::int64_t requests) {
  BatchShape batch;
  batch.decode_requests = requests;
  return batch;
}

TEST(HostTime, adds_what_nothing_hides_and_runs_the_rest_beside_the_gpu) {
  const auto base = std::make_shared<const PerDecode>();
  EXPECT_DOUBLE_EQ(with_host(base, {.added_us = 5, .launching_us = 0})->step_us(decodes(2)), 11);
  const StepTimePtr both = with_host(base, {.added_us = 5, .launching_us = 8});
  EXPECT_DOUBLE_EQ(both->step_us(decodes(2)), 10 + 5);  // 6, 8, 10
  EXPECT_EQ(both->step_us({}), 0);
  EXPECT_EQ(both->queueing_us(4), 4);
  EXPECT_EQ(both->output_token_us(), 7);
  EXPECT_EQ(both->post_decode_us(), 9);
}

TEST(HostTime, is_the_same_for_many_steps_and_for_ranks) {
  const StepTimePtr slow =
      with_host(std::make_shared<const PerDecode>(), {.added_us = 5, .launching_us = 8});
  std::array<double, 3> steps{};
  slow->decode_steps_us(2, 100, steps);
  for (const double us : steps) EXPECT_DOUBLE_EQ(us, 15);
  const std::array<BatchShape, 2> ranks{decodes(1), decodes(0)};  // as full as the fullest: 2
  EXPECT_DOUBLE_EQ(slow->ranks_us(ranks), 15);
  slow->decode_ranks_us(ranks, steps);
  for (const double us : steps) EXPECT_DOUBLE_EQ(us, 15);
}

// The engine counts a step that yields two tokens as two.
TEST(HostTime, of_a_step_with_a_draft_is_shared_by_its_tokens) {
  LatencyInputs inputs{find_model("deepseek-ai/DeepSeek-R1")->config, {}, {}, {}};
  PublishedSettings published;
  EXPECT_FALSE(host_of(published, inputs).any());
  published.added_ms_per_step = 3;
  EXPECT_DOUBLE_EQ(host_of(published, inputs).added_us, 3000);
  published.cuda_graphs = false;
  EXPECT_DOUBLE_EQ(host_of(published, inputs).launching_us, 61 * 1200);
  Speculation sure;
  sure.acceptance = {1};
  inputs.speculation = sure;
  EXPECT_DOUBLE_EQ(host_of(published, inputs).added_us, 1500);
  EXPECT_DOUBLE_EQ(host_of(published, inputs).launching_us, 61 * 600);
}

}  // namespace
}  // namespace plimsoll
