#include "forecast/runway.h"

#include <algorithm>
#include <cmath>

namespace plimsoll {

std::optional<double> Runway::time_at(double p) const {
  const auto reached = std::lower_bound(chance.begin(), chance.end(), p);
  if (reached == chance.end()) return std::nullopt;
  return start_s + step_s * static_cast<double>(reached - chance.begin());
}

double Runway::chance_before(double time_s) const {
  const double steps = std::ceil((time_s - start_s) / step_s);
  if (chance.empty() || !(steps >= 1)) return 0;
  const double whole = std::min(steps, static_cast<double>(chance.size()));
  return chance[static_cast<std::size_t>(whole) - 1];
}

Runway crossing(const Outlook& outlook, double line) {
  Runway runway;
  runway.start_s = outlook.start_s;
  runway.step_s = outlook.step_s;
  runway.known = !outlook.too_short;
  if (!runway.known) return runway;
  std::vector<std::size_t> first(outlook.horizon());  // paths, by the step that crosses
  for (const std::vector<double>& path : outlook.paths) {
    const auto over = std::ranges::find_if(path, [&](double value) { return value > line; });
    if (over != path.end()) ++first[static_cast<std::size_t>(over - path.begin())];
  }
  std::size_t crossed = 0;
  for (const std::size_t paths : first) {
    crossed += paths;
    runway.chance.push_back(static_cast<double>(crossed) /
                            static_cast<double>(outlook.paths.size()));
  }
  return runway;
}

std::array<std::int64_t, kBandPercents.size()> needed(const BandQuantiles& load, double by_instance,
                                                      std::int64_t gpus_each) {
  constexpr double kMost = 1e12;
  std::array<std::int64_t, kBandPercents.size()> gpus{};
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const double instances = std::ceil(std::clamp(load[i] / by_instance, 0.0, kMost));
    gpus[i] = static_cast<std::int64_t>(instances) * gpus_each;
  }
  return gpus;
}

Order order_by(const Runway& runway, double now_s, double lead_time_s, double cold_start_s,
               double risk) {
  const double wait_s = lead_time_s + cold_start_s;
  Order order;
  order.chance_if_now = runway.chance_before(now_s + wait_s);
  const auto over = std::upper_bound(runway.chance.begin(), runway.chance.end(), risk);
  if (over == runway.chance.end()) return order;
  order.by_s =
      runway.start_s - wait_s + runway.step_s * static_cast<double>(over - runway.chance.begin());
  order.late = *order.by_s < now_s;
  return order;
}

}  // namespace plimsoll
