#include <array>

#include "base/calendar.h"
#include "report/answer/json.h"
#include "report/forecast/words.h"

namespace plimsoll {
Json moment_json(const RunwaySheet& sheet, const std::optional<double>& time) {
  if (!time) return nullptr;
  return sheet.dated ? Json(iso_time(sheet.utc_of(*time))) : Json(*time);
}

namespace {

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
          {"title", facts_of(row.resource).title},
          {"provider", row.provider},
          {"line", row.line},
          {"line_now", row.line * row.now_of_line},
          {"line_interval", ends_or_null(row.line_interval)},
          {"in_proportion_to",
           row.by_requests ? Json(facts_of(Resource::requests).name) : Json(nullptr)},
          {"peak", quantiles_json(row.peak)},
          {"probability", runway.known ? Json(runway.probability()) : Json(nullptr)},
          {"date_quantiles",
           {{"p10", moment_json(sheet, runway.time_at(0.1))},
            {"p50", moment_json(sheet, runway.time_at(0.5))},
            {"p90", moment_json(sheet, runway.time_at(0.9))}}},
          {"order_by", moment_json(sheet, row.order.by_s)},
          {"order_is_late", row.order.late},
          {"method", name_of(forecast_methods(), row.outlook.method)},
          {"mase", row.outlook.mase},
          {"coverage", row.outlook.coverage},
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
              {"daily_peaks", history.daily_peaks},
              {"routes_are_counted", r.request.routes_from_history},
              {"notes", history.history.notes}};
  out["columns"] = Json::array();
  for (std::size_t i = 0; i < history.profiles.size(); ++i) {
    const DemandProfile& p = history.profiles[i];
    out["columns"].push_back({{"resource", facts_of(history.columns[i].resource).name},
                              {"provider", history.columns[i].provider},
                              {"mean", p.mean},
                              {"p50", p.p50},
                              {"p95", p.p95},
                              {"cv", p.cv},
                              {"index_of_dispersion", p.dispersion},
                              {"peak_hour", p.peak_hour()},
                              {"by_hour", p.by_hour},
                              {"by_weekday", p.by_weekday}});
  }
  out["routes"] = Json::array_of(r.routes_ahead, route_ahead_json);
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

Json reserve_or_null(const std::optional<ReservePlan>& plan) {
  if (!plan) return nullptr;
  return {{"gpus", plan->gpus},
          {"usd_per_month", plan->usd_per_month},
          {"saving_usd_per_month", plan->saving_usd_per_month},
          {"saving_interval", ends_or_null(plan->saving_band)}};
}

Json loss_json(const ForecastReport& r, const LossPlan& plan) {
  constexpr const char* kKinds[]{"instances", "zones", "regions"};
  const auto moment = [&](const std::optional<double>& time) {
    return r.runway ? moment_json(*r.runway, time) : Json(nullptr);
  };
  return {{"loss", kKinds[static_cast<int>(plan.loss.kind)]},
          {"count", plan.loss.count},
          {"gpus", plan.gpus > 0 ? Json(plan.gpus) : Json(nullptr)},
          {"add_gpus", plan.add_gpus},
          {"add_usd_per_month", plan.add_usd_per_month},
          {"requests_per_s", plan.peak_per_s},
          {"instances_left", plan.instances_left},
          {"held_factor", plan.held},
          {"held_factor_at_slow_end", plan.held_at_slow_end},
          {"stranded_requests", plan.stranded},
          {"short_from", moment(plan.short_from_s)},
          {"order_by", moment(plan.order.by_s)},
          {"order_is_late", plan.order.late}};
}

Json actual_json(const ActualRow& row) {
  return {{"name", row.name},
          {"route", row.route},
          {"unit", unit_of(row)},
          {"forecast", row.forecast},
          {"interval", ends_or_null(row.band)},
          {"actual", row.actual},
          {"error", row.error()},
          {"inside_interval", row.inside()},
          {"dates", row.dates},
          {"dates_inside", row.dates_inside}};
}

}  // namespace

void add_runway_json(const ForecastReport& r, Json* out) {
  (*out)["runway"] = Json::array();
  (*out)["gpus_needed"] = Json::array();
  if (r.runway) {
    for (const RunwayRow& row : r.runway->rows) {
      (*out)["runway"].push_back(runway_row_json(*r.runway, row));
    }
    (*out)["gpus_needed"] = gpu_need_json(*r.runway);
    const GpuPlan& plan = r.runway->gpu_plan;
    (*out)["most_gpus_needed"] = plan.steps.empty() ? Json(nullptr) : quantiles_json(plan.most);
    (*out)["add_gpus"] = plan.add_gpus;
    (*out)["add_usd_per_month"] = plan.add_usd_per_month;
    (*out)["orders_counted_from"] = moment_json(*r.runway, r.runway->now_s);
    (*out)["reserve"] = reserve_or_null(r.reserve);
    if (r.history) (*out)["history"] = history_json(*r.runway, r);
  }
  (*out)["losses"] =
      Json::array_of(r.losses, [&](const LossPlan& plan) { return loss_json(r, plan); });
  if (r.actuals) {
    (*out)["actuals"] = Json::array_of(r.actuals->rows, actual_json);
    (*out)["actuals_verdict"] = actuals_verdict(*r.actuals);
  }
}

}  // namespace plimsoll
