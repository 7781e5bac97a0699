#include "base/setting.h"

#include <string>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(Setting, reads_like_its_value_and_knows_who_chose_it) {
  Setting<int> number = 3;
  EXPECT_EQ(number + 1, 4);
  EXPECT_EQ(number.origin(), Origin::usual);
  number = 3;
  EXPECT_TRUE(number.is_asked());
  EXPECT_FALSE(number == Setting<int>(3));  // somebody wants what is usual
  number.set(5, Origin::file);
  EXPECT_FALSE(number.is_asked());
  EXPECT_EQ(number, 5);
}

TEST(Setting, is_nobodys_choice_again_when_the_usual_one_is_copied) {
  Setting<std::string> name{"usual"};
  name = "other";
  EXPECT_EQ(name->size(), 5u);
  name = Setting<std::string>("usual");
  EXPECT_EQ(name.origin(), Origin::usual);
}

}  // namespace
}  // namespace plimsoll
