#include "forecast/outlook/few_values.h"

#include <algorithm>

#include "forecast/history/history.h"
#include "forecast/outlook/season.h"
#include "random/portable_math.h"

namespace plimsoll {

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
