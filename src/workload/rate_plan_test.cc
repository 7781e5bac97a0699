// Rates over time: what RatePlan says, and that what ClientsSource makes of it has these rates.
#include "workload/rate_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "distribution_fit.h"
#include "workload/clients_source.h"

namespace plimsoll {
namespace {

ClientSpec client(double rate_fraction, std::vector<WindowSpec> windows = {},
                  ArrivalSpec arrival = {}) {
  ClientSpec spec;
  spec.rate_fraction = rate_fraction;
  spec.arrival = arrival;
  spec.windows = std::move(windows);
  spec.input = ConstantLength{10};
  spec.output = ConstantLength{5};
  return spec;
}

WindowSpec window(std::int64_t begin_s, std::int64_t end_s, std::optional<double> rate = {}) {
  return {Time{} + seconds(begin_s), Time{} + seconds(end_s), rate, {}, {}, {}};
}

WorkloadSpec workload(double rate_rps, std::vector<ClientSpec> clients) {
  WorkloadSpec spec;
  spec.aggregate_rate_rps = rate_rps;
  spec.clients = std::move(clients);
  return spec;
}

double rate_at(const RatePlan& plan, std::size_t client, std::int64_t second) {
  const double gap_us = plan.at(client, Time{} + seconds(second)).mean_gap_us;
  return gap_us == 0 ? 0 : 1e6 / gap_us;
}

// Arrival times in seconds.
std::vector<double> arrivals(const WorkloadSpec& spec, std::uint64_t seed) {
  ClientsOptions options;
  options.seed = seed;
  ClientsSource source(spec, options);
  std::vector<double> out;
  Request request;
  while (source.next(&request)) out.push_back(to_seconds(request.arrival));
  return out;
}

double count_between(const std::vector<double>& times, double begin, double end) {
  return static_cast<double>(
      std::count_if(times.begin(), times.end(), [&](double t) { return begin <= t && t < end; }));
}

TEST(RatePlan, do_those_who_are_active_share_the_aggregate) {
  const WorkloadSpec spec = workload(120, {client(1), client(2, {window(10, 20)}),
                                           client(5, {window(15, 30, 3), window(40, 50)})});
  const RatePlan plan(spec, false);
  EXPECT_NEAR(rate_at(plan, 0, 0), 120, 1e-9);
  EXPECT_EQ(rate_at(plan, 1, 0), 0);
  EXPECT_NEAR(rate_at(plan, 0, 10), 40, 1e-9);
  EXPECT_NEAR(rate_at(plan, 1, 10), 80, 1e-9);
  EXPECT_NEAR(rate_at(plan, 1, 16), 40, 1e-9);
  EXPECT_NEAR(rate_at(plan, 2, 16), 60, 1e-9);  // its window's trace_rate is its weight
  EXPECT_NEAR(rate_at(plan, 2, 29), 90, 1e-9);
  EXPECT_EQ(rate_at(plan, 2, 30), 0);
  EXPECT_NEAR(rate_at(plan, 2, 40), 100, 1e-9);
  EXPECT_EQ(plan.at(0, Time{} + seconds(12)).end, Time{} + seconds(15));
  EXPECT_EQ(plan.at(2, Time{}).end, Time{} + seconds(15));
  EXPECT_EQ(plan.at(2, Time{} + seconds(50)).end, kNever);
}

// A light client keeps its exact share when one a trillion times heavier goes.
TEST(RatePlan, do_heavy_clients_leave_no_rounding_errors_behind) {
  const WorkloadSpec spec = workload(7, {client(1e12, {window(0, 10)}), client(1e-3)});
  EXPECT_EQ(RatePlan(spec, false).at(1, Time{} + seconds(20)).mean_gap_us, 1 / (7 / 1e6));
}

TEST(RatePlan, do_windows_bring_their_own_rates_without_an_aggregate) {
  const WorkloadSpec spec =
      workload(0, {client(1, {window(5, 10, 3), window(0, 5, 8)}), client(9, {window(0, 5, 2)})});
  const RatePlan plan(spec, false);
  EXPECT_NEAR(rate_at(plan, 0, 0), 8, 1e-9);
  EXPECT_NEAR(rate_at(plan, 0, 5), 3, 1e-9);
  EXPECT_NEAR(rate_at(plan, 1, 0), 2, 1e-9);
  EXPECT_EQ(plan.at(0, Time{}).shape, 2u);
  EXPECT_EQ(plan.at(0, Time{} + seconds(5)).shape, 1u);
}

TEST(RatePlan, do_shape_and_scale_overrule_the_rate_only_where_the_semantics_say_so) {
  const WorkloadSpec spec = workload(10, {client(1, {}, {ArrivalProcess::gamma, 1, 4, 250'000})});
  EXPECT_NEAR(rate_at(RatePlan(spec, true), 0, 0), 1, 1e-12);  // 4 * 0.25 s
  EXPECT_NEAR(rate_at(RatePlan(spec, false), 0, 0), 10, 1e-12);
}

TEST(RatePlan, does_a_cohort_follow_the_day_every_day) {
  WorkloadSpec spec = workload(24, {});
  spec.cohorts.push_back({client(1), 3, false, DiurnalSpec{14, 4}, {}, {}});
  const RatePlan plan(spec, false);
  for (const std::int64_t day : {0, 1, 9}) {
    const auto member_rate = [&](std::int64_t hour) {
      return rate_at(plan, 0, (day * 24 + hour) * 3600 + 1800);
    };
    EXPECT_NEAR(member_rate(14), 8, 1e-9);
    EXPECT_NEAR(member_rate(2), 2, 1e-9);
    EXPECT_NEAR(member_rate(8), 5, 1e-9);  // half-way
    EXPECT_NEAR(member_rate(20), 5, 1e-9);
    EXPECT_NEAR(member_rate(10), 8 * (0.25 + 0.75 * 0.75), 1e-9);  // (1 + cos 60) / 2
  }
}

TEST(RatePlan, does_a_drain_fall_in_ten_steps_and_a_spike_stand_out) {
  WorkloadSpec spec = workload(100, {client(1)});
  spec.cohorts.push_back({client(1),
                          1,
                          false,
                          {},
                          SpikeSpec{Time{} + seconds(5), seconds(2), 3},
                          DrainSpec{Time{} + seconds(100), seconds(50)}});
  spec.cohorts.push_back(
      {client(1), 1, false, {}, SpikeSpec{Time{} + seconds(5), seconds(2), {}}, {}});
  const RatePlan plan(spec, false);
  EXPECT_NEAR(rate_at(plan, 1, 0), 50, 1e-9);
  EXPECT_NEAR(rate_at(plan, 1, 5), 60, 1e-9);
  EXPECT_NEAR(rate_at(plan, 2, 5), 20, 1e-9);
  EXPECT_EQ(rate_at(plan, 2, 7), 0);
  for (std::int64_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(rate_at(plan, 1, 100 + 5 * i + 2), 5.0 * static_cast<double>(10 - i), 1e-9);
  }
  EXPECT_EQ(rate_at(plan, 1, 150), 0);
  EXPECT_NEAR(rate_at(plan, 0, 150), 100, 1e-9);
}

TEST(RatePlan, does_every_stretch_end_after_it_began) {
  WorkloadSpec spec = workload(1, {client(1, {window(3, 4)})});
  spec.cohorts.push_back({client(1),
                          1,
                          false,
                          DiurnalSpec{3, 2},
                          {},
                          DrainSpec{Time{} + microseconds(12'345), microseconds(37)}});
  const RatePlan plan(spec, false);
  Time now;
  int stretches = 0;
  while (now != kNever) {
    const RateStretch stretch = plan.at(1, now);
    ASSERT_GT(stretch.end, now);
    now = stretch.end;
    stretches += 1;
  }
  EXPECT_EQ(stretches, 12);  // before, ten steps, after
}

// Poisson counts in windows of different rates, and where in the window they fall.
TEST(Rates, do_windows_get_the_requests_of_their_rates) {
  const WorkloadSpec spec =
      workload(0, {client(1, {window(0, 100, 50), window(100, 200, 200), window(300, 400, 10)})});
  for (const std::uint64_t seed : {1u, 2u, 3u, 42u}) {
    const std::vector<double> times = arrivals(spec, seed);
    EXPECT_EQ(count_between(times, 200, 300), 0);
    EXPECT_EQ(count_between(times, 400, 1e9), 0);
    EXPECT_LT(chi_square({count_between(times, 0, 100), count_between(times, 100, 200),
                          count_between(times, 300, 400)},
                         {5000, 20000, 1000}),
              kChiSquareLimit);
    std::vector<double> in_second;
    for (const double t : times) {
      if (100 <= t && t < 200) in_second.push_back(t);
    }
    EXPECT_LT(ks_distance(in_second, [](double t) { return (t - 100) / 100; }), kKsLimit);
  }
}

// No request is lost at a border: the reference loses one per window.
TEST(Rates, do_constant_arrivals_go_on_across_borders) {
  std::vector<WindowSpec> windows;
  for (std::int64_t w = 0; w < 10; ++w) windows.push_back(window(2 * w, 2 * w + 1, 10));
  const WorkloadSpec spec = workload(0, {client(1, windows, {ArrivalProcess::constant})});
  const std::vector<double> times = arrivals(spec, 1);
  EXPECT_NEAR(static_cast<double>(times.size()), 100, 1);
}

TEST(Rates, does_a_shared_aggregate_hold_whoever_is_active) {
  const WorkloadSpec spec =
      workload(100, {client(1), client(3, {window(100, 200)}), client(6, {window(150, 300)})});
  WorkloadSpec bounded = spec;
  bounded.horizon = Time{} + seconds(400);
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const std::vector<double> times = arrivals(bounded, seed);
    std::vector<double> counts;
    for (int i = 0; i < 8; ++i) counts.push_back(count_between(times, 50 * i, 50 * i + 50));
    EXPECT_LT(chi_square(counts, std::vector<double>(8, 5000)), kChiSquareLimit);
  }
}

TEST(Rates, do_counts_by_the_hour_follow_the_day) {
  WorkloadSpec spec = workload(1, {});
  spec.cohorts.push_back({client(1), 5, false, DiurnalSpec{18, 5}, {}, {}});
  spec.horizon = Time{} + seconds(3 * 86'400 - 1);
  for (const std::uint64_t seed : {1u, 2u}) {
    const std::vector<double> times = arrivals(spec, seed);
    std::vector<double> counts, expected;
    for (int hour = 0; hour < 72; ++hour) {
      counts.push_back(count_between(times, 3600 * hour, 3600 * hour + 3600));
      const double angle = 2 * std::acos(-1.0) * (hour - 18) / 24;
      expected.push_back(3600 * ((1 + std::cos(angle)) / 2 * 0.8 + 0.2));
    }
    EXPECT_LT(chi_square(counts, expected), kChiSquareLimit);
  }
}

// A member sends once in 1.6 years here: its gap skips whole days, and hits the busy hours still.
TEST(Rates, do_rare_requests_of_a_large_crowd_follow_the_day) {
  WorkloadSpec spec = workload(0.002, {});
  spec.cohorts.push_back({client(1), 100'000, false, DiurnalSpec{18, 9}, {}, {}});
  spec.horizon = Time{} + seconds(86'400LL * 365);
  const std::vector<double> times = arrivals(spec, 3);
  std::vector<double> by_hour(24), expected;
  for (const double t : times) {
    by_hour[static_cast<std::size_t>(std::fmod(t, 86'400.0) / 3600)] += 1;
  }
  for (int hour = 0; hour < 24; ++hour) {
    const double angle = 2 * std::acos(-1.0) * (hour - 18) / 24;
    const double factor = (1 + std::cos(angle)) / 2 * (1 - 1.0 / 9) + 1.0 / 9;
    expected.push_back(365 * 3600 * 0.002 * factor);
  }
  EXPECT_LT(chi_square(by_hour, expected), kChiSquareLimit);
}

std::vector<double> gaps_of(const ArrivalSpec& arrival, std::uint64_t seed) {
  WorkloadSpec spec = workload(10, {client(1, {}, arrival)});
  spec.num_requests = 20'000;
  std::vector<double> gaps;
  double last = 0;
  for (const double t : arrivals(spec, seed)) {
    gaps.push_back((t - last) * 10);
    last = t;
  }
  return gaps;
}

TEST(Rates, are_gaps_distributed_as_their_process_says) {
  const double g = std::tgamma(1 + 1 / 1.7);
  const struct {
    ArrivalSpec arrival;
    std::function<double(double)> cdf;
  } cases[] = {
      {{ArrivalProcess::poisson}, [](double x) { return 1 - std::exp(-x); }},
      {{ArrivalProcess::gamma, 1 / std::sqrt(2.0)},
       [](double x) { return 1 - (1 + 2 * x) * std::exp(-2 * x); }},
      {{ArrivalProcess::gamma, 1, 2},  // the same by its shape
       [](double x) { return 1 - (1 + 2 * x) * std::exp(-2 * x); }},
      {{ArrivalProcess::gamma, std::sqrt(2.0)},  // half a chi-square of one degree, mean 1
       [](double x) { return std::erf(std::sqrt(x / 2)); }},
      {{ArrivalProcess::weibull, 1, 1.7},
       [g](double x) { return 1 - std::exp(-std::pow(x * g, 1.7)); }},
  };
  for (const auto& [arrival, cdf] : cases) {
    for (const std::uint64_t seed : {1u, 2u, 42u}) {
      EXPECT_LT(ks_distance(gaps_of(arrival, seed), cdf), kKsLimit)
          << name_of(arrival_processes(), arrival.process) << " " << arrival.shape << " seed "
          << seed;
    }
  }
}

TEST(Rates, do_gaps_have_the_burstiness_asked_for) {
  for (const ArrivalProcess process : {ArrivalProcess::gamma, ArrivalProcess::weibull}) {
    for (const double cv : {0.3, 1.0, 2.0}) {
      const std::vector<double> gaps = gaps_of({process, cv}, 5);
      double mean = 0, square = 0;
      for (const double gap : gaps) mean += gap / static_cast<double>(gaps.size());
      for (const double gap : gaps) {
        square += (gap - mean) * (gap - mean) / static_cast<double>(gaps.size());
      }
      EXPECT_NEAR(mean, 1, 4 * cv / std::sqrt(20'000.0));
      EXPECT_NEAR(std::sqrt(square) / mean, cv, 0.06 * cv);
    }
  }
}

TEST(Rates, do_windows_change_process_and_lengths) {
  WindowSpec special = window(10, 20, 50);
  special.arrival = ArrivalSpec{ArrivalProcess::constant};
  special.input = ConstantLength{77};
  special.output = ConstantLength{88};
  const WorkloadSpec spec = workload(0, {client(1, {window(0, 10, 50), special})});
  ClientsSource source(spec, {});
  Request r;
  std::map<std::int64_t, int> gaps;
  Time last;
  while (source.next(&r)) {
    const bool in_special = r.arrival >= Time{} + seconds(10);
    ASSERT_EQ(r.input_tokens, in_special ? 77 : 10);
    ASSERT_EQ(r.output_tokens, in_special ? 88 : 5);
    if (last > Time{} + seconds(10)) gaps[(r.arrival - last).ns / 1000] += 1;
    last = r.arrival;
  }
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps.begin()->first, 20'000);
}

}  // namespace
}  // namespace plimsoll
