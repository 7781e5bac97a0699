#include "forecast/outlook/outlook.h"

#include <algorithm>

#include "base/text.h"
#include "forecast/outlook/error_bands.h"
#include "forecast/outlook/methods.h"
#include "random/distributions.h"
#include "random/portable_math.h"
#include "random/stream.h"

namespace plimsoll {
namespace {

constexpr std::size_t kFewestValues = 4;
constexpr std::size_t kLongestHorizon = 100'000;
constexpr std::size_t kFewestOrigins = 10;
constexpr double kLargestSquared = 1e100;  // its square is a number too

std::size_t origins_of(std::size_t values, std::size_t season, std::size_t horizon) {
  const std::size_t first = first_origin(values, {horizon, season});
  return values >= first + horizon ? values - first - horizon + 1 : 0;
}

// The fewest values with enough origins when there is no season.
std::size_t enough_values(std::size_t horizon) {
  std::size_t values = horizon + kFewestValues;
  while (origins_of(values, 1, horizon) < kFewestOrigins) ++values;
  return values;
}

std::string name_of_season(std::size_t season, double step_s) {
  const double days = static_cast<double>(season) * step_s / 86'400;
  return days > 1.5 ? "week" : "day";
}

// The season that the series has and that there is history enough to test.
std::size_t usable_season(std::span<const double> y, const OutlookOptions& options,
                          std::vector<std::string>& notes) {
  std::vector<std::size_t> candidates = season_candidates(options.step_s);
  for (;;) {
    const std::size_t found = find_season(y, candidates);
    if (found == 1 || origins_of(y.size(), found, options.horizon) >= kFewestOrigins) return found;
    notes.push_back("the history repeats itself every " + name_of_season(found, options.step_s) +
                    " but is too short to test a forecast with that pattern over this horizon");
    while (!candidates.empty() && candidates.back() >= found) candidates.pop_back();
  }
}

double clipped(const Outlook& outlook, double value) {
  return outlook.not_negative ? std::max(0.0, value) : value;
}

// Fewer paths where they are long.
std::size_t paths_of(std::size_t horizon, const OutlookOptions& options) {
  constexpr std::size_t kMostValues = 10'000'000;
  return std::min(options.paths, std::max<std::size_t>(100, kMostValues / horizon));
}

void draw(Outlook& outlook, const ErrorBands& bands, double spread, const OutlookOptions& options) {
  outlook.bands.resize(outlook.horizon());
  for (std::size_t h = 0; h < outlook.horizon(); ++h) {
    for (std::size_t i = 0; i < kBandPercents.size(); ++i) {
      const double error = spread * bands.quantile(h, kBandPercents[i] / 100.0);
      outlook.bands[h][i] = clipped(outlook, outlook.point[h] + error);
    }
  }
  for (std::size_t k = 0; k < paths_of(outlook.horizon(), options); ++k) {
    RandomStream stream(options.seed, Purpose::forecast_path, k);
    std::vector<double> path = bands.path(stream);
    for (std::size_t h = 0; h < path.size(); ++h) {
      path[h] = clipped(outlook, outlook.point[h] + spread * path[h]);
    }
    outlook.paths.push_back(std::move(path));
  }
}

// The band of a random walk with the steps seen so far: Hyndman and Athanasopoulos, Forecasting:
// Principles and Practice, 5.5, with Student's t for the few steps. Growth may go on, but nothing
// tested that: it widens the band and moves no median.
void guess(Outlook& outlook, std::span<const double> y, const OutlookOptions& options) {
  const std::size_t horizon = options.horizon;
  outlook.too_short = true;
  outlook.point = naive_forecast(y, horizon);
  const auto changes = static_cast<double>(y.size() - 1);
  double squares = 0;
  for (std::size_t t = 1; t < y.size(); ++t) squares += (y[t] - y[t - 1]) * (y[t] - y[t - 1]);
  const double per_step = std::sqrt(squares / changes);
  const double drift = (y.back() - y.front()) / changes;
  draw(outlook, ErrorBands::random_walk(per_step, drift, y.size() - 1, horizon), 1, options);
  outlook.notes.push_back("the history has " + counted(std::ssize(y), "value") + "; a horizon of " +
                          counted(static_cast<std::int64_t>(horizon), "step") + " needs " +
                          std::to_string(outlook.enough_values) +
                          " to test any method: wide bands, and no dates");
}

void note_what_was_found(Outlook& outlook, const BackTest& test, double step_s) {
  if (outlook.season > 1) {
    outlook.notes.push_back("the history repeats itself every " +
                            name_of_season(outlook.season, step_s));
  }
  if (!test.simple_is_as_good || !is_simple(outlook.method)) return;
  outlook.notes.push_back(outlook.method == ForecastMethod::naive
                              ? "no method does clearly better than to repeat the last value"
                              : "no method does clearly better than to repeat the last " +
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
      std::find_if(y.begin(), y.end(), [](double v) { return !(std::fabs(v) <= kLargestSquared); });
  if (wrong == y.end()) return {};
  return fail(ErrorKind::usage, "value " + std::to_string(wrong - y.begin() + 1) +
                                    " of the history is no number up to 1e100");
}

// By path: one quantile of the line for each. Paths do not hang together, so that it does not
// matter which of them meets which.
std::vector<double> lines_met(double line, const std::optional<Interval>& band, std::size_t paths) {
  std::vector<double> lines(paths, line);
  if (!band || !(band->low > 0) || !(band->high > band->low)) return lines;
  constexpr double kNormal95 = 1.6448536269514722;
  const double deviation = portable_log(band->high / band->low) / (2 * kNormal95);
  for (std::size_t k = 0; k < paths; ++k) {
    const double p = (static_cast<double>(k) + 0.5) / static_cast<double>(paths);
    lines[k] *= portable_exp(deviation * normal_quantile(p));
  }
  return lines;
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
  outlook.not_negative = *std::min_element(y.begin(), y.end()) >= 0;
  outlook.enough_values = enough_values(options.horizon);
  outlook.season = usable_season(y, options, outlook.notes);
  const BackTestOptions tested{options.horizon, outlook.season};
  if (options.method == ForecastMethod::seasonal_naive && outlook.season == 1) {
    return fail(ErrorKind::usage, "seasonal_naive needs a pattern that repeats every day or week",
                "the history shows none; leave the method open");
  }
  if (origins_of(y.size(), outlook.season, options.horizon) < kFewestOrigins) {
    guess(outlook, y, options);
    return outlook;
  }
  BackTest test = back_test(y, tested);
  outlook.method = options.method.value_or(test.chosen);
  outlook.simple_is_as_good = test.simple_is_as_good;
  const MethodScore& score = *test.score(outlook.method);
  outlook.mase = score.mase;
  outlook.naive_mase = best_naive(test);
  outlook.coverage = past_coverage(score.errors, test.spread, test.origins);
  outlook.point = forecast_by(outlook.method, y, tested, test.weights);
  for (double& value : outlook.point) value = clipped(outlook, value);
  const ErrorBands bands(score.errors, test.spread, test.origins, y.size());
  draw(outlook, bands, local_spread(y, outlook.season), options);
  note_what_was_found(outlook, test, options.step_s);
  outlook.test = std::move(test);
  return outlook;
}

Result<Outlook> look_ahead(const History& history, const HistorySeries& series,
                           OutlookOptions options) {
  options.step_s = history.step_s;
  options.start_s = history.end_s();
  Result<Outlook> outlook = look_ahead(series.values, options);
  if (outlook) {
    outlook->notes.insert(outlook->notes.begin(), history.notes.begin(), history.notes.end());
  }
  return outlook;
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

Runway crossing(const Outlook& outlook, double line, const std::optional<Interval>& known_within) {
  Runway runway;
  runway.start_s = outlook.start_s;
  runway.step_s = outlook.step_s;
  runway.known = !outlook.too_short;
  if (!runway.known) return runway;
  std::vector<std::size_t> first(outlook.horizon());  // paths, by the step that crosses
  const std::vector<double> lines = lines_met(line, known_within, outlook.paths.size());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::vector<double>& path = outlook.paths[k];
    const auto over = std::ranges::find_if(path, [&](double value) { return value > lines[k]; });
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
