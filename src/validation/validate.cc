#include "validation/validate.h"

#include <algorithm>
#include <set>

#include "cluster/longer_steps.h"
#include "random/portable_math.h"
#include "stats/average.h"
#include "validation/case_simulation.h"

namespace plimsoll {
namespace {

/// The same case with steps as long as predicted, and at both ends of the model's error.
struct Predictions {
  CaseFigures central;
  CaseFigures fast;
  CaseFigures slow;
};

template <class Run>
Predictions predict(const CaseSetup& setup, bool model_error, const Run& run) {
  if (!model_error) return {run(setup), {}, {}};
  const auto with_steps = [&](double factor) {
    CaseSetup scaled = setup;
    scaled.deployment = with_longer_steps(setup.deployment, factor);
    return run(scaled);
  };
  const double z = portable_exp(setup.error.step);
  return {run(setup), with_steps(1 / z), with_steps(z)};
}

bool starts_with_ttft(const std::string& metric) { return metric.find("ttft_ms") == 0; }

// "stages[1].ttft_ms.mean" -> "ttft_ms.mean"
std::string metric_of(const std::string& path) {
  const std::size_t bracket = path.find("].");
  return bracket == std::string::npos ? path : path.substr(bracket + 2);
}

std::string metric_name(const std::string& path) {
  return (path.starts_with("stages[") ? "stage:" : "") + metric_of(path);
}

ScoredFigure compare(const std::string& path, double measured, const Predictions& predictions,
                     const ModelError& error) {
  const auto value_of = [&](const CaseFigures& figures) {
    const auto at = figures.find(path);
    return at == figures.end() ? 0 : at->second;
  };
  ScoredFigure out;
  out.path = path;
  out.measured = measured;
  out.predicted = value_of(predictions.central);
  if (predictions.fast.empty()) {
    out.low = out.high = std::numeric_limits<double>::quiet_NaN();
    return out;
  }
  auto [low, high] =
      std::minmax({out.predicted, value_of(predictions.fast), value_of(predictions.slow)});
  const std::string metric = metric_of(path);
  if (metric.ends_with("_per_s")) {
    // Of a saturated engine a rate is in proportion to its steps; what just falls into a window
    // jumps.
    const double z = portable_exp(error.step);
    low = std::min(low, out.predicted / z);
    high = std::max(high, out.predicted * z);
  }
  // Beside the steps, a first token waits for what no step time explains.
  double extra = 0;
  if (starts_with_ttft(metric)) {
    const double z = metric.ends_with(".p99") ? error.ttft_tail : error.ttft;
    extra = std::sqrt(std::max(0.0, z * z - error.step * error.step));
  }
  out.low = low * portable_exp(-extra);
  out.high = high * portable_exp(extra);
  return out;
}

// A path with "points[]." stands for one of each point that counts.
std::vector<std::string> expand(const Case& measured, const std::string& path) {
  constexpr std::string_view kEach = "points[].";
  if (!path.starts_with(kEach)) return {path};
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < measured.points.size(); ++i) {
    if (measured.points[i].excluded) continue;
    paths.push_back("points[" + std::to_string(i) + "]." + path.substr(kEach.size()));
  }
  return paths;
}

bool is_verdict(const std::string& path) { return metric_of(path) == "saturated"; }

// The share of prompts that needed no prefill is not known.
bool is_uncertain(const Case& measured, const std::string& path) {
  for (std::size_t i = 0; i < measured.points.size(); ++i) {
    const std::string prefix = "points[" + std::to_string(i) + "].ttft_ms";
    if (!path.starts_with(prefix)) continue;
    return measured.points[i].cached == CasePoint::Cached::unknown;
  }
  return false;
}

void score(const Case& measured, const Predictions& predictions, const ModelError& error,
           std::set<std::string>* predicted, CaseResult* out) {
  for (const std::string& pattern : measured.scored) {
    for (const std::string& path : expand(measured, pattern)) {
      if (predictions.central.count(path) == 0) continue;
      predicted->insert(path);
      if (is_uncertain(measured, path)) continue;
      const auto value = measured.measured.find(path);
      if (value == measured.measured.end()) continue;
      if (is_verdict(path)) {
        out->verdicts.push_back({predictions.central.at(path) != 0, value->second != 0});
      } else if (value->second > 0) {
        out->metrics[metric_name(path)].comparisons.push_back(
            compare(path, value->second, predictions, error));
      }
    }
  }
}

// Scored paths that say nothing, and why.
void note_not_compared(const Case& measured, const std::set<std::string>& predicted,
                       CaseResult* out) {
  for (const std::string& pattern : measured.scored) {
    for (const std::string& path : expand(measured, pattern)) {
      const auto value = measured.measured.find(path);
      if (value == measured.measured.end()) {
        out->not_compared.push_back({path, "no number of that name is measured"});
      } else if (!is_verdict(path) && !(value->second > 0)) {
        out->not_compared.push_back({path, "the measured value is not above 0"});
      } else if (is_uncertain(measured, path)) {
        out->not_compared.push_back({path, "how many prompts were cached is not known"});
      } else if (predicted.count(path) == 0) {
        out->not_compared.push_back({path, "nothing is predicted of it"});
      }
    }
  }
}

// What a point leaves open.
void complete(const Case& measured, const CasePoint& point, CaseSetup* setup) {
  setup->prompts_are_cached = point.cached == CasePoint::Cached::warm;
  if (setup->prompts_are_cached) {
    setup->assumptions.push_back(
        {"measured.points[].prefix_cache", "warm: all prompts are cached"});
  }
  if (stops_by_itself(measured, point)) {
    setup->assumptions.push_back(
        {"workload.output_tokens", "drawn as far below as above their mean, which alone is known"});
  }
}

Result<CaseResult> validate_points(const Case& measured, const ModelConfig& model,
                                   const ValidationOptions& options, CaseResult out) {
  std::set<std::string> predicted;
  for (std::size_t i = 0; i < measured.points.size(); ++i) {
    const CasePoint& point = measured.points[i];
    if (point.excluded) continue;
    TRY(setup, deploy(measured, model, sampling_of(measured, options.sampling),
                      options.latency_model, options.calibration, point.concurrency));
    complete(measured, point, &setup);
    out.regime = setup.error.regime;
    for (const CaseAssumption& one : setup.assumptions) {
      if (std::ranges::count(out.assumptions, one) == 0) out.assumptions.push_back(one);
    }
    Predictions point_predictions = predict(setup, options.model_error, [&](const CaseSetup& with) {
      return simulate_point(measured, i, with, options.seed);
    });
    score(measured, point_predictions, setup.error, &predicted, &out);
  }
  note_not_compared(measured, predicted, &out);
  return out;
}

}  // namespace

