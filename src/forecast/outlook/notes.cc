#include "forecast/outlook/notes.h"

#include "base/lists.h"
#include "base/text.h"

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

}  // namespace plimsoll
