#include "perf/calibration.h"

#include <cmath>

#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace plimsoll {
namespace {

Calibration some_calibration() {
  Calibration c;
  c.base = "kernel";
  c.model = "meta-llama/llama-3.1-8b-instruct";
  c.gpu = "H100";
  c.layout.tp = 2;
  c.date = "2026-11-01";
  c.sources = {"runs of monday.csv", "b.csv"};
  c.correction = {1.25, 300.5, -2, 0.25, 4000, 1e-7};
  for (std::size_t i = 0; i < correction_terms().size(); ++i) {
    const double value = c.correction.*correction_terms()[i].field;
    c.terms.push_back({value - 1, value + 1, i % 2 == 0});
  }
  c.errors = {{"ttft_ms", 200, 100, 30, 10, 40, 10}, {"tpot_ms", 200, 100, 8, 2, 10, 2.5}};
  return c;
}

LatencyInputs inputs(const char* model = "llama-3.1-8b-instruct", const char* gpu = "H100",
                     std::int64_t tp = 2) {
  LatencyInputs in;
  in.model = find_model(model)->config;
  in.gpu = *find_gpu(gpu, SemanticsMode::vllm);
  in.parallelism.tp = tp;
  return in;
}

std::string error_of(const std::string& text) {
  const auto read = parse_calibration(text, "c.yaml");
  return read ? "no error" : format(read.error());
}

/// The file with one of its texts replaced.
std::string with(const std::string& what, const std::string& instead) {
  std::string text = calibration_text(some_calibration());
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), instead);
}

TEST(Calibration, is_read_back_as_it_was_written) {
  const std::string text = calibration_text(some_calibration());
  const auto read = parse_calibration(text, "c.yaml");
  ASSERT_TRUE(read) << format(read.error());
  EXPECT_EQ(calibration_text(*read), text);
  EXPECT_EQ(read->correction.decode_us, -2);
  EXPECT_EQ(read->sources[0], "runs of monday.csv");
  EXPECT_EQ(read->errors[1].held_out_after, 2.5);
}

TEST(Calibration, states_no_error_of_what_was_not_held_out) {
  Calibration c = some_calibration();
  c.errors = {{"step_ms", 4, 0, 30, 10, 0, 0}};
  const std::string text = calibration_text(c);
  EXPECT_EQ(text.find("held_out_"), std::string::npos) << text;
  EXPECT_TRUE(parse_calibration(text, "c.yaml"));
  EXPECT_NE(error_of(with("    held_out_after_percent: 10\n", "")).find("held_out_after_percent"),
            std::string::npos);
}

TEST(Calibration, says_what_is_wrong_with_a_file) {
  const std::pair<std::string, std::string> cases[] = {
      {error_of(""), "the file is empty"},
      {error_of("[]"), "found a list"},
      {error_of("a: {"), "cannot parse"},
      {error_of("plimsoll_case: 1"), "unknown key \"plimsoll_case\""},
      {error_of(with("plimsoll_calibration: 1", "plimsoll_calibration: 2")), "c.yaml:1:23"},
      {error_of(with("base: kernel", "base: kernle")), "did you mean \"kernel\"?"},
      {error_of(with("base: kernel\n", "")), "base"},
      {error_of(with("model: meta-llama/llama-3.1-8b-instruct\n", "")), "model"},
      {error_of(with("tensor_parallel: 2", "tensor_parallel: 0")), "tensor_parallel"},
      {error_of(with("tensor_parallel: 2", "tensor_parallel: two")), "tensor_parallel"},
      {error_of(with("value: 1.25", "value: 0")), "value"},
      {error_of(with("value: 1.25", "value: -1")), "value"},
      {error_of(with("value: 1.25", "value: .nan")), "value"},
      {error_of(with("value: 300.5", "value: 1e300")), "value"},
      {error_of(with("low: 0.25", "low: 3")), "\"low\" is greater than \"high\""},
      {error_of(with("identified: true", "identified: maybe")), "identified"},
      {error_of(with("  decode_us:", "  decode_ms:")), "did you mean \"decode_us\"?"},
      {error_of(with("metric: tpot_ms", "metric: itl_ms")), "tpot_ms"},
      {error_of(with("held_out: 100", "held_out: -5")), "held_out"},
      {error_of(with("errors:", "error:")), "errors"},
      {error_of(with("sources: [\"runs of monday.csv\",", "sources: [{a: 1},")), "sources"},
  };
  for (const auto& [said, expected] : cases) {
    EXPECT_NE(said.find(expected), std::string::npos) << expected << "\n  not in\n" << said;
  }
}

