#include "forecast/runway/gpu_rows.h"

#include <algorithm>

#include "forecast/headroom/money.h"
#include "forecast/history/history.h"
#include "forecast/runway/bill.h"

namespace plimsoll {
namespace {

Outlook gpus_ahead(const GpuPlan& plan, std::span<const LoadAhead> loads) {
  const double deployed = plan.deployed * static_cast<double>(plan.gpus_per_replica);
  const auto count_for = [&](double used) {
    return std::max(deployed, static_cast<double>(plan.gpus_for(used)));
  };
  Outlook gpus = *loads.front().outlook;
  const std::vector<std::vector<double>> used = used_by_path(loads, plan.known_share);
  for (std::size_t i = 0; i < gpus.horizon(); ++i) {
    double expected = 0;
    for (const LoadAhead& load : loads)
      expected = std::max(expected, load.outlook->point[i] / load.line_at(i));
    gpus.point[i] = count_for(expected);
    for (std::size_t k = 0; k < gpus.paths.size(); ++k) gpus.paths[k][i] = count_for(used[k][i]);
  }
  for (std::size_t i = 0; i < gpus.horizon(); ++i) gpus.bands[i] = gpus.peak(i, i + 1);
  gpus.notes.emplace_back("GPU counts are rounded up to whole GPUs on each path");
  return gpus;
}

// In units of what those deployed carry.
Outlook load_ahead(std::span<const LoadAhead> loads) {
  Outlook used = *loads.front().outlook;
  used.paths = used_by_path(loads);
  return used;
}

// By which those deployed no longer carry the load. The searches behind the number of GPUs and
// behind the lines end a step of their precision apart: then it is the end of the horizon.
Order order_of_gpus(const HistoryRequest& history, const Runway& runway, double end_s,
                    double now_s) {
  const double lead_s = history.lead_time_days * kDayS;
  Order order = order_by(runway, now_s, lead_s, history.cold_start_s, kAcceptedRisk);
  if (order.by_s || !runway.known) return order;
  order.by_s = end_s - lead_s - history.cold_start_s;
  order.late = *order.by_s < now_s;
  return order;
}

}  // namespace

std::vector<RunwayRow> gpu_rows(const ForecastRequest& request, const DemandHistory& history,
                                std::span<const DemandOutlook> outlooks,
                                const HeadroomSheet& headroom, const Served& served,
                                std::span<const LoadAhead> loads, const RunwaySheet& sheet) {
  std::vector<RunwayRow> rows;
  if (sheet.gpu_plan.steps.empty()) return rows;
  const Outlook gpus = gpus_ahead(sheet.gpu_plan, loads);
  for (const SheetRow& line : headroom.rows) {
    if (!line.capacity || !is_found_by_gpus(line.resource, outlooks, headroom)) continue;
    if (line.resource == Resource::gpus) {
      rows.push_back(runway_row(request, line, {gpus, true}, sheet));
      continue;
    }
    const double each = usd_per_month(served, 1).value_or(0);
    ResourceOutlook usd{in_proportion(gpus, each, each), true};
    if (const auto bill = bill_ahead(history, &usd.outlook, *line.capacity))
      usd = {*bill, false, bill->usual.back()};
    rows.push_back(runway_row(request, line, std::move(usd), sheet));
  }
  return rows;
}

void settle_orders(const ForecastRequest& request, std::span<const LoadAhead> loads,
                   RunwaySheet* sheet) {
  GpuPlan& plan = sheet->gpu_plan;
  if (plan.steps.empty() || loads.empty()) return;
  const Outlook used = load_ahead(loads);
  plan.runway = crossing(used, 1);
  if (plan.add_gpus > 0)
    plan.order =
        order_of_gpus(request.history, plan.runway, used.time_of(used.horizon()), sheet->now_s);
  for (RunwayRow& row : sheet->rows) {
    row.by_gpus = std::ranges::any_of(loads, [&](const LoadAhead& load) {
      return load.outlook == &row.outlook && !load.is_limited;
    });
    if (row.by_gpus && plan.add_gpus == 0) row.order = {};
  }
}

void date_levers(std::span<const LoadAhead> loads, double now_held,
                 std::vector<LeverResult>* levers) {
  if (loads.empty() || now_held <= 0) return;
  const Outlook used = load_ahead(loads);
  for (LeverResult& lever : *levers) {
    std::optional<Interval> within;
    if (const auto& more = lever.more_interval)
      within = Interval{1 + more->low / now_held, 1 + more->high / now_held};
    lever.runway = crossing(used, lever.line.factor / now_held, within);
  }
}

}  // namespace plimsoll
