// The outlook of a series: what it is expected to do, how far off that may be, and how it may get
// there. What happened once is left out first (forecast/outlook/past.h); the rest is continued by
// the combination of methods that the back-test of this very series tells
// (forecast/outlook/backtest.h), and bands and paths are made of the errors it made there
// (forecast/outlook/error_law.h), so they hold as far as the future differs from the past as
// parts of the past differ from each other.
//
// Sample paths are errors added to the forecast that hang together from step to step as past errors
// did. Peaks and first passages need them: whether a series crosses a line during the next week is
// no matter of any single day's band. Outlooks with the same seed draw the same shocks, so path k
// of one resource and path k of another may be read together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "forecast/history/history.h"
#include "forecast/outlook/methods.h"
#include "forecast/outlook/past.h"
#include "stats/batch_means.h"

namespace plimsoll {

/// The probabilities of the quantile bands, in per cent.
inline constexpr std::array<int, 7> kBandPercents = {5, 10, 25, 50, 75, 90, 95};
inline constexpr std::size_t kMedianBand = 3;
inline constexpr std::size_t kNinety = 5;
/// The risk that everything that is ordered, its date and its amount allow for: they are enough for
/// the highest demand nine times in ten.
inline constexpr double kAcceptedRisk = 0.1;
static_assert(kBandPercents[kNinety] == 90 && kAcceptedRisk == 0.1);
using BandQuantiles = std::array<double, kBandPercents.size()>;

/// The quantiles of at least one value.
BandQuantiles quantiles_of(std::vector<double> values);

struct OutlookOptions {
  std::size_t horizon = 1;  ///< steps
  double step_s = 1;
  double start_s = 0;                    ///< of the first step ahead
  std::optional<double> zone_s;          ///< as History has it; none: nobody knows the weekdays
  std::optional<ForecastMethod> method;  ///< none: as the back-test tells
  std::uint64_t seed = 42;
  std::size_t paths = 1000;
  KnownDemand known;
};

struct Outlook {
  double start_s = 0;  ///< where the first step ahead begins: the present
  double step_s = 1;
  std::size_t season = 1;  ///< steps; 1 = no pattern found
  /// The history up to its end, but for a first year that others are compared with: as it would
  /// have been on the present level, without odd stretches and with all that is known of today.
  std::vector<double> usual;
  std::vector<double> point;               ///< by step ahead, as the method has it
  std::vector<BandQuantiles> bands;        ///< by step ahead
  std::vector<std::vector<double>> paths;  ///< by step ahead

  ForecastMethod method = ForecastMethod::naive;
  std::optional<double> mase;      ///< of the method; none if too_short
  std::optional<double> coverage;  ///< of its 90 % band in the back-test; none: too few
  bool simple_is_as_good = false;
  /// Fewer than enough_values: values that came, drawn again, and no dates.
  bool too_short = false;
  std::size_t enough_values = 0;   ///< of history, for this horizon
  Events events;                   ///< that were found in the history
  std::vector<std::string> notes;  ///< a sentence each

  std::size_t horizon() const { return point.size(); }
  /// Nothing comes any more (forecast/outlook/stopped.h).
  bool has_stopped() const { return !events.shifts.empty() && events.shifts.back().times <= 0; }
  double time_of(std::size_t step) const { return start_s + step_s * static_cast<double>(step); }
  /// The quantiles of the highest value of each path within steps [from, to): a value of a path, so
  /// that the median is above a line if and only if more than half of the paths cross it.
  BandQuantiles peak(std::size_t from, std::size_t to) const;
  BandQuantiles peak() const { return peak(0, horizon()); }
};

/// Fails (usage) for fewer than four values, a horizon of 0 or more than 100,000 steps, or a method
/// that needs a season where none was found, or a value that is no number up to 1e100.
Result<Outlook> look_ahead(std::span<const double> y, const OutlookOptions& options);

/// For what follows a history.
OutlookOptions with_times_of(const History& history, OutlookOptions options);

/// The same with the times of a history.
Result<Outlook> look_ahead(const History& history, const HistorySeries& series,
                           OutlookOptions options);

// When demand reaches what there is. All answers are shares of the sample paths of an outlook, each
// of which meets a line of its own where the line is known by an interval only; where the history
// is too short for paths there is no date, and none is made up.
//
// The caller chooses the series so that reaching the line matters: for daily planning the busiest
// step of each day (peaks_of in forecast/history/history.h), not its mean.

struct Runway {
  bool known = false;  ///< false: the history is too short, and all else is empty
  double start_s = 0;  ///< the present, as in the outlook
  double step_s = 1;
  /// The chance to have been above the line by the end of each step; never falls.
  std::vector<double> chance;

  /// The probability of crossing within the horizon; 0 if not known.
  double probability() const { return chance.empty() ? 0 : chance.back(); }
  /// The beginning of the step by which the line has been crossed with probability p in (0, 1];
  /// none when that lies beyond the horizon. p10 is the early date, p90 the late one.
  std::optional<double> time_at(double p) const;
  /// The chance to have crossed before a time; 0 before the present. After the horizon: at its end.
  double chance_before(double time_s) const;
};

/// At the end of a step, what moves evenly from `now` to `then` within so many steps.
double on_the_way(double now, double then, std::size_t step, std::size_t steps);

/// The outlook times a factor that moves from `now` to `then` within it.
Outlook in_proportion(Outlook outlook, double now, double then);

/// Adds what comes beside the sum, as many paths and steps of it. Paths of the same number belong
/// together: errors are taken to come at once, as those of one product do, so that the band is
/// rather too wide.
void add_path_by_path(const Outlook& more, Outlook* sum);

/// The line as each of so many paths meets it.
std::vector<double> lines_met(double line, const std::optional<Interval>& known_within,
                              std::size_t paths);

/// First passage above the line. `known_within`: its 90 % band; between paths the line then differs
/// as a log-normal variable with this median and such a band does, evenly drawn. The chance to
/// cross is so above one half about where the median peak is above the line, and exactly there
/// without a band. The line moves to there from `now_of_line` times as much, because it is that of
/// a mix which changes.
Runway crossing(const Outlook& outlook, double line,
                const std::optional<Interval>& known_within = std::nullopt, double now_of_line = 1);

/// When to order so that what was ordered carries load before the line is crossed, but for a chance
/// of at most `risk`, seen from a moment that is the present of the outlook or a later one.
struct Order {
  /// The latest moment; before the one it is seen from if it has passed. None: within the horizon
  /// the chance stays within the risk, or nothing is known.
  std::optional<double> by_s;
  bool late = false;         ///< that moment has passed
  double chance_if_now = 0;  ///< of being short before an order of now carries load
};

/// `lead_time_s` from the order to the delivery, `cold_start_s` from there to carrying load; both
/// >= 0. `risk` in [0, 1).
Order order_by(const Runway& runway, double now_s, double lead_time_s, double cold_start_s,
               double risk);

// Notes on series: on the events of a history, and on several of them told together, where one on
// all of them stands once, and one on some of them says on which.

struct NotesOn {
  std::string subject;
  std::vector<std::string> notes;
};

/// In the order in which they come first. One that begins with its subject says enough.
std::vector<std::string> told_apart(const std::vector<NotesOn>& all);

/// Adds notes on the seasons of a past, and on the method where none is better than a simple one.
void note_what_was_found(Outlook& outlook, const Past& past, double step_s);

/// Adds a note for each event of the history that the outlook continues, with its date.
void note_events(const History& history, Outlook* outlook);

}  // namespace plimsoll
