#include <cmath>

#include "report/answer/json.h"
#include "report/answer/reasons.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

constexpr int kForecastSchema = 1;

Json resource_or_null(const std::optional<Resource>& resource) {
  return resource ? Json(facts_of(*resource).name) : Json(nullptr);
}

Json names_json(const std::vector<Resource>& list) {
  return Json::array_of(list, [](const Resource resource) { return facts_of(resource).name; });
}

Json row_json(const SheetRow& row) {
  const auto risk = row.risk();
  return {{"name", facts_of(row.resource).name},
          {"title", facts_of(row.resource).title},
          {"unit", facts_of(row.resource).unit},
          {"baseline_p95", row.baseline_p95},
          {"forecast_p95", row.forecast_p95},
          {"intervals",
           {{"forecast_p95", ends_or_null(row.forecast_band)},
            {"capacity", ends_or_null(row.capacity_interval)}}},
          {"capacity", row.capacity},
          {"utilisation", row.utilisation()},
          {"headroom", row.headroom()},
          {"risk", risk ? Json(name_of(*risk)) : Json(nullptr)},
          {"demand_from", name_of(row.demand_from)},
          {"capacity_from", row.capacity ? Json(name_of(row.capacity_from)) : Json(nullptr)},
          {"owner", row.owner}};
}

Json latency_json(const LatencySummary& latency) {
  return {{"mean", latency.mean_ms}, {"p95", latency.p95_ms}, {"p99", latency.p99_ms}};
}

Json peak_or_null(const std::optional<PeakCheck>& peak, const std::vector<Slo>& slos) {
  if (!peak) return nullptr;
  const GroupSummary& c = peak->probe.summary.cluster;
  return {{"rate_rps", peak->probe.rate_rps},
          {"verdict", name_of(peak->probe.answer)},
          {"reason", reason_text(peak->probe, slos)},
          {"requests", peak->probe.requests},
          {"ttft_ms", latency_json(c.ttft)},
          {"tpot_ms", latency_json(c.tpot)},
          {"e2e_ms", latency_json(c.e2e)},
          {"preemptions", c.preemptions},
          {"held_factor", peak->line.is_known ? Json(peak->line.factor) : Json(nullptr)},
          {"held_interval", peak->line.is_known ? ends_or_null(peak->held()) : Json(nullptr)}};
}

Json vector_json(const ResourceVector& vector) {
  Json out = Json::object();
  for (const ResourceFacts& facts : resources()) {
    if (const auto& value = at(vector, facts.resource)) {
      out[std::string(facts.name)] = value;
    }
  }
  return out;
}

Json trigger_json(const std::optional<Trigger>& trigger) {
  if (!trigger) return nullptr;
  return {{"metric", trigger->metric},
          {"go_back", trigger->is_floor ? "below" : "above"},
          {"value", trigger->value},
          {"unit", trigger->unit},
          {"passed_without_it", trigger->is_passed}};
}

Json scenario_json(const ForecastReport& r, const ScenarioRow& row) {
  return {{"name", row.name},
          {"about", row.about},
          {"demand", vector_json(row.demand)},
          {"available", vector_json(row.capacity)},
          {"binding", resource_or_null(row.binding)},
          {"risk", row.risk ? Json(name_of(*row.risk)) : Json(nullptr)},
          {"better", names_json(row.better)},
          {"worse", names_json(row.worse)},
          {"attempts_per_request", row.attempts},
          {"peak", peak_or_null(row.peak, r.request.slos)},
          {"first_signal", first_signal(row, r.request.slos)},
          {"guardrail", guardrail(row, r.request.slos)},
          {"rollback_trigger", rollback_trigger(row)},
          {"trigger", trigger_json(row.trigger)},
          {"owner", row.owner}};
}

Json routes_json(const ForecastReport& r) {
  Json out = Json::array();
  for (const Route& route : r.request.forecast) {
    Json row = {{"route", route.name},
                {"version", route.version.empty() ? Json(nullptr) : Json(route.version)},
                {"requests_per_s", route.requests_per_s},
                {"prompt_tokens_p95", p95_prompt_tokens(route, r.request.load)},
                {"output_tokens_p95", p95_answer_tokens(route, r.request.load)},
                {"context_tokens_mean", route.prompt_tokens + route.output_tokens},
                {"context_tokens_p95", p95_context_tokens(route, r.request.load)},
                {"concurrency", at_once(r.headroom, route)},
                {"cached_share", cached_share_of(r.headroom, route)},
                {"session_rounds", route.sessions ? Json(route.sessions->rounds) : Json(nullptr)},
                {"repeated_share", route.sessions ? Json(route.cached_share) : Json(nullptr)},
                {"retry_share", route.retry_share},
                {"servable", servable_share(r.headroom.too_long, route.name)},
                {"success", route.success},
                {"quality", route.quality}};
    for (const RouteCost& cost : r.headroom.costs) {
      if (cost.route != route.name) continue;
      row["usd_per_1k_requests"] = cost.usd_per_1k_requests;
      row["usd_per_1k_successes"] = cost.usd_per_1k_of_use;
    }
    out.push_back(std::move(row));
  }
  return out;
}

