#include <array>
#include <cmath>

#include "base/calendar.h"
#include "base/json.h"
#include "report/answer/reasons.h"
#include "report/forecast/forecast.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

constexpr int kForecastSchema = 1;

Json number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json interval_or_null(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json(nullptr);
}

Json resource_or_null(const std::optional<Resource>& resource) {
  return resource ? Json(facts_of(*resource).name) : Json(nullptr);
}

Json names_json(const std::vector<Resource>& list) {
  Json out = Json::array();
  for (const Resource resource : list) out.push_back(facts_of(resource).name);
  return out;
}

Json row_json(const SheetRow& row) {
  const auto risk = row.risk();
  return {{"name", facts_of(row.resource).name},
          {"unit", facts_of(row.resource).unit},
          {"baseline_p95", number_or_null(row.baseline_p95)},
          {"forecast_p95", number_or_null(row.forecast_p95)},
          {"intervals",
           {{"forecast_p95", interval_or_null(row.forecast_band)},
            {"capacity", interval_or_null(row.capacity_interval)}}},
          {"capacity", number_or_null(row.capacity)},
          {"utilisation", number_or_null(row.utilisation())},
          {"headroom", number_or_null(row.headroom())},
          {"risk", risk ? Json(name_of(*risk)) : Json(nullptr)},
          {"demand_from", name_of(row.demand_from)},
          {"capacity_from", row.capacity ? Json(name_of(row.capacity_from)) : Json(nullptr)},
          {"owner", row.owner}};
}

Json latency_json(const LatencySummary& latency) {
  return {{"mean", latency.mean_ms}, {"p95", latency.p95_ms}, {"p99", latency.p99_ms}};
}

Json peak_json(const PeakCheck& peak, const std::vector<Slo>& slos) {
  const GroupSummary& c = peak.probe.summary.cluster;
  return {
      {"rate_rps", peak.probe.rate_rps},
      {"verdict", name_of(peak.probe.answer)},
      {"reason", reason_text(peak.probe, slos)},
      {"requests", peak.probe.requests},
      {"ttft_ms", latency_json(c.ttft)},
      {"tpot_ms", latency_json(c.tpot)},
      {"e2e_ms", latency_json(c.e2e)},
      {"preemptions", c.preemptions},
      {"held_factor", peak.line.is_known ? Json(peak.line.factor) : Json(nullptr)},
      {"held_interval", peak.line.is_known ? interval_or_null(peak.line.interval) : Json(nullptr)}};
}

Json peak_or_null(const std::optional<PeakCheck>& peak, const std::vector<Slo>& slos) {
  return peak ? peak_json(*peak, slos) : Json(nullptr);
}

Json vector_json(const ResourceVector& vector) {
  Json out = Json::object();
  for (const ResourceFacts& facts : resources()) {
    if (const auto& value = at(vector, facts.resource)) {
      out[std::string(facts.name)] = number_or_null(value);
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
                {"requests_per_s", route.requests_per_s},
                {"prompt_tokens_p95", p95_prompt_tokens(route, r.request.load)},
                {"output_tokens_p95", p95_answer_tokens(route, r.request.load)},
                {"context_tokens_mean", route.prompt_tokens + route.output_tokens},
                {"context_tokens_p95", p95_context_tokens(route, r.request.load)},
                {"concurrency", number_or_null(at_once(r.headroom, route))},
                {"cached_share", route.cached_share},
                {"retry_share", route.retry_share},
                {"success", route.success},
                {"quality", route.quality}};
    for (const RouteCost& cost : r.headroom.costs) {
      if (cost.route != route.name) continue;
      row["usd_per_1k_requests"] = cost.usd_per_1k_requests;
      row["usd_per_1k_successes"] = number_or_null(cost.usd_per_1k_of_use);
    }
    out.push_back(std::move(row));
  }
  return out;
}

