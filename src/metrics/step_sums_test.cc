// How large can batches become, and how much of its time does an instance need at most?
#include "metrics/step_sums.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

// 1,000 steps of 20 requests that decode; each takes 20 ms, and 1 for a request alone.
InstanceRecord decoding() {
  InstanceRecord r;
  r.max_num_seqs = 100;
  r.steps = 1000;
  r.decode_tokens = 20'000;
  r.busy = microseconds(20'000'000);
  r.lone_decode_step = microseconds(1'000);
  return r;
}

GroupSummary figures_of(double batch, double kv) {
  GroupSummary s;
  s.mean_batch_size = batch;
  s.kv_utilization = kv;
  return s;
}

TEST(StepSums, have_a_line_through_a_request_alone_and_the_batches_of_the_run) {
  StepSums sums;
  sums.add(decoding());
  EXPECT_DOUBLE_EQ(sums.batch(), 20);
  EXPECT_DOUBLE_EQ(sums.per_decode_token_s(), 0.001);
  EXPECT_DOUBLE_EQ(sums.per_decode_token_s(1), 0.001);
  InstanceRecord slow = decoding();
  slow.lone_decode_step = microseconds(10'500);  // half a millisecond for one more
  StepSums flat;
  flat.add(slow);
  EXPECT_NEAR(flat.per_decode_token_s(100), (0.0105 + 99 * 0.0005) / 100, 1e-12);
}

TEST(RoomToGrow, is_limited_by_places_blocks_and_tokens) {
  InstanceRecord r = decoding();
  EXPECT_DOUBLE_EQ(room_to_grow(r, figures_of(20, 0.1), 2000), 5);
  EXPECT_DOUBLE_EQ(room_to_grow(r, figures_of(20, 0.5), 2000), 2);
  r.prefill_tokens = 980'000;  // 1,000 tokens in a step with the others
  EXPECT_DOUBLE_EQ(room_to_grow(r, figures_of(20, 0.1), 2000), 5)
      << "prompts in steps of their own";
  r.prefill_work = microseconds(1'000'000);
  r.prefill_busy = microseconds(1'500'000);
  EXPECT_DOUBLE_EQ(room_to_grow(r, figures_of(20, 0.1), 2000), 2);
  EXPECT_DOUBLE_EQ(room_to_grow(r, figures_of(20, 0.1), 0), 5) << "no limit";
  EXPECT_DOUBLE_EQ(room_to_grow(r, figures_of(20, 0.1), 500), 1);
  EXPECT_DOUBLE_EQ(room_to_grow(InstanceRecord(), {}, 0), 1);
}

TEST(FullDecodes, take_less_time_in_larger_batches_and_never_more) {
  InstanceRecord r = decoding();
  EXPECT_DOUBLE_EQ(full_decodes_s(r, figures_of(20, 0.1), 0), 20) << "each one costs the same";
  r.lone_decode_step = microseconds(20'000);  // the others come for nothing
  EXPECT_DOUBLE_EQ(full_decodes_s(r, figures_of(20, 0.1), 0), 4);
  EXPECT_DOUBLE_EQ(full_decodes_s(r, figures_of(20, 1), 0), 20);
  EXPECT_EQ(full_decodes_s(InstanceRecord(), {}, 0), 0);
}

}  // namespace
}  // namespace plimsoll
