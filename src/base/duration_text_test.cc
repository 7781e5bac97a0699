#include "base/duration_text.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

Duration parsed(std::string_view text) {
  Duration value = kNoDuration;
  return parse_duration(text, &value) ? value : kNoDuration;
}

TEST(ParseDuration, reads_numbers_with_units) {
  EXPECT_EQ(parsed("500ms"), milliseconds(500));
  EXPECT_EQ(parsed("0.25s"), milliseconds(250));
  EXPECT_EQ(parsed("1m30s"), seconds(90));
  EXPECT_EQ(parsed("2h"), seconds(7200));
  EXPECT_EQ(parsed("10us"), microseconds(10));
  EXPECT_EQ(parsed("10µs"), microseconds(10));
  EXPECT_EQ(parsed("7ns"), Duration{7});
  EXPECT_EQ(parsed("0s"), Duration{});
}

TEST(ParseDuration, refuses_everything_else) {
  for (const std::string_view text :
       {"", "500", "ms", "-5ms", "5 ms", "5sec", "5ms,", "1e3ms", ".ms", "1..5s", "+5s", "5msms",
        "inf s", "400000h", "0.1ns", "5d", "5MS"}) {
    EXPECT_EQ(parsed(text), kNoDuration) << text;
  }
}

}  // namespace
}  // namespace plimsoll
