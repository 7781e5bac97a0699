// Do measured splits run with the limits of the recipes that their publisher names?
#include "validation/published_splits.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "validation/case_simulation.h"
#include "validation/doubts.h"

namespace plimsoll {
namespace {

struct Measured {
  const char* engine;
  const char* version;
  const char* gpu;
  const char* weights;
  std::int64_t prompt;
  CaseWorkers prefill;
  CaseWorkers decode;
  std::vector<std::int64_t> concurrencies;
  const char* day = "2026-02-05";
};

CasePoint point_of(std::int64_t concurrency, const char* day) {
  CasePoint out;
  out.concurrency = concurrency;
  out.measured_on = day;
  return out;
}

Case case_of(const Measured& m) {
  Case out;
  out.kind = CaseKind::closed_loop_pd;
  out.source = "inferencex-silicon";
  out.deployment.model = "deepseek-ai/DeepSeek-R1";
  out.deployment.engine = m.engine;
  out.deployment.engine_version = m.version;
  out.deployment.gpu = m.gpu;
  out.deployment.weight_dtype = m.weights;
  out.deployment.split = CaseSplit{m.prefill, m.decode};
  out.workload.input.most = m.prompt;
  out.workload.output.most = 1024;
  for (const std::int64_t streams : m.concurrencies) {
    out.points.push_back(point_of(streams, m.day));
  }
  return out;
}

std::optional<PublishedSplit> split_of(const Case& measured, std::int64_t concurrency) {
  return published_split(measured, *engine_of(measured.deployment.engine),
                         *find_gpu(measured.deployment.gpu, SemanticsMode::vllm), concurrency)
      .value();
}

constexpr CaseLayout kFourRanks{1, 1, 4, 4, {}};
constexpr CaseLayout kEightRanks{1, 1, 8, 8, {}};
constexpr CaseLayout kEight{8, 1, 1, 8, {}};

TEST(PublishedSplits, have_the_places_of_the_recipe_for_so_many_requests) {
  const Case alone = case_of(
      {"trtllm", "0.8.1.post2", "GB200", "fp8", 8192, {1, kEightRanks}, {3, kEight}, {6, 18, 63}});
  EXPECT_EQ(split_of(alone, 6)->decode_places, 1);
  EXPECT_EQ(split_of(alone, 18)->decode_places, 4);
  EXPECT_EQ(split_of(alone, 63)->decode_places, 16);
  EXPECT_FALSE(split_of(alone, 64)) << "no recipe is for more";
  const Case list = case_of({"trtllm",
                             "0.8.1.post1",
                             "B200",
                             "nvfp4",
                             1024,
                             {1, kFourRanks},
                             {5, kEight},
                             {10, 90, 180}});
  for (const std::int64_t streams : {10, 90, 180}) {
    EXPECT_EQ(split_of(list, streams)->decode_places, 32) << "one recipe for all of the list";
  }
}

TEST(PublishedSplits, have_the_limits_and_ranks_of_workers_for_prompts) {
  const Case hopper = case_of(
      {"trtllm", "0.8.1.post1", "H200", "fp8", 8192, {2, kEightRanks}, {3, kEightRanks}, {192}});
  const auto split = split_of(hopper, 192);
  EXPECT_EQ(split->prompts.max_num_seqs, 2);
  EXPECT_EQ(split->prompts.max_num_batched_tokens, 16'640);
  EXPECT_EQ(split->prompts.ranks, 1) << "tables say eight";
  EXPECT_TRUE(split->whole_prompts);
  EXPECT_EQ(split->gateways, 1);
}

TEST(PublishedSplits, of_sglang_share_the_limits_of_a_worker_among_its_ranks) {
  const Measured measured{"sglang", "0.5.8.post1",    "B200",           "fp8",
                          8192,     {1, kEightRanks}, {1, kEightRanks}, {128}};
  Case of_february = case_of(measured);
  EXPECT_EQ(split_of(of_february, 128)->prompts.max_num_batched_tokens, 4096);
  of_february.points.front().measured_on = "2026-03-18";
  EXPECT_EQ(split_of(of_february, 128)->prompts.max_num_batched_tokens, 8192);
  EXPECT_EQ(split_of(of_february, 128)->prompts.max_num_seqs, 1);
}

TEST(PublishedSplits, leave_nothing_open_where_all_points_have_one) {
  Case measured = case_of(
      {"trtllm", "0.8.1.post2", "GB200", "fp8", 8192, {1, kEightRanks}, {3, kEight}, {6, 18}});
  const ModelConfig model = find_model(measured.deployment.model)->config;
  EXPECT_TRUE(doubts_of(measured, model).names.empty());
  measured.points.push_back(point_of(64, "2026-02-05"));
  EXPECT_EQ(doubts_of(measured, model).names, std::vector<std::string_view>{"slots"});
  measured.points.pop_back();
  measured.source = "somebody";
  EXPECT_FALSE(has_published_split(measured));
}

TEST(PublishedSplits, are_what_cases_run_with) {
  const Case measured =
      case_of({"trtllm", "0.8.1.post2", "GB200", "fp8", 8192, {1, kEightRanks}, {3, kEight}, {18}});
  const ModelConfig model = find_model(measured.deployment.model)->config;
  const auto setup = deploy(measured, model, Sampling{}, "kernel", nullptr, 18, {});
  ASSERT_TRUE(setup);
  const Deployment& deployment = setup->deployment;
  EXPECT_EQ(deployment.pools[0].engine.max_num_seqs, 2 * 8);
  EXPECT_EQ(deployment.pools[0].engine.max_num_batched_tokens, 16'384 * 8);
  EXPECT_EQ(deployment.pools[1].engine.max_num_seqs, 4);
  EXPECT_EQ(*deployment.parameters.at("gateways"), 10);
}

}  // namespace
}  // namespace plimsoll
