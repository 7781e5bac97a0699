#include <cmath>

#include "base/json.h"
#include "metrics/figures.h"
#include "report/measured/calibration.h"
#include "report/measured/observation.h"
#include "report/measured/validation.h"
#include "report/run/json.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

constexpr int kValidationSchema = 1;

Json interval_json(const ScoredFigure& c) {
  if (std::isnan(c.low)) return nullptr;
  return {c.low, c.high};
}

Json comparison_json(const ScoredFigure& c) {
  return {{"path", c.path},           {"predicted", c.predicted},
          {"measured", c.measured},   {"ape", 100 * std::abs(c.error())},
          {"error", 100 * c.error()}, {"interval90", interval_json(c)}};
}

// The comparison whose error is the case's: of several the median one.
const ScoredFigure& typical(const MetricResult& metric) {
  const double wanted = metric.median_ape();
  const ScoredFigure* best = &metric.comparisons.front();
  for (const ScoredFigure& c : metric.comparisons) {
    const auto distance = [&](const ScoredFigure& one) {
      return std::abs(100 * std::abs(one.error()) - wanted);
    };
    if (distance(c) < distance(*best)) best = &c;
  }
  return *best;
}

Json metric_json(const MetricResult& metric) {
  const ScoredFigure& c = typical(metric);
  Json out{{"predicted", c.predicted},
           {"measured", c.measured},
           {"ape", metric.median_ape()},
           {"error", metric.median_error()},
           {"interval90", interval_json(c)}};
  if (metric.comparisons.size() == 1) return out;
  out["comparisons"] = Json::array_of(metric.comparisons, comparison_json);
  return out;
}

// The predictions of other simulators for the same run: median errors by metric, as ours.
Json published_json(const CaseResult& c) {
  Json out = Json::object();
  for (const auto& [simulator, values] : c.published_predictions) {
    for (const auto& [name, metric] : c.metrics) {
      std::vector<double> errors;
      for (const ScoredFigure& one : metric.comparisons) {
        const auto said = values.find(one.path);
        if (said == values.end()) continue;
        errors.push_back(100 * std::abs(said->second / one.measured - 1));
      }
      if (errors.empty()) continue;
      out[simulator][name] = {{"ape", median_of(std::move(errors))}};
    }
  }
  return out;
}

Json case_json(const CaseResult& c) {
  Json metrics = Json::object();
  for (const auto& [name, metric] : c.metrics) metrics[name] = metric_json(metric);
  Json verdict = nullptr;
  if (!c.verdicts.empty()) {
    verdict = {{"predicted", c.verdicts.front().predicted ? "saturated" : "not saturated"},
               {"measured", c.verdicts.front().measured ? "saturated" : "not saturated"}};
  }
  Json not_compared = Json::array_of(c.not_compared, [](const NotCompared& one) {
    return Json{{"path", one.path}, {"reason", one.reason}};
  });
  Json assumptions = Json::array_of(c.assumptions, [](const CaseAssumption& one) {
    return Json{{"path", one.key}, {"reason", one.text}};
  });
  Json sensitivity = nullptr;
  for (const PartEffect& effect : c.effects) {
    if (sensitivity.is_null()) sensitivity = Json::object();
    for (const auto& [metric, value] : effect.of_metric) {
      sensitivity[metric][std::string(name_of(effect.part))] = value;
    }
  }
  return {{"name", c.name},
          {"kind", std::string(name_of(c.kind))},
          {"source", c.source},
          {"model", c.model},
          {"gpu", c.gpu},
          {"engine", c.engine},
          {"confidence", c.low_confidence ? "low" : "normal"},
          {"regime", std::string(name_of(c.error.regime))},
          {"model_error", {{"step", c.error.step}, {"ttft", c.error.ttft}}},
          {"left_open", Json(c.left_open)},
          {"metrics", std::move(metrics)},
          {"published", published_json(c)},
          {"verdict", std::move(verdict)},
          {"sensitivity", std::move(sensitivity)},
          {"assumptions", std::move(assumptions)},
          {"not_compared", std::move(not_compared)}};
}

Json row_json(const ScoreRow& row) {
  Json out{{"group", row.group}, {"metric", row.metric}, {"n", row.n}};
  if (row.metric == "saturated") {
    out["right"] = row.coverage90;
    return out;
  }
  out["median_ape"] = row.median_ape;
  out["mean_ape"] = row.mean_ape;
  out["p90_ape"] = row.p90_ape;
  out["bias"] = row.bias;
  out["coverage90"] = row.coverage90;
  return out;
}

constexpr int kCalibrationSchema = 1;

Json percent_or_null(double percent) { return percent < 0 ? Json(nullptr) : Json(percent); }

Json errors_json(const CalibrationErrors& e) {
  const auto side = [](std::int64_t n, double before, double after) {
    if (n == 0) return Json(nullptr);
    return Json{{"n", n},
                {"before_percent", percent_or_null(before)},
                {"after_percent", percent_or_null(after)}};
  };
  return {{"metric", e.metric},
          {"fitted", side(e.fitted, e.fitted_before, e.fitted_after)},
          {"held_out", side(e.held_out, e.held_out_before, e.held_out_after)}};
}

