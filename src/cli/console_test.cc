// Do messages keep to the width of the terminal, and to their lines where there is none?
#include "cli/console.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(Messages, keep_to_the_width_of_a_terminal_and_to_their_indentation) {
  const std::string note =
      "note: one message that is much longer than\n"
      "  a line of it that is indented\n"
      "  ^\n";
  EXPECT_EQ(within(note, 20),
            "note: one message\nthat is much longer\nthan\n"
            "  a line of it that\n  is indented\n"
            "  ^\n");
}

TEST(Messages, are_one_line_each_in_a_file) {
  const std::string note = "note: one message that is much longer than\n";
  EXPECT_EQ(within(note, 0), note);
  EXPECT_EQ(within(note, 80), note);
}

}  // namespace
}  // namespace plimsoll
