#include "forecast/runway/orders.h"

#include <algorithm>

#include "forecast/history/history.h"

namespace plimsoll {
namespace {

// By which those deployed no longer carry the load. The searches behind the number of GPUs and
// behind the lines end a step of their precision apart: then it is the end of the horizon.
Order order_of_gpus(const HistoryRequest& history, std::span<const LoadAhead> loads, double now_s) {
  Outlook used = *loads.front().outlook;
  used.paths = used_by_path(loads);
  const double lead_s = history.lead_time_days * kDayS;
  Order order = order_by(crossing(used, 1), now_s, lead_s, history.cold_start_s, kAcceptedRisk);
  if (order.by_s || used.too_short) return order;
  order.by_s = used.time_of(used.horizon()) - lead_s - history.cold_start_s;
  order.late = *order.by_s < now_s;
  return order;
}

}  // namespace

void settle_orders(const ForecastRequest& request, std::span<const LoadAhead> loads,
                   RunwaySheet* sheet) {
  GpuPlan& plan = sheet->gpu_plan;
  if (plan.steps.empty() || loads.empty()) return;
  if (plan.add_gpus > 0) plan.order = order_of_gpus(request.history, loads, sheet->now_s);
  for (RunwayRow& row : sheet->rows) {
    row.by_gpus = std::ranges::any_of(loads, [&](const LoadAhead& load) {
      return load.outlook == &row.outlook && !load.is_limited;
    });
    if (row.by_gpus && plan.add_gpus == 0) row.order = {};
  }
}

}  // namespace plimsoll
