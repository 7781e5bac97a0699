// Does a note on one of several series say which one it is on?
#include "forecast/outlook/outlook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using ::testing::ElementsAre;

TEST(Notes, is_a_note_on_some_of_several_series_told_with_their_names) {
  EXPECT_THAT(
      told_apart(
          {{"requests/s", {"it repeats itself", "it grew"}},
           {"prompt tokens/s", {"it repeats itself", "it shrank"}},
           {"output tokens/s", {"it repeats itself", "it shrank", "Output tokens/s peak later"}}}),
      ElementsAre("it repeats itself", "requests/s: it grew",
                  "prompt tokens/s, output tokens/s: it shrank", "Output tokens/s peak later"));
  EXPECT_THAT(told_apart({{"requests/s", {"it grew"}}}), ElementsAre("it grew"));
}

}  // namespace
}  // namespace plimsoll
