// Which limits of an engine follow from which settings of a run?
#include "setup/engine_limits.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(BatchingRuleOf, is_that_of_the_engine_where_nobody_says_another) {
  RunSpec run;
  EXPECT_EQ(batching_rule_of(run), "vllm");
  run.step_time.engine = Engine::trtllm;
  EXPECT_EQ(batching_rule_of(run), "trtllm");
  run.step_time.engine = Engine::sglang;
  EXPECT_EQ(batching_rule_of(run), "sglang");
  run.engine.batching_rule = "vllm";
  EXPECT_EQ(batching_rule_of(run), "vllm");
}

// Both know one rule alone.
TEST(BatchingRuleOf, is_vllms_for_a_split_and_for_the_reference_simulator) {
  RunSpec run;
  run.step_time.engine = Engine::sglang;
  run.semantics = SemanticsMode::blis;
  EXPECT_EQ(batching_rule_of(run), "vllm");
  run.semantics = SemanticsMode::vllm;
  run.split.prefill.instances = 1;
  run.split.decode.instances = 1;
  EXPECT_EQ(batching_rule_of(run), "vllm");
}

}  // namespace
}  // namespace plimsoll
