#include "workload/servegen.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/text.h"
#include "shared_data.h"
#include "workload/workload_spec.h"

namespace plimsoll {
namespace {

void expect_valid(const WorkloadSpec& spec) {
  const auto again = parse_workload_spec(workload_spec_yaml(spec), "again");
  ASSERT_TRUE(again) << format(again.error());
}

/// Six clients active all day at 1, 2, ..., 6 req/s; inputs of e^i tokens, always the same.
ServegenData six_clients() {
  ServegenData data;
  for (int i = 1; i <= 6; ++i) {
    ServegenClient client;
    client.id = std::to_string(i);
    for (std::int64_t start = 0; start < 86'400; start += 600) {
      client.windows.push_back({start, static_cast<double>(i), 2.0, ArrivalProcess::gamma, 0.25});
    }
    ServegenLengths lengths;
    if (i == 6) lengths.input.weights = {{1, 1}};
    if (i < 6) lengths.input.weights = {{1, 1}, {10, 1}};
    lengths.output.weights = {{100, 1}};
    client.lengths.push_back(lengths);
    data.clients.push_back(client);
  }
  return data;
}

// Three periods of 600 s with pauses of 180 s; six clients dealt out to five classes: one class
// gets two. The mean of ln 1 and ln 10 is ln(10) / 2, and so is the standard deviation.
TEST(ServegenCohorts, are_they_as_worked_out_by_hand) {
  const auto spec = servegen_cohorts(six_clients(), {});
  ASSERT_TRUE(spec) << format(spec.error());
  expect_valid(*spec);
  EXPECT_EQ(spec->aggregate_rate_rps, 0);
  EXPECT_EQ(spec->seed, 42u);
  ASSERT_EQ(spec->cohorts.size(), 15u);
  EXPECT_EQ(spec->horizon, Time{} + seconds(3 * 600 + 2 * 180));
  for (int period = 0; period < 3; ++period) {
    double rate = 0;
    std::int64_t population = 0;
    for (int k = 0; k < 5; ++k) {
      const CohortSpec& cohort = spec->cohorts[static_cast<std::size_t>(5 * period + k)];
      ASSERT_TRUE(cohort.spike);
      EXPECT_EQ(cohort.spike->begin, Time{} + seconds(period * 780));
      EXPECT_EQ(cohort.spike->duration, seconds(600));
      rate += cohort.spike->trace_rate.value();
      population += cohort.population;
      EXPECT_EQ(cohort.population, k == 0 ? 2 : 1);
      EXPECT_EQ(cohort.member.arrival, (ArrivalSpec{ArrivalProcess::gamma, 1, 0.25, 0}));
      const auto& output = std::get<LognormalLength>(cohort.member.output);
      EXPECT_NEAR(output.mu, std::log(100), 1e-12);
      EXPECT_NEAR(output.sigma, 0, 1e-6);
    }
    EXPECT_DOUBLE_EQ(rate, 1 + 2 + 3 + 4 + 5 + 6);
    EXPECT_EQ(population, 6);
  }
  EXPECT_EQ(spec->cohorts[0].member.id, "midnight-critical");
  EXPECT_EQ(spec->cohorts[6].member.id, "morning-standard");
  EXPECT_EQ(spec->cohorts[14].member.id, "afternoon-background");
  std::size_t of_ten = 0;
  for (const CohortSpec& cohort : spec->cohorts) {
    const auto& input = std::get<LognormalLength>(cohort.member.input);
    if (cohort.population > 1 || input.mu == 0) continue;
    EXPECT_NEAR(input.mu, std::log(10) / 2, 1e-12);
    EXPECT_NEAR(input.sigma, std::log(10) / 2, 1e-12);
    of_ten += 1;
  }
  EXPECT_GT(of_ten, 5u);
}

TEST(ServegenCohorts, is_it_said_how_far_lengths_are_off) {
  ServegenData data = six_clients();
  for (ServegenClient& client : data.clients) client.lengths[0].input.weights = {{100, 1}};
  EXPECT_TRUE(servegen_cohorts(data, {})->notes.empty());

  // Means 1,050 and exp(mean of the logarithms + half of their variance).
  for (ServegenClient& client : data.clients) {
    client.lengths[0].output.weights = {{100, 1}, {2000, 1}};
  }
  const auto spec = servegen_cohorts(data, {});
  ASSERT_EQ(spec->notes.size(), 1u);
  const double mu = std::log(100 * 2000.0) / 2;
  const double sigma = std::log(2000 / 100.0) / 2;
  EXPECT_EQ(spec->notes[0],
            "answers of the cohorts have " + three_digits(std::exp(mu + sigma * sigma / 2)) +
                " tokens on average, those of their clients 1,050: a cohort takes the mean of its "
                "clients' fits, however much each of them sends; --as clients keeps them");
}

TEST(ServegenCohorts, can_a_period_be_chosen_and_times_be_set) {
  ServegenOptions options;
  options.period = ServegenPeriod::afternoon;
  options.window_duration_s = 60;
  const auto spec = servegen_cohorts(six_clients(), options);
  ASSERT_TRUE(spec);
  ASSERT_EQ(spec->cohorts.size(), 5u);
  EXPECT_EQ(spec->cohorts[0].member.id, "afternoon-critical");
  EXPECT_EQ(spec->cohorts[0].spike->begin, Time{});
  EXPECT_EQ(spec->horizon, Time{} + seconds(60));
}

TEST(ServegenCohorts, is_the_same_seed_the_same_choice) {
  ServegenOptions other;
  other.seed = 7;
  const auto once = servegen_cohorts(six_clients(), {});
  EXPECT_EQ(once->cohorts, servegen_cohorts(six_clients(), {})->cohorts);
  EXPECT_NE(once->cohorts, servegen_cohorts(six_clients(), other)->cohorts);
}

TEST(ServegenCohorts, does_reasoning_data_give_its_busiest_window) {
  ServegenData data = six_clients();
  for (ServegenClient& client : data.clients) {
    client.lengths[0].reason_percent = EmpiricalLength{{{25, 1}, {50, 3}}, {}};
    client.windows.resize(client.id == "6" ? 1 : 2);
  }
  const auto spec = servegen_cohorts(data, {});
  ASSERT_TRUE(spec) << format(spec.error());
  expect_valid(*spec);
  EXPECT_EQ(spec->category, "reasoning");
  ASSERT_EQ(spec->cohorts.size(), 5u);
  double rate = 0;
  for (const CohortSpec& cohort : spec->cohorts) {
    rate += cohort.spike->trace_rate.value();
    EXPECT_EQ(cohort.member.arrival, ArrivalSpec{});
    EXPECT_EQ(cohort.member.closed_loop, false);
    EXPECT_EQ(cohort.member.multi_turn()->max_rounds, 1);
    const auto& ratio = std::get<EmpiricalLength>(*cohort.member.reasoning->reason_ratio);
    const double n = static_cast<double>(cohort.population);
    EXPECT_EQ(ratio.weights,
              (std::vector<std::pair<std::int64_t, double>>{{25, 0.25 * n}, {50, 0.75 * n}}));
  }
  EXPECT_DOUBLE_EQ(rate, 21);  // the first window, where all six are active
  ServegenOptions options;
  options.period = ServegenPeriod::morning;
  EXPECT_FALSE(servegen_cohorts(data, options));
}

TEST(ServegenCohorts, is_silence_an_error) {
  ServegenData data = six_clients();
  for (ServegenClient& client : data.clients) {
    for (ServegenWindow& window : client.windows) window.rate_rps = 0;
  }
  EXPECT_FALSE(servegen_cohorts(data, {}));
  EXPECT_FALSE(servegen_clients(data, {}));
  EXPECT_FALSE(servegen_cohorts({}, {}));
  EXPECT_FALSE(servegen_clients({}, {}));
}

TEST(ServegenClients, is_each_client_itself_window_by_window) {
  ServegenData data = six_clients();
  ServegenLengths later = data.clients[1].lengths[0];
  later.start_s = 1200;
  later.output.weights = {{7, 1}};
  data.clients[1].lengths.push_back(later);
  const auto spec = servegen_clients(data, {});
  ASSERT_TRUE(spec) << format(spec.error());
  expect_valid(*spec);
  ASSERT_EQ(spec->clients.size(), 7u);
  EXPECT_EQ(spec->horizon, Time{} + seconds(86'400));
  EXPECT_EQ(spec->clients[0].windows.size(), 144u);
  const ClientSpec& second = spec->clients[2];
  EXPECT_EQ(second.id, "client-2-from-1200");
  EXPECT_EQ(second.output, LengthDistribution(later.output));
  EXPECT_EQ(second.windows[0].begin, Time{} + seconds(1200));
  EXPECT_EQ(second.windows[0].trace_rate, 2);
  EXPECT_EQ(second.windows[0].arrival, (ArrivalSpec{ArrivalProcess::gamma, 1, 0.25, 0}));
}

// The publisher's windows, added up by hand with awk.
TEST(ServegenClients, do_the_rates_of_the_real_data_add_up) {
  const auto shared = shared_data_folder();
  if (!shared) GTEST_SKIP() << "no ServeGen data here";
  for (const char* name :
       {"language-m-large", "language-m-mid", "language-m-small", "reason-deepseek-r1"}) {
    const std::string path = (*shared / "data/traces/servegen" / name).string();
    const auto data = read_servegen(path);
    ASSERT_TRUE(data) << format(data.error());
    EXPECT_EQ(data->is_reasoning(), std::string_view(name).starts_with("reason"));
    double requests = 0;
    for (const ServegenClient& client : data->clients) {
      for (const ServegenWindow& window : client.windows) {
        if (client.lengths_at(window.start_s) != nullptr && window.rate_rps > 0) {
          requests += 600 * window.rate_rps;
        }
      }
    }
    const auto spec = servegen_clients(*data, {});
    ASSERT_TRUE(spec) << format(spec.error());
    expect_valid(*spec);
    double specified = 0;
    for (const ClientSpec& client : spec->clients) {
      for (const WindowSpec& window : client.windows) {
        specified += to_seconds(window.end - window.begin) * window.trace_rate.value();
      }
    }
    EXPECT_NEAR(specified, requests, 1e-6 * requests) << name;
    const auto cohorts = servegen_cohorts(*data, {});
    ASSERT_TRUE(cohorts) << format(cohorts.error());
    expect_valid(*cohorts);
  }
}

}  // namespace
}  // namespace plimsoll