Json review_json(const ForecastReport& r) {
  const ReviewAnswers& review = r.headroom.review;
  const ScenarioRow* cold = cold_scenario(r);
  const bool is_held = cold != nullptr && cold->peak && cold->peak->line.is_known;
  Json fallbacks = Json::array();
  for (const FallbackSpare& fallback : review.fallbacks) {
    const auto& share = fallback.spare.share;
    const double taken = share ? *share * fallback.requests_per_s : std::nan("");
    fallbacks.push_back({{"route", fallback.route},
                         {"fallback_to", fallback.to},
                         {"requests_per_s", fallback.requests_per_s},
                         {"spare_share", number_or_null(share)},
                         {"spare_per_s", number_or_null(taken)},
                         {"partial_share", number_or_null(fallback.partial.share)},
                         {"breaks", limit_text(fallback.spare, r.request.slos)}});
  }
  return {{"cold_cache",
           {{"prompt_tokens_per_s", number_or_null(review.cold_prompt_tokens_per_s)},
            {"held_factor", is_held ? Json(cold->peak->line.factor) : Json(nullptr)},
            {"add_usd_per_month", number_or_null(review.cold_add_usd_per_month)}}},
          {"retries",
           {{"spare_share", number_or_null(review.retries.share)},
            {"breaks", limit_text(review.retries, r.request.slos)}}},
          {"fallbacks", std::move(fallbacks)}};
}

Json lever_json(const LeverResult& lever) {
  Json worse = Json::array();
  for (const Pressure& pressure : lever.worse) {
    worse.push_back(
        {{"figure", pressure.what}, {"before", pressure.before}, {"after", pressure.after}});
  }
  return {{"lever", lever.lever.name},
          {"flags", lever.lever.flags},
          {"held_factor", lever.line.factor},
          {"held_interval", Json::array({lever.line.interval.low, lever.line.interval.high})},
          {"held_more", lever.more},
          {"held_more_interval",
           lever.more_interval ? Json::array({lever.more_interval->low, lever.more_interval->high})
                               : Json(nullptr)},
          {"changes_answers", lever.lever.changes_answers},
          {"gpus", lever.gpus},
          {"add_usd_per_month", number_or_null(lever.usd_per_month)},
          {"held_more_per_1k_usd", number_or_null(lever.more_per_1k_usd())},
          {"worse_figures", worse}};
}

Json moment_json(const RunwaySheet& sheet, const std::optional<double>& time) {
  if (!time) return nullptr;
  return sheet.dated ? Json(iso_time(*time)) : Json(*time);
}

template <class T>
Json quantiles_json(const std::array<T, kBandPercents.size()>& quantiles) {
  Json out = Json::object();
  for (std::size_t q = 0; q < kBandPercents.size(); ++q) {
    out["p" + std::to_string(kBandPercents[q])] = quantiles[q];
  }
  return out;
}

Json fan_json(const RunwaySheet& sheet, const Outlook& outlook) {
  Json fan = Json::array();
  for (std::size_t i = 0; i < outlook.horizon(); ++i) {
    Json step = {{"time", moment_json(sheet, outlook.time_of(i))}, {"point", outlook.point[i]}};
    step.update(quantiles_json(outlook.bands[i]));
    fan.push_back(std::move(step));
  }
  return fan;
}

Json runway_row_json(const RunwaySheet& sheet, const RunwayRow& row) {
  const Runway& runway = row.runway;
  return {{"resource", facts_of(row.resource).name},
          {"line", row.line},
          {"line_interval", interval_or_null(row.line_interval)},
          {"in_proportion_to",
           row.in_proportion ? Json(facts_of(Resource::requests).name) : Json(nullptr)},
          {"peak", quantiles_json(row.peak)},
          {"probability", runway.known ? Json(runway.probability()) : Json(nullptr)},
          {"date_quantiles",
           {{"p10", moment_json(sheet, runway.time_at(0.1))},
            {"p50", moment_json(sheet, runway.time_at(0.5))},
            {"p90", moment_json(sheet, runway.time_at(0.9))}}},
          {"order_by", moment_json(sheet, row.order.by_s)},
          {"order_is_late", row.order.late},
          {"method", name_of(forecast_methods(), row.outlook.method)},
          {"mase", number_or_null(row.outlook.mase)},
          {"coverage", number_or_null(row.outlook.coverage)},
          {"simple_is_as_good", row.outlook.simple_is_as_good},
          {"too_short", row.outlook.too_short},
          {"notes", row.outlook.notes},
          {"fan", fan_json(sheet, row.outlook)}};
}