TEST(Calibration, applies_to_what_was_measured) {
  const auto calibrated = make_calibrated(some_calibration(), inputs());
  ASSERT_TRUE(calibrated) << format(calibrated.error());
  const auto base = make_latency_model("kernel", inputs());
  BatchShape batch;
  batch.decode_requests = 4;
  batch.decode_context = 4000;
  EXPECT_DOUBLE_EQ((*calibrated)->step_us(batch), 1.25 * (*base)->step_us(batch) + 300.5 - 8);
  EXPECT_NEAR((*calibrated)->queueing_us(0), (*base)->queueing_us(0) + 4000, 1e-9);
}

TEST(Calibration, leaves_out_the_client_where_the_engine_measures_itself) {
  LatencyInputs in = inputs();
  in.observer = Observer::engine;
  const auto calibrated = make_calibrated(some_calibration(), in);
  EXPECT_EQ((*calibrated)->queueing_us(1000), 0);
}

TEST(Calibration, refuses_steps_that_take_no_time) {
  Calibration c = some_calibration();
  c.correction.step_us = -1e6;
  const auto none = make_calibrated(c, inputs());
  ASSERT_FALSE(none);
  EXPECT_NE(format(none.error()).find("a step of 1 decoding request takes no time"),
            std::string::npos)
      << format(none.error());
  c.correction = {1, 0, 0, -1000};
  EXPECT_NE(format(make_calibrated(c, inputs()).error()).find("a prompt of 512 tokens"),
            std::string::npos);
}

TEST(Calibration, refuses_another_model_or_gpu_and_names_both) {
  const auto other_model = make_calibrated(some_calibration(), inputs("qwen/qwen3-14b"));
  ASSERT_FALSE(other_model);
  const std::string text = format(other_model.error());
  EXPECT_NE(text.find("llama-3.1-8b-instruct"), std::string::npos) << text;
  EXPECT_NE(text.find("qwen3-14b"), std::string::npos) << text;
  const auto other_gpu =
      make_calibrated(some_calibration(), inputs("llama-3.1-8b-instruct", "L40S"));
  ASSERT_FALSE(other_gpu);
  EXPECT_NE(format(other_gpu.error()).find("GPU H100"), std::string::npos);
}

TEST(Calibration, of_another_layout_is_an_extrapolation_that_is_said) {
  const Calibration c = some_calibration();
  EXPECT_TRUE(make_calibrated(c, inputs("llama-3.1-8b-instruct", "H100", 1)));
  Parallelism layout;
  layout.tp = 2;
  EXPECT_EQ(extrapolation_note(c, layout, ""), "");
  layout.tp = 1;
  EXPECT_NE(extrapolation_note(c, layout, "").find("TP 2, run at TP 1"), std::string::npos);
}

TEST(Calibration, of_other_weights_is_an_extrapolation_that_is_said) {
  Calibration c = some_calibration();
  EXPECT_TRUE(is_as_measured(c, c.layout, "none"));
  EXPECT_FALSE(is_as_measured(c, c.layout, "fp8"));
  EXPECT_NE(extrapolation_note(c, c.layout, "fp8")
                .find("TP 2 with stored weights, run at TP 2 with fp8 weights"),
            std::string::npos);
  c.quantization = "fp8";
  EXPECT_EQ(extrapolation_note(c, c.layout, "fp8"), "");
  const auto read = parse_calibration(calibration_text(c), "c.yaml");
  ASSERT_TRUE(read) << format(read.error());
  EXPECT_TRUE(is_as_measured(*read, c.layout, "fp8"));
}

TEST(Calibration, keeps_its_engine) {
  Calibration c = some_calibration();
  c.engine = Engine::trtllm;
  const auto read = parse_calibration(calibration_text(c), "c.yaml");
  ASSERT_TRUE(read) << format(read.error());
  EXPECT_EQ(read->engine, Engine::trtllm);
}

