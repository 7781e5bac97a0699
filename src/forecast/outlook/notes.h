// Notes on series: on the events of a history, and on several of them told together, where one on
// all of them stands once, and one on some of them says on which.
#pragma once

#include <string>
#include <vector>

#include "forecast/history/history.h"
#include "forecast/outlook/outlook.h"
#include "forecast/outlook/past.h"

namespace plimsoll {

struct NotesOn {
  std::string subject;
  std::vector<std::string> notes;
};

/// In the order in which they come first. One that begins with its subject says enough.
std::vector<std::string> told_apart(const std::vector<NotesOn>& all);

/// Adds notes on the seasons of a past, and on the method where none is better than a simple one.
void note_what_was_found(Outlook& outlook, const Past& past, double step_s);

/// Adds a note for each event of the history that the outlook continues, with its date.
void note_events(const History& history, Outlook* outlook);

}  // namespace plimsoll
