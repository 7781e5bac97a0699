// Which windows of an engine's counters say how fast it answers a steady load?
#include "forecast/history/latency_windows.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr double kWindowsBeginS = 1'780'272'000;
constexpr double kWindowLengthS = 3600;

/// The counters of one instance, each with what it gains in each step.
struct Recording {
  std::vector<double> requests{3600, 3600, 3600, 3600};
  std::vector<double> firsts{3600, 3600, 3600, 3600};
  std::vector<double> ttft_s{0.1, 0.1, 0.1, 0.1};  ///< of each request
  std::string gap = "inter_token_latency";
  bool has_prompts = true;
  bool has_latencies = true;
  bool has_late_aborts = false;  ///< a series of them that begins with the last two samples
};

std::string gaining_series(const std::string& metric, const std::string& labels,
                           const std::vector<double>& gains) {
  double sum = 5;
  std::string samples = fmt::format("[{},\"{}\"]", kWindowsBeginS, sum);
  for (std::size_t i = 0; i < gains.size(); ++i) {
    sum = gains[i] < 0 ? 0 : sum + gains[i];
    samples += fmt::format(",[{},\"{}\"]",
                           kWindowsBeginS + kWindowLengthS * static_cast<double>(i + 1), sum);
  }
  return fmt::format(R"({{"metric":{{"__name__":"vllm:{}"{}}},"values":[{}]}})", metric, labels,
                     samples);
}

