#include "forecast/outlook/notes.h"

#include <cmath>

#include "base/calendar.h"
#include "base/lists.h"
#include "base/text.h"
#include "forecast/outlook/event_paths.h"
#include "random/portable_math.h"

namespace plimsoll {

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

void note_events(const History& history, Outlook* outlook) {
  const auto when = [&](std::size_t step) {
    const double time_s = history.start_s + history.step_s * static_cast<double>(step);
    return history.dated ? iso_time(time_s + history.zone_s).substr(0, 10)
                         : "second " + shortest(time_s);
  };
  const auto lasting = [&](std::size_t steps) {
    return counted(static_cast<std::int64_t>(steps), history.step_s == kDayS ? "day" : "step");
  };
  const Events& events = outlook->events;
  for (const Event& shift : events.shifts) {
    const std::string times = three_digits(shift.times);
    if (events.undecided && &shift == &events.shifts.back()) {
      const std::size_t age = *events.undecided;
      const std::string what = std::isinf(shift.times) ? "demand began on " + when(shift.at)
                                                       : "since " + when(shift.at) + " demand is " +
                                                             times + " times what it was";
      outlook->notes.push_back(
          what + ": " + lasting(age) +
          " cannot tell a new level from an event. It stays with a chance of " +
          percent(chance_to_stay(age)) + ", or ends within " + lasting(kLongestStretch - age));
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
  constexpr double kWorthTelling = 0.25;  // noise has bends of less
  for (const Bend& bend : events.bends) {
    if (bend.chance < kWorthTelling) continue;
    const double per_week = 7 * kDayS / history.step_s;
    const auto growth = [&](double per_step) {
      const double by = portable_exp(per_step * per_week) - 1;
      return (by < 0 ? "-" : "+") + percent(std::fabs(by)) + " a week";
    };
    std::string note = "growth changed from " + growth(bend.before) + " to " + growth(bend.after) +
                       " about " + when(bend.at);
    if (bend.chance < 1) note += ", with a chance of " + percent(bend.chance);
    outlook->notes.push_back(note +
                             (bend.chance < 0.5 ? "" : "; the forecast continues the latter"));
  }
  if (events.odd_is_usual) {
    outlook->notes.emplace_back(
        "more than a quarter of the values lie far from the usual level on the same side: none is "
        "taken for an event, and all of them shape the forecast and its band");
  }
  for (const Event& odd : events.odd) {
    const std::string times =
        odd.times > 0 ? three_digits(odd.times) + " times the usual: " : "0: ";
    if (odd.steps == 1) {
      outlook->notes.push_back("the value of " + when(odd.at) + " is " + times +
                               "left out of the trend" +
                               (odd.log_size > 0 ? ", but such a peak may come again" : ""));
    } else {
      outlook->notes.push_back("from " + when(odd.at) + " to " + when(odd.at + odd.steps - 1) +
                               " demand is " + times + "an event, left out of the trend");
    }
  }
}

}  // namespace plimsoll
