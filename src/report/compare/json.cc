#include "base/json.h"
#include "base/lists.h"
#include "report/answer/json.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/compare/comparison.h"

namespace plimsoll {
namespace {

constexpr int kComparisonSchema = 1;

void put_interval(const std::optional<Interval>& interval, Json* out) {
  (*out)["low"] = interval ? Json(interval->low) : Json(nullptr);
  (*out)["high"] = interval ? Json(interval->high) : Json(nullptr);
}

Json figures_json(const ComparedVariant& variant) {
  Json out = Json::object();
  for (std::size_t f = 0; f < variant.figures.size(); ++f) {
    const auto& figure = variant.figures[f];
    if (!figure) continue;
    Json& entry = out[std::string(compared_figures()[f].key)];
    entry = {{"mean", figure->mean.mean}};
    put_interval(figure->mean.interval, &entry);
    entry["by_seed"] = figure->by_seed;
  }
  return out;
}

Json cost_of(const GpuCount& kind, const std::vector<Price>& prices) {
  Json out = {{"gpu", kind.gpu}, {"gpus", kind.gpus}};
  if (const Price* price = find_in(prices, kind.gpu, &Price::gpu)) put_offer(*price, &out);
  return out;
}

Json cost_json(const VariantFacts& facts) {
  if (facts.gpus_by_kind.size() == 1) return cost_of(facts.gpus_by_kind.front(), facts.prices);
  return {{"gpus", facts.gpus},
          {"by_gpu", Json::array_of(facts.gpus_by_kind, [&](const GpuCount& kind) {
             return cost_of(kind, facts.prices);
           })}};
}

Json variant_json(const ComparedVariant& variant, const VariantFacts& facts) {
  const VerdictCounts& n = variant.verdicts;
  return {{"name", variant.name},
          {"flags", facts.flags},
          {"figures", figures_json(variant)},
          {"verdicts",
           {{"steady", n.steady},
            {"transient", n.transient},
            {"overloaded", n.overloaded},
            {"too_short", n.too_short}}},
          {"holds", variant.holds},
          {"unserved_share", variant.unserved_share},
          {"enough_requests", facts.enough_requests},
          {"bottleneck", name_of(variant.resource)},
          {"concentrated", !facts.concentration.empty()},
          {"cost", cost_json(facts)},
          {"config", config_json(facts.config)}};
}

Json difference_json(const Comparison& c, const Difference& d) {
  Json out = {{"variant", c.variants[d.variant].name},
              {"from", c.variants[d.from].name},
              {"figure", compared_figures()[d.figure].key},
              {"mean", d.paired.mean}};
  put_interval(d.paired.interval, &out);
  out["relative"] = d.relative;
  out["p_value"] = d.paired.interval ? Json(d.paired.p_value) : Json(nullptr);
  out["equal"] = d.paired.equal;
  out["negligible"] = d.negligible;
  out["real"] = d.paired.is_real();
  return out;
}

Json differences_json(const Comparison& c, const std::vector<Difference>& differences) {
  return Json::array_of(differences, [&](const Difference& d) { return difference_json(c, d); });
}

}  // namespace

std::string comparison_json(const Comparison& c, const ComparisonFacts& facts) {
  std::string verdict = comparison_verdict(c, facts);
  verdict.pop_back();
  const std::string leading = c.best ? c.variants[*c.best].name : std::string();
  const bool is_better = decision_of(c, facts).verdict == DecisionVerdict::yes;
  Json out;
  out["decision"] = decision_json(decision_of(c, facts));
  out["schema_version"] = kComparisonSchema;
  out["verdict"] = verdict;
  out["by"] = compared_figures()[c.leading].key;
  out["best"] = is_better ? Json(leading) : Json(nullptr);
  out["leading"] = c.best ? Json(leading) : Json(nullptr);
  out["from_best"] = differences_json(c, c.from_best);
  out["seeds"] = facts.seeds;
  out["seeds_asked"] = facts.seeds_asked;
  out["confidence"] = {
      {"level", kComparisonLevel}, {"differences_together", c.pairs}, {"correction", "bonferroni"}};
  out["traffic"] = config_json(facts.traffic);
  Json& variants = out["variants"] = Json::array();
  for (std::size_t v = 0; v < c.variants.size(); ++v) {
    variants.push_back(variant_json(c.variants[v], facts.variants[v]));
  }
  out["differences"] = differences_json(c, c.differences);
  // Names and paths given on the command line need not be UTF-8.
  return out.dump(2) + "\n";
}

}  // namespace plimsoll