Json providers_json(const ForecastReport& r) {
  return Json::array_of(r.headroom.providers, [](const ProviderRow& row) {
    return Json{{"provider", row.provider},
                {"requests_per_min", row.requests_per_min},
                {"tokens_per_min", row.tokens_per_min},
                {"most_requests_per_min", row.most_requests_per_min},
                {"most_tokens_per_min", row.most_tokens_per_min},
                {"utilisation", row.used()},
                {"refused_share", row.refused},
                {"usd_per_month", row.usd_per_month}};
  });
}

Json review_json(const ForecastReport& r) {
  const ReviewAnswers& review = r.headroom.review;
  const ScenarioRow* cold = r.cold_scenario();
  const bool is_held = cold != nullptr && cold->peak && cold->peak->line.is_known;
  Json fallbacks = Json::array();
  for (const FallbackSpare& fallback : review.fallbacks) {
    const auto& share = fallback.spare.share;
    const double taken = share ? *share * fallback.requests_per_s : std::nan("");
    fallbacks.push_back({{"route", fallback.route},
                         {"fallback_to", fallback.to},
                         {"requests_per_s", fallback.requests_per_s},
                         {"spare_share", share},
                         {"spare_per_s", taken},
                         {"partial_share", fallback.partial.share},
                         {"breaks", limit_text(fallback.spare, r.request.slos)}});
  }
  return {{"cold_cache",
           {{"prompt_tokens_per_s", review.cold_prompt_tokens_per_s},
            {"held_factor", is_held ? Json(cold->peak->line.factor) : Json(nullptr)},
            {"add_usd_per_month", review.cold_add_usd_per_month}}},
          {"retries",
           {{"spare_share", review.retries.share},
            {"breaks", limit_text(review.retries, r.request.slos)}}},
          {"fallbacks", std::move(fallbacks)}};
}

Json lever_json(const ForecastReport& r, const LeverResult& lever) {
  const auto short_from = [&](double chance) {
    return r.runway ? moment_json(*r.runway, lever.runway.time_at(chance)) : Json(nullptr);
  };
  Json worse = Json::array_of(lever.worse, [](const Pressure& pressure) {
    return Json{{"figure", pressure.what}, {"before", pressure.before}, {"after", pressure.after}};
  });
  return {
      {"lever", lever.lever.name},
      {"flags", lever.lever.flags},
      {"pools", Json::array_of(lever.lever.pools,
                               [](const PoolSize& pool) {
                                 return Json{{"pool", pool.name}, {"instances", pool.instances}};
                               })},
      {"held_factor", lever.line.factor},
      {"held_interval", ends_or_null(lever.line.interval)},
      {"held_more", lever.more},
      {"held_more_interval", ends_or_null(lever.more_interval)},
      {"enough_until", {{"p10", short_from(kAcceptedRisk)}, {"p50", short_from(kEvenOdds)}}},
      {"changes_answers", lever.lever.changes_answers},
      {"gpus", lever.gpus},
      {"gpus_needed", lever.gpus_needed},
      {"add_usd_per_month", lever.usd_per_month},
      {"held_more_per_1k_usd", lever.more_per_1k_usd()},
      {"worse_figures", worse}};
}

}  // namespace

std::string forecast_json(const ForecastReport& r) {
  const Decision decision = decision_of(r);
  Json out = {{"decision", decision_json(decision)},
              {"schema_version", kForecastSchema},
              {"name", r.request.name},
              {"verdict", decision_text(decision)},
              {"deployment", r.deployment},
              {"binding", resource_or_null(r.headroom.binding)},
              {"is_short", r.is_short()},
              {"interrupted", r.headroom.interrupted}};
  out["resources"] = Json::array_of(r.headroom.rows, row_json);
  out["baseline"] = peak_or_null(r.headroom.baseline, r.request.slos);
  out["peak"] = peak_or_null(r.headroom.forecast, r.request.slos);
  out["review"] = review_json(r);
  out["routes"] = routes_json(r);
  out["providers"] = providers_json(r);
  out["scenarios"] = Json::array_of(r.headroom.scenarios,
                                    [&](const ScenarioRow& row) { return scenario_json(r, row); });
  out["levers"] =
      Json::array_of(r.levers, [&](const LeverResult& lever) { return lever_json(r, lever); });
  add_runway_json(r, &out);
  out["command"] = r.command;
  return out.dump(2) + "\n";
}

}  // namespace plimsoll
