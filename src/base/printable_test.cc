#include "base/printable.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/result.h"
#include "hostile_text.h"

namespace plimsoll {
namespace {

TEST(Printable, names_what_a_name_may_not_hold) {
  for (const char* name :
       {"", "H100 80GB", "Qwen/Qwen3-14B", "Zo\xC3\xAB", "\xE6\x97\xA5", "a: #{{"}) {
    EXPECT_EQ(fault_of_name(name), "") << name;
  }
  EXPECT_EQ(fault_of_name("a\nb"), "holds a line end (U+000A)");
  EXPECT_EQ(fault_of_name("a\x1b[31m"), "holds a control character (U+001B)");
  EXPECT_EQ(fault_of_name(std::string("a\0b", 3)), "holds a control character (U+0000)");
  EXPECT_EQ(fault_of_name("a\x7F"), "holds a control character (U+007F)");
  EXPECT_EQ(fault_of_name("\xC2\x9B"), "holds a control character (U+009B)");
  EXPECT_EQ(fault_of_name("\xE2\x80\xAE"), "holds a bidirectional mark (U+202E)");
  EXPECT_EQ(fault_of_name("\xE2\x81\xA6"), "holds a bidirectional mark (U+2066)");
  EXPECT_EQ(fault_of_name("a\tb"), "holds a tab (U+0009)");
  EXPECT_EQ(fault_of_name("\x9B"), "is not UTF-8");
}

TEST(Printable, shows_what_would_act_on_a_terminal) {
  EXPECT_EQ(visible("a\n\x1b]52;c;eA==\x07\xC2\x9B\xE2\x80\xAE\xFF"),
            "a\\u000a\\u001b]52;c;eA==\\u0007\\u009b\\u202e\\xff");
  EXPECT_EQ(visible_lines("a\n\tb\r\x1b[2J"), "a\n\tb\\u000d\\u001b[2J");
}

TEST(Printable, leaves_the_colours_of_verdicts_and_no_others) {
  const std::string verdict = "\x1b[1;31moverloaded\x1b[0m: ...\n";
  EXPECT_EQ(visible_lines(verdict), verdict);
  for (const char* other : {"\x1b[1;30m", "\x1b[8m", "\x1b[1;31", "\x1b[31;40m", "\x1b[1;41m"}) {
    EXPECT_EQ(visible_lines(other).front(), '\\') << other + 1;
  }
}

RC_GTEST_PROP(Printable, is_whatever_is_shown, ()) {
  const std::string text = *hostile_text() + *rc::gen::arbitrary<std::string>();
  RC_ASSERT(fault_of_name(visible(text)).empty());
  const Error error{ErrorKind::usage, {{text, 1, 2, text, text, text}}};
  const std::string message = format(error);
  RC_ASSERT(visible_lines(message) == message);
  RC_ASSERT(std::count(message.begin(), message.end(), '\n') <= 4);
}

}  // namespace
}  // namespace plimsoll
