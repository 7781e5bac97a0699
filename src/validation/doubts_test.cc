#include "validation/doubts.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace plimsoll {
namespace {

using Names = std::vector<std::string_view>;

Case loop_of(const char* engine, const char* version) {
  Case out;
  out.kind = CaseKind::closed_loop;
  out.deployment.engine = engine;
  out.deployment.engine_version = version;
  out.workload.requests_per_concurrency = 10;
  return out;
}

Names open_in(const Case& measured, const char* model = "openai/gpt-oss-120b") {
  return doubts_of(measured, find_model(model)->config).names;
}

TEST(Doubts, are_none_where_limits_harness_and_a_fitted_version_are_stated) {
  Case vllm = loop_of("vllm", "0.19.0");
  vllm.deployment.max_num_batched_tokens = 8192;
  EXPECT_EQ(open_in(vllm), Names{});
  EXPECT_EQ(open_in(loop_of("trtllm", "1.2.0rc2")), Names{});
  EXPECT_EQ(open_in(loop_of("sglang", "0.5.9")), Names{});
}

TEST(Doubts, grow_with_what_is_not_stated) {
  EXPECT_EQ(open_in(loop_of("vllm", "0.19.0")), Names{"settings"});
  EXPECT_EQ(open_in(loop_of("trtllm", "")), Names{"version"});
  EXPECT_EQ(open_in(loop_of("trtllm", "1.3.0rc1")), Names{"version"});
  EXPECT_EQ(open_in(loop_of("sglang", "0.5.10")), Names{"version"});  // not before 0.5.9
  Case unpublished = loop_of("trtllm", "1.0.0rc3");
  unpublished.workload.requests_per_concurrency.reset();
  EXPECT_EQ(open_in(unpublished), Names{"harness"});
  unpublished.deployment.engine_version = "1.3.0rc1";
  EXPECT_EQ(open_in(unpublished), Names{"harness-and-version"});
}

// The V0 engine of vLLM, open loop.
TEST(Doubts, know_versions_that_were_another_engine) {
  Case old = loop_of("vllm", "0.6.3");
  old.kind = CaseKind::trace;
  EXPECT_EQ(open_in(old), Names{"version"});
  old.deployment.engine_version = "nightly-2026-02";
  EXPECT_EQ(open_in(old), Names{});
  old.deployment.engine_version = "";
  EXPECT_EQ(open_in(old), Names{});
}

TEST(Doubts, lie_on_the_side_that_they_move_measurements_to) {
  const ModelConfig deepseek = find_model("deepseek-ai/deepseek-r1")->config;
  const Doubts speculating = doubts_of(loop_of("sglang", "0.5.9"), deepseek);
  EXPECT_EQ(speculating.names, Names{"speculation"});
  EXPECT_GT(speculating.faster, 0);
  EXPECT_EQ(speculating.slower, 0);
  const Doubts unknown = doubts_of(loop_of("sglang", ""), deepseek);
  EXPECT_GT(unknown.slower, 0);
  EXPECT_GT(unknown.later, 0);
}

TEST(Doubts, of_a_split_are_about_workers_that_share_its_answers) {
  Case split = loop_of("trtllm", "0.8.1");
  split.kind = CaseKind::closed_loop_pd;
  split.deployment.split = CaseSplit{{1, {}}, {1, {}}};
  EXPECT_EQ(open_in(split), Names{});
  split.deployment.split->decode.workers = 3;
  EXPECT_EQ(open_in(split), Names{"slots"});
}

}  // namespace
}  // namespace plimsoll