double MetricResult::median_ape() const {
  std::vector<double> errors;
  for (const ScoredFigure& c : comparisons) errors.push_back(100 * std::abs(c.error()));
  return median_of(std::move(errors));
}

double MetricResult::median_error() const {
  std::vector<double> errors;
  for (const ScoredFigure& c : comparisons) errors.push_back(100 * c.error());
  return median_of(std::move(errors));
}

double MetricResult::coverage() const {
  if (!comparisons.empty() && std::isnan(comparisons.front().low)) return comparisons.front().low;
  const auto covered = std::count_if(comparisons.begin(), comparisons.end(),
                                     [](const ScoredFigure& c) { return c.is_covered(); });
  return comparisons.empty()
             ? 0
             : static_cast<double>(covered) / static_cast<double>(comparisons.size());
}

Result<CaseResult> validate_case(const Case& measured, const ModelConfig& model,
                                 const ValidationOptions& options) {
  for (const CaseStage& stage : measured.workload.stages) {
    if (measured.kind == CaseKind::stages && !(stage.duration_s > 0)) {
      return fail(ErrorKind::usage, "how long its stages lasted is not published");
    }
  }
  CaseResult out;
  out.name = measured.name;
  out.kind = measured.kind;
  out.source = measured.source;
  out.model = measured.deployment.model;
  out.gpu = measured.deployment.gpu;
  out.engine = measured.deployment.engine;
  out.low_confidence = measured.low_confidence;
  out.published_predictions = measured.published_predictions;
  if (is_closed_loop(measured.kind)) {
    return validate_points(measured, model, options, std::move(out));
  }
  TRY(setup, deploy(measured, model, sampling_of(measured, options.sampling), options.latency_model,
                    options.calibration, 0));
  out.regime = setup.error.regime;
  out.assumptions = setup.assumptions;
  const Predictions predictions = predict(setup, options.model_error, [&](const CaseSetup& with) {
    return simulate_open_loop(measured, with, options.seed);
  });
  std::set<std::string> predicted;
  score(measured, predictions, setup.error, &predicted, &out);
  note_not_compared(measured, predicted, &out);
  return out;
}

}  // namespace plimsoll
