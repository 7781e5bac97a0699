// Are the counters of an engine, as Prometheus answers, the counts of a history?
#include "forecast/history/prometheus.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string series(const char* metric, const char* labels, const std::vector<std::string>& values,
                   double first = 1'700'000'000) {
  std::string text = fmt::format(R"({{"metric":{{"__name__":"{}"{}}},"values":[)", metric, labels);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty()) continue;  // no sample
    text += fmt::format(R"({}[{},"{}"])", text.back() == '[' ? "" : ",",
                        first + 60 * static_cast<double>(i), values[i]);
  }
  return text + "]}";
}

std::string response(const std::string& result) {
  return R"({"status":"success","data":{"resultType":"matrix","result":[)" + result + "]}}";
}

Result<History> history_of_text(const std::string& text, const HistoryOptions& options = {}) {
  const auto path = std::filesystem::path(testing::TempDir()) /
                    (std::string("plimsoll_prometheus_") +
                     testing::UnitTest::GetInstance()->current_test_info()->name() + ".json");
  std::ofstream(path) << text;
  auto history = read_history(path.string(), options);
  std::filesystem::remove(path);
  return history;
}

std::string error_of(const std::string& text, const HistoryOptions& options = {}) {
  const auto history = history_of_text(text, options);
  return history ? "no error" : format(history.error());
}

TEST(Prometheus, does_what_two_servers_scraped_count_once) {
  for (const char* label : {"prometheus_replica", "replica"}) {
    const auto labels = [&](const char* server) {
      return fmt::format(R"(,"instance":"a:8000","{}":"{}")", label, server);
    };
    const auto history = history_of_text(response(
        series("vllm:prompt_tokens_total", labels("one").c_str(), {"10", "20", "30"}) + "," +
        series("vllm:prompt_tokens_total", labels("two").c_str(), {"9", "19", "29", "39"})));
    ASSERT_TRUE(history) << format(history.error());
    EXPECT_THAT(history->find("prompt_tokens")->values, ElementsAre(10, 10, 10)) << label;
    EXPECT_THAT(history->notes, ElementsAre(HasSubstr("1 series of instances that another server "
                                                      "of Prometheus has, too: each counts once")));
  }
}

