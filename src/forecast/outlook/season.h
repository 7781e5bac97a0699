// The pattern of a day or a week in a series: is there one (asked before a method may use it: one
// that is not there only adds noise), and how high is each of its phases? Called by the methods and
// by what looks for events.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace plimsoll {

/// The middle value (the mean of the two middle ones); at least one value. Reorders them.
double middle_of(std::span<double> values);

/// The middle value at each phase. Of up to a week of hours, phases that cannot be told apart share
/// one level, so that the highest of several equal days is not the one that luck chose. At least
/// one season of values.
std::vector<double> middles_of(std::span<const double> y, std::size_t season);

/// The middles of what lies off the mean of the season around each step, a level that follows any
/// trend; zeros without a season.
std::vector<double> pattern_of_season(std::span<const double> y, std::size_t season);

/// Steps that a day takes, one at least.
std::size_t steps_of_day(double step_s);

/// A day and a week in steps, as far as they are whole numbers of at least two.
std::vector<std::size_t> season_candidates(double step_s);

inline constexpr std::size_t kDaysOfWeek = 7;
/// That find_season() needs.
inline constexpr std::size_t kFewestSeasons = 3;

/// Of all whole days from the first step on, and of the last one where half of it came, each
/// without what its time of day usually adds: of logarithms, so that only differences tell.
std::vector<double> means_of_days(std::span<const double> y, std::size_t steps_per_day);

/// Which day of a series that begins at `start_s` is the first Saturday, by a clock so far East of
/// UTC; a day that begins within another one is the one that most of it lies in.
std::size_t first_saturday(double start_s, double zone_s);

/// The week of a series of logarithms that is too short for find_season(): how far the two days
/// in a row that differ most lie off all others, by day from the first one, 7 of them. Empty where
/// they do not clearly differ, or the series has no whole days, fewer than 6 or enough for a
/// season. Days that were seen once are an event unless they are a weekend by the calendar:
/// Saturday and Sunday, or Friday and Saturday if they are lower; an event of two days begins there
/// once in seven times. Without a calendar, unless they are lower and not at an end.
std::vector<double> short_week(std::span<const double> logs, double step_s,
                               std::optional<std::size_t> saturday = {});

/// y less the mean of each phase of a season.
std::vector<double> without_season(std::span<const double> y, std::size_t season);

/// The longest of some candidates, given in ascending order, that foretells more than a tenth of
/// what the shorter one leaves; 1 = none.
std::size_t find_season(std::span<const double> y, std::span<const std::size_t> candidates);

}  // namespace plimsoll
