// Simulates a measured case and compares: the errors of each scored metric, with its sign and the
// 90 % interval that was promised.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/model.h"
#include "perf/calibration.h"
#include "perf/model_error.h"
#include "perf/step_part.h"
#include "validation/case.h"

namespace plimsoll {

/// One measured number beside what was predicted of it.
struct ScoredFigure {
  std::string path;  ///< below `measured`: "stages[1].ttft_ms.mean"
  double predicted = 0;
  double measured = 0;
  double low = 0;  ///< 90 % interval of the prediction; not a number without model_error
  double high = 0;

  double error() const { return (predicted - measured) / measured; }
  bool is_covered() const { return low <= measured && measured <= high; }
};

/// The comparisons of one metric of a case: one of a whole run, or one per stage or point.
struct MetricResult {
  std::vector<ScoredFigure> comparisons;

  double median_ape() const;    ///< percent
  double median_error() const;  ///< percent, positive = predicted too much
  double coverage() const;      ///< share of the comparisons
};

/// Whether predicted and measured agree on saturation.
struct Verdict {
  bool predicted = false;
  bool measured = false;
};

/// How many percent each metric grows if a part of all steps takes 1 % longer: in a closed loop
/// the share that the part has in a latency, in an open one more, as longer steps have fuller
/// batches. Medians over the comparisons of a metric.
struct PartEffect {
  StepPart part;
  std::map<std::string, double> of_metric;
};

/// A figure that the case wants compared and that cannot be.
struct NotCompared {
  std::string path;
  std::string reason;
};

struct CaseResult {
  std::string name;
  CaseKind kind = CaseKind::trace;
  std::string source;
  std::string model;
  std::string gpu;
  std::string engine;
  bool low_confidence = false;
  ModelError error;                    ///< of the prediction, beside what is left open
  std::vector<std::string> left_open;  ///< Doubts: what the case does not say
  /// The metrics by name: "ttft_ms.mean" of whole runs and points, "stage:ttft_ms.mean" of stages.
  std::map<std::string, MetricResult> metrics;
  std::vector<Verdict> verdicts;
  std::vector<NotCompared> not_compared;
  std::vector<CaseAssumption> assumptions;
  std::vector<PartEffect> effects;  ///< empty unless asked for

  bool has_comparisons() const { return !metrics.empty() || !verdicts.empty(); }

  std::map<std::string, std::map<std::string, double>> published_predictions;
};

struct ValidationOptions {
  std::string latency_model;
  const Calibration* calibration = nullptr;  ///< instead of a latency model, for what it is of
  Sampling sampling = Sampling::greedy;      ///< of the model, if the case does not say
  std::uint64_t seed = 42;
  bool model_error = true;  ///< simulate at both ends of it as well, for intervals
  bool why = false;         ///< simulate with each part of the steps longer; kernel alone has parts
  std::optional<StepPart> slower{};  ///< by kSlower
};

/// Cases that cannot be simulated end in an error that says why.
Result<CaseResult> validate_case(const Case& measured, const ModelConfig& model,
                                 const ValidationOptions& options);

// Many compared cases as one table: per group and metric how far predictions are off, to which
// side, and how often their intervals hold.

/// Errors in percent over the cases of the group; of a case with several stages or points, their
/// median counts.
struct ScoreRow {
  std::string group;
  std::string metric;  ///< "saturated": n verdicts, coverage90 = share of right ones
  std::size_t n = 0;
  double median_ape = 0;
  double mean_ape = 0;
  double p90_ape = 0;
  double bias = 0;        ///< median signed error, positive = predicted too much
  double coverage90 = 0;  ///< share of measurements within their intervals
};

/// Groups: `all` (engine vLLM, normal confidence; the plain average of what its sources have),
/// `source:`, `gpu:`, `model:`, `regime:` (the same cases), `engine:` (all of normal confidence)
/// and `confidence:low`.
std::vector<ScoreRow> scorecard(const std::vector<CaseResult>& cases);

}  // namespace plimsoll
