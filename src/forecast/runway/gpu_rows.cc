#include "forecast/runway/gpu_rows.h"

#include <algorithm>

#include "forecast/headroom/money.h"
#include "forecast/runway/bill.h"

namespace plimsoll {
namespace {

Outlook gpus_ahead(const GpuPlan& plan, std::span<const LoadAhead> loads) {
  const double deployed = plan.deployed * static_cast<double>(plan.gpus_per_replica);
  const auto count_for = [&](double used) {
    return std::max(deployed, static_cast<double>(plan.gpus_for(used)));
  };
  Outlook gpus = *loads.front().outlook;
  const std::vector<std::vector<double>> used = used_by_path(loads);
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

}  // namespace plimsoll
