#include "forecast/outlook/stopped.h"

#include <algorithm>
#include <cmath>

#include "forecast/history/history.h"
#include "forecast/outlook/season.h"
#include "forecast/outlook/ways.h"
#include "random/portable_math.h"
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

bool lacks_a_week(std::size_t values, double step_s) {
  constexpr double kFewestDays = 2;
  const double days = static_cast<double>(values) * step_s / kDayS;
  return step_s < kDayS && days >= kFewestDays && days <= static_cast<double>(kDaysOfWeek);
}

std::size_t enough_for_days(std::size_t horizon, double step_s) {
  const std::size_t day = steps_of_day(step_s);
  return day > 1 && 2 * horizon >= day ? kFewestSeasons * day : 0;
}

bool repeats_its_day(std::size_t values, std::size_t season, double step_s) {
  const std::size_t day = steps_of_day(step_s);
  return season == 1 && day > 1 && values >= day && values < kFewestSeasons * day;
}

void add_week(const KnownDemand& without, const KnownDemand& known, std::vector<double>* usual) {
  const auto factor = [](const KnownDemand& of, std::size_t t) {
    return t < of.log_factor.size() ? of.log_factor[t] : 0;
  };
  const auto week = [&](std::size_t t) { return factor(known, t) - factor(without, t); };
  for (std::size_t t = 0; t < usual->size(); ++t)
    (*usual)[t] *= portable_exp(week(t) - week(usual->size() - 1));
}

std::size_t silent_beginning(std::span<const double> y, double step_s) {
  const std::size_t week = std::max(kDaysOfWeek, kDaysOfWeek * steps_of_day(step_s));
  std::size_t first = 0;
  while (first < y.size() && y[first] <= 0) ++first;
  std::size_t longest = 0;
  std::size_t pause = 0;
  for (const double value : y.subspan(first)) {
    pause = value > 0 ? 0 : pause + 1;
    longest = std::max(longest, pause);
  }
  const bool is_beginning = first >= week && first > 2 * longest;
  return is_beginning && y.size() - first >= kFewestValues ? first : 0;
}

}  // namespace plimsoll
