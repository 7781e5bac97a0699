#include "forecast/outlook/outlook.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "forecast/outlook/backtest.h"
#include "forecast/outlook/bends.h"
#include "forecast/outlook/error_law.h"
#include "forecast/outlook/methods.h"
#include "forecast/outlook/season.h"
#include "forecast/outlook/stopped.h"
#include "forecast/outlook/ways.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

constexpr std::size_t kLongestHorizon = 100'000;
constexpr double kLargestSquared = 1e100;  // its square is a number too
constexpr std::size_t kFewestTested = 14;  // values
constexpr std::size_t kFurthest = 4;       // times the history
constexpr std::size_t kUsual = 7;          // values
constexpr double kLikelyChange = 0.4;      // of a logarithm: by half

std::size_t enough_values(std::size_t horizon, double step_s) {
  const std::size_t tested = std::max(kFewestTested, (horizon + kFurthest - 1) / kFurthest);
  return std::max(tested, enough_for_days(horizon, step_s));
}

// No further than half of what the first origin leaves, so that there is more than one origin.
std::size_t tested_horizon(std::size_t values, std::size_t season, std::size_t horizon) {
  const std::size_t first = first_origin(values, {1, season});
  return std::clamp<std::size_t>((values - first) / 2, 1, horizon);
}

// What so many values leave open of growth: their own standard error, but for a change by half
// within the horizon either way, beyond which nobody looks. `tested` 0: no method is.
GrowthDoubt doubt_of_growth(const std::vector<double>& logs, std::size_t season,
                            const std::vector<Bend>& bends, std::size_t values, std::size_t tested,
                            std::size_t horizon) {
  const double likely = kLikelyChange / static_cast<double>(horizon);
  const auto within = [&](double error) {
    return error > 0 ? 1 / std::sqrt(1 / (error * error) + 1 / (likely * likely)) : 0;
  };
  if (!bends.empty() && bends.back().chance >= 0.5) {
    const auto since = static_cast<double>(values - bends.back().at);
    return {within(bends.back().error), -since / 2};
  }
  const LineGrowth growth = line_growth_of(logs, season);
  // Growth that no method continues may go on.
  const double error = tested > 0 ? growth.error : std::hypot(growth.error, growth.per_step);
  return {within(error), static_cast<double>(tested)};
}

// Too little is known to test a method: the usual value, values that came, and what they leave open
// of growth.
void guess(const Past& past, const OutlookOptions& options, std::size_t values, Outlook* outlook) {
  outlook->too_short = true;
  const bool is_day = repeats_its_day(values, past.season, options.step_s);
  if (is_day) outlook->season = steps_of_day(options.step_s);
  const auto last = std::span(outlook->usual).last(std::min(values, kUsual * outlook->season));
  outlook->point = steady_forecast(last, outlook->season, options.horizon);
  const std::vector<double> known = options.known.ahead_of_now(options.horizon);
  for (std::size_t h = 0; h < known.size(); ++h) outlook->point[h] *= portable_exp(known[h]);
  const GrowthDoubt growth =
      doubt_of_growth(past.logs, past.season, past.events.bends, values, 0, options.horizon);
  const EventPaths events(past.events, values, growth);
  draw_again(&events, options, outlook);
  outlook->notes.push_back(
      "the history has " + counted(static_cast<std::int64_t>(values), "value") + "; a horizon of " +
      counted(static_cast<std::int64_t>(options.horizon), "step") + " needs " +
      std::to_string(outlook->enough_values) +
      " to test any method: values like those that came, in a wide band, and no dates");
  if (is_day)
    outlook->notes.emplace_back(
        "hours are taken to repeat themselves from day to day, which three "
        "days of history would confirm");
}

// How far a path may lie above what is expected: twice as much, or as far as the highest value of
// the past lies above the middle. Nobody plans for what no past resembles.
double furthest_above(std::vector<double> logs) {
  const double highest = *std::ranges::max_element(logs);
  return std::max(portable_log(2), highest - middle_of(logs));
}

