#include "base/text.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(NearestName, finds_a_typing_mistake) {
  EXPECT_EQ(nearest_name("--num-instnaces", {"--num-requests", "--num-instances"}),
            "--num-instances");
}

TEST(NearestName, gives_nothing_when_nothing_is_near) {
  EXPECT_EQ(nearest_name("banana", {"--rate", "--seed"}), "");
}

TEST(ParseInt, refuses_what_is_not_wholly_a_number) {
  long long v = 0;
  EXPECT_TRUE(parse_int("010", &v));
  EXPECT_EQ(v, 10);
  for (const char* bad : {"", " 1", "1 ", "+1", "0x10", "1.0", "99999999999999999999"}) {
    EXPECT_FALSE(parse_int(bad, &v)) << bad;
  }
}

TEST(ParseDouble, refuses_infinities_and_nan) {
  double v = 0;
  for (const char* bad : {"inf", "nan", "1e999", "1,5", ""}) EXPECT_FALSE(parse_double(bad, &v));
}

}  // namespace
}  // namespace plimsoll
