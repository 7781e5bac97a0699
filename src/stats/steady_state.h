// Is there a steady state at all? A verdict before any number (docs/explanation/statistics.md).
// Pure, linear in the number of requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/because.h"
#include "base/units.h"

namespace plimsoll {

/// The share of requests that may give up or be turned away; with more, the system is overloaded.
inline constexpr double kToleratedLoss = 0.05;

/// no_load: nothing arrived that could be served.
enum class SteadyVerdict { steady, transient, overloaded, too_short, no_load };

/// As reports have it: "too_short".
const char* name_of(SteadyVerdict verdict);

/// The grounds of a verdict. Times in seconds.
enum class SteadyCause : std::int8_t {
  none,
  nothing_arrived,
  never_served,    ///< requests, all of them
  few_requests,    ///< requests
  lost,            ///< that gave up or were turned away, of so many
  delay_rises,     ///< median TTFT in the first fifth, in the last
  work_grows,      ///< share of its mean
  short_of_stays,  ///< time in which requests arrive, mean stay, stays that are needed
  rate_changes,
  warmup_is_long,
  little_is_left,        ///< time after the warm-up, its length, stays that are needed, mean stay
  work_wanders,          ///< time in which requests arrive
  work_is_level,         ///< for so many mean stays
  model_is_missing,      ///< requests, all of them (metrics/warmup.h)
  users_gave_up,         ///< users, of so many (metrics/traffic_groups.h)
  warmup_leaves_few,     ///< requests, of so many, that are needed (metrics/warmup.h)
  gave_up,               ///< as lost, where none was turned away
  turned_away,           ///< as lost, where none gave up
  delay_begins_to_rise,  ///< as delay_rises; time in which requests arrive, that this takes to tell
  sessions_begin,  ///< time in which requests arrive, until all are under way, as often needed
};

struct SteadyState {
  SteadyVerdict verdict = SteadyVerdict::too_short;
  Because<SteadyCause> reason;
  double warmup_s = 0;               ///< cut from the start before intervals are taken
  double backlog_growth_rps = 0;     ///< by which work in the system grows; 0 = not certain
  std::int64_t enough_requests = 0;  ///< a run length likely to give a verdict; 0 = no such advice
  /// The share of requests that gave up or were turned away, where that is why it is overloaded;
  /// else 0.
  double lost_share = 0;

  /// Overloaded, and not by what was lost: latencies grow for as long as it lasts.
  bool grows() const { return verdict == SteadyVerdict::overloaded && lost_share <= 0; }
};

/// The end of a request, as far as load is concerned.
enum class Stay : std::uint8_t {
  finished,  ///< was served; its stay is known
  inside,    ///< was still there when observation ended
  gave_up,
  turned_away,
  no_demand,  ///< could never be served, under any load: not part of the load
};

constexpr bool is_lost(Stay stay) { return stay == Stay::gave_up || stay == Stay::turned_away; }

/// A run as seen from outside. All columns by request, in order of arrival, of equal length.
struct ObservedRun {
  std::span<const Time> arrival;
  std::span<const Stay> stay;
  std::span<const Duration> residence;    ///< read where finished
  std::span<const Duration> first_token;  ///< arrival to first token; kNoDuration = none
  Time end;                               ///< nothing was observed later than this
  /// Until then requests are missing of conversations that began before the run; 0: none are.
  Duration filling = {};
};

/// The stretch of arrivals that was observed; the drain after the last one is not part of it.
struct ArrivalSpan {
  Time first;
  Time last;
  std::size_t requests = 0;  ///< that arrived in it

  Duration length() const { return last - first; }
};

ArrivalSpan arrival_span(const ObservedRun& run);

/// Requests in the system, averaged over each of `cells` equal parts of the arrival span; those
/// that were lost count as never there.
std::vector<double> work_in_system(const ObservedRun& run, std::size_t cells);

SteadyState judge(const ObservedRun& run);

}  // namespace plimsoll