// Without what is known ahead and a season of the year. `told`: what is said of the methods.
Continued continued(const std::vector<double>& logs, std::size_t season,
                    const OutlookOptions& options, Outlook* told) {
  const BackTestOptions tested{tested_horizon(logs.size(), season, options.horizon), season};
  const BackTest test = back_test(logs, tested);
  const ForecastMethod method = options.method.value_or(test.chosen);
  const MethodScore& score = *test.score(method);
  const auto ahead = [&](std::size_t trusted) {
    return forecast_by(method, logs, tested, test.weights, options.horizon, trusted);
  };
  Expected expected{ahead(tested.horizon), std::vector<double>(options.horizon)};
  if (tested.horizon < options.horizon) expected.more = ahead(options.horizon);
  for (std::size_t h = tested.horizon; h < options.horizon; ++h) {
    expected.more[h] -= expected.logs[h];
  }
  std::fill_n(expected.more.begin(), tested.horizon, 0.0);
  ErrorBands bands(score.errors, test.spread, test.origins, logs.size(), options.horizon);
  if (told != nullptr) {
    told->method = method;
    told->simple_is_as_good = test.simple_is_as_good;
    told->mase = score.mase;
    told->coverage = past_coverage(score.errors, test.spread, test.origins);
  }
  return {std::move(expected), std::move(bands), local_spread(logs, season), tested.horizon,
          furthest_above(logs)};
}

// By the level that each of them led to, of which the last is that of `logs`. Infinite is a shift
// before which, but for a few days on the way, nothing came.
void tell_times(std::span<const double> y, const LogScale& scale, std::vector<double> logs,
                Events* events) {
  double level = middle_of(logs);
  for (Event& odd : events->odd) {
    const auto came = y.subspan(odd.at, odd.steps);
    const bool is_nothing = std::ranges::all_of(came, [](double value) { return value <= 0; });
    odd.times = is_nothing ? 0 : scale.times(level + odd.log_size, level);
  }
  for (auto shift = events->shifts.rbegin(); shift != events->shifts.rend(); ++shift) {
    const auto before = y.first(shift->at - std::min(shift->at, kUsual * events->day));
    const bool is_first =
        !before.empty() && std::ranges::all_of(before, [&](double v) { return scale.is_pause(v); });
    shift->times = is_first ? std::numeric_limits<double>::infinity()
                            : scale.times(level, level - shift->log_size);
    level -= shift->log_size;
  }
}

Result<void> check(std::span<const double> y, const OutlookOptions& options) {
  if (y.size() < kFewestValues) {
    return fail(ErrorKind::usage,
                "a forecast needs at least " + std::to_string(kFewestValues) +
                    " values of history, got " + std::to_string(y.size()),
                "give more rows, or say in the routes what will be");
  }
  if (options.horizon < 1 || options.horizon > kLongestHorizon) {
    return fail(ErrorKind::usage, "the horizon of a forecast must be 1 to 100,000 steps, got " +
                                      std::to_string(options.horizon));
  }
  const auto wrong =
      std::find_if(y.begin(), y.end(), [](double v) { return !(v >= 0 && v <= kLargestSquared); });
  if (wrong == y.end()) return {};
  return fail(ErrorKind::usage, "value " + std::to_string(wrong - y.begin() + 1) +
                                    " of the history is no number from 0 to 1e100");
}

// What the values from one on tell alone. None where they are too few.
std::optional<Outlook> look_ahead_from(std::size_t first, std::span<const double> y,
                                       OutlookOptions options, std::size_t enough) {
  if (y.size() - first < enough) return std::nullopt;
  options.known = options.known.since(first);
  Result<Outlook> since = look_ahead(y.subspan(first), options);
  if (!since) return std::nullopt;
  for (Event& shift : since->events.shifts) shift.at += first;
  for (Event& odd : since->events.odd) odd.at += first;
  for (Bend& bend : since->events.bends) bend.at += first, bend.since.line_from += first;
  return std::move(*since);
}