// Removes the figures that nobody sees from outside a server.
void leave_out_what_is_inside_the_server(Json* out) {
  for (const GroupFigure& row : kGroupFigures) {
    if (row.known_to != KnownTo::server) continue;
    for (const std::string& key : keys_of(row)) out->erase(key);
  }
  for (const char* key : {"instance_id", "still_arriving", "rejected_admission", "rejected_routing",
                          "shed_requests", "gateway", "fairness", "bottleneck", "instances"}) {
    out->erase(key);
  }
}

Json failures_json(const std::vector<FailureCount>& failures) {
  return Json::array_of(failures, [](const FailureCount& f) {
    return Json{{"reason", f.reason}, {"requests", f.requests}, {"example", f.example}};
  });
}

Json lengths_json(const LengthCheck& lengths) {
  return {{"asked_mean", lengths.asked}, {"had_mean", lengths.had}};
}

Json lateness_json(const ObservationFigures& f) {
  return {{"mean_ms", f.lateness.mean_ms}, {"p50_ms", f.lateness.p50_ms},
          {"p90_ms", f.lateness.p90_ms},   {"p95_ms", f.lateness.p95_ms},
          {"p99_ms", f.lateness.p99_ms},   {"max_ms", f.latest_ms}};
}

// Each percentile that the page shows, by latency.
Json expected_json(const Expectation& e) {
  const auto latency_json = [](const ExpectedLatency& latency) {
    Json percentiles = Json::array();
    for (const std::size_t p : kToldPercentiles) {
      Json row{{"percentile", static_cast<std::int64_t>(p)}, {"expected_ms", latency.center.at(p)}};
      if (latency.has_band()) row["interval90"] = {latency.low_ms[p - 1], latency.high_ms[p - 1]};
      percentiles.push_back(std::move(row));
    }
    return Json{{"latency", latency.center.name}, {"percentiles", std::move(percentiles)}};
  };
  return {{"deployment", e.deployment}, {"latencies", Json::array_of(e.latencies, latency_json)}};
}

Json observed_json(const ObservationReport& r) {
  const ObservationFigures& f = r.figures;
  const Observation& o = *r.observation;
  Json out = {{"server", r.server},
              {"model", r.model},
              {"sent", f.sent},
              {"answered", f.answered},
              {"given_up", f.given_up},
              {"retries", f.retries},
              {"ended_sessions", o.ended_sessions},
              {"interrupted", o.interrupted},
              {"failures", failures_json(f.failures)},
              {"prompt_tokens", lengths_json(f.prompt)},
              {"output_tokens", lengths_json(f.output)},
              {"tokens_per_event", f.tokens_per_chunk},
              {"generator",
               {{"late", f.generator_was_late},
                {"lateness", lateness_json(f)},
                {"held_back", o.held_back},
                {"longest_turn_ms", to_ms(o.longest_turn)},
                {"cpu_s", o.cpu_s}}},
              {"files", r.files}};
  if (r.prefix_hit_rate) out["prefix_hit_rate"] = *r.prefix_hit_rate;
  if (r.expected) out["expected"] = expected_json(*r.expected);
  return out;
}

}  // namespace

std::string validation_json(const Validation& validation) {
  Json cases = Json::array_of(validation.cases, case_json);
  Json skipped = Json::array_of(validation.skipped, [](const SkippedCase& c) {
    return Json{{"name", c.name}, {"reason", c.reason}};
  });
  const Json out{{"decision", {{"answer", validation_verdict(validation)}}},
                 {"schema_version", kValidationSchema},
                 {"cases", std::move(cases)},
                 {"summary", Json::array_of(scorecard(validation.cases), row_json)},
                 {"skipped", std::move(skipped)}};
  return out.dump(2) + "\n";
}

std::string calibration_report_json(const CalibrationReport& report) {
  const Calibration& c = report.calibration;
  Json parameters = Json::object();
  for (std::size_t i = 0; i < c.terms.size(); ++i) {
    const CorrectionTerm& term = correction_terms()[i];
    parameters[std::string(term.name)] = {{"value", c.correction.*term.field},
                                          {"interval90", {c.terms[i].low, c.terms[i].high}},
                                          {"identified", c.terms[i].identified}};
  }
  Json improved = nullptr;
  if (c.base != kNoBase) improved = improvement(c);
  const Json out{{"schema_version", kCalibrationSchema},
                 {"base", c.base},
                 {"model", c.model},
                 {"gpu", c.gpu},
                 {"tensor_parallel", c.layout.tp},
                 {"sources", c.sources},
                 {"improvement", std::move(improved)},
                 {"improves", why_not_better(c).empty()},
                 {"parameters", std::move(parameters)},
                 {"errors", Json::array_of(c.errors, errors_json)},
                 {"notes", report.notes},
                 {"remarks", report.remarks}};
  return out.dump(2) + "\n";
}

std::string observation_json(const ObservationReport& r) {
  Json out = summary_object(r.summary, r.config);
  leave_out_what_is_inside_the_server(&out);
  out["observed"] = observed_json(r);
  return out.dump(2) + "\n";
}

}  // namespace plimsoll
