#include "forecast/outlook/notes.h"

#include <algorithm>

#include "base/text.h"

namespace plimsoll {

std::vector<std::string> told_apart(const std::vector<NotesOn>& all) {
  std::vector<std::string> told;
  std::vector<std::string> seen;
  for (const NotesOn& each : all) {
    for (const std::string& note : each.notes) {
      if (std::ranges::count(seen, note) > 0) continue;
      seen.push_back(note);
      std::vector<std::string> subjects;
      for (const NotesOn& other : all) {
        if (std::ranges::count(other.notes, note) > 0) subjects.push_back(other.subject);
      }
      const bool is_named = to_lower(note).starts_with(to_lower(each.subject));
      const bool is_on_all = subjects.size() == all.size();
      told.push_back(is_on_all || is_named ? note : join(subjects, ", ") + ": " + note);
    }
  }
  return told;
}

}  // namespace plimsoll
