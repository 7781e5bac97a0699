// Do the counters of a running engine give back how much slower its steps are than predicted?
#include "setup/measured_steps.h"

#include <cmath>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/simulation.h"
#include "known_queue.h"
#include "perf/calibration.h"
#include "setup/setup.h"

namespace plimsoll {
namespace {

using testing::HasSubstr;

constexpr double kStepS = 600;
constexpr int kSteps = 72;  // half a day, whose load rises and falls once
constexpr double kStartS = 1'780'272'000;

RunSpec served() {
  RunSpec run;
  run.model.id = std::string("meta-llama/llama-3.1-8b-instruct");
  run.hardware.gpu = std::string("H100");
  return run;
}

/// One instance answered this for half a day, at 1 to 9 requests/s.
Workload traffic() {
  test::Draws draws(7);
  Workload out;
  for (double at_s = 0; at_s < kStepS * kSteps;) {
    at_s += draws.exponential() / (5 - 4 * std::cos(2 * M_PI * at_s / (kStepS * kSteps)));
    out.id.push_back(std::ssize(out.id));
    out.arrival.push_back({std::llround(at_s * 1e9)});
    out.input_tokens.push_back(
        static_cast<std::int32_t>(20 + std::min(8000.0, 900 * draws.exponential())));
    out.output_tokens.push_back(
        static_cast<std::int32_t>(10 + std::min(1500.0, 200 * draws.exponential())));
  }
  return out;
}

/// What a counter gains in each step, by its name, which may have labels: name","le":"10.
using Gains = std::map<std::string, std::vector<double>>;

Gains recorded(const Workload& workload, const Correction& law) {
  const RunSpec run = served();
  Deployment deployment = make_setup(run).value().deployment;
  deployment.main().step_time =
      std::make_shared<CalibratedStepTime>(deployment.main().step_time, law);
  SimulationOptions options;
  options.semantics = semantics_of(run);
  WorkloadSource source(workload);
  Simulation simulation(deployment, source, options);
  simulation.advance();
  const RequestTable rows = simulation.take_record().requests;
  Gains gains;
  const auto add = [&](const std::string& name, double at_s, double value) {
    std::vector<double>& values = gains[name];
    values.resize(kSteps);
    const auto step = static_cast<std::size_t>(at_s / kStepS);
    if (step < kSteps) values[step] += value;
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double begin_s = to_seconds(rows.arrival[i]);
    const double first_s = begin_s + to_seconds(rows.ttft[i]);
    const double end_s = begin_s + to_seconds(rows.e2e[i]);
    add("vllm:prompt_tokens_total", first_s, rows.input_tokens[i]);
    add("vllm:time_to_first_token_seconds_sum", first_s, to_seconds(rows.ttft[i]));
    add("vllm:time_to_first_token_seconds_count", first_s, 1);
    add("vllm:request_success_total", end_s, 1);
    add("vllm:generation_tokens_total", end_s, rows.generated_tokens[i]);
    add("vllm:inter_token_latency_seconds_sum", end_s, to_seconds(rows.itl_sum[i]));
    add("vllm:inter_token_latency_seconds_count", end_s, rows.itl_count[i]);
    add("vllm:e2e_request_latency_seconds_sum", end_s, to_seconds(rows.e2e[i]));
    add("vllm:e2e_request_latency_seconds_count", end_s, 1);
    for (double decade = 10; decade < 1e5; decade *= 10) {
      for (const double bound : {decade, 2 * decade, 5 * decade}) {
        const std::string le = fmt::format("\",\"le\":\"{}", bound);
        add("vllm:request_prompt_tokens_bucket" + le, end_s, rows.input_tokens[i] <= bound);
        add("vllm:request_generation_tokens_bucket" + le, end_s, rows.output_tokens[i] <= bound);
      }
    }
  }
  return gains;
}

std::string file_of(const Gains& gains) {
  std::vector<std::string> series;
  for (const auto& [name, values] : gains) {
    double sum = 0;
    std::string samples = fmt::format("[{},\"0\"]", kStartS);
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += values[i];
      samples += fmt::format(",[{},\"{}\"]", kStartS + kStepS * static_cast<double>(i + 1), sum);
    }
    series.push_back(fmt::format(
        R"({{"metric":{{"__name__":"{}","instance":"a:8000"}},"values":[{}]}})", name, samples));
  }
  const std::string path = testing::TempDir() + "measured_steps_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
  std::ofstream(path) << fmt::format(
      R"({{"status":"success","data":{{"resultType":"matrix","result":[{}]}}}})",
      fmt::join(series, ","));
  return path;
}

Result<Measured> measured_in(const Gains& gains) {
  RunSpec run = served();
  run.step_time.telemetry = file_of(gains);
  return measured_steps(run);
}

const Correction kSlower{.scale = 1.3};

TEST(Counters, of_an_engine_that_is_slower_give_the_factor) {
  const auto measured = measured_in(recorded(traffic(), kSlower));
  ASSERT_TRUE(measured) << format(measured.error());
  const auto fitted = fitted_to(*measured, {}, served());
  ASSERT_TRUE(fitted) << format(fitted.error());
  EXPECT_EQ(fitted->gpu, "H100");
  EXPECT_EQ(measured->experiments.front().observations.size(), 96U);  // of 48 windows
  // Terms that rise together where all windows have the same lengths: their sum is right.
  const StepTimePtr base = measured->experiments.front().base;
  const CalibratedStepTime corrected(base, fitted->correction);
  for (const std::int64_t requests : {2, 8, 24}) {
    BatchShape batch{.decode_requests = requests, .decode_context = 1000 * requests};
    EXPECT_NEAR(corrected.step_us(batch) / base->step_us(batch), 1.3, 0.03) << requests;
    batch.add_prefill(900, 900, 900);
    EXPECT_NEAR(corrected.step_us(batch) / base->step_us(batch), 1.3, 0.05) << requests;
  }
  for (const CalibrationErrors& e : fitted->errors) {
    EXPECT_LT(e.held_out_after, 5) << e.metric;
    EXPECT_GT(e.held_out, 10) << e.metric;
  }
}

TEST(Counters, without_gaps_between_tokens_give_them_by_whole_answers) {
  Gains gains = recorded(traffic(), kSlower);
  const auto whole = measured_in(gains);
  gains.erase("vllm:inter_token_latency_seconds_sum");
  gains.erase("vllm:inter_token_latency_seconds_count");
  const auto by_answers = measured_in(gains);
  ASSERT_TRUE(whole && by_answers);
  const auto& one = whole->experiments.front().observations;
  const auto& other = by_answers->experiments.front().observations;
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i)
    EXPECT_NEAR(one[i].measured_ms, other[i].measured_ms, 0.05 * one[i].measured_ms);
}

TEST(Counters, beside_a_profile_are_refused) {
  RunSpec run = served();
  run.step_time.telemetry = file_of({{"vllm:request_success_total", {1}}});
  Profile profile;
  profile.path = "p.json";
  const auto measured = measured_steps(run, &profile);
  ASSERT_FALSE(measured);
  EXPECT_THAT(format(measured.error()), HasSubstr("means of requests, p.json has single steps"));
}

}  // namespace
}  // namespace plimsoll
