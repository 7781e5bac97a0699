#include "calibration/fit.h"

#include <cmath>

#include <gtest/gtest.h>

#include "calibration/experiment.h"
#include "cluster/simulation.h"
#include "known_queue.h"
#include "perf/calibration.h"

namespace plimsoll {
namespace {

constexpr double kNoNoise = 0;

/// A server that a recording can be made of.
Deployment server(const Correction& law) {
  Deployment deployment;
  deployment.main().step_time =
      std::make_shared<CalibratedStepTime>(std::make_shared<NoStepTime>(), law);
  deployment.main().engine.total_kv_blocks = 100'000;
  return deployment;
}

/// Thirds of them at half, at all, and at one and a half times the rate.
TraceV2 requests(std::size_t n, double rate_rps) {
  test::Draws draws(7);
  TraceV2 trace;
  double at_s = 0;
  for (std::size_t i = 0; i < n; ++i) {
    at_s += draws.exponential() / rate_rps / (0.5 + 0.5 * static_cast<double>(3 * i / n));
    trace.workload.id.push_back(static_cast<std::int64_t>(i));
    trace.workload.arrival.push_back({std::llround(at_s * 1e9)});
    trace.workload.input_tokens.push_back(
        static_cast<std::int32_t>(50 + std::min(6000.0, 1200 * draws.exponential())));
    trace.workload.output_tokens.push_back(
        static_cast<std::int32_t>(20 + std::min(1500.0, 300 * draws.exponential())));
  }
  return trace;
}

/// What a client of the server would have recorded; each time is off by a factor e^(noise x), x
/// uniform in [-1, 1].
std::shared_ptr<TraceV2> record(TraceV2 trace, const Deployment& served, double noise) {
  SimulationOptions options;
  options.semantics = Semantics::vllm();
  WorkloadSource source(trace.workload);
  Simulation simulation(served, source, options);
  simulation.advance();
  const RequestTable rows = simulation.take_record().requests;
  test::Draws draws(3);
  const auto blurred = [&](Duration d) {
    return nanoseconds(
        std::llround(static_cast<double>(d.ns) * std::exp(noise * (2 * draws.uniform() - 1))));
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Duration first = blurred(rows.ttft[i]);
    trace.observations.push_back({static_cast<std::int64_t>(i), true, first,
                                  first + blurred(rows.itl_sum[i]), 1 + rows.itl_count[i]});
  }
  return std::make_shared<TraceV2>(std::move(trace));
}

Result<Calibration> calibrate(std::shared_ptr<TraceV2> recorded, const Deployment& assumed,
                              bool correct_base) {
  auto experiment = experiment_of(std::move(recorded), assumed, Semantics::vllm(), "test.csv");
  EXPECT_TRUE(experiment) << format(experiment.error());
  return fit({*experiment}, correct_base);
}

const Correction kLaw{1, 9000, 70, 35, 4000, 6};

TEST(Fit, recovers_the_law_of_a_server_within_two_percent) {
  const Deployment truth = server(kLaw);
  const auto found = calibrate(record(requests(3000, 5), truth, 0.05), truth, false);
  ASSERT_TRUE(found) << format(found.error());
  EXPECT_NEAR(found->correction.step_us, 9000, 180);
  EXPECT_NEAR(found->correction.decode_us, 70, 1.4);
  EXPECT_NEAR(found->correction.prefill_us, 35, 0.7);
  // The client's part is a small share of a TTFT.
  const double client = found->correction.request_us + 1200 * found->correction.prompt_token_us;
  EXPECT_NEAR(client, 4000 + 1200 * 6, 1100);
  for (std::size_t i = 1; i < correction_terms().size(); ++i) {
    const CorrectionTerm& term = correction_terms()[i];
    EXPECT_LT(found->terms[i].low, kLaw.*term.field) << term.name;
    EXPECT_GT(found->terms[i].high, kLaw.*term.field) << term.name;
  }
}

TEST(Fit, corrects_a_base_that_is_too_fast) {
  const Deployment truth = server({1, 12000, 90, 45, 6000, 6});
  const auto found = calibrate(record(requests(1000, 4), truth, 0.05), server(kLaw), true);
  ASSERT_TRUE(found) << format(found.error());
  for (const CalibrationErrors& e : found->errors) {
    EXPECT_GT(e.held_out_before, 20) << e.metric;
    EXPECT_LT(e.held_out_after, 5) << e.metric;
    EXPECT_GT(e.held_out, 200);
  }
  EXPECT_GT(improvement(*found), 0.7);
  EXPECT_GT(found->correction.scale, 1.1);
}

// Whatever the truth: near what was assumed, or far from it.
TEST(Fit, has_the_truth_in_most_of_its_intervals) {
  int within = 0;
  int all = 0;
  for (const Correction& truth :
       {Correction{1, 0, 0, 0, 2000, 2}, Correction{1.3, 1500, 30, 10, 3000, 2},
        Correction{3, 0, 0, 0, 0, 0}, Correction{8, 0, 0, 0, 1000, 0}}) {
    Deployment served = server(kLaw);
    served.main().step_time = std::make_shared<CalibratedStepTime>(served.main().step_time, truth);
    const auto found =
        calibrate(record(requests(600, 4 / truth.scale), served, 0.02), server(kLaw), true);
    ASSERT_TRUE(found) << format(found.error());
    EXPECT_GT(improvement(*found), truth.scale > 1 ? 0.8 : 0.3) << truth.scale;
    const auto& terms = correction_terms();
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const double value = truth.*terms[i].field;
      ++all;
      if (found->terms[i].low <= value && value <= found->terms[i].high) ++within;
    }
  }
  EXPECT_GE(within, all * 8 / 10) << all;
}

TEST(Fit, leaves_alone_what_is_predicted_as_it_was_measured) {
  const Deployment truth = server(kLaw);
  const auto found = calibrate(record(requests(500, 4), truth, kNoNoise), truth, true);
  ASSERT_TRUE(found) << format(found.error());
  EXPECT_NEAR(found->correction.scale, 1, 1e-9);
  EXPECT_NEAR(found->correction.step_us, 0, 1e-6);
  EXPECT_LT(improvement(*found), kLeastImprovement);
}

TEST(Fit, moves_nothing_but_scale_and_client_with_few_requests) {
  const Deployment truth = server({1, 12000, 90, 45, 6000, 6});
  const auto found = calibrate(record(requests(12, 1), truth, 0.05), server(kLaw), true);
  ASSERT_TRUE(found) << format(found.error());
  EXPECT_GT(found->correction.scale, 1.15);
  EXPECT_LT(found->correction.scale, 1.5);
  for (double Correction::*field : {&Correction::step_us, &Correction::decode_us,
                                    &Correction::prefill_us, &Correction::prompt_token_us}) {
    EXPECT_EQ(found->correction.*field, 0);
  }
}

TEST(Fit, takes_no_time_off_a_client_for_a_base_that_is_too_slow) {
  const Deployment truth = server({1, 9000, 70, 20, 0, 0});
  const auto found = calibrate(record(requests(500, 4), truth, 0.05), server(kLaw), true);
  ASSERT_TRUE(found) << format(found.error());
  EXPECT_GE(found->correction.request_us, 0);
  EXPECT_GE(found->correction.prompt_token_us, 0);
  for (const CalibratedTerm& term : found->terms) EXPECT_LE(term.low, term.high);
}

TEST(Fit, wants_enough_measurements_for_a_law_of_its_own) {
  const Deployment truth = server(kLaw);
  const auto found = calibrate(record(requests(12, 1), truth, kNoNoise), truth, false);
  ASSERT_FALSE(found);
  EXPECT_NE(format(found.error()).find("needs 30 measurements"), std::string::npos);
}

TEST(Fit, is_not_led_astray_by_a_tenth_of_bad_measurements) {
  const Deployment truth = server(kLaw);
  auto recorded = record(requests(1000, 4), truth, 0.02);
  for (std::size_t i = 0; i < recorded->observations.size(); i += 10) {
    recorded->observations[i].first_chunk = seconds(30);
    recorded->observations[i].last_chunk = seconds(90);
  }
  const auto found = calibrate(std::move(recorded), truth, true);
  ASSERT_TRUE(found) << format(found.error());
  BatchShape usual;
  usual.decode_requests = 20;
  usual.decode_context = 20'000;
  const CalibratedStepTime fitted(truth.main().step_time, found->correction);
  EXPECT_NEAR(fitted.step_us(usual) / truth.main().step_time->step_us(usual), 1, 0.02);
}

TEST(Recording, leaves_out_failed_requests_and_those_answered_in_one_piece) {
  const Deployment truth = server(kLaw);
  auto recorded = record(requests(40, 2), truth, kNoNoise);
  recorded->observations[3].ok = false;
  recorded->observations[4].first_chunk = kNoDuration;
  recorded->observations[5].chunks = 1;
  recorded->header.warm_up_requests = 2;
  const auto experiment = experiment_of(recorded, truth, Semantics::vllm(), "test.csv");
  ASSERT_TRUE(experiment);
  EXPECT_EQ(experiment->observations.size(), 2u * 35);
  ASSERT_EQ(experiment->notes.size(), 2u);
  EXPECT_NE(experiment->notes[0].find("2 requests"), std::string::npos);
  EXPECT_NE(experiment->notes[1].find("1 request "), std::string::npos);
}

TEST(Recording, without_times_says_what_has_them) {
  TraceV2 trace = requests(5, 2);
  for (std::int64_t i = 0; i < 5; ++i) {
    trace.observations.push_back({i, true, kNoDuration, kNoDuration, 0});
  }
  const auto experiment = experiment_of(std::make_shared<TraceV2>(std::move(trace)), server(kLaw),
                                        Semantics::vllm(), "test.csv");
  ASSERT_FALSE(experiment);
  EXPECT_NE(format(experiment.error()).find("plimsoll observe"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll
