// Notes on several series, told together: one on all of them stands once, one on some of them says
// on which. Called where series of resources or routes are put side by side.
#pragma once

#include <string>
#include <vector>

namespace plimsoll {

struct NotesOn {
  std::string subject;
  std::vector<std::string> notes;
};

/// In the order in which they come first. One that begins with its subject says enough.
std::vector<std::string> told_apart(const std::vector<NotesOn>& all);

}  // namespace plimsoll
