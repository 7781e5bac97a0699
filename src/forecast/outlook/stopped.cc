#include "forecast/outlook/stopped.h"

#include <algorithm>
#include <cmath>

#include "forecast/outlook/season.h"
#include "forecast/outlook/ways.h"
#include "random/stream.h"

namespace plimsoll {
namespace {

constexpr double kFewestSilentDays = 2;  // what is shorter may be an odd day
constexpr std::size_t kFewestSilentSteps = 2;

bool is_nothing(double value) { return value <= 0; }

// The longest run of steps at which nothing came, after the first at which something did.
std::size_t longest_pause(std::span<const double> y) {
  std::size_t longest = 0;
  std::size_t paused = 0;
  for (auto value = std::ranges::find_if_not(y, is_nothing); value != y.end(); ++value) {
    paused = is_nothing(*value) ? paused + 1 : 0;
    longest = std::max(longest, paused);
  }
  return longest;
}

std::size_t silent_at_end(std::span<const double> y) {
  return static_cast<std::size_t>(std::find_if_not(y.rbegin(), y.rend(), is_nothing) - y.rbegin());
}

// How many steps of a path from now on nothing comes.
std::size_t silent_steps(const Stop& stop, const OutlookOptions& asked, RandomStream* stream) {
  if (stream->uniform() < chance_to_stay(stop.days)) return asked.horizon;
  const double days = static_cast<double>(kLongestStretch - stop.days) * stream->uniform();
  const double steps = std::ceil(std::ceil(days) * kDayS / asked.step_s);
  return std::min(asked.horizon, static_cast<std::size_t>(steps));
}

}  // namespace

std::optional<std::size_t> silent_weekend(std::span<const double> y, const OutlookOptions& asked) {
  constexpr double kTwoDays = 2;
  const std::size_t silent = silent_at_end(y);
  const double silent_s = asked.step_s * static_cast<double>(silent);
  const bool is_weekend = asked.zone_s && silent > 0 && silent_s <= kTwoDays * kDayS &&
                          first_saturday(asked.start_s - silent_s, *asked.zone_s) == 0;
  return is_weekend ? std::optional(y.size() - silent) : std::nullopt;
}

std::optional<Stop> stop_of(std::span<const double> y, const LogScale& scale,
                            const OutlookOptions& asked) {
  const std::size_t silent = silent_at_end(y);
  const double silent_s = asked.step_s * static_cast<double>(silent);
  const std::size_t at = y.size() - silent;
  const bool is_short = silent < kFewestSilentSteps || silent_s < kFewestSilentDays * kDayS;
  if (at == 0 || is_short || scale.comes_and_goes() || silent_weekend(y, asked)) return {};
  if (longest_pause(y.first(at)) >= silent) return {};
  const bool is_left_out = std::ranges::any_of(asked.known.left_out, [&](const auto& steps) {
    return steps.first <= at && steps.second >= y.size();
  });
  if (is_left_out) return {};
  return Stop{at, static_cast<std::size_t>(silent_s / kDayS)};
}

Outlook stopped(const Stop& stop, std::size_t values, const OutlookOptions& asked,
                std::optional<Outlook> before) {
  Outlook outlook;
  std::vector<std::vector<double>> returning;
  if (before) {
    returning = std::move(before->paths);
    before->paths.clear();
    outlook = std::move(*before);
  }
  outlook.start_s = asked.start_s;
  outlook.step_s = asked.step_s;
  outlook.events.day = static_cast<std::size_t>(std::max(1.0, std::round(kDayS / asked.step_s)));
  outlook.events.shifts.push_back({.at = stop.at});
  outlook.events.undecided.reset();
  if (!stop.is_sure()) outlook.events.undecided = stop.days;
  outlook.usual.assign(values, 0.0);
  outlook.point.assign(asked.horizon, 0.0);
  for (std::size_t k = 0; k < paths_of(asked.horizon, asked); ++k) {
    std::vector<double>& path = outlook.paths.emplace_back(asked.horizon, 0.0);
    if (returning.empty()) continue;
    const std::vector<double>& then = returning[k % returning.size()];
    RandomStream stream(asked.seed, Purpose::forecast_event, asked.paths + k);
    for (std::size_t h = silent_steps(stop, asked, &stream); h < path.size(); ++h)
      path[h] = then[std::min(values - stop.at + h, then.size() - 1)];
  }
  set_bands_of_paths(&outlook);
  return outlook;
}

}  // namespace plimsoll
