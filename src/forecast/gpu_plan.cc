#include "forecast/gpu_plan.h"

#include <algorithm>

#include "forecast/money.h"
#include "forecast/runway.h"

namespace plimsoll {

GpuPlan plan_gpus(const Outlook& requests, const HeadroomSheet& headroom, const Served& served) {
  constexpr std::size_t kNinety = 5;  // of kBandPercents
  GpuPlan plan;
  const std::int64_t each = served.gpus_per_instance;
  if (!headroom.forecast || headroom.forecast->line.factor <= 0) return plan;
  const double carried = headroom.forecast->line.factor * headroom.forecast->probe.rate_rps;
  const double by_instance = carried / served.instances();
  for (std::size_t i = 0; i < requests.horizon(); ++i) {
    plan.steps.push_back({requests.time_of(i), needed(requests.bands[i], by_instance, each)});
  }
  plan.most = needed(requests.peak(), by_instance, each);
  const std::int64_t deployed = served.system.deployment.num_instances * each;
  plan.add_gpus = std::max<std::int64_t>(0, plan.most[kNinety] - deployed);
  plan.add_usd_per_month = usd_per_month(served, static_cast<double>(plan.add_gpus));
  return plan;
}

}  // namespace plimsoll