// How demand moves, nothing tells that lies before it began.
std::optional<Outlook> look_ahead_since(const Event& beginning, std::span<const double> y,
                                        const OutlookOptions& options, std::size_t enough) {
  auto since = look_ahead_from(beginning.at + beginning.steps - 1, y, options, enough);
  if (since) since->events.shifts.insert(since->events.shifts.begin(), beginning);
  return since;
}

// Growth since a bend that may be a straight line of the values goes on as no line of the
// logarithms does, and what came before it has no part in it: what came since tells how likely
// either is.
std::optional<Outlook> look_ahead_along_line(const Past& past, std::span<const double> y,
                                             const OutlookOptions& options, std::size_t enough) {
  constexpr double kHardlyCompound = 0.05;
  constexpr double kClearlyCompound = 0.9;
  constexpr std::size_t kFewestOnLine = 21;
  constexpr double kMatters = 0.2;  // of the logarithm: of less, both lines are one
  if (!past.yearly.empty() || !past.once.empty()) return std::nullopt;  // needs years before
  const auto& bends = past.events.bends;
  const auto last = std::ranges::find(bends.rbegin(), bends.rend(), 1.0, &Bend::chance);
  if (last == bends.rend() || last->since.compound > kClearlyCompound) return std::nullopt;
  if (last->after * static_cast<double>(y.size() - last->at) < kMatters) return std::nullopt;
  auto ahead = look_ahead_from(last->since.line_from, y, options, std::max(enough, kFewestOnLine));
  if (!ahead) return std::nullopt;
  Bend bend = *last;
  bend.to_line = bend.since.compound < kHardlyCompound;
  ahead->events.bends.insert(ahead->events.bends.begin(), bend);
  return ahead;
}

// Where a history of so many values begins.
double first_s_of(std::size_t values, const OutlookOptions& options) {
  return options.start_s - options.step_s * static_cast<double>(values);
}

// "Saturday and Sunday": from so many days after a Saturday on.
std::string names_of_two_days(std::size_t after_saturday) {
  constexpr std::string_view kNames[]{"Saturday",  "Sunday",   "Monday", "Tuesday",
                                      "Wednesday", "Thursday", "Friday"};
  return fmt::format("{} and {}", kNames[after_saturday % kDaysOfWeek],
                     kNames[(after_saturday + 1) % kDaysOfWeek]);
}

// What fewer than three weeks tell of the days of a week.
void note_weeks(const std::vector<double>& logs, bool pauses_often, const OutlookOptions& asked,
                KnownDemand* known, Outlook* outlook) {
  // No factor makes anything of nothing: those of silent days and nights are drawn as they came.
  if (pauses_often) return;
  std::optional<std::size_t> saturday;
  if (asked.zone_s) saturday = first_saturday(first_s_of(logs.size(), asked), *asked.zone_s);
  if (const auto off = known->add_short_week(logs, asked.horizon, asked.step_s, saturday)) {
    outlook->notes.push_back(
        fmt::format("{} of each week have {} times the demand of the others; the forecast "
                    "continues that, which three weeks of history would confirm",
                    saturday ? names_of_two_days(off->first + kDaysOfWeek - *saturday) : "two days",
                    three_digits(portable_exp(off->log_size))));
  } else if (lacks_a_week(logs.size(), asked.step_s)) {
    outlook->notes.emplace_back(
        "no day of the week came twice: the history cannot tell how weekdays and weekends differ");
  }
}

Result<Outlook> look_ahead_stopped(std::span<const double> y, const Stop& stop,
                                   const OutlookOptions& asked) {
  std::optional<Outlook> before;
  if (!stop.is_sure() && stop.at >= kFewestValues) {
    OutlookOptions options = asked;
    const std::size_t silent = y.size() - stop.at;
    options.horizon = std::min(asked.horizon + silent, kLongestHorizon);
    options.start_s -= asked.step_s * static_cast<double>(silent);
    options.known = asked.known.until(stop.at, options.horizon);
    TRY_SET(before, look_ahead(y.first(stop.at), options));
  }
  Outlook outlook = stopped(stop, y.size(), asked, std::move(before));
  outlook.enough_values = enough_values(asked.horizon, asked.step_s);
  return outlook;
}

}  // namespace

