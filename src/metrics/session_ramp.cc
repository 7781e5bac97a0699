#include "metrics/session_ramp.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "stats/percentile.h"

namespace plimsoll {

Duration filling_of(const RequestTable& table) {
  constexpr double kNearlyAll = 90;
  if (table.session.values().empty()) return {};
  std::unordered_map<std::int32_t, Time> begun;
  std::vector<double> after_us;  // microseconds after the first request of its session
  after_us.reserve(table.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    const Time now = table.arrival[row];
    const bool is_alone = table.session[row] < 0;
    const Time first = is_alone ? now : begun.try_emplace(table.session[row], now).first->second;
    after_us.push_back(to_us(now - first));
  }
  return duration_from_us(Percentiles<double>(std::move(after_us)).at(kNearlyAll));
}

}  // namespace plimsoll
