#include "forecast/outlook/outlook.h"

#include <algorithm>

#include "base/calendar.h"
#include "base/text.h"
#include "forecast/outlook/error_bands.h"
#include "forecast/outlook/event_paths.h"
#include "forecast/outlook/log_scale.h"
#include "forecast/outlook/methods.h"
#include "forecast/outlook/past.h"
#include "random/distributions.h"
#include "random/portable_math.h"
#include "random/stream.h"

namespace plimsoll {
namespace {

constexpr std::size_t kFewestValues = 4;
constexpr std::size_t kLongestHorizon = 100'000;
constexpr double kLargestSquared = 1e100;  // its square is a number too

constexpr std::size_t kFewestTested = 14;  // values
constexpr std::size_t kFurthest = 4;       // times the history

std::size_t enough_values(std::size_t horizon) {
  return std::max(kFewestTested, (horizon + kFurthest - 1) / kFurthest);
}

// No further than half of what the first origin leaves, so that there is more than one origin.
std::size_t tested_horizon(std::size_t values, std::size_t season, std::size_t horizon) {
  const std::size_t first = first_origin(values, {1, season});
  return std::clamp<std::size_t>((values - first) / 2, 1, horizon);
}

std::string name_of_season(std::size_t season, double step_s) {
  const double days = static_cast<double>(season) * step_s / 86'400;
  return days > 1.5 ? "week" : "day";
}

// Fewer paths where they are long.
std::size_t paths_of(std::size_t horizon, const OutlookOptions& options) {
  constexpr std::size_t kMostValues = 10'000'000;
  return std::min(options.paths, std::max<std::size_t>(100, kMostValues / horizon));
}

// What is expected: growth that fades where it was not tested, and how much more it is if it goes
// on. Any share of that is as likely.
struct Expected {
  std::vector<double> logs;
  std::vector<double> more;

