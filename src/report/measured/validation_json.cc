#include <cmath>

#include "base/json.h"
#include "report/measured/validation.h"
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
  Json all = Json::array();
  for (const ScoredFigure& one : metric.comparisons) all.push_back(comparison_json(one));
  out["comparisons"] = std::move(all);
  return out;
}

// What other simulators said of the same run: their median errors by metric, as ours.
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
  Json not_compared = Json::array();
  for (const NotCompared& one : c.not_compared) {
    not_compared.push_back({{"path", one.path}, {"reason", one.reason}});
  }
  Json assumptions = Json::array();
  for (const CaseAssumption& one : c.assumptions) {
    assumptions.push_back({{"path", one.key}, {"reason", one.text}});
  }
  return {{"name", c.name},
          {"kind", std::string(name_of(c.kind))},
          {"source", c.source},
          {"model", c.model},
          {"gpu", c.gpu},
          {"engine", c.engine},
          {"confidence", c.low_confidence ? "low" : "normal"},
          {"regime", std::string(name_of(c.regime))},
          {"metrics", std::move(metrics)},
          {"published", published_json(c)},
          {"verdict", std::move(verdict)},
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

}  // namespace

std::string validation_json(const Validation& validation) {
  Json cases = Json::array();
  for (const CaseResult& c : validation.cases) cases.push_back(case_json(c));
  Json summary = Json::array();
  for (const ScoreRow& row : scorecard(validation.cases)) summary.push_back(row_json(row));
  Json skipped = Json::array();
  for (const SkippedCase& c : validation.skipped) {
    skipped.push_back({{"name", c.name}, {"reason", c.reason}});
  }
  const Json out{{"schema_version", kValidationSchema},
                 {"cases", std::move(cases)},
                 {"summary", std::move(summary)},
                 {"skipped", std::move(skipped)}};
  return out.dump(2) + "\n";
}

}  // namespace plimsoll
