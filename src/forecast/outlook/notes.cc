#include "forecast/outlook/outlook.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/lists.h"
#include "base/text.h"
#include "forecast/outlook/methods.h"
#include "forecast/outlook/ways.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

std::string name_of_season(std::size_t season, double step_s) {
  const double days = static_cast<double>(season) * step_s / 86'400;
  return days > 1.5 ? "week" : "day";
}

}  // namespace

std::vector<std::string> told_apart(const std::vector<NotesOn>& all) {
  std::vector<std::string> told;
  std::vector<std::string> seen;
  for (const NotesOn& each : all) {
    for (const std::string& note : each.notes) {
      if (contains(seen, note)) continue;
      seen.push_back(note);
      std::vector<std::string> subjects;
      for (const NotesOn& other : all) {
        if (contains(other.notes, note)) subjects.push_back(other.subject);
      }
      const bool is_named = to_lower(note).starts_with(to_lower(each.subject));
      const bool is_on_all = subjects.size() == all.size();
      told.push_back(is_on_all || is_named ? note : join(subjects, ", ") + ": " + note);
    }
  }
  return told;
}

namespace {

// The day of a step, where it is known.
std::string when_in(const History& history, std::size_t step) {
  const double time_s = history.start_s + history.step_s * static_cast<double>(step);
  return history.dated ? iso_time(time_s + history.zone_s).substr(0, 10)
                       : "second " + shortest(time_s);
}

std::string note_on_odd(const History& history, const Event& odd, std::size_t day) {
  const std::string first = when_in(history, odd.at);
  const std::string times = odd.times > 0 ? three_digits(odd.times) + " times the usual: " : "0: ";
  const bool is_a_day = odd.steps == day;
  const std::string what = !is_a_day ? "from " + first + " to " +
                                           when_in(history, odd.at + odd.steps - 1) + " demand is "
                           : day == 1 ? "the value of " + first + " is "
                                      : "demand of " + first + " is ";
  if (odd.weeks > 0) {
    return what + times + "left out of the trend; it comes every week with a chance of " +
           percent(chance_of_every_week(odd.weeks)) + ", as far as so few weeks tell";
  }
  if (!is_a_day) return what + times + "an event, left out of the trend";
  return what + times + "left out of the trend" +
         (odd.log_size > 0 ? ", but such a peak may come again" : "");
}

// Empty where it is hardly one: noise has such bends, too.
std::string note_on(const Bend& bend, const History& history) {
  constexpr double kWorthTelling = 0.25;
  if (bend.chance < kWorthTelling) return {};
  const std::string when = when_in(history, bend.at);
  if (bend.to_line)
    return "growth changed about " + when +
           ": since then demand grows by as much each day, and the forecast continues that line";
  const double per_week = 7 * kDayS / history.step_s;
  const auto growth = [&](double per_step) {
    const double by = portable_exp(per_step * per_week) - 1;
    return (by < 0 ? "-" : "+") + percent(std::fabs(by)) + " a week";
  };
  return "growth changed from " + growth(bend.before) + " to " + growth(bend.after) + " about " +
         when + (bend.chance < 1 ? ", with a chance of " + percent(bend.chance) : "") +
         (bend.chance < 0.5 ? "" : "; the forecast continues the latter");
}

}  // namespace

void note_what_was_found(Outlook& outlook, const Past& past, double step_s) {
  if (!past.yearly.empty()) {
    outlook.notes.emplace_back(
        "a yearly pattern was found: each day is continued relative to the same time of "
        "the year before");
  }
  if (!past.once.empty()) {
    const double most =
        *std::ranges::max_element(past.once, {}, [](double off) { return std::fabs(off); });
    outlook.notes.push_back("a year before, the dates ahead had " +
                            three_digits(portable_exp(most)) +
                            " times the demand of the days before them: that was seen once, and "
                            "comes again with a chance of 50 %");
  }
  if (outlook.season > 1) {
    const bool is_week = name_of_season(outlook.season, step_s) == "week";
    outlook.notes.push_back(fmt::format("a {} pattern was found", is_week ? "weekly" : "daily"));
  }
  if (!outlook.simple_is_as_good || !is_simple(outlook.method)) return;
  outlook.notes.push_back(outlook.method == ForecastMethod::naive
                              ? "no method clearly beats repeating the last value"
                              : "no method clearly beats repeating the last " +
                                    name_of_season(outlook.season, step_s));
}

void note_events(const History& history, Outlook* outlook) {
  const auto when = [&](std::size_t step) { return when_in(history, step); };
  const Events& events = outlook->events;
  const auto lasting = [&](std::size_t days) {
    const double day_s = history.step_s * static_cast<double>(events.day);
    return counted(static_cast<std::int64_t>(days), day_s == kDayS ? "day" : "step");
  };
  for (const Event& shift : events.shifts) {
    const std::string times = three_digits(shift.times);
    if (events.undecided && &shift == &events.shifts.back()) {
      const std::size_t age = *events.undecided;
      const std::string what = std::isinf(shift.times) ? "demand began on " + when(shift.at)
                               : shift.times <= 0      ? "nothing came since " + when(shift.at)
                                                       : "since " + when(shift.at) + " demand is " +
                                                        times + " times what it was";
      outlook->notes.push_back(
          what + ": " + lasting(age) + " cannot tell " +
          (shift.times > 0 ? "a new level from an event" : "an end from an outage") + ". It stays" +
          (shift.times > 0 ? "" : " so") + " with a chance of " + percent(chance_to_stay(age)) +
          ", or ends within " + lasting(kLongestStretch - age));
      continue;
    }
    if (shift.times <= 0) {
      outlook->notes.push_back("demand ended on " + when(shift.at) + ": nothing is continued");
      continue;
    }
    const std::string on =
        shift.steps > 1 ? "from " + when(shift.at) + " to " + when(shift.at + shift.steps - 1)
                        : "on " + when(shift.at);
    outlook->notes.push_back(
        (std::isinf(shift.times)
             ? "demand began " + on
             : "the level changed to " + times + " times the one before " + on) +
        (shift.is_declared ? ", as declared" : "") + "; the forecast continues from the new level");
  }
  for (const Bend& bend : events.bends) {
    if (const std::string note = note_on(bend, history); !note.empty())
      outlook->notes.push_back(note);
  }
  if (events.odd_is_usual) {
    outlook->notes.emplace_back(
        "more than a quarter of the values lie far from the usual level on the same side: none is "
        "taken for an event, and all of them shape the forecast and its band");
  }
  for (const Event& odd : events.odd)
    outlook->notes.push_back(note_on_odd(history, odd, events.day));
}

}  // namespace plimsoll
