#include "cli/help.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace plimsoll {
namespace {

void expect_narrow(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(Help, fits_a_terminal_of_80_columns) {
  expect_narrow(overview_help());
  expect_narrow(overview_short_help());
  for (const Verb& verb : verbs()) {
    expect_narrow(verb_help(verb));
    expect_narrow(verb_short_help(verb));
  }
}

TEST(Help, in_short_is_at_most_25_lines_and_names_flags_that_there_are) {
  EXPECT_LE(std::ranges::count(overview_short_help(), '\n'), 25) << overview_short_help();
  for (const Verb& verb : verbs()) {
    if (verb.first_flags.empty()) continue;
    const std::string text = verb_short_help(verb);
    EXPECT_LE(std::ranges::count(text, '\n'), 25) << text;
    for (const std::string_view flag : verb.first_flags) {
      EXPECT_NE(text.find("\n  " + std::string(flag) + " "), std::string::npos)
          << verb.name << " " << flag;
    }
  }
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

// A verb may have a default of its own, so no help text says one.
TEST(Help, shows_a_default_that_the_value_knows_and_no_other) {
  for (const Flag& flag : flags()) {
    EXPECT_FALSE(flag.help.ends_with("]")) << flag.name;
    EXPECT_EQ(flag.help.find("default:"), std::string::npos) << flag.name;
  }
  const Verb& run = *find_verb("run");
  const Verb& plan = *find_verb("plan");
  const Flag& tp = *run.flag("--tp");
  EXPECT_TRUE(flag_help(flag_for(run, tp)).ends_with(" [as listed for the model]"));
  EXPECT_TRUE(flag_help(flag_for(plan, tp)).ends_with(" [1, 2, 4, 8]"));
}

}  // namespace
}  // namespace plimsoll
