#include "cli/help.h"

#include <gtest/gtest.h>

#include <sstream>

namespace plimsoll {
namespace {

TEST(Help, fits_a_terminal_of_100_columns) {
  for (const std::string& text :
       {overview_help(), verb_help(Verb::run), verb_help(Verb::replay), verb_help(Verb::list)}) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(Help, names_every_flag_of_the_verb_and_no_other) {
  for (const Verb verb : {Verb::run, Verb::replay, Verb::list}) {
    const std::string text = verb_help(verb);
    for (const Flag& flag : flags()) {
      const bool named = text.find("\n  " + std::string(flag.name) + " ") != std::string::npos ||
                         text.find("\n  " + std::string(flag.name) + "\n") != std::string::npos;
      EXPECT_EQ(named, flag.is_for(verb)) << flag.name;
    }
  }
}

}  // namespace
}  // namespace plimsoll
