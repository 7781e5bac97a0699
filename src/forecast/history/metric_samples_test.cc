// Do all forms of a recording tell the same history?

#include <gtest/gtest.h>

#include "forecast/history/prometheus.h"

namespace plimsoll {
namespace {

using Values = std::vector<double>;

// The first column of the only route.
Values requests_in(const std::string& text) {
  const auto response = as_range_response(text, "m.txt");
  if (!response) return {};
  const auto rows = read_prometheus_rows(*response, "m.txt", {});
  if (!rows) return {};
  Values values;
  for (const HistoryRow& row : rows->routes.front().rows) values.push_back(row.values.front());
  return values;
}

std::string problem_in(const std::string& text) {
  const auto response = as_range_response(text, "m.txt");
  return response ? "none" : response.error().diagnostics.front().message;
}

// A restart after the second scrape, and one scrape that is missing before the last.
constexpr const char* kScrapes = R"(1764547200
# HELP vllm:request_success_total Count of requests.
vllm:request_success_total{model_name="a \"b\", c",finished_reason="stop"} 100
2025-12-01T00:01:00Z
vllm:request_success_total{model_name="a \"b\", c",finished_reason="stop"} 160.0
vllm:e2e_request_latency_seconds_bucket{le="+Inf"} 160
1764547320000
vllm:request_success_total{model_name="a \"b\", c",finished_reason="stop"} 30
1764547440
vllm:request_success_total{model_name="a \"b\", c",finished_reason="stop"} 70
)";

TEST(MetricSamples, are_scrapes_with_times_before_them_a_history) {
  EXPECT_EQ(requests_in(kScrapes), (Values{60, 30, 20, 20}));
}

TEST(MetricSamples, is_a_time_behind_a_sample_its_own) {
  EXPECT_EQ(requests_in("vllm:request_success_total 5 1764547200000\n"
                        "vllm:request_success_total 7 1764547260000\n"),
            (Values{2}));
}

std::string exported(int temporality, int minute, const char* value) {
  return R"({"resourceMetrics":[{"resource":{"attributes":[]},"scopeMetrics":[{"metrics":[{)"
         R"("name":"vllm:request_success","sum":{"aggregationTemporality":)" +
         std::to_string(temporality) + R"(,"isMonotonic":true,"dataPoints":[{"attributes":[)" +
         R"({"key":"model_name","value":{"stringValue":"m"}}],"startTimeUnixNano":")" +
         std::to_string(1'764'547'200 + 60 * (minute - 1)) + R"(000000000","timeUnixNano":")" +
         std::to_string(1'764'547'200 + 60 * minute) + R"(000000000","asInt":")" + value +
         "\"}]}}]}]}]}\n";
}

TEST(MetricSamples, is_a_time_behind_a_sample_in_seconds_as_openmetrics_has_it) {
  EXPECT_EQ(requests_in("vllm:request_success_total 5 1764547200\n"
                        "vllm:request_success_total 7 1764547260.5\n"),
            (Values{2}));
}

// An exporter may leave out intervals in which nothing came.
TEST(MetricSamples, is_what_came_in_an_interval_not_of_the_time_before_it) {
  EXPECT_EQ(requests_in(exported(1, 1, "15") + exported(1, 2, "4") + exported(1, 6, "4")),
            (Values{15, 4, 0, 0, 0, 4}));
}

TEST(MetricSamples, are_exports_cumulative_or_by_interval) {
  EXPECT_EQ(requests_in(exported(2, 0, "10") + exported(2, 1, "25") + exported(2, 2, "4")),
            (Values{15, 4}));
  EXPECT_EQ(requests_in(exported(1, 1, "15") + exported(1, 2, "4")), (Values{15, 4}));
}

TEST(MetricSamples, is_an_answer_of_prometheus_handed_on) {
  const std::string answer =
      R"({"data":{"resultType":"matrix","result":[{"metric":{"__name__":)"
      R"("vllm:request_success_total"},"values":[[1764547200,"1"],[1764547260,"4"]]}]}})";
  EXPECT_EQ(requests_in(answer), (Values{3}));
}

TEST(MetricSamples, is_what_is_wrong_named) {
  EXPECT_EQ(problem_in("vllm:request_success_total 5\n"), "no time is known of this sample");
  EXPECT_EQ(problem_in("1764547200\nvllm:x{model=\"m 5\n"),
            "this is neither a time nor a sample of a metric");
  EXPECT_EQ(problem_in("{\"resourceMetrics\":[]}\nno\n"), "this line is no export of metrics");
}

}  // namespace
}  // namespace plimsoll
