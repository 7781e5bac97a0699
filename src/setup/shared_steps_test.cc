// Do setups share the models of steps that they may, and no others?
#include <gtest/gtest.h>

#include "reference/linear_model.h"
#include "setup/shared_steps.h"

namespace plimsoll {
namespace {

SharedSteps::Steps make_linear() { return std::make_shared<const reference::LinearModel>(); }

// How many models are made for these runs, one after the other.
int made_for(const std::vector<RunSpec>& runs) {
  SharedSteps shared;
  int made = 0;
  for (const RunSpec& run : runs) {
    EXPECT_TRUE(shared.of(run, PoolRole::serve, [&]() -> SharedSteps::Steps {
      ++made;
      return std::make_shared<const reference::LinearModel>();
    }));
  }
  return made;
}

TEST(SharedSteps, are_those_of_runs_that_differ_in_limits_and_routing) {
  RunSpec one;
  one.model.id = "m";
  RunSpec other = one;
  other.engine.max_num_seqs = 32;
  other.engine.batching_rule = "sarathi";
  other.cluster.router = "least-loaded";
  other.traffic.rate_rps = 5;
  EXPECT_EQ(made_for({one, other, one}), 1);
}

TEST(SharedSteps, are_not_those_of_another_model_gpu_layout_or_way_to_tell) {
  const RunSpec one;
  std::vector<RunSpec> all(6, one);
  all[1].model.id = "other";
  all[2].hardware.gpu = "L4";
  all[3].layout.tp = 2;
  all[4].speculation.tokens = 3;
  all[5].step_time.latency_model = "roofline";
  EXPECT_EQ(made_for(all), 6);
}

TEST(SharedSteps, are_made_again_after_an_error) {
  SharedSteps shared;
  const RunSpec run;
  const auto refuse = [] { return SharedSteps::Steps(fail(ErrorKind::usage, "no")); };
  EXPECT_FALSE(shared.of(run, PoolRole::serve, refuse));
  EXPECT_TRUE(shared.of(run, PoolRole::serve, make_linear));
}

TEST(SharedSteps, are_not_those_of_instances_that_answer_where_prompts_are_computed_alone) {
  SharedSteps shared;
  const RunSpec run;
  const StepTimePtr serve = *shared.of(run, PoolRole::serve, make_linear);
  EXPECT_EQ(*shared.of(run, PoolRole::decode, make_linear), serve);
  EXPECT_NE(*shared.of(run, PoolRole::prefill, make_linear), serve);
}

}  // namespace
}  // namespace plimsoll
