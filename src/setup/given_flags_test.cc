// Which flags are so far from their defaults that a run without them is worth trying?
#include "setup/given_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Remedy> found(const RunSpec& run) {
  std::vector<Remedy> remedies;
  for (const GivenFlag& flag : flags_far_from_defaults(run)) remedies.push_back(flag.remedy);
  return remedies;
}

RunSpec with(std::int64_t max_num_seqs, std::int64_t max_num_batched_tokens) {
  RunSpec run;
  run.engine.max_num_seqs = max_num_seqs;
  run.engine.max_num_batched_tokens = max_num_batched_tokens;
  return run;
}

TEST(GivenFlags, are_far_at_half_and_at_twice_their_default) {
  EXPECT_THAT(found(RunSpec()), IsEmpty());
  EXPECT_THAT(found(with(129, 1025)), IsEmpty());
  EXPECT_THAT(found(with(511, 4095)), IsEmpty());
  EXPECT_THAT(found(with(128, 1025)), ElementsAre(Remedy::default_places));
  EXPECT_THAT(found(with(512, 1025)), ElementsAre(Remedy::default_places));
  EXPECT_THAT(found(with(129, 1024)), ElementsAre(Remedy::default_tokens));
  EXPECT_THAT(found(with(129, 4096)), ElementsAre(Remedy::default_tokens));
}

TEST(GivenFlags, are_memory_that_is_held_back_and_any_rule) {
  RunSpec run;
  run.engine.gpu_memory_utilization = 0.85;
  EXPECT_THAT(found(run), IsEmpty());
  run.engine.gpu_memory_utilization = 0.7;
  EXPECT_THAT(found(run), ElementsAre(Remedy::default_memory));
  run.engine.batching_rule = "sarathi";
  EXPECT_THAT(found(run), ElementsAre(Remedy::default_rule, Remedy::default_memory));
}

TEST(GivenFlags, are_left_out_one_at_a_time) {
  const RunSpec run = with(16, 64);
  const std::vector<GivenFlag> flags = flags_far_from_defaults(run);
  ASSERT_EQ(flags.size(), 2U);
  EXPECT_EQ(flags[0].usual, 256);
  EXPECT_FALSE(flags[0].without.engine.max_num_seqs);
  EXPECT_EQ(flags[0].without.engine.max_num_batched_tokens, 64);
  EXPECT_EQ(flags[1].usual, 2048);
  EXPECT_EQ(flags[1].without.engine.max_num_seqs, 16);
  EXPECT_FALSE(flags[1].without.engine.max_num_batched_tokens);
}

}  // namespace
}  // namespace plimsoll
