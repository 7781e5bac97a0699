#include "forecast/gpu_plan.h"

#include <algorithm>
#include <cmath>

#include "forecast/money.h"
#include "forecast/runway.h"

namespace plimsoll {

GpuPlan plan_gpus(const Outlook& requests, const HeadroomSheet& headroom, const Served& served) {
  constexpr std::size_t kNinety = 5;  // of kBandPercents
  GpuPlan plan;
  const auto each = static_cast<double>(served.gpus_per_instance);
  const double deployed = served.instances() * each;
  if (!headroom.forecast || headroom.forecast->line.factor <= 0) return plan;
  const double carried = headroom.forecast->line.factor * headroom.forecast->probe.rate_rps;
  const double by_each = carried / deployed;
  for (std::size_t i = 0; i < requests.horizon(); ++i) {
    plan.steps.push_back({requests.time_of(i), needed(requests.bands[i], by_each)});
  }
  plan.most = needed(requests.peak(), by_each);
  const double more = std::max(0.0, static_cast<double>(plan.most[kNinety]) - deployed);
  plan.add_gpus = static_cast<std::int64_t>(std::ceil(more / each) * each);
  plan.add_usd_per_month = usd_per_month(served, static_cast<double>(plan.add_gpus));
  return plan;
}

}  // namespace plimsoll
