#include "metrics/latency.h"

#include <gtest/gtest.h>

#include "metrics/summary.h"
#include "run_record_maker.h"

namespace plimsoll {
namespace {

using test::add_row;

// Two answers after the first second: 11 tokens 10 ms apart and 3 tokens 40 ms apart; one request
// that has its first token only. The instance ends at 2 s.
RunRecord three_requests() {
  RunRecord record;
  add_row(&record, {.arrival = 1000, .delay = 0, .ttft = 50, .e2e = 150, .output = 11});
  add_row(&record, {.arrival = 1050, .delay = 0, .ttft = 70, .e2e = 150, .output = 3});
  add_row(&record, {.arrival = 1060, .outcome = Outcome::unfinished, .delay = 0, .ttft = 300});
  record.instances[0].end = Time{} + seconds(2);
  return record;
}

GroupSummary cluster_by(const char* name) {
  SummaryOptions options;
  options.definitions = metric_definitions(name);
  return summarize(three_requests(), options).cluster;
}

TEST(Definitions, of_vllm_pool_gaps_and_count_from_the_start) {
  const GroupSummary c = cluster_by("vllm");
  EXPECT_DOUBLE_EQ(c.itl.mean_ms, 180.0 / 12);  // ten of 10 ms, two of 40 ms
  EXPECT_DOUBLE_EQ(c.itl.p50_ms, 10);
  EXPECT_DOUBLE_EQ(c.tpot.mean_ms, 25);
  EXPECT_DOUBLE_EQ(c.ttft.mean_ms, 140);
  EXPECT_DOUBLE_EQ(c.duration_s, 2);
  EXPECT_DOUBLE_EQ(c.responses_per_sec, 1);
}

TEST(Definitions, of_benchmark_clients_see_completed_requests_from_the_first_one_on) {
  for (const char* name : {"vllm-bench", "inference-perf"}) {
    const GroupSummary c = cluster_by(name);
    EXPECT_DOUBLE_EQ(c.itl.p50_ms, 10) << name;
    EXPECT_DOUBLE_EQ(c.tpot.mean_ms, 25) << name;
    EXPECT_DOUBLE_EQ(c.ttft.mean_ms, 60) << name;
    EXPECT_DOUBLE_EQ(c.duration_s, 0.2) << name;  // from 1.0 s to 1.2 s
    EXPECT_DOUBLE_EQ(c.responses_per_sec, 10) << name;
    EXPECT_DOUBLE_EQ(c.tokens_per_sec, 70) << name;
  }
}

TEST(Definitions, of_guidellm_spread_the_whole_answer_over_its_tokens) {
  const GroupSummary c = cluster_by("guidellm");
  EXPECT_NEAR(c.tpot.mean_ms, (150.0 / 11 + 150.0 / 3) / 2, 1e-5);
  // Means of 10 and 40 ms, counted ten times and twice: twelve values, ranks 0 to 11.
  EXPECT_DOUBLE_EQ(c.itl.mean_ms, 15);
  EXPECT_DOUBLE_EQ(c.itl.p50_ms, 10);
  EXPECT_DOUBLE_EQ(c.itl.p90_ms, 10 + 0.9 * 30);  // rank 9.9
  EXPECT_DOUBLE_EQ(c.itl.p99_ms, 40);
}

TEST(Definitions, of_aiperf_take_one_mean_gap_per_request) {
  const GroupSummary c = cluster_by("aiperf");
  EXPECT_DOUBLE_EQ(c.itl.mean_ms, 25);
  EXPECT_DOUBLE_EQ(c.itl.p50_ms, 25);
  EXPECT_DOUBLE_EQ(c.tpot.mean_ms, 25);
}

TEST(Definitions, change_nothing_but_what_differs) {
  for (const MetricDefinitions& d : metric_definitions()) {
    const GroupSummary c = cluster_by(d.name.c_str());
    EXPECT_DOUBLE_EQ(c.e2e.mean_ms, 150) << d.name;
    EXPECT_EQ(c.completed, 2) << d.name;
    EXPECT_EQ(c.total_output_tokens, 14) << d.name;
  }
}

}  // namespace
}  // namespace plimsoll
