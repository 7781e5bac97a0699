// What a reader must know of the histories behind a runway.
#include <algorithm>

#include "forecast/outlook/notes.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

void add_note(const std::string& note, std::vector<std::string>* notes) {
  if (std::ranges::count(*notes, note) == 0) notes->push_back(note);
}

bool is_noted(const std::string& note, const std::vector<NotesOn>& all) {
  return std::ranges::any_of(
      all, [&](const NotesOn& each) { return std::ranges::count(each.notes, note) > 0; });
}

}  // namespace

std::vector<std::string> runway_notes(const RunwaySheet& sheet) {
  std::vector<std::string> notes = sheet.notes;
  if (std::ranges::any_of(sheet.rows, &RunwayRow::by_requests)) {
    notes.emplace_back(
        "resources without a history move in proportion to requests, with the "
        "mix of the routes");
  }
  std::vector<NotesOn> own;
  for (const RunwayRow& row : sheet.rows) {
    if (!row.by_requests) own.push_back({title_of(row), row.outlook.notes});
  }
  for (const std::string& note : told_apart(own)) add_note(note, &notes);
  for (const RunwayRow& row : sheet.rows) {
    for (const std::string& note : row.outlook.notes) {
      if (!is_noted(note, own)) add_note(note, &notes);
    }
  }
  return notes;
}

}  // namespace plimsoll