Result<Outlook> look_ahead(std::span<const double> y, const OutlookOptions& asked) {
  TRY_TO(check(y, asked));
  OutlookOptions options = asked;
  Outlook outlook;
  outlook.start_s = options.start_s;
  outlook.step_s = options.step_s;
  outlook.enough_values = enough_values(options.horizon, options.step_s);
  const LogScale scale(y);
  if (const auto stop = stop_of(y, scale, asked)) return look_ahead_stopped(y, *stop, asked);
  if (const auto weekend = silent_weekend(y, asked))
    options.known.left_out.emplace_back(*weekend, y.size());  // no fall of demand
  const std::vector<double> all = scale.logs_of(y);
  note_weeks(all, scale.pauses_often(), asked, &options.known, &outlook);
  const Past past = past_of(all, options.horizon, options.step_s, first_s_of(y.size(), options),
                            options.known, !scale.comes_and_goes());
  outlook.season = past.season;
  outlook.events = past.events;
  tell_times(y, scale, past.logs, &outlook.events);
  const Event* beginning =
      find_where(outlook.events.shifts, [](const Event& shift) { return std::isinf(shift.times); });
  if (beginning != nullptr) {
    if (auto since = look_ahead_since(*beginning, y, asked, outlook.enough_values)) return *since;
  }
  if (const std::size_t silent = silent_beginning(y, asked.step_s); silent > 0) {
    const Event began{.at = silent, .times = std::numeric_limits<double>::infinity()};
    if (auto since = look_ahead_since(began, y, asked, kFewestValues)) return *since;
  }
  if (auto along = look_ahead_along_line(past, y, asked, outlook.enough_values)) return *along;
  for (std::size_t t = y.size() - past.usual.size(); t < y.size(); ++t) {
    const double log = past.usual[t + past.usual.size() - y.size()];
    outlook.usual.push_back(log == all[t] ? y[t] : scale.value_of(log));
  }
  if (options.method == ForecastMethod::seasonal_naive && outlook.season == 1) {
    return fail(ErrorKind::usage, "seasonal_naive needs a pattern that repeats every day or week",
                "the history shows none; leave the method open");
  }
  if (y.size() < outlook.enough_values) {
    guess(past, options, y.size(), &outlook);
    add_week(asked.known, options.known, &outlook.usual);
    return outlook;
  }
  const auto way_of = [&](const std::vector<double>& logs, const Events& events, Outlook* told) {
    Continued ahead = continued(logs, past.season, options, told);
    for (std::size_t h = 0; h < past.yearly.size(); ++h) ahead.expected.logs[h] += past.yearly[h];
    ahead.expected.multiply(options.known);
    const GrowthDoubt growth =
        doubt_of_growth(logs, past.season, events.bends, y.size(), ahead.tested, options.horizon);
    return Way{std::move(ahead), EventPaths(events, logs.size(), growth, past.once)};
  };
  std::vector<Way> ways{way_of(past.logs, past.events, &outlook)};
  if (!past.otherwise.empty())
    ways.push_back(way_of(past.otherwise, past.events_otherwise, nullptr));
  draw_paths(ways, past.chance(), scale, options, &outlook);
  note_what_was_found(outlook, past, options.step_s);
  add_week(asked.known, options.known, &outlook.usual);
  return outlook;
}

OutlookOptions with_times_of(const History& history, OutlookOptions options) {
  options.step_s = history.step_s;
  options.start_s = history.end_s();
  if (history.dated) options.zone_s = history.zone_s;
  return options;
}

Result<Outlook> look_ahead(const History& history, const HistorySeries& series,
                           OutlookOptions options) {
  options = with_times_of(history, std::move(options));
  Result<Outlook> outlook = look_ahead(series.values, options);
  if (outlook) {
    note_events(history, &*outlook);
    outlook->notes.insert(outlook->notes.begin(), history.notes.begin(), history.notes.end());
  }
  return outlook;
}

}  // namespace plimsoll
