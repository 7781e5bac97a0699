#include "forecast/runway/reserve_plan.h"

#include <algorithm>
#include <vector>

#include "catalog/price.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

/// GPUs needed at each step of each path.
using PathNeeds = std::vector<std::vector<std::int64_t>>;

PathNeeds path_needs(const GpuPlan& plan, std::span<const LoadAhead> loads, std::int64_t spare) {
  PathNeeds needs;
  for (const std::vector<double>& path : used_by_path(loads, plan.known_share)) {
    std::vector<std::int64_t>& steps = needs.emplace_back();
    for (const double used : path) steps.push_back((used > 0 ? plan.gpus_for(used) : 0) + spare);
  }
  return needs;
}

double bill_of(const std::vector<std::int64_t>& steps, std::int64_t reserved, double reserved_usd,
               double on_demand_usd) {
  double beyond = 0;
  for (const std::int64_t gpus : steps)
    beyond += static_cast<double>(std::max<std::int64_t>(0, gpus - reserved));
  return kHoursOfMonth * (static_cast<double>(reserved) * reserved_usd +
                          beyond / static_cast<double>(steps.size()) * on_demand_usd);
}

double mean_bill(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

std::optional<ReservePlan> plan_reserve(const GpuPlan& plan, std::span<const LoadAhead> loads,
                                        double reserved_usd, double on_demand_usd,
                                        std::int64_t spare) {
  if (plan.steps.empty() || loads.empty() || loads.front().outlook->too_short) return std::nullopt;
  const PathNeeds needs = path_needs(plan, loads, spare);
  if (needs.empty()) return std::nullopt;
  std::vector<std::int64_t> all;
  for (const auto& steps : needs) all.insert(all.end(), steps.begin(), steps.end());
  std::ranges::sort(all);
  const double share = std::max(0.0, 1 - reserved_usd / on_demand_usd);
  const auto place = static_cast<std::size_t>(share * static_cast<double>(all.size()));
  ReservePlan best;
  best.spare = spare;
  best.gpus = share > 0 ? all[std::min(place, all.size() - 1)] : 0;
  std::vector<double> bills;
  std::vector<double> savings;
  for (const auto& steps : needs) {
    bills.push_back(bill_of(steps, best.gpus, reserved_usd, on_demand_usd));
    savings.push_back(bill_of(steps, 0, reserved_usd, on_demand_usd) - bills.back());
  }
  best.usd_per_month = mean_bill(bills);
  best.saving_usd_per_month = mean_bill(savings);
  Percentiles<double> saved(std::move(savings));
  best.saving_band = {saved.at(5), saved.at(95)};
  return best;
}

}  // namespace plimsoll
