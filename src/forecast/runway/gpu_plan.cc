#include "forecast/runway/gpu_plan.h"

#include <algorithm>

#include "forecast/headroom/money.h"
#include "forecast/outlook/runway.h"

namespace plimsoll {
namespace {

// Of what is deployed, by the load that asks for the most.
template <class QuantilesOf>
BandQuantiles most_used(std::span<const LoadAhead> loads, QuantilesOf quantiles_of) {
  BandQuantiles most{};
  for (const LoadAhead& load : loads) {
    const BandQuantiles quantiles = quantiles_of(*load.outlook);
    for (std::size_t i = 0; i < most.size(); ++i) {
      most[i] = std::max(most[i], quantiles[i] / load.line);
    }
  }
  return most;
}

}  // namespace

GpuPlan plan_gpus(std::span<const LoadAhead> loads, const Served& served) {
  constexpr std::size_t kNinety = 5;  // of kBandPercents
  GpuPlan plan;
  if (loads.empty()) return plan;
  const std::int64_t each = served.gpus_per_instance;
  const double by_instance = 1.0 / served.instances();
  const Outlook& first = *loads.front().outlook;
  for (std::size_t i = 0; i < first.horizon(); ++i) {
    const auto at_step = [&](const Outlook& outlook) { return outlook.bands[i]; };
    plan.steps.push_back({first.time_of(i), needed(most_used(loads, at_step), by_instance, each)});
  }
  const auto at_peak = [](const Outlook& outlook) { return outlook.peak(); };
  plan.most = needed(most_used(loads, at_peak), by_instance, each);
  const std::int64_t deployed = served.system.deployment.num_instances * each;
  plan.add_gpus = std::max<std::int64_t>(0, plan.most[kNinety] - deployed);
  plan.add_usd_per_month = usd_per_month(served, static_cast<double>(plan.add_gpus));
  return plan;
}

}  // namespace plimsoll