// 100 hours without samples flatten no day: what came then has the shape of the weeks around.
TEST(Prometheus, is_a_long_gap_as_the_weeks_around_and_of_the_size_that_the_counter_tells) {
  constexpr int kHours = 24 * 28;
  const auto count_of = [](int hour) { return hour % 24 < 12 ? 10 : 30; };
  const auto counts_with_gap = [&](bool restarts) {
    std::string values;
    int counter = 0;
    for (int hour = 0; hour <= kHours; ++hour) {
      if (restarts && hour == 250) counter = 0;
      if (hour <= 200 || hour >= 300)
        values += fmt::format(R"({}[{},"{}"])", values.empty() ? "" : ",",
                              1'700'006'400 + 3600 * hour, counter);
      counter += (hour < 200 || hour >= 300 ? 1 : 2) * count_of(hour);
    }
    return history_of_text(response(
        R"({"metric":{"__name__":"vllm:request_success_total"},"values":[)" + values + "]}"));
  };
  auto history = counts_with_gap(false);
  ASSERT_TRUE(history) << format(history.error());
  const std::vector<double>& counts = history->find("requests")->values;
  for (const int hour : {200, 210, 250, 299}) {
    EXPECT_NEAR(counts[static_cast<std::size_t>(hour)], 2 * count_of(hour), 1);
  }
  EXPECT_THAT(
      history->notes,
      ElementsAre(HasSubstr("spread as it came at the same times a week before and after")));
  history = counts_with_gap(true);  // what came before the restart is not counted
  EXPECT_NEAR(history->find("requests")->values[210], count_of(210), 1);
}

TEST(Prometheus, is_a_counter_of_requests_under_another_name_no_silence) {
  const auto error =
      error_of(response(series("sglang:prompt_tokens_total", "", {"10", "20"}) + "," +
                        series("sglang:request_success_total", "", {"1", "2"})));
  EXPECT_THAT(error, HasSubstr("no counter of requests is known, but sglang:request_success_total "
                               "looks like one"));
  EXPECT_EQ(error_of(response(series("vllm:prompt_tokens_total", "", {"10", "20", "30"}))),
            "no error");
}

TEST(Prometheus, are_answers_on_consecutive_times_one_series) {
  const char* labels = R"(,"instance":"a:8000")";
  const auto history = history_of_text(
      "[" + response(series("vllm:prompt_tokens_total", labels, {"50", "60"}, 1'700'000'120)) +
      "," + response(series("vllm:prompt_tokens_total", labels, {"10", "20"})) + "]");
  ASSERT_TRUE(history) << format(history.error());
  EXPECT_THAT(history->find("prompt_tokens")->values, ElementsAre(10, 30, 10));
  EXPECT_TRUE(history->notes.empty());
}

TEST(Prometheus, is_an_instance_that_replaces_another_named) {
  const auto history = history_of_text(response(
      series("vllm:prompt_tokens_total", R"(,"pod":"a")", {"100", "160", "220", "", "", ""}) + "," +
      series("vllm:prompt_tokens_total", R"(,"pod":"b")", {"", "", "", "40", "100", "160"})));
  ASSERT_TRUE(history) << format(history.error());
  EXPECT_THAT(history->find("prompt_tokens")->values, ElementsAre(60, 60, 0, 60, 60));
  EXPECT_THAT(history->notes,
              ElementsAre("1 series begin later than the others (new or replaced instances), the "
                          "last at 2023-11-14T22:16:20Z: what they had counted by then is not "
                          "counted"));
}

TEST(Prometheus, are_counters_of_all_instances_counts_per_step) {
  const auto history = history_of_text(response(
      series("vllm:prompt_tokens_total", R"(,"pod":"a")", {"100", "160", "220", "300"}) + "," +
      series("vllm:prompt_tokens_total", R"(,"pod":"b")", {"0", "10", "30", "30"}) + "," +
      series("vllm:request_success_total", R"(,"pod":"a","finished_reason":"stop")",
             {"1", "2", "4", "8"})));
  ASSERT_TRUE(history) << format(history.error());
  EXPECT_EQ(history->start_s, 1'700'000'000);
  EXPECT_EQ(history->step_s, 60);
  EXPECT_TRUE(history->dated);
  EXPECT_THAT(history->find("prompt_tokens")->values, ElementsAre(70, 80, 80));
  EXPECT_THAT(history->find("requests")->values, ElementsAre(1, 2, 4));
}

TEST(Prometheus, does_a_restart_count_from_zero_and_a_gap_share_what_came) {
  const auto history = history_of_text(response(
      series("vllm:generation_tokens_total", "", {"1000", "1060", "40", "", "NaN", "100", "110"})));
  ASSERT_TRUE(history) << format(history.error());
  EXPECT_THAT(history->find("output_tokens")->values, ElementsAre(60, 40, 20, 20, 20, 10));
  EXPECT_THAT(
      history->notes,
      testing::Contains(HasSubstr("began again at 0 once (a restart), after 2023-11-14T22:14")));
  EXPECT_THAT(history->notes,
              testing::Contains(HasSubstr("1 gap between samples, of 2 min after")));
}

// Whole seconds of a scraper that takes 59.9 s: no step has two samples, none is short.
TEST(Prometheus, does_a_steady_count_stay_steady_whatever_the_distance_of_samples) {
  for (const double distance : {59.9, 60.3, 60.6, 47.0}) {
    std::string values;
    for (int i = 0; i < 3'000; ++i) {
      const double at = 1'700'000'000 + std::floor(distance * i);
      values += fmt::format("{}[{},\"{}\"]", i == 0 ? "" : ",", at, 10 * (at - 1.7e9));
    }
    const auto history = history_of_text(response(
        R"({"metric":{"__name__":"vllm:prompt_tokens_total"},"values":[)" + values + "]}"));
    ASSERT_TRUE(history) << format(history.error());
    const std::vector<double>& counts = history->find("prompt_tokens")->values;
    const auto [least, most] = std::ranges::minmax(counts);
    EXPECT_NEAR(least, 10 * history->step_s, 0.3 * history->step_s) << distance;
    EXPECT_NEAR(most, 10 * history->step_s, 0.3 * history->step_s) << distance;
    EXPECT_EQ(std::fmod(86'400, history->step_s), 0) << distance;
    EXPECT_TRUE(history->notes.empty()) << distance;
  }
}

TEST(Prometheus, are_two_samples_less_than_a_step_apart_an_error) {
  const std::string two = response(R"({"metric":{"__name__":"vllm:prompt_tokens_total"},)"
                                   R"("values":[[1700000000,"1"],[1700000058,"9"]]})");
  EXPECT_THAT(error_of(two), HasSubstr("the samples span less than one step"));
}

TEST(Prometheus, are_restarts_counted_once_for_all_counters_of_an_engine) {
  const auto history = history_of_text(response(
      series("vllm:generation_tokens_total", "", {"9", "10", "4", "5", "1", "", "", "8", "", "9"}) +
      "," +
      series("vllm:prompt_tokens_total", "", {"9", "10", "4", "5", "1", "", "", "8", "", "9"})));
  ASSERT_TRUE(history) << format(history.error());
  EXPECT_THAT(history->notes, testing::Contains(HasSubstr("2 times (restarts), last after")));
  EXPECT_THAT(history->notes,
              testing::Contains(HasSubstr("2 gaps between samples, the longest of 2 min")));
}

// A pod that starts in the middle: what it counted before its first sample is not known.
TEST(Prometheus, do_series_begin_and_end_when_they_do) {
  const auto history = history_of_text(response(
      series("vllm:prompt_tokens_total", R"(,"pod":"a")", {"0", "60", "120"}) + "," +
      series("vllm:prompt_tokens_total", R"(,"pod":"b")", {"500", "510", "530"}, 1'700'000'060)));
  ASSERT_TRUE(history) << format(history.error());
  EXPECT_THAT(history->find("prompt_tokens")->values, ElementsAre(60, 70, 20));
}

TEST(Prometheus, does_a_label_tell_routes_apart_and_are_others_named) {
  HistoryOptions by_model;
  by_model.route_label = "model_name";
  const std::string text =
      "[" +
      response(series("vllm:request_success_total", R"(,"model_name":"chat")", {"0", "5", "9"})) +
      "," +
      response(
          series("vllm:request_success_total", R"(,"model_name":"agent")", {"0", "1", "1"}) + "," +
          series("vllm:kv_cache_usage_perc", R"(,"model_name":"chat")", {"0.5", "0.6", "0.4"})) +
      "]";
  const auto history = history_of_text(text, by_model);
  ASSERT_TRUE(history) << format(history.error());
  EXPECT_THAT(history->find("requests", "chat")->values, ElementsAre(5, 4));
  EXPECT_THAT(history->find("requests", "agent")->values, ElementsAre(1, 0));
  EXPECT_THAT(history->notes, testing::Contains(HasSubstr("vllm:kv_cache_usage_perc")));
  by_model.route_label = "route";
  EXPECT_THAT(error_of(text, by_model), HasSubstr("has no label \"route\""));
}

TEST(Prometheus, is_what_is_no_matrix_of_counters_refused_with_the_query_that_is) {
  EXPECT_THAT(error_of("{"), HasSubstr("not complete JSON"));
  EXPECT_THAT(error_of(R"({"status":"error","error":"parse error"})"), HasSubstr("parse error"));
  EXPECT_THAT(error_of(R"({"data":{"resultType":"vector","result":[]}})"),
              HasSubstr("not \"matrix\""));
  EXPECT_THAT(error_of(response("")),
              HasSubstr("query_range of {__name__=~\"vllm:request_success_total|"
                        "vllm:prompt_tokens_total|vllm:generation_tokens_total|"
                        "vllm:prefix_cache_hits_total|vllm:request_prompt_tokens_bucket|"
                        "vllm:request_generation_tokens_bucket\"}, without"));
  EXPECT_THAT(error_of(response(R"({"metric":{},"values":[[1,"2"]]})")),
              HasSubstr("rate(), increase() and sum() drop it"));
  EXPECT_THAT(error_of(response(series("up", "", {"1", "1"}))), HasSubstr("there is up"));
  for (const char* bad : {"-1", "+Inf", "x", "1e999"}) {
    EXPECT_THAT(error_of(response(series("vllm:prompt_tokens_total", "", {"1", bad}))),
                HasSubstr("a counter is a number >= 0"))
        << bad;
  }
  EXPECT_THAT(error_of(response(series("vllm:prompt_tokens_total", "", {"1"}))),
              HasSubstr("no series has two samples"));
  EXPECT_THAT(error_of(response(R"({"metric":{"__name__":"vllm:prompt_tokens_total"},
                                    "values":[[5,"1"],[4,"2"]]})")),
              HasSubstr("not in chronological order"));
}

TEST(Prometheus, do_buckets_of_lengths_tell_how_widely_they_vary) {
  std::string all = series("vllm:request_success_total", "", {"0", "200", "400"});
  for (const auto& [bound, count] :
       {std::pair("100", "200"), {"500", "200"}, {"1000", "400"}, {"+Inf", "400"}}) {
    const std::string labels = fmt::format(R"(,"le":"{}")", bound);
    all += "," + series("vllm:request_prompt_tokens_bucket", labels.c_str(), {"0", "0", count});
  }
  const auto history = history_of_text(response(all));
  ASSERT_TRUE(history) << format(history.error());
  EXPECT_EQ(history->series.size(), 1U);
  EXPECT_GT(history->shape.prompt_cv.value(), 0.5);
  EXPECT_FALSE(history->shape.output_cv);
  EXPECT_THAT(
      error_of(response(series("vllm:request_prompt_tokens_bucket", R"(,"le":"x")", {"0", "1"}))),
      HasSubstr("a bucket of vllm:request_prompt_tokens_bucket ends at \"x\""));
}

TEST(Prometheus, are_several_models_refused_unless_they_are_routes) {
  const std::string two =
      response(series("vllm:prompt_tokens_total", R"(,"model_name":"a")", {"0", "10", "20"}) + "," +
               series("vllm:prompt_tokens_total", R"(,"model_name":"b")", {"0", "10", "20"}));
  EXPECT_THAT(error_of(two), HasSubstr("the answer counts 2 models: a, b"));
  HistoryOptions options;
  options.route_label = "model_name";
  EXPECT_TRUE(history_of_text(two, options)->notes.empty());
}

TEST(Prometheus, are_the_instances_counted_that_serve_at_the_end) {
  const char* kPods[]{R"(,"instance":"a")", R"(,"instance":"b")"};
  std::string all;
  for (const char* pod : kPods) {
    all += series("vllm:prompt_tokens_total", pod, {"0", "10", "20"}) + ",";
    all += series("vllm:request_success_total", pod, {"0", "1", "2"}) + ",";
  }
  all += series("vllm:prompt_tokens_total", R"(,"instance":"left")", {"0", "10"});
  all += "," + series("vllm:prompt_tokens_total", R"(,"instance":"gone")", {"0"});
  EXPECT_EQ(history_of_text(response(all))->instances, 3);
}

}  // namespace
}  // namespace plimsoll
