#include "forecast/outlook/stopped.h"

#include <algorithm>
#include <cmath>

#include "forecast/outlook/event_paths.h"
#include "forecast/outlook/ways.h"
#include "random/stream.h"

namespace plimsoll {
namespace {

constexpr std::size_t kFewestSilentDays = 2;  // what is shorter may be an odd day

// How many steps of the path from now on nothing comes.
std::size_t silent_steps(std::size_t days, std::size_t day, std::size_t horizon,
                         RandomStream* stream) {
  if (days >= kLongestStretch || stream->uniform() < chance_to_stay(days)) return horizon;
  const double left = static_cast<double>(kLongestStretch - days) * stream->uniform();
  return std::min(horizon, day * static_cast<std::size_t>(std::ceil(left)));
}

}  // namespace

std::optional<std::size_t> stop_of(std::span<const double> y, const LogScale& scale,
                                   std::size_t day, const KnownDemand& known) {
  std::size_t at = y.size();
  while (at > 0 && scale.is_pause(y[at - 1])) --at;
  const std::size_t silent = y.size() - at;
  if (at == 0 || silent < kFewestSilentDays * day || scale.comes_and_goes()) return {};
  std::size_t first = 0;
  while (scale.is_pause(y[first])) ++first;
  std::size_t paused = 0;
  for (std::size_t t = first; t < at; ++t) {
    paused = scale.is_pause(y[t]) ? paused + 1 : 0;
    if (paused >= silent) return {};
  }
  const bool is_explained = std::ranges::any_of(
      known.left_out, [&](const auto& steps) { return steps.first <= at && steps.second > at; });
  return is_explained ? std::nullopt : std::optional(at);
}

Outlook stopped(Outlook before, std::size_t at, std::size_t day, const OutlookOptions& asked) {
  Outlook outlook = std::move(before);
  const std::size_t steps = outlook.horizon() - asked.horizon;
  const std::size_t days = steps / day;
  outlook.start_s = asked.start_s;
  outlook.events.day = day;
  outlook.events.shifts.push_back({.at = at});
  outlook.events.undecided.reset();
  if (days < kLongestStretch) outlook.events.undecided = days;
  outlook.usual.insert(outlook.usual.end(), steps, 0.0);
  outlook.point.assign(asked.horizon, 0.0);
  for (std::size_t k = 0; k < outlook.paths.size(); ++k) {
    std::vector<double>& path = outlook.paths[k];
    path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(steps));
    RandomStream stream(asked.seed, Purpose::forecast_event, asked.paths + k);
    std::fill_n(path.begin(), silent_steps(days, day, path.size(), &stream), 0.0);
  }
  set_bands_of_paths(&outlook);
  return outlook;
}

}  // namespace plimsoll
