// What the paths of an outlook tell: its highest values, when they reach a line, and what follows.
#include <algorithm>
#include <cmath>

#include "base/lists.h"
#include "forecast/outlook/outlook.h"
#include "random/distributions.h"
#include "random/portable_math.h"

namespace plimsoll {

double on_the_way(double now, double then, std::size_t step, std::size_t steps) {
  if (now == then) return then;
  return now + (then - now) * static_cast<double>(step + 1) / static_cast<double>(steps);
}

Outlook in_proportion(Outlook outlook, double now, double then) {
  const auto factor = [&](std::size_t i) { return on_the_way(now, then, i, outlook.horizon()); };
  for (std::size_t i = 0; i < outlook.horizon(); ++i) {
    outlook.point[i] *= factor(i);
    for (double& value : outlook.bands[i]) value *= factor(i);
    for (std::vector<double>& path : outlook.paths) path[i] *= factor(i);
  }
  return outlook;
}

BandQuantiles quantiles_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  BandQuantiles quantiles{};
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    const auto percent = static_cast<std::size_t>(kBandPercents[i]);
    quantiles[i] = values[(percent * values.size() + 99) / 100 - 1];
  }
  return quantiles;
}

BandQuantiles Outlook::peak(std::size_t from, std::size_t to) const {
  return quantiles_of(mapped(paths, [&](const std::vector<double>& path) {
    return *std::max_element(path.begin() + static_cast<std::ptrdiff_t>(from),
                             path.begin() + static_cast<std::ptrdiff_t>(to));
  }));
}

void add_path_by_path(const Outlook& more, Outlook* sum) {
  for (std::size_t h = 0; h < sum->horizon(); ++h) {
    sum->point[h] += more.point[h];
    for (std::size_t k = 0; k < sum->paths.size(); ++k) sum->paths[k][h] += more.paths[k][h];
  }
  for (std::size_t h = 0; h < sum->horizon(); ++h) sum->bands[h] = sum->peak(h, h + 1);
}

// By path: one quantile of the line for each. Paths do not hang together, so that it does not
// matter which of them meets which.
std::vector<double> lines_met(double line, const std::optional<Interval>& known_within,
                              std::size_t paths) {
  std::vector<double> lines(paths, line);
  if (!known_within || !(line > 0)) return lines;
  constexpr double kNormal95 = 1.6448536269514722;
  // Either side by itself; one that ends at 0 is at least as wide as the other.
  const double above = portable_log(std::max(1.0, known_within->high / line)) / kNormal95;
  const double below = known_within->low > 0
                           ? portable_log(std::max(1.0, line / known_within->low)) / kNormal95
                           : above;
  for (std::size_t k = 0; k < paths; ++k) {
    const double p = (static_cast<double>(k) + 0.5) / static_cast<double>(paths);
    const double normal = p == 0.5 ? 0 : normal_quantile(p);
    lines[k] *= portable_exp((normal < 0 ? below : above) * normal);
  }
  return lines;
}

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

Runway crossing(const Outlook& outlook, double line, const std::optional<Interval>& known_within,
                double now_of_line) {
  Runway runway;
  runway.start_s = outlook.start_s;
  runway.step_s = outlook.step_s;
  runway.known = !outlook.too_short;
  if (!runway.known) return runway;
  std::vector<std::size_t> first(outlook.horizon());  // paths, by the step that crosses
  const std::vector<double> lines = lines_met(line, known_within, outlook.paths.size());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::vector<double>& path = outlook.paths[k];
    std::size_t step = 0;
    while (step < path.size() &&
           path[step] <= lines[k] * on_the_way(now_of_line, 1, step, path.size()))
      ++step;
    if (step < path.size()) ++first[step];
  }
  std::size_t crossed = 0;
  for (const std::size_t paths : first) {
    crossed += paths;
    runway.chance.push_back(static_cast<double>(crossed) /
                            static_cast<double>(outlook.paths.size()));
  }
  return runway;
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