Json route_ahead_json(const RouteOutlook& outlook) {
  return {{"route", outlook.route},
          {"figure", name_of(route_figures(), outlook.figure)},
          {"now", outlook.now},
          {"ahead", outlook.ahead},
          {"method", name_of(forecast_methods(), outlook.method)}};
}

Json history_json(const RunwaySheet& sheet, const ForecastReport& r) {
  const DemandHistory& history = *r.history;
  Json out = {{"from", moment_json(sheet, history.history.start_s)},
              {"to", moment_json(sheet, history.history.end_s())},
              {"daily_peaks", history.daily_peaks}};
  out["columns"] = Json::array();
  for (std::size_t i = 0; i < history.profiles.size(); ++i) {
    const DemandProfile& p = history.profiles[i];
    const auto hour = p.peak_hour();
    out["columns"].push_back({{"resource", facts_of(history.columns[i].first).name},
                              {"mean", p.mean},
                              {"p50", p.p50},
                              {"p95", p.p95},
                              {"cv", p.cv},
                              {"index_of_dispersion", number_or_null(p.dispersion)},
                              {"peak_hour", hour ? Json(*hour) : Json(nullptr)},
                              {"by_hour", p.by_hour},
                              {"by_weekday", p.by_weekday}});
  }
  out["routes"] = Json::array();
  for (const RouteOutlook& outlook : r.routes_ahead) {
    out["routes"].push_back(route_ahead_json(outlook));
  }
  return out;
}

Json gpu_need_json(const RunwaySheet& sheet) {
  Json out = Json::array();
  for (const GpuNeed& need : sheet.gpu_plan.steps) {
    Json step = {{"time", moment_json(sheet, need.time_s)}};
    step.update(quantiles_json(need.gpus));
    out.push_back(std::move(step));
  }
  return out;
}

Json actual_json(const ActualRow& row) {
  const auto inside = row.inside();
  return {{"name", row.name},
          {"route", row.route},
          {"unit", unit_of(row)},
          {"forecast", number_or_null(row.forecast)},
          {"interval", interval_or_null(row.band)},
          {"actual", row.actual},
          {"error", number_or_null(row.error())},
          {"inside_interval", inside ? Json(*inside) : Json(nullptr)},
          {"dates", row.dates},
          {"dates_inside", row.dates_inside}};
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
              {"is_short", is_short(r)},
              {"interrupted", r.headroom.interrupted}};
  out["resources"] = Json::array();
  for (const SheetRow& row : r.headroom.rows) out["resources"].push_back(row_json(row));
  out["baseline"] = peak_or_null(r.headroom.baseline, r.request.slos);
  out["peak"] = peak_or_null(r.headroom.forecast, r.request.slos);
  out["review"] = review_json(r);
  out["routes"] = routes_json(r);
  out["scenarios"] = Json::array();
  for (const ScenarioRow& row : r.headroom.scenarios) {
    out["scenarios"].push_back(scenario_json(r, row));
  }
  out["levers"] = Json::array();
  for (const LeverResult& lever : r.levers) out["levers"].push_back(lever_json(lever));
  out["runway"] = Json::array();
  out["gpus_needed"] = Json::array();
  if (r.runway) {
    for (const RunwayRow& row : r.runway->rows) {
      out["runway"].push_back(runway_row_json(*r.runway, row));
    }
    out["gpus_needed"] = gpu_need_json(*r.runway);
    const GpuPlan& plan = r.runway->gpu_plan;
    out["most_gpus_needed"] = plan.steps.empty() ? Json(nullptr) : quantiles_json(plan.most);
    out["add_gpus"] = plan.add_gpus;
    out["add_usd_per_month"] = number_or_null(plan.add_usd_per_month);
    out["orders_counted_from"] = moment_json(*r.runway, r.runway->now_s);
    if (r.history) out["history"] = history_json(*r.runway, r);
  }
  if (r.actuals) {
    out["actuals"] = Json::array();
    for (const ActualRow& row : r.actuals->rows) out["actuals"].push_back(actual_json(row));
    out["actuals_verdict"] = actuals_verdict(*r.actuals);
  }
  out["command"] = r.command;
  return out.dump(2) + "\n";
}

}  // namespace plimsoll
