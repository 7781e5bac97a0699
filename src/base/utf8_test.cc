#include "base/printable.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(FindInvalidUtf8, accepts_every_length_of_sequence) {
  EXPECT_EQ(find_invalid_utf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), std::string_view::npos);
  EXPECT_EQ(find_invalid_utf8(""), std::string_view::npos);
}

TEST(FindInvalidUtf8, points_at_the_first_bad_byte) {
  EXPECT_EQ(find_invalid_utf8("ab\xff"), 2u);
  EXPECT_EQ(find_invalid_utf8("a\xC3"), 1u);             // cut short
  EXPECT_EQ(find_invalid_utf8("\xC0\x80"), 0u);          // overlong
  EXPECT_EQ(find_invalid_utf8("\xE0\x80\x80"), 0u);      // overlong
  EXPECT_EQ(find_invalid_utf8("\xED\xA0\x80"), 0u);      // surrogate
  EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0u);  // past U+10FFFF
  EXPECT_EQ(find_invalid_utf8("\xE2\x82\x41"), 0u);      // bad third byte
}

TEST(WithoutBom, drops_only_a_leading_mark) {
  EXPECT_EQ(without_bom("\xEF\xBB\xBFx"), "x");
  EXPECT_EQ(without_bom("x\xEF\xBB\xBF"), "x\xEF\xBB\xBF");
}

}  // namespace
}  // namespace plimsoll
