#include "forecast/history/gaps.h"

#include <cmath>
#include <limits>

namespace plimsoll {
namespace {

constexpr std::int64_t kWeekNs = 604'800'000'000'000;

}  // namespace

double as_weeks_were(const std::vector<double>& came, std::int64_t step_ns, std::size_t i) {
  const auto week = static_cast<std::size_t>(kWeekNs / step_ns);
  const bool is_whole = week > 0 && kWeekNs % step_ns == 0;
  if (!is_whole || i < week || i + week >= came.size())
    return std::numeric_limits<double>::quiet_NaN();
  return (came[i - week] + came[i + week]) / 2;
}

void FilledGaps::add(const FilledGaps& more) {
  values += more.values;
  as_weeks += more.as_weeks;
}

std::string FilledGaps::how() const {
  const std::string lines = "on straight lines between neighbours";
  if (as_weeks == 0) return lines;
  return std::string("with the mean of the same time a week before and after") +
         (as_weeks < values ? ", else " + lines : "");
}

FilledGaps fill_gaps(std::int64_t step_ns, std::vector<double>* values) {
  FilledGaps filled;
  const std::vector<double> came = *values;
  std::size_t known = 0;  // the last one before here
  for (std::size_t i = 0; i < came.size(); ++i) {
    if (std::isnan(came[i])) continue;
    const bool is_long = static_cast<std::int64_t>(i - known - 1) * step_ns > kShortGapNs;
    for (std::size_t gap = known + 1; i > 0 && gap < i; ++gap) {
      const double share = static_cast<double>(gap - known) / static_cast<double>(i - known);
      const double line = came[known] + share * (came[i] - came[known]);
      const double weeks = is_long ? as_weeks_were(came, step_ns, gap) : std::nan("");
      (*values)[gap] = std::isnan(weeks) ? line : weeks;
      filled.values += 1;
      filled.as_weeks += std::isnan(weeks) ? 0 : 1;
    }
    known = i;
  }
  return filled;
}

}  // namespace plimsoll
