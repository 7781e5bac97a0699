#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "catalog/catalog.h"
#include "validation/case.h"
#include "validation/validate.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCase = R"(plimsoll_case: 1
name: conversations
kind: closed_loop_sessions
provenance: {source: by-hand}
deployment:
  model: meta-llama/Llama-3.1-8B-Instruct
  gpu: H100-SXM-80GB
  instances: 2
  engine: vllm
  kv_blocks: 2500
  max_num_batched_tokens: 8192
  router: {scorers: {queue: 1, prefix: 3}, picker: highest weighted sum}
workload:
  sessions: {turns: 5, prefix_tokens: 4000, prefixes_per_concurrency: 2}
  input_tokens: {constant: 100}
  output_tokens: {mean: 50, stdev: 20, min: 10, max: 90}
  closed_loop: {num_requests_per_concurrency: 10}
measured:
  points:
    - {concurrency: 32, output_tokens_per_s: 100}
    - {concurrency: 4, output_tokens_per_s: 200}
score: {use: ["points[].output_tokens_per_s", "points[].completed"]}
)";

Result<Case> read_text(std::string text, const std::string& from = "", const std::string& to = "") {
  const fs::path folder =
      fs::path(testing::TempDir()) / ("plimsoll_sessions." + std::to_string(getpid()));
  fs::create_directories(folder);
  text.replace(text.find(from), from.size(), to);
  std::ofstream(folder / "case.yaml") << text;
  auto read = read_case(folder.string());
  fs::remove_all(folder);
  return read;
}

/// Output tokens per second at each point.
std::vector<double> predicted(const Case& measured) {
  ValidationOptions options;
  options.latency_model = "kernel";
  options.model_error = false;
  const auto result = validate_case(measured, find_model("llama-3.1-8b-instruct")->config, options);
  EXPECT_TRUE(result.has_value());
  std::vector<double> rates;
  for (const ScoredFigure& one : result->metrics.at("output_tokens_per_s").comparisons) {
    rates.push_back(one.predicted);
  }
  return rates;
}

TEST(CaseSessions, are_read_with_their_router) {
  const auto read = read_text(kCase);
  ASSERT_TRUE(read.has_value()) << format(read.error());
  EXPECT_EQ(read->workload.sessions->turns, 5);
  EXPECT_EQ(read->workload.sessions->prefix_tokens, 4000);
  EXPECT_EQ(read->deployment.scorers,
            (std::vector<ScorerWeight>{{"queue-depth", 1}, {"prefix-affinity", 3}}));
  EXPECT_EQ(read->workload.output.stdev, 20);
}

TEST(CaseSessions, name_the_scorer_that_nobody_knows) {
  const auto read = read_text(kCase, "queue: 1", "queue-dept: 1");
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(format(read.error()).find("unknown scorer \"queue-dept\""), std::string::npos);
  EXPECT_NE(format(read.error()).find("queue-depth"), std::string::npos);
}

// The caches hold the conversations of 4 at a time, not those of 32: whose texts are evicted before
// their next turn.
TEST(CaseSessions, are_computed_again_where_caches_are_too_small) {
  const auto small = read_text(kCase);
  const std::vector<double> evicted = predicted(*small);
  ASSERT_EQ(evicted.size(), 2U);
  const std::vector<double> kept =
      predicted(*read_text(kCase, "kv_blocks: 2500", "kv_blocks: 25000"));
  EXPECT_LT(evicted[0], 0.6 * kept[0]);
  EXPECT_NEAR(evicted[1] / kept[1], 1, 0.1);
}

TEST(CaseSessions, gain_from_a_router_that_remembers_them) {
  const auto by_prefix = read_text(kCase, "kv_blocks: 2500", "kv_blocks: 25000");
  Case in_turn = *by_prefix;
  in_turn.deployment.scorers.clear();
  EXPECT_GT(predicted(*by_prefix)[0], 1.1 * predicted(in_turn)[0]);
}

// Levels run in the order of their concurrency, and the texts of one are not those of another.
TEST(CaseSessions, begin_each_level_with_texts_of_its_own) {
  const auto both = read_text(kCase, "kv_blocks: 2500", "kv_blocks: 100000");
  Case alone = *both;
  alone.points.pop_back();
  EXPECT_NEAR(predicted(*both)[0] / predicted(alone)[0], 1, 0.05);
}

}  // namespace
}  // namespace plimsoll
