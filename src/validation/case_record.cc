#include "validation/case_record.h"

#include "base/fields.h"

namespace plimsoll {

template <class Visitor>
void visit_fields(Visitor& v, ModelError& s) {
  auto& [regime, step, ttft, ttft_tail, slower_runs] = s;
  v("regime", regime)("step", step)("ttft", ttft)("ttft_tail", ttft_tail);
  v("slower_runs", slower_runs);
}

template <class Visitor>
void visit_fields(Visitor& v, ScoredFigure& s) {
  auto& [path, predicted, measured, low, high] = s;
  v("path", path)("predicted", predicted)("measured", measured)("low", low)("high", high);
}

template <class Visitor>
void visit_fields(Visitor& v, MetricResult& s) {
  auto& [comparisons] = s;
  v("comparisons", comparisons);
}

template <class Visitor>
void visit_fields(Visitor& v, Verdict& s) {
  auto& [predicted, measured] = s;
  v("predicted", predicted)("measured", measured);
}

template <class Visitor>
void visit_fields(Visitor& v, NotCompared& s) {
  auto& [path, reason] = s;
  v("path", path)("reason", reason);
}

template <class Visitor>
void visit_fields(Visitor& v, CaseAssumption& s) {
  auto& [key, text] = s;
  v("key", key)("text", text);
}

template <class Visitor>
void visit_fields(Visitor& v, PartEffect& s) {
  auto& [part, of_metric] = s;
  v("part", part)("of_metric", of_metric);
}

template <class Visitor>
void visit_fields(Visitor& v, CaseResult& s) {
  auto& [name, kind, source, model, gpu, engine, low_confidence, error, left_open, metrics,
         verdicts, not_compared, assumptions, effects, published_predictions] = s;
  v("name", name)("kind", kind)("source", source)("model", model)("gpu", gpu)("engine", engine);
  v("low_confidence", low_confidence)("error", error)("left_open", left_open);
  v("metrics", metrics)("verdicts", verdicts)("not_compared", not_compared);
  v("assumptions", assumptions)("effects", effects);
  v("published_predictions", published_predictions);
}

constexpr Regime last_of(Regime) { return Regime::calibrated; }
constexpr CaseKind last_of(CaseKind) { return CaseKind::closed_loop_sessions; }
constexpr StepPart last_of(StepPart) { return StepPart::host; }

Json json_of_case_result(const CaseResult& result) { return json_of_fields(result); }

std::optional<CaseResult> read_case_result(const Json& json) {
  return read_fields<CaseResult>(json);
}

bool is_case_result(const Json& json) { return read_case_result(json).has_value(); }

}  // namespace plimsoll
