#include "perf/calibration.h"

#include <cmath>

#include <fmt/format.h>

#include "base/file.h"
#include "base/lists.h"
#include "base/text.h"
#include "catalog/served_as.h"
#include "random/portable_math.h"
#include "spec/spec_file.h"
#include "spec/yaml_writer.h"

namespace plimsoll {
namespace {

std::string text_of(const Parallelism& layout) {
  std::string text = "TP " + std::to_string(layout.tp);
  const auto add = [&](const char* name, std::int64_t degree) {
    if (degree > 1) text += std::string(", ") + name + " " + std::to_string(degree);
  };
  add("PP", layout.pp);
  add("DP", layout.dp);
  add("EP", layout.ep);
  return text;
}

tl::unexpected<Error> mismatch(const char* what, const std::string& calibrated,
                               const std::string& run) {
  return fail(ErrorKind::usage,
              "the calibration is for " + std::string(what) + " " + calibrated +
                  ", the deployment has " + run,
              "measurements of one say nothing about the other: leave out --calibration or "
              "--profile, or "
              "calibrate with runs of " +
                  run);
}

BatchShape usual_decodes(std::int64_t requests) {
  BatchShape batch;
  batch.decode_requests = requests;
  batch.decode_context = requests * 1000;
  return batch;
}

// Batches that every deployment has: one decode, several, a prompt.
std::vector<BatchShape> usual_batches() {
  BatchShape prompt;
  prompt.add_prefill(512, 0, 512);
  return {usual_decodes(1), usual_decodes(8), prompt};
}

Result<void> check_steps(const StepTimeModel& calibrated) {
  for (const BatchShape& batch : usual_batches()) {
    if (calibrated.step_us(batch) > 0) continue;
    const std::string what = batch.decode_requests > 0
                                 ? "of " + counted(batch.decode_requests, "decoding request")
                                 : "of a prompt of 512 tokens";
    return fail(ErrorKind::usage, "with this calibration a step " + what + " takes no time",
                "its parameters take off more than such a step lasts: are they in microseconds?");
  }
  constexpr std::int64_t kMany = 256;
  if (calibrated.step_us(usual_decodes(kMany)) < calibrated.step_us(usual_decodes(1))) {
    return fail(ErrorKind::usage,
                "with this calibration a step of " + std::to_string(kMany) +
                    " decoding requests takes less time than that of one",
                "its decode_us takes off more than a request adds: calibrate again, at more loads");
  }
  return {};
}

constexpr std::int64_t kFormat = 1;
constexpr IntRange kDegree{1, 1024};
constexpr IntRange kRunCount{0, 1'000'000'000'000};
constexpr NumberRange kPercent{-1, 1e9};
// A microsecond term of more than a quarter of an hour is a wrong unit.
constexpr NumberRange kTermRange{-1e9, 1e9};
constexpr NumberRange kScaleRange{0, 1000, true};

const std::vector<std::string>& engine_names() {
  static const std::vector<std::string> names =
      mapped(std::vector{Engine::vllm, Engine::sglang, Engine::trtllm},
             [](Engine engine) { return std::string(name_of(engine)); });
  return names;
}

const std::vector<std::string> kMetrics{"ttft_ms", "tpot_ms", "step_ms"};

std::vector<std::string> base_names() {
  std::vector<std::string> names = mapped(latency_models(), &LatencyModel::name);
  names.emplace_back(kNoBase);
  return names;
}

void read_term(SpecMap map, const CorrectionTerm& term, Calibration* out) {
  const NumberRange range = term.field == &Correction::scale ? kScaleRange : kTermRange;
  out->correction.*term.field = map.number("value", range);
  CalibratedTerm read;
  read.low = map.number("low", kTermRange);
  read.high = map.number("high", kTermRange);
  if (read.low > read.high) map.error("low", "\"low\" is greater than \"high\"");
  read.identified = map.flag("identified");
  out->terms.push_back(read);
}

CalibrationErrors read_errors(SpecMap map) {
  CalibrationErrors errors;
  errors.metric = map.choice("metric", kMetrics);
  errors.fitted = map.integer("fitted", kRunCount);
  errors.held_out = map.integer("held_out", kRunCount);
  errors.fitted_before = map.number("fitted_before_percent", kPercent);
  errors.fitted_after = map.number("fitted_after_percent", kPercent);
  if (errors.held_out > 0 || map.has("held_out_before_percent")) {
    errors.held_out_before = map.number("held_out_before_percent", kPercent);
  }
  if (errors.held_out > 0 || map.has("held_out_after_percent")) {
    errors.held_out_after = map.number("held_out_after_percent", kPercent);
  }
  return errors;
}

void write_term(const CorrectionTerm& term, const Correction& correction,
                const CalibratedTerm& fitted, YamlWriter* out) {
  out->open(term.name);
  out->number("value", correction.*term.field);
  out->number("low", fitted.low);
  out->number("high", fitted.high);
  out->flag("identified", fitted.identified);
  out->close();
}

void write_errors(const CalibrationErrors& errors, YamlWriter* out) {
  out->begin_item();
  out->text("metric", errors.metric);
  out->integer("fitted", errors.fitted);
  out->integer("held_out", errors.held_out);
  out->number("fitted_before_percent", errors.fitted_before);
  out->number("fitted_after_percent", errors.fitted_after);
  if (errors.held_out > 0) {
    out->number("held_out_before_percent", errors.held_out_before);
    out->number("held_out_after_percent", errors.held_out_after);
  }
  out->end_item();
}

}  // namespace

const std::vector<CorrectionTerm>& correction_terms() {
  static const std::vector<CorrectionTerm> terms{
      {"scale", &Correction::scale, "factor on the base model's steps"},
      {"step_us", &Correction::step_us, "added to each step (us)"},
      {"decode_us", &Correction::decode_us, "per step and decoding request (us)"},
      {"prefill_us", &Correction::prefill_us, "per step and prompt token (us)"},
      {"request_us", &Correction::request_us, "in the client per request (us)", true},
      {"prompt_token_us", &Correction::prompt_token_us, "in the client per prompt token (us)",
       true},
  };
  return terms;
}

Correction without_client(Correction correction) {
  const Correction none;
  for (const CorrectionTerm& term : correction_terms()) {
    if (term.of_client) correction.*term.field = none.*term.field;
  }
  return correction;
}

bool is_same(const Parallelism& a, const Parallelism& b) {
  return a.tp == b.tp && a.pp == b.pp && a.dp == b.dp && a.ep == b.ep;
}

std::vector<ErrorChange> changes_of(const Calibration& calibration) {
  return mapped(calibration.errors, [](const CalibrationErrors& e) {
    return e.held_out > 0 ? ErrorChange{e.metric, e.held_out_before, e.held_out_after}
                          : ErrorChange{e.metric, e.fitted_before, e.fitted_after};
  });
}

double improvement(const Calibration& calibration) {
  double before = 0;
  double after = 0;
  for (const ErrorChange& change : changes_of(calibration)) {
    before += change.before;
    after += change.after;
  }
  if (calibration.base == kNoBase || !(before > 0)) return 0;
  return 1 - after / before;
}

std::int64_t count_held_out(const Calibration& calibration) {
  return total_of(calibration.errors, &CalibrationErrors::held_out);
}

std::string why_not_better(const Calibration& calibration) {
  if (calibration.base == kNoBase) return {};
  const std::int64_t held_out = count_held_out(calibration);
  if (held_out < kEnoughToTell) {
    return counted(held_out, "measurement") + " held out, " + std::to_string(kEnoughToTell) +
           " are needed to show whether a correction helps";
  }
  if (improvement(calibration) >= kLeastImprovement) return {};
  return "the uncorrected model fits the held-out measurements as well";
}

ModelError error_shown(const Calibration& calibration, const ModelError& otherwise,
                       bool is_as_measured) {
  ModelError error = otherwise;
  if (calibration.base == kNoBase) error.regime = Regime::calibrated;
  if (count_held_out(calibration) < kEnoughToTell) return error;
  // Of normal errors: the half width of 90 % over the median distance.
  constexpr double kHalfWidthOfMedian = 1.6449 / 0.6745;
  const ModelError least = usual_error(Regime::calibrated);
  ModelError shown{Regime::calibrated};
  for (const CalibrationErrors& e : calibration.errors) {
    if (e.held_out == 0) continue;
    const double z = kHalfWidthOfMedian * portable_log(1 + e.held_out_after / 100);
    const bool first_tokens = e.metric == "ttft_ms";
    double& of_metric = first_tokens ? shown.ttft : shown.step;
    of_metric = std::max({of_metric, z, first_tokens ? least.ttft : least.step});
  }
  if (shown.ttft > 0) shown.ttft_tail = std::max(least.ttft_tail, shown.ttft);
  for (double ModelError::*part : {&ModelError::step, &ModelError::ttft, &ModelError::ttft_tail}) {
    const bool is_known = shown.*part > 0 && is_as_measured;
    error.*part = is_known ? shown.*part : std::max(error.*part, shown.*part);
  }
  error.regime = Regime::calibrated;
  if (shown.step > 0 && is_as_measured) error.slower_runs = 0;
  error.ttft = std::max(error.ttft, error.step);
  error.ttft_tail = std::max(error.ttft_tail, error.ttft);
  return error;
}

std::string describe(const Calibration& calibration) {
  const Correction& c = calibration.correction;
  std::string what = "a law of its own";
  if (calibration.base != kNoBase) {
    what = "steps times " + three_digits(c.scale);
    if (c.step_us != 0)
      what += fmt::format(" {} {} ms", c.step_us > 0 ? "plus" : "less",
                          three_digits(std::fabs(c.step_us) / 1e3));
    if (c.decode_us != 0 || c.prefill_us != 0) what += " and terms of requests and prompts";
  }
  return what + ", fitted to " + join(calibration.sources, " and ");
}

Result<StepTimePtr> make_calibrated(const Calibration& calibration, const LatencyInputs& inputs) {
  if (to_lower(calibration.model) != to_lower(inputs.model.id)) {
    return mismatch("model", calibration.model, inputs.model.id);
  }
  if (to_lower(calibration.gpu) != to_lower(inputs.gpu.name)) {
    return mismatch("GPU", calibration.gpu, inputs.gpu.name);
  }
  StepTimePtr base = std::make_shared<NoStepTime>();
  if (calibration.base != kNoBase) {
    TRY_SET(base, make_latency_model(calibration.base, inputs));
  } else if (!is_same(calibration.layout, inputs.parallelism)) {
    return mismatch("a deployment with", text_of(calibration.layout), text_of(inputs.parallelism));
  }
  Correction correction = calibration.correction;
  if (inputs.observer == Observer::engine) correction = without_client(correction);
  auto calibrated = std::make_shared<CalibratedStepTime>(std::move(base), correction);
  TRY_TO(check_steps(*calibrated));
  return calibrated;
}

bool is_as_measured(const Calibration& calibration, const Parallelism& layout,
                    std::string_view quantization) {
  return is_same(calibration.layout, layout) &&
         calibration.quantization == empty_if_stored(quantization);
}

std::string extrapolation_note(const Calibration& calibration, const Parallelism& layout,
                               std::string_view quantization) {
  if (is_as_measured(calibration, layout, quantization)) return {};
  const std::string run_with = empty_if_stored(quantization);
  const auto told = [&](const Parallelism& degrees, const std::string& weights) {
    if (run_with == calibration.quantization) return text_of(degrees);
    return text_of(degrees) + " with " + (weights.empty() ? "stored" : weights) + " weights";
  };
  return "calibrated at " + told(calibration.layout, calibration.quantization) + ", run at " +
         told(layout, run_with) + ": the correction is applied although nobody has measured that";
}

Result<Calibration> read_calibration(const std::string& path) {
  TRY(text, read_file(path));
  return parse_calibration(text, path);
}

Result<Calibration> parse_calibration(const std::string& text, const std::string& file) {
  TRY(spec, SpecFile::parse(text, file));
  SpecMap top = spec.top();
  top.integer("plimsoll_calibration", {kFormat, kFormat});
  Calibration out;
  out.base = top.choice("base", base_names());
  out.model = top.text("model");
  out.gpu = top.text("gpu");
  out.layout.tp = top.integer("tensor_parallel", kDegree);
  out.layout.pp = top.integer("pipeline_parallel", kDegree);
  out.layout.dp = top.integer("data_parallel", kDegree);
  out.layout.ep = top.integer("expert_parallel", {1, 1024 * 1024});
  if (top.has("engine")) out.engine = *engine_of(top.choice("engine", engine_names()));
  if (top.has("quantization"))
    out.quantization = empty_if_stored(top.choice("quantization", quantization_names()));
  out.date = top.optional_text("date").value_or("");
  out.sources = top.texts("sources");
  SpecMap terms = top.map("parameters");
  for (const CorrectionTerm& term : correction_terms()) {
    read_term(terms.map(term.name), term, &out);
  }
  for (SpecMap errors : top.maps("errors")) out.errors.push_back(read_errors(errors));
  return spec.finish(std::move(out));
}

std::string calibration_text(const Calibration& calibration) {
  YamlWriter out;
  out.integer("plimsoll_calibration", kFormat);
  out.text("base", calibration.base);
  out.text("model", calibration.model);
  out.text("gpu", calibration.gpu);
  out.integer("tensor_parallel", calibration.layout.tp);
  out.integer("pipeline_parallel", calibration.layout.pp);
  out.integer("data_parallel", calibration.layout.dp);
  out.integer("expert_parallel", calibration.layout.ep);
  if (calibration.engine != Engine::vllm)
    out.text("engine", std::string(name_of(calibration.engine)));
  if (!calibration.quantization.empty()) out.text("quantization", calibration.quantization);
  if (!calibration.date.empty()) out.text("date", calibration.date);
  std::vector<std::string> sources;
  for (const std::string& source : calibration.sources) sources.push_back(yaml_text(source));
  out.flow("sources", "[", sources, "]");
  out.open("parameters");
  for (std::size_t i = 0; i < correction_terms().size(); ++i) {
    write_term(correction_terms()[i], calibration.correction, calibration.terms[i], &out);
  }
  out.close();
  out.open("errors");
  for (const CalibrationErrors& errors : calibration.errors) write_errors(errors, &out);
  out.close();
  return out.take();
}

}  // namespace plimsoll
