#include "validation/validate.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "cluster/simulation.h"
#include "perf/calibrated_step_time.h"
#include "random/portable_math.h"
#include "stats/percentile.h"
#include "validation/case_deployment.h"
#include "validation/case_figures.h"
#include "validation/case_traffic.h"

namespace plimsoll {
namespace {

// Where the source does not publish how many requests a point had.
constexpr std::int64_t kRequestsPerConcurrency = 10;

RunRecord simulate(const CaseSetup& setup, double step_factor, RequestSource* source) {
  Deployment deployment = setup.deployment;
  if (step_factor != 1) {
    Correction longer;
    longer.scale = step_factor;
    deployment.step_time = std::make_shared<CalibratedStepTime>(deployment.step_time, longer);
  }
  SimulationOptions options;
  options.semantics = setup.semantics;
  Simulation simulation(deployment, *source, options);
  simulation.advance();
  return simulation.take_record();
}

void add_stages(const RequestTable& rows, const std::vector<CaseStage>& stages,
                CaseFigures* figures) {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto first = static_cast<std::size_t>(stages[i].first_request);
    const auto count = static_cast<std::size_t>(stages[i].num_requests);
    const std::string prefix = "stages[" + std::to_string(i) + "].";
    add_figures(rows, first, count, prefix, figures);
    (*figures)[prefix + "saturated"] = is_saturated(rows, first, count) ? 1 : 0;
  }
}

CaseFigures open_loop_figures(const Case& measured, const RequestTable& rows,
                              const std::vector<CaseStage>& stages) {
  CaseFigures figures;
  add_figures(rows, 0, rows.size(), "", &figures);
  add_stages(rows, stages, &figures);
  bool saturated = stages.empty() && is_saturated(rows, 0, rows.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    saturated |= figures["stages[" + std::to_string(i) + "].saturated"] != 0;
  }
  figures["saturated"] = saturated ? 1 : 0;
  if (measured.window) add_window(rows, *measured.window, &figures);
  return figures;
}

CaseFigures run_open_loop(const Case& measured, const CaseSetup& setup, double step_factor,
                          std::uint64_t seed) {
  std::vector<CaseStage> stages;
  Workload drawn;
  const bool recorded = measured.kind == CaseKind::trace;
  if (recorded) {
    stages = measured.workload.stages;
  } else {
    drawn = draw_stages(measured.workload, seed, &stages);
  }
  WorkloadSource source(recorded ? measured.workload.requests : drawn);
  return open_loop_figures(measured, simulate(setup, step_factor, &source).requests, stages);
}

CaseFigures run_point(const Case& measured, const CasePoint& point, const std::string& prefix,
                      const CaseSetup& setup, double step_factor, std::uint64_t seed) {
  const CaseWorkload& w = measured.workload;
  const std::int64_t counted = point.num_requests.value_or(
      w.requests_per_concurrency.value_or(kRequestsPerConcurrency) * point.concurrency);
  const auto source = closed_loop(w, point.concurrency, counted, seed);
  const RunRecord record = simulate(setup, step_factor, source.get());
  CaseFigures figures;
  add_figures(record.requests, 0, record.requests.size(), prefix, &figures);
  const double step_ms = figures[prefix + "tpot_ms.mean"];
  delay_first_tokens(setup.client_steps * step_ms +
                         setup.client_ms_per_stream * static_cast<double>(point.concurrency),
                     prefix, &figures);
  // A figure whose statistic the source does not state: docs/latency-models.md says why it is a
  // mean.
  for (const char* name : {"ttft_ms", "tpot_ms", "e2e_ms"}) {
    const auto mean = figures.find(prefix + name + ".mean");
    if (mean != figures.end()) figures[prefix + name] = mean->second;
  }
  return figures;
}

/// The same case with steps as long as predicted, and at both ends of the model's error.
struct Predictions {
  CaseFigures central;
  CaseFigures fast;
  CaseFigures slow;
};

template <class Run>
Predictions predict(const ModelError& error, const Run& run) {
  const double z = portable_exp(error.step);
  return {run(1.0), run(1 / z), run(z)};
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

Comparison compare(const std::string& path, double measured, const Predictions& predictions,
                   const ModelError& error) {
  const auto value_of = [&](const CaseFigures& figures) {
    const auto at = figures.find(path);
    return at == figures.end() ? 0 : at->second;
  };
  Comparison out;
  out.path = path;
  out.measured = measured;
  out.predicted = value_of(predictions.central);
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

void score(const Case& measured, const Predictions& predictions, const ModelError& error,
           CaseResult* out) {
  for (const std::string& pattern : measured.scored) {
    for (const std::string& path : expand(measured, pattern)) {
      const auto value = measured.measured.find(path);
      if (value == measured.measured.end() || predictions.central.count(path) == 0) continue;
      if (metric_of(path) == "saturated") {
        out->verdicts.push_back({predictions.central.at(path) != 0, value->second != 0});
      } else if (value->second > 0) {
        out->metrics[metric_name(path)].comparisons.push_back(
            compare(path, value->second, predictions, error));
      }
    }
  }
}

double median_of(std::vector<double> values) {
  return Percentiles<double>(std::move(values)).at(50);
}

Sampling sampling_of(const Case& measured, const ValidationOptions& options) {
  if (measured.workload.sampling.empty()) return options.sampling;
  return measured.workload.sampling == "top_p" ? Sampling::top_p : Sampling::greedy;
}

Result<CaseResult> validate_points(const Case& measured, const ModelConfig& model,
                                   const ValidationOptions& options, CaseResult out) {
  Predictions all;
  for (std::size_t i = 0; i < measured.points.size(); ++i) {
    const CasePoint& point = measured.points[i];
    if (point.excluded) continue;
    const std::string prefix = "points[" + std::to_string(i) + "].";
    auto setup = deploy(measured, model, sampling_of(measured, options), options.latency_model,
                        options.calibration, point.concurrency);
    if (!setup) return pass_on(setup);
    out.regime = setup->error.regime;
    Predictions point_predictions = predict(setup->error, [&](double factor) {
      return run_point(measured, point, prefix, *setup, factor, options.seed);
    });
    score(measured, point_predictions, setup->error, &out);
  }
  return out;
}

}  // namespace

double MetricResult::median_ape() const {
  std::vector<double> errors;
  for (const Comparison& c : comparisons) errors.push_back(100 * std::abs(c.error()));
  return median_of(std::move(errors));
}

double MetricResult::median_error() const {
  std::vector<double> errors;
  for (const Comparison& c : comparisons) errors.push_back(100 * c.error());
  return median_of(std::move(errors));
}

double MetricResult::coverage() const {
  const auto covered = std::count_if(comparisons.begin(), comparisons.end(),
                                     [](const Comparison& c) { return c.is_covered(); });
  return comparisons.empty()
             ? 0
             : static_cast<double>(covered) / static_cast<double>(comparisons.size());
}

Result<CaseResult> validate_case(const Case& measured, const ModelConfig& model,
                                 const ValidationOptions& options) {
  if (measured.kind == CaseKind::closed_loop_pd) {
    return fail(ErrorKind::usage, "separate prefill and decode workers are not simulated yet");
  }
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
  if (measured.kind == CaseKind::closed_loop) {
    return validate_points(measured, model, options, std::move(out));
  }
  auto setup = deploy(measured, model, sampling_of(measured, options), options.latency_model,
                      options.calibration, 0);
  if (!setup) return pass_on(setup);
  out.regime = setup->error.regime;
  const Predictions predictions = predict(setup->error, [&](double factor) {
    return run_open_loop(measured, *setup, factor, options.seed);
  });
  score(measured, predictions, setup->error, &out);
  return out;
}

}  // namespace plimsoll
