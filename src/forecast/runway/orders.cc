#include "forecast/runway/orders.h"

#include <algorithm>

#include "forecast/history/history.h"

namespace plimsoll {
namespace {

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
