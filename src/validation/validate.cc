#include "validation/validate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/lists.h"
#include "stats/average.h"
#include "validation/predictions.h"

namespace plimsoll {
namespace {

std::string metric_name(const std::string& path) {
  return (path.starts_with("stages[") ? "stage:" : "") + metric_of(path);
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

void score(const Case& measured, const Predictions& predictions, std::set<std::string>* predicted,
           CaseResult* out) {
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
            compare(path, value->second, predictions));
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
                                   const ValidationOptions& options, const Doubts& doubts,
                                   CaseResult out) {
  std::set<std::string> predicted;
  for (std::size_t i = 0; i < measured.points.size(); ++i) {
    const CasePoint& point = measured.points[i];
    if (point.excluded) continue;
    TRY(setup,
        deploy(measured, model, sampling_of(measured, options.sampling), options.latency_model,
               options.calibration, point.concurrency, options.slower));
    complete(measured, point, &setup);
    out.error = setup.error;
    for (const CaseAssumption& one : setup.assumptions) {
      if (!contains(out.assumptions, one)) out.assumptions.push_back(one);
    }
    const Predictions predictions = predict(
        setup, doubts, options.model_error,
        [&](const CaseSetup& with) { return simulate_point(measured, i, with, options.seed); });
    score(measured, predictions, &predicted, &out);
  }
  note_not_compared(measured, predicted, &out);
  return out;
}

// What was measured beside what is predicted of it.
Result<CaseResult> compare_case(const Case& measured, const ModelConfig& model,
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
  const Doubts doubts = doubts_of(measured, model);
  out.left_open.assign(doubts.names.begin(), doubts.names.end());
  out.assumptions = doubts.notes;
  const bool is_whole = measured.kind == CaseKind::closed_loop_sessions;
  if (is_closed_loop(measured.kind) && !is_whole) {
    return validate_points(measured, model, options, doubts, std::move(out));
  }
  TRY(setup, deploy(measured, model, sampling_of(measured, options.sampling), options.latency_model,
                    options.calibration, 0, options.slower));
  out.error = setup.error;
  append(&out.assumptions, setup.assumptions);
  const Predictions predictions =
      predict(setup, doubts, options.model_error, [&](const CaseSetup& with) {
        return is_whole ? simulate_sessions(measured, with, options.seed)
                        : simulate_open_loop(measured, with, options.seed);
      });
  std::set<std::string> predicted;
  score(measured, predictions, &predicted, &out);
  note_not_compared(measured, predicted, &out);
  return out;
}

// Both have the same comparisons, in the same order.
PartEffect effect_of(StepPart part, const CaseResult& usual, const CaseResult& slowed) {
  PartEffect effect{part, {}};
  for (const auto& [name, metric] : usual.metrics) {
    const auto other = slowed.metrics.find(name);
    if (other == slowed.metrics.end()) continue;
    std::vector<double> growth;
    for (std::size_t i = 0; i < metric.comparisons.size(); ++i) {
      const double ratio = other->second.comparisons[i].predicted / metric.comparisons[i].predicted;
      growth.push_back(std::log(ratio) / std::log(kSlower));
    }
    effect.of_metric[name] = median_of(std::move(growth));
  }
  return effect;
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
  if (!options.why) return compare_case(measured, model, options);
  if (options.calibration != nullptr || options.latency_model != "kernel") {
    return fail(ErrorKind::usage, "only the steps of the kernel latency model have parts",
                "use --latency-model kernel without --calibration");
  }
  TRY(out, compare_case(measured, model, options));
  for (const StepPart part : kStepParts) {
    ValidationOptions longer = options;
    longer.model_error = false;
    longer.slower = part;
    TRY(slowed, compare_case(measured, model, longer));
    out.effects.push_back(effect_of(part, out, slowed));
  }
  return out;
}

}  // namespace plimsoll