TEST(Calibration, of_no_base_knows_no_other_layout) {
  Calibration c = some_calibration();
  c.base = kNoBase;
  c.correction.decode_us = 40;
  EXPECT_TRUE(make_calibrated(c, inputs()));
  Calibration falling = c;
  falling.correction.decode_us = -1;
  EXPECT_FALSE(make_calibrated(falling, inputs()));
  const auto other = make_calibrated(c, inputs("llama-3.1-8b-instruct", "H100", 1));
  ASSERT_FALSE(other);
  EXPECT_NE(format(other.error()).find("TP 2"), std::string::npos);
}

TEST(Calibration, improves_by_what_the_held_out_errors_lose) {
  EXPECT_DOUBLE_EQ(improvement(some_calibration()), 1 - 12.5 / 50);
  Calibration c = some_calibration();
  for (CalibrationErrors& e : c.errors) e.held_out = 0;
  EXPECT_DOUBLE_EQ(improvement(c), 1 - 12.0 / 38);
  c.errors.clear();
  EXPECT_EQ(improvement(c), 0);
}

TEST(Calibration, is_better_only_if_enough_that_was_held_out_says_so) {
  EXPECT_EQ(why_not_better(some_calibration()), "");
  Calibration c = some_calibration();
  for (CalibrationErrors& e : c.errors) e.held_out = 0;
  EXPECT_EQ(why_not_better(c),
            "0 measurements held out, 10 are needed to show whether a correction helps");
  c = some_calibration();
  for (CalibrationErrors& e : c.errors) e.held_out_after = e.held_out_before;
  EXPECT_EQ(why_not_better(c), "the uncorrected model fits the held-out measurements as well");
}

TEST(Calibration, has_the_error_of_what_was_held_out) {
  Calibration law = some_calibration();
  law.base = kNoBase;
  law.errors = {{"ttft_ms", 200, 100, -1, 10, -1, 20}, {"tpot_ms", 200, 100, -1, 2, -1, 5}};
  const ModelError unknown = usual_error(Regime::unknown);
  const ModelError error = error_shown(law, unknown, true);
  EXPECT_EQ(error.regime, Regime::calibrated);
  // Of normal errors 90 % lie within 2.44 times the median distance.
  EXPECT_NEAR(error.step, 2.4387 * std::log(1.05), 1e-4);
  EXPECT_NEAR(error.ttft, 2.4387 * std::log(1.20), 1e-4);
  EXPECT_GE(error.ttft_tail, error.ttft);
  law.errors[1].held_out_after = 0.1;
  EXPECT_EQ(error_shown(law, unknown, true).step,
            usual_error(Regime::measured).step);  // luck goes no further
  for (CalibrationErrors& e : law.errors) e.held_out = 0;
  EXPECT_EQ(error_shown(law, unknown, true).regime, Regime::calibrated);
  EXPECT_EQ(error_shown(law, unknown, true).step, unknown.step);
}

TEST(Calibration, of_a_base_has_the_error_of_that_where_nothing_else_was_shown) {
  Calibration c = some_calibration();
  c.errors = {{"step_ms", 200, 100, 20, 5, 20, 5}};
  ModelError lent = usual_error(Regime::transferred);
  lent.slower_runs = 2;
  const ModelError error = error_shown(c, lent, true);
  EXPECT_FALSE(error.is_guess());
  EXPECT_EQ(error.regime, Regime::calibrated);
  EXPECT_NEAR(error.step, 2.4387 * std::log(1.05), 1e-4);
  EXPECT_EQ(error.ttft, lent.ttft);
  EXPECT_EQ(error.ttft_tail, lent.ttft_tail);
  EXPECT_EQ(error_shown(c, lent, false).step, lent.step);
  c.errors[0].held_out = kEnoughToTell - 1;
  EXPECT_EQ(error_shown(c, lent, true).step, lent.step);
  EXPECT_EQ(error_shown(c, lent, true).regime, Regime::transferred);
}

}  // namespace
}  // namespace plimsoll
