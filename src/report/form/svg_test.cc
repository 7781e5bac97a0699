#include "report/form/svg.h"

#include <gmock/gmock.h>

namespace plimsoll {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Ticks, AreRoundAndFillTheAxis) {
  EXPECT_THAT(ticks({"", 0, 100}, 5), ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(ticks({"", 7, 10.2, true}, 6), ElementsAre(7, 8, 9, 10));
  EXPECT_THAT(ticks({"", 0, 2.2, true}, 6), ElementsAre(0, 1, 2));
}

TEST(Ticks, OfNoRangeAreItsOneValue) { EXPECT_THAT(ticks({"", 3, 3}, 5), ElementsAre(3)); }

TEST(Chart, LabelsKeepClearOfEachOther) {
  Chart chart({"x", 0, 10}, {"y", 0, 10}, "nothing");
  int placed = 0;
  for (int i = 0; i < 20; ++i) placed += chart.label(5, 5, "the same place", "") ? 1 : 0;
  EXPECT_GE(placed, 2);
  EXPECT_LT(placed, 20);
}

TEST(Chart, DrawsWhatLiesBeyondItsAxesAtTheEdge) {
  Chart chart({"x", 0, 10}, {"y", 0, 10}, "nothing");
  chart.dot(5, 1e300, "dot", 3);
  EXPECT_THAT(chart.svg(), HasSubstr("cy=\"22.0\""));
  EXPECT_THAT(chart.svg(), Not(HasSubstr("inf")));
}

TEST(Chart, TakesTextsAsTexts) {
  Chart chart({"<x>", 0, 10}, {"a & b", 0, 10}, "\"quoted\"");
  EXPECT_THAT(chart.svg(), HasSubstr("&lt;x&gt;"));
  EXPECT_THAT(chart.svg(), HasSubstr("a &amp; b"));
  EXPECT_THAT(chart.svg(), HasSubstr("&quot;quoted&quot;"));
}

}  // namespace
}  // namespace plimsoll
