#include "forecast/demand/forecast_request.h"

#include <algorithm>

#include "base/calendar.h"
#include "base/file.h"
#include "base/lists.h"
#include "base/time_zone.h"

namespace plimsoll {
namespace {

constexpr NumberRange kTimes{0, 1000, true};
constexpr NumberRange kManyDays{0, 3650};
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
  event.ramp_s = map.optional_number("ramp_days", kManyDays).value_or(0) * kSecondsOfDay;
  if (event.until_s && *event.until_s <= event.from_s) {
    map.error("until", "the event ends before it begins", "\"until\" is a date after \"from\"");
  }
  if (event.ramp_s > 0 && !event.times) {
    map.error("ramp_days", "\"ramp_days\" goes with \"times\"", "times: 1.5 for 50 % more");
  }
  return event;
}

std::vector<KnownEvent> read_known_events(SpecMap events) {
  return mapped(events.keys(),
                [&](const std::string& name) { return read_event(events.map(name), name); });
}

// In order of time.
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

}  // namespace

std::optional<double> optional_moment(SpecMap* map, const char* key) {
  const auto text = map->optional_text(key);
  if (!text) return std::nullopt;
  const auto moment = moment_of(*text);
  if (!moment) no_date(map, key, *text);
  return moment;
}

HistoryRequest read_history_request(SpecMap map, const std::string& file) {
  HistoryRequest request;
  request.path = beside(file, map.text("file"));
  if (const auto format = map.optional_choice("format", names_of(trace_formats()))) {
    request.format = value_of(trace_formats(), *format);
    request.step_s = map.optional_number("step_s", {0, 86'400, true}).value_or(request.step_s);
    for (const char* key : {"zone", "gaps", "columns", "route_label"}) {
      if (!map.has(key)) continue;
      map.error(key, "\"" + std::string(key) + "\" does nothing beside the \"format\" of a trace",
                "leave it out; it is for the values of a series");
    }
  } else if (map.has("step_s")) {
    map.error("step_s", "\"step_s\" goes with the \"format\" of a trace",
              "the times of a series already give its step");
  }
  request.horizon_days =
      map.optional_number("horizon_days", {0, 3650, true}).value_or(request.horizon_days);
  request.lead_time_days = map.optional_number("lead_time_days", kManyDays).value_or(0);
  request.cold_start_s =
      map.optional_number("cold_start_s", {0, kLongestWaitS}).value_or(request.cold_start_s);
  request.fill_gaps =
      map.optional_choice("gaps", {"refuse", "fill"}) == std::optional<std::string>("fill");
  request.zone = map.optional_text("zone").value_or("");
  if (request.zone == "written") request.zone.clear();
  if (const auto zone = TimeZone::named(request.zone.empty() ? "UTC" : request.zone); !zone) {
    const Diagnostic& what = zone.error().diagnostics.front();
    map.error("zone", what.message, what.hint);
  }
  request.route_label = map.optional_text("route_label").value_or("");
  if (auto columns = map.optional_map("columns")) {
    for (const std::string& name : columns->keys())
      request.columns.emplace_back(name, columns->text(name));
  }
  request.as_of_s = optional_moment(&map, "as_of");
  if (auto events = map.optional_map("events")) request.events = read_known_events(*events);
  if (auto seats = map.optional_map("seats")) request.seats = read_seats(*seats);
  return request;
}

}  // namespace plimsoll
