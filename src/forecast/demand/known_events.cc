#include "forecast/demand/known_events.h"

#include <algorithm>

#include "base/calendar.h"
#include "base/lists.h"

namespace plimsoll {
namespace {

constexpr NumberRange kTimes{0, 1000, true};
constexpr NumberRange kRampDays{0, 3650};
constexpr NumberRange kSeats{0, 1e12, true};
constexpr double kSecondsOfDay = 86'400;

std::optional<double> moment_of(const std::string& text) {
  const auto written = parse_written_time(text);
  if (!written) return std::nullopt;
  return static_cast<double>(written->local_ns - written->offset_ns.value_or(0)) / 1e9;
}

void no_date(SpecMap* map, const std::string& key, const std::string& text) {
  map->error(key, "\"" + text + "\" is not a date", "for example 2026-11-22");
}

KnownEvent read_event(SpecMap map, const std::string& name) {
  KnownEvent event;
  event.name = name;
  if (!map.has("from")) map.error("", "an event begins at a date", "for example from: 2026-12-01");
  event.from_s = optional_moment(&map, "from").value_or(0);
  const auto written = parse_written_time(map.optional_text("from").value_or(""));
  event.by_clock = written && !written->offset_ns;
  event.until_s = optional_moment(&map, "until");
  event.times = map.optional_number("times", kTimes);
  event.ramp_s = map.optional_number("ramp_days", kRampDays).value_or(0) * kSecondsOfDay;
  if (event.until_s && *event.until_s <= event.from_s) {
    map.error("until", "the event ends before it begins", "\"until\" is a date after \"from\"");
  }
  if (event.ramp_s > 0 && !event.times) {
    map.error("ramp_days", "\"ramp_days\" goes with \"times\"", "times: 1.5 for 50 % more");
  }
  return event;
}

}  // namespace

std::optional<double> optional_moment(SpecMap* map, const char* key) {
  const auto text = map->optional_text(key);
  if (!text) return std::nullopt;
  const auto moment = moment_of(*text);
  if (!moment) no_date(map, key, *text);
  return moment;
}

std::vector<KnownEvent> read_known_events(SpecMap events) {
  return mapped(events.keys(),
                [&](const std::string& name) { return read_event(events.map(name), name); });
}

std::vector<Seats> read_seats(SpecMap seats) {
  std::vector<Seats> known;
  for (const std::string& date : seats.keys()) {
    const double count = seats.number(date, kSeats);
    if (const auto moment = moment_of(date)) {
      known.push_back({*moment, count});
    } else {
      no_date(&seats, date, date);
    }
  }
  std::ranges::sort(known, {}, &Seats::time_s);
  if (known.size() == 1 && seats.keys().size() == 1) {
    seats.error("", "seats at one date alone change nothing",
                "add how many there were, or will be, at another date");
  }
  return known;
}

}  // namespace plimsoll
