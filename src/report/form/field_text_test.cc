#include "report/form/field_text.h"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll {
namespace {

template <class... Args, class... Given>
std::string text_of(void (*append)(Args...), Given... given) {
  fmt::memory_buffer out;
  append(given..., &out);
  return {out.data(), out.size()};
}

TEST(FieldText, decimals_are_exact_and_short) {
  EXPECT_EQ(text_of(append_decimal, 0, 6), "0");
  EXPECT_EQ(text_of(append_decimal, 1, 6), "0.000001");
  EXPECT_EQ(text_of(append_decimal, 1230, 3), "1.23");
  EXPECT_EQ(text_of(append_decimal, 100'000'000, 6), "100");
  EXPECT_EQ(text_of(append_decimal, 9'223'372'036'854'775'807, 6), "9223372036854.775807");
}

}  // namespace
}  // namespace plimsoll
