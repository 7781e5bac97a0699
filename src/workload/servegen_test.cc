#include "workload/servegen.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/text.h"
#include "shared_data.h"
#include "workload/servegen_reader.h"
#include "workload/workload_spec_reader.h"
#include "workload/workload_spec_writer.h"

namespace plimsoll {
namespace {

LineReader lines_of(const std::string& text) {
  auto lines = LineReader::over(text, "t");
  EXPECT_TRUE(lines);
  return std::move(*lines);
}

std::vector<ServegenWindow> windows_of(const std::string& text) {
  auto windows = read_servegen_windows(lines_of(text));
  EXPECT_TRUE(windows) << format(windows.error());
  return *windows;
}

std::vector<ServegenLengths> lengths_of_text(const std::string& text) {
  auto lengths = parse_servegen_dataset(text, "t");
  EXPECT_TRUE(lengths) << format(lengths.error());
  return *lengths;
}

void expect_valid(const WorkloadSpec& spec) {
  const auto again = parse_workload_spec(workload_spec_yaml(spec), "again");
  ASSERT_TRUE(again) << format(again.error());
}

TEST(ServegenReader, are_rows_read_with_and_without_names) {
  for (const char* header : {"", "time,rate,cv,pattern,shape,scale\n"}) {
    const auto windows = windows_of(std::string(header) +
                                    "0,1.5,2.0,Gamma,0.25,2.5\n600,0,1,\n1200.0,3,0.9,Weibull\n");
    ASSERT_EQ(windows.size(), 3u);
    EXPECT_EQ(windows[0].rate_rps, 1.5);
    EXPECT_EQ(windows[0].process, ArrivalProcess::gamma);
    EXPECT_EQ(windows[0].shape, 0.25);
    EXPECT_EQ(windows[1].process, ArrivalProcess::poisson);
    EXPECT_EQ(windows[2].start_s, 1200);
    EXPECT_EQ(windows[2].process, ArrivalProcess::weibull);
  }
}

TEST(ServegenReader, are_datasets_dicts_of_python) {
  const auto lengths = lengths_of_text(
      R"({"0": {"input_tokens": "{20: 0.75, 10: 0.25}", "output_tokens": "{5: 1.0}"},
          "600": {"input_tokens": "{7: 1}", "output_tokens": "{ 8 : 1e-2 , 9: 0 }",
                  "reason_ratio": "{0.5: 1, 0.25: 3}"}})");
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_EQ(lengths[0].input.weights,
            (std::vector<std::pair<std::int64_t, double>>{{10, 0.25}, {20, 0.75}}));
  EXPECT_FALSE(lengths[0].reason_percent);
  EXPECT_EQ(lengths[1].output.weights, (std::vector<std::pair<std::int64_t, double>>{{8, 0.01}}));
  EXPECT_EQ(lengths[1].reason_percent->weights,
            (std::vector<std::pair<std::int64_t, double>>{{25, 3}, {50, 1}}));
}

TEST(ServegenReader, does_each_bad_trace_give_one_clear_error) {
  const std::pair<const char*, const char*> cases[]{
      {"0,1,1\n", "t:1:6: error: the row has 3 fields"},
      {"0,1,1,Gamma\n5\n", "t:2:2: error: the row has 1 fields"},
      {"0,1,1,Gamma\nx,1,1,Gamma\n", "t:2:1: error: the start must be a whole second"},
      {"-1,1,1,Gamma\n", "t:1:1: error: the start must be"},
      {"0.5,1,1,Gamma\n", "t:1:1: error: the start must be"},
      {"1e12,1,1,Gamma\n", "t:1:1: error: the start must be"},
      {"0,x,1,Gamma\n", "t:1:3: error: the rate must be"},
      {"0,-1,1,Gamma\n", "t:1:3: error: the rate must be"},
      {"0,1e9,1,Gamma\n", "t:1:3: error: the rate must be"},
      {"0,1,,Gamma\n", "t:1:5: error: the coefficient of variation must be"},
      {"0,1,-2,Gamma\n", "t:1:5: error: the coefficient of variation must be"},
      {"0,1,1,Gamma,-1\n", "t:1:13: error: the shape must be"},
      {"0,1,1,Gamma,?\n", "t:1:13: error: the shape must be"},
      {"0,1,1,\"Gam\n", "t:1:"},
  };
  for (const auto& [text, expected] : cases) {
    const auto windows = read_servegen_windows(lines_of(text));
    ASSERT_FALSE(windows) << text;
    EXPECT_EQ(format(windows.error()).rfind(expected, 0), 0u) << format(windows.error());
  }
}

TEST(ServegenReader, does_each_bad_dataset_give_one_clear_error) {
  const auto entry = [](const std::string& input) {
    return "{\"0\": {\"input_tokens\": " + input + ", \"output_tokens\": \"{1: 1}\"}}";
  };
  ASSERT_TRUE(parse_servegen_dataset(entry("\"{1: 1}\""), "t"));
  const std::pair<std::string, const char*> cases[]{
      {"[]", "found a list"},
      {"{", "t:1"},
      {"{\"x\": {}}", "the keys are the seconds"},
      {"{\"-5\": {}}", "the keys are the seconds"},
      {"{\"8e83\": {}}", "the keys are the seconds"},
      {"{\"0\": 5}", "must hold keys and values"},
      {"{\"0\": {\"output_tokens\": \"{1: 1}\"}}", "missing key \"input_tokens\""},
      {entry("5"), "must look like"},
      {entry("\"\""), "must look like"},
      {entry("\"{}\""), "must look like"},
      {entry("\"{1}\""), "must look like"},
      {entry("\"{1: }\""), "must look like"},
      {entry("\"{1: x}\""), "must look like"},
      {entry("\"{-1: 1}\""), "must look like"},
      {entry("\"{1: -1}\""), "must look like"},
      {entry("\"{1: 0}\""), "must look like"},
      {entry("\"{1: 1\""), "must look like"},
      {entry("\"1: 1}\""), "must look like"},
      {entry("\"{1e20: 1}\""), "must look like"},
      {entry("\"{nan: 1}\""), "must look like"},
      {entry("\"{1: inf}\""), "must look like"},
      {entry("[1]"), "\"input_tokens\""},
  };
  for (const auto& [text, expected] : cases) {
    const auto lengths = parse_servegen_dataset(text, "t");
    ASSERT_FALSE(lengths) << text;
    EXPECT_NE(format(lengths.error()).find(expected), std::string::npos) << text << "\n"
                                                                         << format(lengths.error());
  }
}

// 0, 1, ..., 100 tokens: the middles of the hundredths are 0.5, 1.5, ..., rounded away from zero.
std::string quantiles(double step) {
  std::string row;
  for (int i = 0; i <= 100; ++i) row += "," + std::to_string(static_cast<int>(step * i));
  return row;
}

std::string quantile_header() {
  std::string header = "client,t_s,field";
  for (int i = 0; i <= 100; ++i) header += (i < 10 ? ",q0" : ",q") + std::to_string(i);
  return header + "\n";
}

constexpr const char* kWindowHeader = "client,t_s,rate_rps,cv,arrival_dist,p1,p2\n";

TEST(ServegenReader, are_quantiles_of_the_trimmed_form_hundred_equal_weights) {
  const auto data = read_trimmed_servegen(
      lines_of(std::string(kWindowHeader) + "7,600,2,1,Gamma,1,0.5\n7,0,1,1,Weibull,0.5,1\n"),
      lines_of(quantile_header() + "7,0,input_tokens" + quantiles(1) + "\n7,0,output_tokens" +
               quantiles(10) + "\n"));
  ASSERT_TRUE(data) << format(data.error());
  ASSERT_EQ(data->clients.size(), 1u);
  const ServegenClient& client = data->clients[0];
  EXPECT_EQ(client.id, "7");
  ASSERT_EQ(client.windows.size(), 2u);
  const auto& weights = client.lengths.at(0).input.weights;
  ASSERT_EQ(weights.size(), 100u);
  EXPECT_EQ(weights.front(), (std::pair<std::int64_t, double>{1, 1}));
  EXPECT_EQ(weights.back(), (std::pair<std::int64_t, double>{100, 1}));
  EXPECT_EQ(client.lengths.at(0).output.weights.front().first, 5);
  EXPECT_EQ(client.lengths_at(700), &client.lengths[0]);
  EXPECT_FALSE(data->is_reasoning());
}

TEST(ServegenReader, does_each_bad_trimmed_file_give_one_clear_error) {
  const std::string window = std::string(kWindowHeader) + "7,0,2,1,Gamma,1,0.5\n";
  const std::string input = "7,0,input_tokens" + quantiles(1) + "\n";
  const std::string output = "7,0,output_tokens" + quantiles(1) + "\n";
  const std::pair<std::pair<std::string, std::string>, const char*> cases[]{
      {{"", quantile_header()}, "t:1: error: the file is empty"},
      {{"client,t_s\n", quantile_header()}, "missing column \"rate_rps\""},
      {{std::string(kWindowHeader) + "x,0,1,1,Gamma,1,1\n", ""}, "\"client\" must be"},
      {{std::string(kWindowHeader) + "1,-5,1,1,Gamma,1,1\n", ""}, "\"t_s\" must be"},
      {{std::string(kWindowHeader) + "1,0,-1,1,Gamma,1,1\n", ""}, "\"rate_rps\" must be"},
      {{std::string(kWindowHeader) + "1,0,1,nan,Gamma,1,1\n", ""}, "\"cv\" must be"},
      {{std::string(kWindowHeader) + "1,0,1,1,Gamma,-1,1\n", ""}, "\"p1\" must be"},
      {{window, ""}, "the file is empty"},
      {{window, "client,t_s,field,q00\n"}, "missing column \"q01\""},
      {{window, quantile_header() + input}, "client 7 has no output_tokens at second 0"},
      {{window, quantile_header() + output}, "client 7 has no input_tokens at second 0"},
      {{window, quantile_header() + "7,0,inputs" + quantiles(1) + "\n"},
       "unknown field \"inputs\""},
      {{window, quantile_header() + "7,0,input_tokens" + quantiles(-1) + "\n"}, "\"q01\" must be"},
      {{window, quantile_header() + "7,0,reason_ratio" + quantiles(1) + "\n"}, "\"q02\" must be"},
      {{window, quantile_header() + "7,0,input_tokens,1,2\n"}, "the row has 5 fields"},
  };
  for (const auto& [files, expected] : cases) {
    auto data = read_trimmed_servegen(lines_of(files.first), lines_of(files.second));
    ASSERT_FALSE(data) << expected;
    EXPECT_NE(format(data.error()).find(expected), std::string::npos) << format(data.error());
  }
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