std::vector<double> multiplied(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

std::string recording_text(const Recording& r, const std::string& instance = "a") {
  const std::string labels = fmt::format(R"(,"instance":"{}","engine":"0")", instance);
  std::vector<std::string> all{
      gaining_series("request_success_total", labels + R"(,"finished_reason":"stop")",
                     multiplied(r.requests, 0.75)),
      gaining_series("request_success_total", labels + R"(,"finished_reason":"length")",
                     multiplied(r.requests, 0.25)),
      gaining_series("generation_tokens_total", labels, multiplied(r.requests, 100))};
  if (r.has_prompts) {
    all.push_back(gaining_series("prompt_tokens_total", labels, multiplied(r.requests, 800)));
    all.push_back(gaining_series("prefix_cache_hits_total", labels, multiplied(r.requests, 200)));
  }
  if (r.has_latencies) {
    std::vector<double> sums;
    for (std::size_t i = 0; i < r.firsts.size(); ++i) sums.push_back(r.firsts[i] * r.ttft_s[i]);
    all.push_back(gaining_series("time_to_first_token_seconds_sum", labels, sums));
    all.push_back(gaining_series("time_to_first_token_seconds_count", labels, r.firsts));
    all.push_back(
        gaining_series(r.gap + "_seconds_sum", labels, multiplied(r.requests, 99 * 0.02)));
    all.push_back(gaining_series(r.gap + "_seconds_count", labels, multiplied(r.requests, 99)));
  }
  if (r.has_late_aborts) {
    const double last = kWindowsBeginS + kWindowLengthS * static_cast<double>(r.requests.size());
    all.push_back(fmt::format(
        R"({{"metric":{{"__name__":"vllm:request_success_total"{},"finished_reason":"abort"}},)"
        R"("values":[[{},"1"],[{},"2"]]}})",
        labels, last - kWindowLengthS, last));
  }
  return fmt::format(R"({{"status":"success","data":{{"resultType":"matrix","result":[{}]}}}})",
                     fmt::join(all, ","));
}

std::string windows_error(const Recording& recording) {
  const auto read = read_latency_windows(recording_text(recording), "m.json");
  return read ? "no error" : format(read.error());
}

std::vector<double> hours_of(const Recording& recording) {
  std::vector<double> hours;
  const auto read = read_latency_windows(recording_text(recording), "m.json");
  for (const MeasuredWindow& window : read.value().windows)
    hours.push_back((window.begin_s - kWindowsBeginS) / kWindowLengthS);
  return hours;
}

TEST(LatencyWindows, have_the_means_of_the_requests_of_a_step) {
  for (const char* gap : {"inter_token_latency", "time_per_output_token"}) {
    Recording recording;
    recording.gap = gap;
    const auto read = read_latency_windows(recording_text(recording), "m.json");
    ASSERT_TRUE(read) << format(read.error());
    ASSERT_EQ(read->windows.size(), 4U);
    EXPECT_THAT(read->notes, IsEmpty());
    const MeasuredWindow& window = read->windows.front();
    EXPECT_NEAR(window.requests_per_s, 1, 1e-9);
    EXPECT_NEAR(window.prompt_tokens, 800, 1e-6);
    EXPECT_NEAR(window.cached_tokens, 200, 1e-6);
    EXPECT_NEAR(window.output_tokens, 100, 1e-6);
    EXPECT_NEAR(*window.ttft_ms, 100, 1e-6);
    EXPECT_NEAR(*window.tpot_ms, 20, 1e-6);
  }
}

TEST(LatencyWindows, of_several_instances_are_those_of_each) {
  const auto read = read_latency_windows(
      "[" + recording_text({}, "a") + "," + recording_text({}, "b") + "]", "m.json");
  ASSERT_TRUE(read) << format(read.error());
  ASSERT_EQ(read->windows.size(), 8U);
  for (const MeasuredWindow& window : read->windows) EXPECT_NEAR(window.requests_per_s, 1, 1e-9);
}

TEST(LatencyWindows, are_left_out_with_a_restart_or_few_requests) {
  Recording restarted;
  restarted.requests[1] = -1;
  EXPECT_THAT(hours_of(restarted), UnorderedElementsAre(0, 2, 3));
  Recording idle;
  idle.requests = idle.firsts = {3600, 3600, 3600, 3600, 10, 10, 10};
  idle.ttft_s.resize(7, 0.1);
  EXPECT_THAT(hours_of(idle), UnorderedElementsAre(0, 1, 2));  // and the load falls in the fourth
}

// A counter of failures may begin with the first of them.
TEST(LatencyWindows, are_kept_where_a_counter_of_some_requests_begins_late) {
  Recording recording;
  recording.has_late_aborts = true;
  EXPECT_THAT(hours_of(recording), UnorderedElementsAre(0, 1, 2, 3));
}

TEST(LatencyWindows, are_left_out_while_the_load_rises_or_waits) {
  Recording rising;
  rising.requests = rising.firsts = {3600, 3600, 6000, 9000};
  EXPECT_THAT(hours_of(rising), UnorderedElementsAre(0, 3));
  Recording waiting;
  waiting.firsts[2] = 4500;
  EXPECT_THAT(hours_of(waiting), UnorderedElementsAre(0, 1, 3));
  Recording overloaded;
  overloaded.ttft_s[3] = 20;
  EXPECT_THAT(hours_of(overloaded), UnorderedElementsAre(0, 1, 2));
  EXPECT_THAT(read_latency_windows(recording_text(overloaded), "m.json").value().notes.front(),
              HasSubstr("of 4 windows of 60 min, left out: 1 of an overload"));
}

TEST(LatencyWindows, need_the_load_and_a_latency) {
  Recording no_prompts;
  no_prompts.has_prompts = false;
  EXPECT_THAT(windows_error(no_prompts), HasSubstr("lacks vllm:prompt_tokens_total"));
  Recording no_latencies;
  no_latencies.has_latencies = false;
  EXPECT_THAT(windows_error(no_latencies),
              HasSubstr("no latencies to calibrate from\n  query_range of"));
  Recording idle;
  idle.requests = idle.firsts = {10, 10, 10, 10};
  EXPECT_THAT(windows_error(idle),
              HasSubstr("no window of steady load is left of 4: 4 with fewer than "
                        "50 requests"));
}

}  // namespace
}  // namespace plimsoll
