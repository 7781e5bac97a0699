#include "forecast/outlook/ways.h"

#include <algorithm>

#include "forecast/outlook/resampling.h"
#include "random/portable_math.h"
#include "random/stream.h"

namespace plimsoll {
namespace {

// Fewer paths where they are long.
std::size_t paths_of(std::size_t horizon, const OutlookOptions& options) {
  constexpr std::size_t kMostValues = 10'000'000;
  return std::min(options.paths, std::max<std::size_t>(100, kMostValues / horizon));
}

void set_bands(const Way& way, const LogScale& scale, Outlook* outlook) {
  const Expected& expected = way.ahead.expected;
  for (std::size_t h = 0; h < expected.logs.size(); ++h) {
    outlook->point.push_back(scale.value_of(expected.at(h, 0.5)));
    BandQuantiles& band = outlook->bands.emplace_back();
    for (std::size_t i = 0; i < kBandPercents.size(); ++i) {
      const double p = kBandPercents[i] / 100.0;
      const double share = expected.more[h] > 0 ? p : 1 - p;
      band[i] = scale.value_of(expected.at(h, share) +
                               way.ahead.error_of(way.ahead.bands.quantile(h, p)));
    }
  }
}

void set_bands_of_paths(Outlook* outlook) {
  outlook->bands.resize(outlook->horizon());
  for (std::size_t h = 0; h < outlook->horizon(); ++h) outlook->bands[h] = outlook->peak(h, h + 1);
}

}  // namespace

void Expected::multiply(const KnownDemand& known) {
  if (known.log_factor.empty()) return;
  const auto ahead = std::span(known.log_factor).last(logs.size());
  for (std::size_t h = 0; h < logs.size(); ++h) logs[h] += ahead[h];
}

void draw_again(const EventPaths* events, const OutlookOptions& options, Outlook* outlook) {
  const Resampling values(outlook->usual, outlook->season, events == nullptr);
  const std::size_t horizon = outlook->point.size();
  std::vector<double> known(horizon);
  if (const std::vector<double>& all = options.known.log_factor; !all.empty()) {
    const double now = all[all.size() - horizon - 1];
    for (std::size_t h = 0; h < horizon; ++h) known[h] = all[all.size() - horizon + h] - now;
  }
  for (std::size_t k = 0; k < paths_of(horizon, options); ++k) {
    std::vector<double> more = known;
    if (events != nullptr) events->add_to(&more, options.seed, k);
    std::vector<double>& path = outlook->paths.emplace_back(values.path(horizon, options.seed, k));
    for (std::size_t h = 0; h < horizon; ++h) path[h] *= portable_exp(more[h]);
  }
  set_bands_of_paths(outlook);
}

void draw_paths(const std::vector<Way>& ways, double chance, const LogScale& scale,
                const OutlookOptions& options, Outlook* outlook) {
  set_bands(ways.front(), scale, outlook);
  const std::size_t horizon = outlook->point.size();
  // Without the events of a way: those that came are among the values drawn.
  if (scale.pauses_often()) return draw_again(nullptr, options, outlook);
  for (std::size_t k = 0; k < paths_of(horizon, options); ++k) {
    RandomStream stream(options.seed, Purpose::forecast_path, k);
    const double way_share = ways.size() > 1 ? stream.uniform() : 0;
    const Way& way = way_share < chance ? ways.front() : ways.back();
    std::vector<double> path = way.ahead.bands.path(stream);
    const double share = stream.uniform();
    for (std::size_t h = 0; h < horizon; ++h)
      path[h] = way.ahead.expected.at(h, share) + way.ahead.error_of(path[h]);
    way.events.add_to(&path, options.seed, k);
    for (double& log : path) log = scale.value_of(log);
    outlook->paths.push_back(std::move(path));
  }
  if (ways.size() == 1 && !ways.front().events.differ(horizon)) return;
  set_bands_of_paths(outlook);
}

}  // namespace plimsoll
