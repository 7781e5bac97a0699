#include "metrics/saturation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/policy.h"
#include "run_record_maker.h"

namespace plimsoll {
namespace {

using test::add_row;

auto detector(std::string_view name, const SaturationConfig& config = {},
              bool by_standard_error = false) {
  Semantics semantics;
  semantics.drift_by_standard_error = by_standard_error;
  return policy_of(saturation_detectors(), name).make(config, semantics);
}

Time at_s(double s) { return Time{} + microseconds(static_cast<std::int64_t>(s * 1e6)); }

double signal(const SaturationVerdict& v, std::string_view name) {
  for (const auto& [key, value] : v.signals) {
    if (key == name) return value;
  }
  return -1;
}

TEST(Composite, says_nothing_before_the_first_arrival) {
  const SaturationVerdict v = detector("composite")->verdict();
  EXPECT_EQ(v.level, SaturationLevel::stable);
  EXPECT_EQ(v.confidence, 0);
}

TEST(Composite, compares_completions_with_arrivals) {
  const auto d = detector("composite");
  for (int i = 0; i < 16; ++i) d->arrival(at_s(i));
  for (int i = 0; i < 8; ++i) d->completion(at_s(20 + i), milliseconds(100));
  const SaturationVerdict v = d->verdict();
  EXPECT_DOUBLE_EQ(signal(v, "rate_deficit"), 0.5);
  EXPECT_DOUBLE_EQ(signal(v, "noise_floor"), 0.25);
  EXPECT_DOUBLE_EQ(v.score, 0.5);
  EXPECT_EQ(v.level, SaturationLevel::backlogged);  // no trend
  EXPECT_DOUBLE_EQ(v.confidence, 0.8);
}

TEST(Composite, calls_rising_latencies_overload) {
  const auto d = detector("composite");
  for (int i = 1; i <= 20; ++i) {
    d->arrival(at_s(i));
    d->completion(at_s(i + 0.5), milliseconds(100 * i));
  }
  const SaturationVerdict v = d->verdict();
  // Means of 550 and 1550 ms.
  EXPECT_DOUBLE_EQ(signal(v, "latency_trend_raw"), 1);
  EXPECT_EQ(signal(v, "quartile_monotone"), 1);
  EXPECT_EQ(v.level, SaturationLevel::overloaded);
  EXPECT_DOUBLE_EQ(v.score, 1);
}

TEST(Composite, ignores_a_trend_of_few_completions) {
  const auto d = detector("composite");
  for (int i = 1; i <= 19; ++i) {
    d->arrival(at_s(i));
    d->completion(at_s(i + 0.5), milliseconds(100 * i));
  }
  EXPECT_EQ(signal(d->verdict(), "latency_trend"), 0);
  EXPECT_GT(signal(d->verdict(), "latency_trend_raw"), 0.9);
  EXPECT_EQ(d->verdict().level, SaturationLevel::stable);
}

TEST(Threshold, judges_the_mean_so_far) {
  const auto d = detector("threshold", {.threshold_ms = 1000});
  EXPECT_EQ(d->verdict().score, 0);
  d->completion(at_s(1), milliseconds(500));
  EXPECT_EQ(d->verdict().level, SaturationLevel::stable);
  EXPECT_DOUBLE_EQ(d->verdict().score, 0.25);
  EXPECT_DOUBLE_EQ(d->verdict().confidence, 1 - 1 / std::sqrt(2.0));
  d->completion(at_s(2), milliseconds(2300));  // mean 1400
  EXPECT_EQ(d->verdict().level, SaturationLevel::overloaded);
  EXPECT_DOUBLE_EQ(d->verdict().score, 0.75 + 400.0 / 4000);
  d->completion(at_s(3), seconds(60));
  EXPECT_DOUBLE_EQ(d->verdict().score, 1);
}

TEST(BacklogDrift, fits_a_line_through_the_windows) {
  const auto d = detector("backlog-drift", {.window_s = 10}, false);
  // In the system at the ends of four windows: 1, 3, 3 (nothing happens), 6.
  d->arrival(at_s(1));
  for (int i = 0; i < 2; ++i) d->arrival(at_s(12));
  for (int i = 0; i < 4; ++i) d->arrival(at_s(31));
  d->completion(at_s(32), seconds(20));
  d->arrival(at_s(45));
  const SaturationVerdict v = d->verdict();
  EXPECT_DOUBLE_EQ(signal(v, "in_flight"), 7);
  // Slope of (0, 1), (1, 3), (2, 3), (3, 6): 7.5 / 5.
  EXPECT_DOUBLE_EQ(signal(v, "running_slope"), 1.5);
  EXPECT_DOUBLE_EQ(signal(v, "noise_floor"), 1 / std::sqrt(8.0));
  EXPECT_EQ(v.level, SaturationLevel::overloaded);
  EXPECT_DOUBLE_EQ(v.score, 1);
}

TEST(BacklogDrift, is_calm_in_the_first_windows_and_over_long_gaps) {
  const auto d = detector("backlog-drift", {.window_s = 0.001}, false);
  d->arrival(at_s(0));
  EXPECT_EQ(d->verdict().level, SaturationLevel::stable);
  d->completion(at_s(1'000'000), seconds(1));  // a thousand million windows
  EXPECT_NEAR(signal(d->verdict(), "running_slope"), 0, 1e-9);
}

// Requests in the system at the ends of windows of 10 s, one after the other.
SaturationVerdict drift_over(const std::vector<int>& in_system) {
  const auto d = detector("backlog-drift", {.window_s = 10}, true);
  int now = 0;
  double s = 1;
  for (const int next : in_system) {
    for (; now < next; ++now) d->arrival(at_s(s));
    for (; now > next; --now) d->completion(at_s(s), seconds(1));
    s += 10;
  }
  d->arrival(at_s(s));
  return d->verdict();
}

TEST(BacklogDrift, tells_growth_from_scatter) {
  // Three and more requests per window would be beyond any 1 / sqrt(arrivals).
  EXPECT_EQ(drift_over({20, 50, 10, 40, 30, 55, 15, 50}).level, SaturationLevel::stable);
  EXPECT_EQ(drift_over({10, 20, 31, 40, 50, 59, 70, 80}).level, SaturationLevel::overloaded);
  EXPECT_EQ(drift_over({80, 70, 60, 50, 40, 30, 20, 10}).level, SaturationLevel::stable);
  EXPECT_EQ(drift_over({10, 20}).level, SaturationLevel::stable);  // no line yet
}

TEST(BacklogDrift, takes_its_noise_from_the_standard_error_of_the_slope) {
  const SaturationVerdict v = drift_over({1, 3, 3, 6});
  EXPECT_DOUBLE_EQ(signal(v, "running_slope"), 1.5);
  // Residuals -0.0, 0.5, -1.0, 0.5 of the line 1 + 1.5 x: squares 1.5; t(0.95, 2) = 2.91999.
  EXPECT_NEAR(signal(v, "noise_floor"), 2.91999 * std::sqrt(1.5 / 2 / 5), 1e-4);
  EXPECT_EQ(v.level, SaturationLevel::backlogged);
}

TEST(FindSaturation, the_drain_at_the_end_is_no_drift) {
  RunRecord record;
  for (int i = 0; i < 400; ++i) {  // each stays longer than the one before; all complete
    add_row(&record, {.arrival = 1000.0 * i, .ttft = 10, .e2e = 1000.0 * i});
  }
  const auto level = [&](const Semantics& semantics) {
    return find_saturation(record.requests, {"backlog-drift"}, {}, semantics).at(0).level;
  };
  EXPECT_EQ(level(Semantics::vllm()), SaturationLevel::overloaded);
}

RunRecord backlog() {
  RunRecord record;
  for (int i = 0; i < 40; ++i) {
    if (i % 2 == 0) {
      add_row(&record, {.arrival = 1000.0 * i, .ttft = 10, .e2e = 100});
    } else {
      add_row(&record, {.arrival = 1000.0 * i, .outcome = Outcome::unfinished});
    }
  }
  return record;
}

TEST(FindSaturation, sees_unfinished_requests_unless_told_otherwise) {
  const RunRecord record = backlog();
  const auto level = [&](const Semantics& semantics) {
    return find_saturation(record.requests, {"composite"}, {}, semantics).at(0).level;
  };
  EXPECT_EQ(level(Semantics::vllm()), SaturationLevel::backlogged);
  EXPECT_EQ(level(Semantics::blis()), SaturationLevel::stable);
}

TEST(FindSaturation, has_no_label_without_events) {
  EXPECT_TRUE(find_saturation(RequestTable{}, {"composite"}, {}, {}).empty());
  EXPECT_TRUE(find_saturation(backlog().requests, {}, {}, {}).empty());
}

TEST(FindSaturation, tells_every_verdict_in_order_of_time_arrivals_first) {
  RunRecord record;
  add_row(&record, {.arrival = 0, .ttft = 10, .e2e = 100});
  add_row(&record, {.arrival = 100, .ttft = 10, .e2e = 50});
  add_row(&record, {.arrival = 100, .outcome = Outcome::rejected, .instance = -1});
  std::string told;
  find_saturation(record.requests, {"composite", "backlog-drift"}, {}, Semantics::blis(),
                  [&](Time at, const std::string& detector, const SaturationVerdict& v) {
                    if (detector != "backlog-drift") return;
                    told += std::to_string(at.ns / 1'000'000) + ":" +
                            std::to_string(static_cast<int>(signal(v, "in_flight"))) + " ";
                  });
  EXPECT_EQ(told, "0:1 100:2 100:1 150:0 ");
}

TEST(FindSaturation, takes_the_most_frequent_level_of_the_final_window) {
  // A threshold of 150 ms: one slow completion in the middle, fast ones around it.
  RunRecord record;
  for (const double e2e : {100.0, 400.0, 10.0, 10.0, 10.0, 10.0}) {
    const double arrival = 1000.0 * static_cast<double>(record.requests.size());
    add_row(&record, {.arrival = arrival, .ttft = 1, .e2e = e2e});
  }
  SaturationConfig config;
  config.threshold_ms = 150;
  config.final_window_s = 60;
  EXPECT_EQ(find_saturation(record.requests, {"threshold"}, config, Semantics::blis()).at(0).level,
            SaturationLevel::stable);
}

TEST(ParseDetectors, puts_them_in_order_once) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(*parse_detectors("all"), saturation_detector_names());
  EXPECT_EQ(*parse_detectors("backlog-drift,composite,composite"),
            (Names{"composite", "backlog-drift"}));
  for (const char* text : {"", "all,composite", "compsite", "composite,", ",",
                           "composite threshold", "Composite", "backlog_drift"}) {
    EXPECT_FALSE(parse_detectors(text)) << text;
  }
}

Result<SaturationSettings> settings_in(
    const std::string& text,
    const std::vector<std::string>& detectors = saturation_detector_names()) {
  TRY(file, SpecFile::parse(text, "s.yaml"));
  return read_saturation_config(std::move(file), detectors);
}

TEST(SaturationConfigFile, sets_limits_and_windows) {
  const auto s = settings_in(
      "threshold:\n  threshold_ms: 250\nbacklog_drift:\n  window_size_sec: 5\n  min_windows: 3\n");
  ASSERT_TRUE(s) << format(s.error());
  EXPECT_EQ(s->config.threshold_ms, 250);
  EXPECT_EQ(s->config.window_s, 5);
  EXPECT_EQ(s->config.final_window_s, 5);
  EXPECT_EQ(s->idle_keys, std::vector<std::string>{"backlog_drift.min_windows"});
  EXPECT_EQ(settings_in("threshold: {}\n")->config.final_window_s, 30);
}

TEST(SaturationConfigFile, refuses_what_it_does_not_know) {
  for (const char* text : {
           "threshold: 5\n",
           "threshold:\n  threshold_ms: 0\n",
           "threshold:\n  threshold_ms: -1\n",
           "threshold:\n  threshold_ms: .inf\n",
           "threshold:\n  threshold_ms: fast\n",
           "threshold:\n  treshold_ms: 5\n",
           "treshold: {}\n",
           "composite: {}\n",
           "backlog_drift: []\n",
           "backlog_drift:\n  window_size_sec: 0\n",
           "backlog_drift:\n  window_size: 5\n",
           "backlog_drift:\n  min_windows: 0\n",
           "backlog_drift:\n  min_windows: 2.5\n",
           "backlog_drift:\n  peak_ratio: 0\n",
           "backlog_drift:\n  peak_ratio_band: -0.1\n",
           "backlog_drift:\n  confidence_ci: 1\n",
           "backlog_drift:\n  confidence_ci: 0\n",
           "backlog_drift:\n  warmup_windows: -1\n",
           "backlog_drift:\n  tail_windows: -1\n",
           "backlog_drift:\n  saturated_drain_ratio: 1.5\n",
           "backlog_drift:\n  saturated_drain_ratio: 0.99\n",
           "backlog_drift:\n  transient_drain_ratio: 0.5\n",
           "threshold: {}\nthreshold: {}\n",
           "- threshold\n",
           "threshold: {\n",
       }) {
    EXPECT_FALSE(settings_in(text)) << text;
  }
  const auto other = settings_in("threshold: {}\n", {"composite"});
  ASSERT_FALSE(other);
  EXPECT_NE(format(other.error()).find("--detectors does not choose threshold"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll
