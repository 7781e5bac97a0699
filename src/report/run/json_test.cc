#include "report/run/json.h"

#include <gtest/gtest.h>

#include <string>

#include "report/measured/calibration.h"

namespace plimsoll {
namespace {

Summary small_summary() {
  Summary s;
  s.cluster.name = "cluster";
  s.cluster.completed = 2;
  s.cluster.ttft.p99_ms = 92277.70790000001;
  s.instances.resize(2);
  s.instances[0].name = "instance_0";
  s.instances[1].name = "instance_1";
  s.rejected_routing = 4;
  s.steady_state = {SteadyVerdict::too_short, {SteadyCause::few_requests, 99}, 1.5, 0, 1000};
  s.intervals = {{"ttft_p99_ms", 1.5, 2.5}};

  return s;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SummaryJson, says_its_decision_first) {
  const std::string text = summary_json(small_summary(), {});
  EXPECT_TRUE(text.starts_with("{\n  \"decision\": {\n    \"verdict\": \"not_shown\"")) << text;
}

TEST(SummaryJson, has_the_keys_of_the_reference_in_its_order) {
  const std::string text = summary_json(small_summary(), {});
  std::size_t at = 0;
  for (const char* key : {"instance_id",
                          "completed_requests",
                          "still_queued",
                          "still_running",
                          "injected_requests",
                          "total_input_tokens",
                          "total_output_tokens",
                          "vllm_estimated_duration_s",
                          "responses_per_sec",
                          "tokens_per_sec",
                          "e2e_mean_ms",
                          "e2e_p90_ms",
                          "e2e_p95_ms",
                          "e2e_p99_ms",
                          "ttft_mean_ms",
                          "ttft_p90_ms",
                          "ttft_p95_ms",
                          "ttft_p99_ms",
                          "itl_mean_ms",
                          "itl_p90_ms",
                          "itl_p95_ms",
                          "itl_p99_ms",
                          "scheduling_delay_p99_ms",
                          "kv_allocation_failures",
                          "preemption_count",
                          "cache_hit_rate",
                          "dropped_unservable",
                          "length_capped_requests",
                          "timed_out_requests"}) {
    const std::size_t found = text.find("\n  \"" + std::string(key) + "\": ");
    ASSERT_NE(found, std::string::npos) << key;
    EXPECT_GE(found, at) << key;
    at = found;
  }
}

TEST(SummaryJson, adds_what_the_contract_asks_for) {
  const std::string text = summary_json(small_summary(), {"run", 7, {}});
  EXPECT_TRUE(has(text, "\"schema_version\": 1"));
  EXPECT_TRUE(has(text, "\"seed\": 7"));
  EXPECT_TRUE(has(text, "\"ttft_p50_ms\": 0.0"));
  EXPECT_TRUE(has(text, "\"ttft_p99_ms\": 92277.70790000001"));  // reads back equal
  EXPECT_TRUE(has(text, "\"rejected_admission\": 0"));
  EXPECT_TRUE(has(text, "\"rejected_routing\": 4"));
  EXPECT_TRUE(has(text, "\"verdict\": \"too_short\""));
  EXPECT_TRUE(has(text, "\"warmup_s\": 1.5"));
  EXPECT_TRUE(has(text, "\"instance_id\": \"instance_1\""));
  for (const char* key : {"utilization", "kv_utilization", "prefix_hit_rate"}) {
    EXPECT_TRUE(has(text, "\"" + std::string(key) + "\": ")) << key;
  }
}

TEST(SummaryJson, gives_each_interval_its_level_and_parts) {
  std::string text = summary_json(small_summary(), {});
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_TRUE(has(text, R"("intervals":{"ttft_p99_ms":{"low":1.5,"high":2.5,"level":0.9,)"
                        R"("parts":{"sampling":[1.5,2.5],"model":null}}})"));
}

TEST(SummaryJson, keeps_empty_collections_as_collections) {
  std::string text = summary_json({}, {});
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_TRUE(has(text, R"("intervals":{})"));
  EXPECT_TRUE(has(text, R"("config":{})"));
  EXPECT_TRUE(has(text, R"("instances":[])"));
  EXPECT_EQ(text.front(), '{');
  EXPECT_EQ(text.back(), '}');
}

TEST(SummaryJson, shows_every_resolved_value_with_its_origin) {
  const RunConfig config{"run",
                         42,
                         {{"model", std::string("a\xff\"b"), "flag"},
                          {"rate", 2.5, "default"},
                          {"tp", std::int64_t{2}, "catalog"},
                          {"lazy", true, "file"}}};
  std::string text = summary_json({}, config);
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_TRUE(has(text, "\"model\":{\"value\":\"a\xEF\xBF\xBD\\\"b\",\"origin\":\"flag\"}"));
  EXPECT_TRUE(has(text, R"("rate":{"value":2.5,"origin":"default"})"));
  EXPECT_TRUE(has(text, R"("tp":{"value":2,"origin":"catalog"})"));
  EXPECT_TRUE(has(text, R"("lazy":{"value":true,"origin":"file"})"));
}

TEST(CalibrationVerdict, names_what_got_worse_and_what_is_too_little) {
  Calibration c;
  c.base = "kernel";
  c.errors = {{"ttft_ms", 20, 6, 30, 10, 40, 10}, {"tpot_ms", 20, 6, 8, 2, 3, 5}};
  const std::string enough = calibration_verdict(c);
  EXPECT_EQ(
      enough.find("The correction helps one figure and harms another on held-out measurements: "
                  "worse TPOT 3.0 -> 5.0 %; better TTFT 40.0 -> 10.0 % (75 % less)"),
      0U)
      << enough;
  EXPECT_EQ(enough.find("are needed"), std::string::npos) << enough;
  for (CalibrationErrors& e : c.errors) e.held_out = 4;
  EXPECT_NE(calibration_verdict(c).find("8 measurements held out, 10 are needed"),
            std::string::npos);
}

}  // namespace
}  // namespace plimsoll
