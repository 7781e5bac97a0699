#include "metrics/session_ramp.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "stats/percentile.h"

namespace plimsoll {
namespace {

struct Session {
  Time begun;
  Time free;            ///< when its last request so far ended
  Duration in_service;  ///< of all its requests so far
};

}  // namespace

Duration filling_of(const RequestTable& table) {
  constexpr double kNearlyAll = 90;
  constexpr std::size_t kPart = 3;
  if (table.session.values().empty()) return {};
  std::unordered_map<std::int32_t, Session> sessions;
  std::vector<double> after_s;    // of each request after the first of its session
  std::vector<double> thought_s;  // the same without the time in which the session was served
  std::size_t begun_late = 0;
  bool waits = true;  // each request of a session comes after the answer to the one before
  for (std::size_t row = 0; row < table.size(); ++row) {
    const Time now = table.arrival[row];
    if (table.session[row] < 0) {
      after_s.push_back(0);
      thought_s.push_back(0);
      continue;
    }
    const auto [at, is_new] = sessions.try_emplace(table.session[row], Session{now, now, {}});
    Session& session = at->second;
    if (is_new && row >= table.size() - table.size() / kPart) begun_late += 1;
    waits = waits && now >= session.free;
    after_s.push_back(to_seconds(now - session.begun));
    thought_s.push_back(to_seconds(now - session.begun - session.in_service));
    const bool ended = table.e2e[row] != kNoDuration;
    session.free = ended ? now + table.e2e[row] : kNever;
    if (ended) session.in_service = session.in_service + table.e2e[row];
  }
  if (2 * kPart * begun_late < sessions.size()) return {};
  // What overload adds to the time of a user who waits is no beginning.
  const double at_s = Percentiles<double>(std::move(waits ? thought_s : after_s)).at(kNearlyAll);
  return at_s > 0 ? duration_from_us(1e6 * at_s) : Duration{};
}

}  // namespace plimsoll
