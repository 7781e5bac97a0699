#include "forecast/runway/actuals.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/calendar.h"
#include "base/text.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

constexpr double kNearly = 1e-6;  // of a step

std::string moment(const History& history, double time_s) {
  return history.dated ? iso_time(time_s) : shortest(time_s) + " s";
}

}  // namespace

Result<DatedWindows> windows_of(const History& came, const std::string& path,
                                const DemandHistory& demand, std::size_t horizon) {
  const History& before = demand.history;
  if (came.dated != before.dated) {
    return fail(ErrorKind::spec,
                path + (came.dated ? " has dates, but the history counts seconds"
                                   : " counts seconds, but the history has dates"),
                "actuals begin where the history ends");
  }
  const double end_s = before.end_s();
  if (came.start_s < end_s - kNearly * before.step_s) {
    return fail(ErrorKind::spec,
                path + " begins at " + moment(came, came.start_s) +
                    ", before the history ends at " + moment(came, end_s),
                "give actuals from after the end of the history");
  }
  const double rows_each = std::round(before.step_s / came.step_s);
  if (rows_each < 1 || std::fabs(rows_each * came.step_s - before.step_s) > kNearly * came.step_s) {
    return fail(ErrorKind::spec,
                path + " has rows of " + shortest(came.step_s) +
                    " s, which do not fill the forecast's steps of " + shortest(before.step_s) +
                    " s",
                "give rows as those of the history");
  }
  const double first = std::ceil((came.start_s - end_s) / before.step_s - kNearly);
  const double skipped = (end_s + first * before.step_s - came.start_s) / came.step_s;
  if (std::fabs(skipped - std::round(skipped)) > kNearly * rows_each) {
    return fail(ErrorKind::spec,
                path + " begins at " + moment(came, came.start_s) +
                    ", in the middle of a row of the history",
                "give rows at the times of the history's");
  }
  const double whole =
      std::floor((static_cast<double>(came.size()) - skipped) / rows_each + kNearly);
  const double count = std::min(whole, static_cast<double>(horizon) - first);
  if (count < 1) {
    return fail(ErrorKind::spec,
                path + " fills no step of the forecast, which reaches from " + moment(came, end_s) +
                    " to " + moment(came, end_s + static_cast<double>(horizon) * before.step_s),
                "its steps are " + shortest(before.step_s) + " s long");
  }
  return DatedWindows{.first = static_cast<std::size_t>(first),
                      .count = static_cast<std::size_t>(count),
                      .rows_each = static_cast<std::size_t>(rows_each),
                      .rows_before = static_cast<std::size_t>(std::round(skipped))};
}

std::vector<double> in_windows(std::span<const double> rows, const DatedWindows& windows,
                               bool daily_peaks) {
  std::vector<double> values;
  for (std::size_t i = 0; i < windows.count; ++i) {
    const auto each = rows.subspan(windows.rows_before + i * windows.rows_each, windows.rows_each);
    values.push_back(daily_peaks ? Percentiles<double>({each.begin(), each.end()}).at(kPeakOfDay)
                                 : std::accumulate(each.begin(), each.end(), 0.0) /
                                       static_cast<double>(each.size()));
  }
  return values;
}

}  // namespace plimsoll
