#include "cli/help.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace plimsoll {
namespace {

void expect_narrow(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(Help, fits_a_terminal_of_100_columns) {
  expect_narrow(overview_help());
  for (const Verb& verb : verbs()) expect_narrow(verb_help(verb));
}

TEST(Help, names_every_flag_of_the_verb_and_no_other) {
  for (const Verb& verb : verbs()) {
    const std::string text = verb_help(verb);
    for (const Flag& flag : flags()) {
      const bool named = text.find("\n  " + std::string(flag.name) + " ") != std::string::npos ||
                         text.find("\n  " + std::string(flag.name) + "\n") != std::string::npos;
      // Another group may have a flag of that name.
      const bool taken = std::any_of(flags().begin(), flags().end(), [&](const Flag& other) {
        return other.name == flag.name && verb.has(other.group);
      });
      EXPECT_EQ(named, taken) << verb.name << " " << flag.name;
    }
  }
}

}  // namespace
}  // namespace plimsoll
