#include "forecast/runway/demand_growth.h"

#include <algorithm>
#include <cmath>

#include "base/calendar.h"
#include "base/text.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

std::string date_of(double time_s) { return iso_time(time_s).substr(0, 10); }

// The part of an event's growth that is there at a moment.
double reached(const KnownEvent& event, double time_s) {
  if (time_s < event.from_s || (event.until_s && time_s >= *event.until_s)) return 0;
  return event.ramp_s > 0 ? std::min(1.0, (time_s - event.from_s) / event.ramp_s) : 1;
}

double seats_at(const std::vector<Seats>& seats, double time_s) {
  const auto after = std::ranges::upper_bound(seats, time_s, {}, &Seats::time_s);
  if (after == seats.begin()) return after->count;
  const Seats& before = *std::prev(after);
  if (after == seats.end()) return before.count;
  const double share = (time_s - before.time_s) / (after->time_s - before.time_s);
  return before.count + share * (after->count - before.count);
}

// It lies outside of the history and the forecast, or all of both has it in full, so that nothing
// tells how things were without it.
bool changes_nothing(const KnownEvent& event, double start_s, double until_s) {
  const double ends_s = event.until_s.value_or(INFINITY);
  const bool is_outside = event.from_s >= until_s || ends_s <= start_s;
  return is_outside || (event.from_s + event.ramp_s <= start_s && ends_s >= until_s);
}

std::vector<KnownEvent> events_in_utc(const HistoryRequest& request, const History& history) {
  std::vector<KnownEvent> events = request.events;
  for (KnownEvent& event : events) {
    if (!event.by_clock) continue;
    event.from_s -= history.zone_s;
    if (event.until_s) *event.until_s -= history.zone_s;
  }
  return events;
}

tl::unexpected<Error> unknown_size(const HistoryRequest& request, const KnownEvent& event) {
  return fail_in(ErrorKind::spec, request.path,
                 "the event \"" + event.name + "\" begins after the history ends, on " +
                     date_of(event.from_s) + ", and has no size",
                 "say how much it is: times: 1.5 for 50 % more");
}

}  // namespace

Result<KnownDemand> known_demand(const HistoryRequest& request, const History& history,
                                 std::size_t horizon) {
  KnownDemand known;
  if (request.events.empty() && request.seats.empty()) return known;
  if (!history.dated) {
    return fail_in(ErrorKind::spec, request.path,
                   "\"events\" and \"seats\" have dates, but the history counts seconds",
                   "write dates in its column \"time\"");
  }
  const auto step_of = [&](double time_s) {
    const double steps = std::ceil((time_s - history.start_s) / history.step_s - 1e-6);
    return static_cast<std::size_t>(std::clamp(steps, 0.0, static_cast<double>(history.size())));
  };
  const std::vector<KnownEvent> events = events_in_utc(request, history);
  for (const KnownEvent& event : events) {
    if (event.times) continue;
    const std::size_t first = step_of(event.from_s);
    const std::size_t last = event.until_s ? step_of(*event.until_s) : history.size();
    if (first >= history.size()) return unknown_size(request, event);
    if (event.until_s && last > first) known.left_out.emplace_back(first, last);
    if (!event.until_s && first > 0) known.shifts.push_back(first);
  }
  for (std::size_t t = 0; t < history.size() + horizon; ++t) {
    const double time_s = history.start_s + history.step_s * static_cast<double>(t);
    double log = request.seats.empty() ? 0 : portable_log(seats_at(request.seats, time_s));
    for (const KnownEvent& event : events) {
      if (event.times) log += portable_log(1 + (*event.times - 1) * reached(event, time_s));
    }
    known.log_factor.push_back(log);
  }
  return known;
}

std::vector<std::string> notes_of(const HistoryRequest& request, const History& history,
                                  double until_s) {
  std::vector<std::string> notes;
  for (const KnownEvent& event : request.events) {
    const std::string until = event.until_s ? " until " + date_of(*event.until_s) : "";
    const std::string since = event.name + ", from " + date_of(event.from_s) + until;
    if (changes_nothing(event, history.start_s, until_s)) {
      notes.push_back(since + ": it has no effect, as the history begins on " +
                      date_of(history.start_s) + " and the forecast ends on " + date_of(until_s));
    } else if (event.times) {
      notes.push_back(
          since + ": " + three_digits(*event.times) + " times the demand" +
          (event.ramp_s > 0 ? ", reached within " + shortest(event.ramp_s / kDayS) + " days" : ""));
    } else {
      notes.push_back(since + (event.until_s ? ": left out of the history"
                                             : ": a new level, of the size the history shows"));
    }
  }
  if (!request.seats.empty()) {
    const Seats& last = request.seats.back();
    notes.push_back("the use per seat is continued, times the seats: " + shortest(last.count) +
                    " on " + date_of(last.time_s));
  }
  return notes;
}

}  // namespace plimsoll