  double at(std::size_t step, double share) const { return logs[step] + share * more[step]; }
  // By what is known of the steps ahead, the last ones of it.
  void multiply(const KnownDemand& known) {
    if (known.log_factor.empty()) return;
    const auto ahead = std::span(known.log_factor).last(logs.size());
    for (std::size_t h = 0; h < logs.size(); ++h) logs[h] += ahead[h];
  }
};

void draw(Outlook& outlook, const Expected& expected, const ErrorBands& bands, double spread,
          const LogScale& scale, const EventPaths& events, const OutlookOptions& options) {
  const std::vector<double>& logs = expected.logs;
  for (std::size_t h = 0; h < logs.size(); ++h) {
    outlook.point.push_back(scale.value_of(expected.at(h, 0.5)));
    BandQuantiles& band = outlook.bands.emplace_back();
    for (std::size_t i = 0; i < kBandPercents.size(); ++i) {
      const double p = kBandPercents[i] / 100.0;
      const double share = expected.more[h] > 0 ? p : 1 - p;
      band[i] = scale.value_of(expected.at(h, share) + spread * bands.quantile(h, p));
    }
  }
  for (std::size_t k = 0; k < paths_of(logs.size(), options); ++k) {
    RandomStream stream(options.seed, Purpose::forecast_path, k);
    std::vector<double> path = bands.path(stream);
    const double share = stream.uniform();
    for (std::size_t h = 0; h < path.size(); ++h) {
      path[h] = expected.at(h, share) + spread * path[h];
    }
    events.add_to(&path, options.seed, k);
    for (double& log : path) log = scale.value_of(log);
    outlook.paths.push_back(std::move(path));
  }
  if (!events.may_end()) return;
  for (std::size_t h = 0; h < logs.size(); ++h) outlook.bands[h] = outlook.peak(h, h + 1);
}

// The band of a random walk with the steps seen so far: Hyndman and Athanasopoulos, Forecasting:
// Principles and Practice, 5.5, with Student's t for the few steps. Growth may go on, but nothing
// tested that: it widens the band and moves no median.
void guess(Outlook& outlook, const Past& past, const LogScale& scale,
           const OutlookOptions& options) {
  const std::vector<double>& y = past.logs;
  outlook.too_short = true;
  const auto changes = static_cast<double>(y.size() - 1);
  double squares = 0;
  for (std::size_t t = 1; t < y.size(); ++t) squares += (y[t] - y[t - 1]) * (y[t] - y[t - 1]);
  const double per_step = std::sqrt(squares / changes);
  const double drift = (y.back() - y.front()) / changes;
  Expected expected{naive_forecast(y, options.horizon), std::vector<double>(options.horizon)};
  expected.multiply(options.known);
  draw(outlook, expected, ErrorBands::random_walk(per_step, drift, y.size() - 1, options.horizon),
       1, scale, EventPaths(past.events, y.size()), options);
  outlook.notes.push_back("the history has " + counted(std::ssize(y), "value") + "; a horizon of " +
                          counted(static_cast<std::int64_t>(options.horizon), "step") + " needs " +
                          std::to_string(outlook.enough_values) +
                          " to test any method: wide bands, and no dates");
}

void note_what_was_found(Outlook& outlook, const Past& past, double step_s) {
  if (!past.yearly.empty()) {
    outlook.notes.emplace_back(
        "the history repeats itself every year: days are continued relative to "
        "the same time of the year before");
  }
  if (outlook.season > 1) {
    outlook.notes.push_back("the history repeats itself every " +
                            name_of_season(outlook.season, step_s));
  }
  if (!outlook.simple_is_as_good || !is_simple(outlook.method)) return;
  outlook.notes.push_back(outlook.method == ForecastMethod::naive
                              ? "no method clearly beats repeating the last value"
                              : "no method clearly beats repeating the last " +
                                    name_of_season(outlook.season, step_s));
}

double best_naive(const BackTest& test) {
  double least = test.scores.front().mase;
  for (const MethodScore& score : test.scores) {
    if (is_simple(score.method)) least = std::min(least, score.mase);
  }
  return least;
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

}  // namespace

BandQuantiles Outlook::peak(std::size_t from, std::size_t to) const {
  std::vector<double> highest;
  for (const std::vector<double>& path : paths) {
    highest.push_back(*std::max_element(path.begin() + static_cast<std::ptrdiff_t>(from),
                                        path.begin() + static_cast<std::ptrdiff_t>(to)));
  }
  std::sort(highest.begin(), highest.end());
  BandQuantiles quantiles{};
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    const auto percent = static_cast<std::size_t>(kBandPercents[i]);
    quantiles[i] = highest[(percent * highest.size() + 99) / 100 - 1];
  }
  return quantiles;
}

Result<Outlook> look_ahead(std::span<const double> y, const OutlookOptions& options) {
  TRY_TO(check(y, options));
  Outlook outlook;
  outlook.start_s = options.start_s;
  outlook.step_s = options.step_s;
  outlook.enough_values = enough_values(options.horizon);
  const LogScale scale(y);
  const std::vector<double> all = scale.logs_of(y);
  const Past past = past_of(all, options.horizon, options.step_s, options.known);
  outlook.season = past.season;
  outlook.events = past.events;
  for (std::size_t t = y.size() - past.usual.size(); t < y.size(); ++t) {
    const double log = past.usual[t + past.usual.size() - y.size()];
    outlook.usual.push_back(log == all[t] ? y[t] : scale.value_of(log));
  }
  if (options.method == ForecastMethod::seasonal_naive && outlook.season == 1) {
    return fail(ErrorKind::usage, "seasonal_naive needs a pattern that repeats every day or week",
                "the history shows none; leave the method open");
  }
  if (y.size() < outlook.enough_values) {
    guess(outlook, past, scale, options);
    return outlook;
  }
  const std::vector<double>& logs = past.logs;
  const BackTestOptions tested{tested_horizon(logs.size(), past.season, options.horizon),
                               past.season};
  BackTest test = back_test(logs, tested);
  outlook.method = options.method.value_or(test.chosen);
  outlook.simple_is_as_good = test.simple_is_as_good;
  const MethodScore& score = *test.score(outlook.method);
  outlook.mase = score.mase;
  outlook.naive_mase = best_naive(test);
  outlook.coverage = past_coverage(score.errors, test.spread, test.origins);
  const auto ahead = [&](std::size_t trusted) {
    return forecast_by(outlook.method, logs, tested, test.weights, options.horizon, trusted);
  };
  Expected expected{ahead(tested.horizon), std::vector<double>(options.horizon)};
  if (tested.horizon < options.horizon) expected.more = ahead(options.horizon);
  for (std::size_t h = tested.horizon; h < options.horizon; ++h) {
    expected.more[h] -= expected.logs[h];
  }
  std::fill_n(expected.more.begin(), tested.horizon, 0.0);
  for (std::size_t h = 0; h < past.yearly.size(); ++h) expected.logs[h] += past.yearly[h];
  expected.multiply(options.known);
  const ErrorBands bands(score.errors, test.spread, test.origins, logs.size(), options.horizon);
  draw(outlook, expected, bands, local_spread(logs, outlook.season), scale,
       EventPaths(past.events, logs.size()), options);
  note_what_was_found(outlook, past, options.step_s);
  outlook.test = std::move(test);
  return outlook;
}

namespace {

// Steps of the whole series have dates.
void note_events(const History& history, Outlook* outlook) {
  const auto when = [&](std::size_t step) {
    const double time_s = history.start_s + history.step_s * static_cast<double>(step);
    return history.dated ? iso_time(time_s + history.zone_s).substr(0, 10)
                         : "second " + shortest(time_s);
  };
  const auto lasting = [&](std::size_t steps) {
    return counted(static_cast<std::int64_t>(steps), history.step_s == kDayS ? "day" : "step");
  };
  const Events& events = outlook->events;
  for (const Event& shift : events.shifts) {
    const std::string times = three_digits(portable_exp(shift.log_size));
    if (events.undecided && &shift == &events.shifts.back()) {
      const std::size_t age = *events.undecided;
      outlook->notes.push_back(
          "since " + when(shift.at) + " demand is " + times + " times what it was: " +
          lasting(age) + " cannot tell a new level from an event. It stays with a chance of " +
          percent(chance_to_stay(age)) + ", or ends within " + lasting(kLongestStretch - age));
      continue;
    }
    outlook->notes.push_back("the level changed to " + times + " times the one before on " +
                             when(shift.at) + "; the forecast continues from the new level");
  }
  for (const Event& odd : events.odd) {
    const std::string times = three_digits(portable_exp(odd.log_size)) + " times the usual: ";
    if (odd.steps == 1) {
      outlook->notes.push_back("the value of " + when(odd.at) + " is " + times +
                               "left out of the trend" +
                               (odd.log_size > 0 ? ", but such a peak may come again" : ""));
    } else {
      outlook->notes.push_back("from " + when(odd.at) + " to " + when(odd.at + odd.steps - 1) +
                               " demand is " + times + "an event, left out of the trend");
    }
  }
}

}  // namespace

Result<Outlook> look_ahead(const History& history, const HistorySeries& series,
                           OutlookOptions options) {
  options.step_s = history.step_s;
  options.start_s = history.end_s();
  Result<Outlook> outlook = look_ahead(series.values, options);
  if (outlook) {
    note_events(history, &*outlook);
    outlook->notes.insert(outlook->notes.begin(), history.notes.begin(), history.notes.end());
  }
  return outlook;
}

}  // namespace plimsoll
