#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "distribution_fit.h"
#include "workload/clients_source.h"

namespace plimsoll {
namespace {

std::vector<double> first_gaps(const ArrivalSpec& arrival, FirstGap first) {
  const UnitGaps gaps(arrival);
  std::vector<double> drawn;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    drawn.push_back(gaps.draw_first(RandomStream(seed, Purpose::arrival, 0), first));
  }
  return drawn;
}

double erlang_cdf(int shape, double x) {
  double term = std::exp(-x);
  double above = 0;
  for (int i = 0; i < shape; ++i) {
    above += term;
    term *= x / (i + 1);
  }
  return 1 - above;
}

// The distribution of a residual life is the integral of 1 - F, for gaps of mean 1.
TEST(FirstGap, is_it_what_is_left_of_a_gap_at_a_moment_chosen_at_random) {
  const auto uniform = [](double x) { return std::min(x, 1.0); };
  const auto exponential = [](double x) { return 1 - std::exp(-x); };
  const auto erlang = [](double x) {  // gamma of shape 4
    double sum = 0;
    for (int i = 1; i <= 4; ++i) sum += erlang_cdf(i, 4 * x);
    return sum / 4;
  };
  const auto weibull = [](double x) {  // of shape 1/2
    const double s = std::sqrt(2 * x);
    return 1 - (1 + s) * std::exp(-s);
  };
  const struct {
    ArrivalSpec arrival;
    std::function<double(double)> cdf;
  } cases[]{{{ArrivalProcess::constant, 1}, uniform},
            {{ArrivalProcess::poisson, 1}, exponential},
            {{ArrivalProcess::gamma, 0.5}, erlang},
            {{ArrivalProcess::weibull, 1, 0.5}, weibull}};
  for (const auto& [arrival, cdf] : cases) {
    EXPECT_LT(ks_distance(first_gaps(arrival, FirstGap::residual_in_crowd), cdf), kKsLimit)
        << static_cast<int>(arrival.process);
  }
}

// Nothing else ticks: a phase would only shift the clock.
TEST(FirstGap, do_the_ticks_of_a_client_alone_begin_with_a_whole_gap) {
  for (const double gap : first_gaps({ArrivalProcess::constant, 1}, FirstGap::residual)) {
    ASSERT_EQ(gap, 1);
  }
}

WorkloadSpec crowd(const ArrivalSpec& arrival) {
  WorkloadSpec spec;
  spec.aggregate_rate_rps = 200;
  CohortSpec& cohort = spec.cohorts.emplace_back();
  cohort.population = 20'000;
  cohort.member.arrival = arrival;
  cohort.member.input = ConstantLength{1};
  cohort.member.output = ConstantLength{1};
  cohort.spike = SpikeSpec{Time{} + seconds(50), seconds(800), {}};
  return spec;
}

// Members are independent, so their counts tell how far the sum may lie from what is expected.
void expect_count(const std::vector<double>& by_member, double expected, const std::string& where) {
  double sum = 0;
  double squares = 0;
  for (const double count : by_member) sum += count;
  const double mean = sum / static_cast<double>(by_member.size());
  for (const double count : by_member) squares += (count - mean) * (count - mean);
  EXPECT_NEAR(sum, expected, 3.3 * std::sqrt(squares) + 1) << where;
}

TEST(Cohort, is_the_rate_as_asked_from_the_first_moment) {
  const ArrivalSpec arrivals[]{{ArrivalProcess::constant, 1},
                               {ArrivalProcess::poisson, 1},
                               {ArrivalProcess::gamma, 3},
                               {ArrivalProcess::weibull, 3}};
  for (const ArrivalSpec& arrival : arrivals) {
    const WorkloadSpec spec = crowd(arrival);
    std::vector<std::vector<double>> counts(3, std::vector<double>(20'000));
    ClientsSource source(spec, {});
    for (Request request; source.next(&request);) {
      const Duration in = request.arrival - spec.cohorts[0].spike->begin;
      const auto member = static_cast<std::size_t>(request.tags.client);
      if (in < seconds(1)) counts[0][member] += 1;
      if (in < seconds(80)) counts[1][member] += 1;
      counts[2][member] += 1;
    }
    const std::string process = std::to_string(static_cast<int>(arrival.process));
    expect_count(counts[0], 200, process + ", first second");
    expect_count(counts[1], 200 * 80, process + ", first tenth");
    expect_count(counts[2], 200 * 800, process + ", all");
  }
}

TEST(Cohort, can_it_start_as_in_the_reference) {
  ClientsOptions options;
  options.arrivals_start_in_mid_gap = false;
  WorkloadSpec spec = crowd({ArrivalProcess::gamma, 3});
  ClientsSource source(spec, options);
  std::int64_t requests = 0;
  for (Request request; source.next(&request);) requests += 1;
  EXPECT_GT(requests, 220'000);  // of 160,000
}

}  // namespace
}  // namespace plimsoll
