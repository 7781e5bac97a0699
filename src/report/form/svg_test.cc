#include "report/form/svg.h"

#include <gmock/gmock.h>

namespace plimsoll {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Ticks, AreRoundAndFillTheAxis) {
  EXPECT_THAT(ticks({"", 0, 100}, 5), ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(ticks({"", 7, 10.2, true}, 6), ElementsAre(7, 8, 9, 10));
  EXPECT_THAT(ticks({"", 0, 2.2, true}, 6), ElementsAre(0, 1, 2));
}

TEST(Ticks, OfNoRangeAreItsOneValue) { EXPECT_THAT(ticks({"", 3, 3}, 5), ElementsAre(3)); }

TEST(Ticks, OfALogarithmicAxisAreOneTwoAndFive) {
  Axis axis{"", 1.5, 60};
  axis.log = true;
  EXPECT_THAT(ticks(axis, 6), ElementsAre(2, 5, 10, 20, 50));
  axis.high = 15'000;
  EXPECT_THAT(ticks(axis, 6), ElementsAre(10, 100, 1000, 10'000));
}

TEST(Ticks, OfNamesAreThoseThatHaveRoom) {
  Axis axis{"", -0.5, 29.5};
  axis.names.assign(30, "1,024-2,047");
  EXPECT_EQ(ticks(axis, 6).size(), 4);
}

TEST(Chart, SaysHowManyLabelsHadNoRoom) {
  Chart chart({"x", 0, 10}, {"y", 0, 10}, "nothing");
  for (int i = 0; i < 60; ++i) chart.label(5, 5, {"the same place"}, "");
  EXPECT_THAT(chart.svg(), ContainsRegex("[0-9]+ marks unnamed: point at them"));
}

TEST(Chart, KeepsLabelsOffItsLines) {
  Chart chart({"x", 0, 10}, {"y", 0, 10}, "nothing");
  chart.line({{5, 5}, {10, 5}}, "main");  // to the right of the point, where a label stands first
  chart.label(5, 5, {"127 ms"}, "pick-text");
  EXPECT_THAT(chart.svg(), ContainsRegex("x=\"1[0-9.]+\" y=\"113.0\" [^>]*>127 ms"));
}

TEST(Chart, NamesANarrowRegionBesideIt) {
  Chart chart({"x", 0, 100}, {"y", 0, 10}, "nothing");
  chart.region(0, 1, "apart", "warm-up");
  EXPECT_THAT(chart.svg(), HasSubstr("x=\"52.0\" y=\"191.0\" text-anchor=\"start\">warm-up"));
}

TEST(Chart, DrawsWhatLiesBeyondItsAxesAtTheEdge) {
  Chart chart({"x", 0, 10}, {"y", 0, 10}, "nothing");
  chart.dot(5, 1e300, "dot", 3);
  EXPECT_THAT(chart.svg(), HasSubstr("<path class=\"dot\" d=\"M195.0 24.2h6l-3 -4.5Z\">"));
  EXPECT_THAT(chart.svg(), Not(HasSubstr("<circle")));
  EXPECT_THAT(chart.svg(), Not(HasSubstr("inf")));
}

TEST(Chart, DrawsWhatIsTooFarToTheRightAsAnArrowhead) {
  Chart chart({"x", 0, 10}, {"y", 0, 10}, "nothing");
  chart.dot(200, 5, "dot", 3);
  EXPECT_THAT(chart.svg(), HasSubstr("<path class=\"dot\" d=\"M347.0 106.0v6l4.5 -3Z\">"));
  EXPECT_THAT(chart.svg(), Not(HasSubstr("<circle")));
}

TEST(Chart, TellsMarksApartByTheirShapes) {
  Chart chart({"x", 0, 10}, {"y", 0, 10}, "nothing");
  for (const char* style : {"dot", "fails", "unclear"}) chart.dot(5, 5, style, 3);
  EXPECT_THAT(chart.svg(), HasSubstr("<circle class=\"dot\""));
  EXPECT_THAT(chart.svg(), HasSubstr("<path class=\"fails\" d=\"M195.0 106.0l6 6m0 -6l-6 6\">"));
  EXPECT_THAT(chart.svg(), HasSubstr("<path class=\"unclear\""));
}

TEST(Chart, NamesStretchesAtItsHead) {
  Chart chart({"x", 0, 10}, {"y", 0, 10}, "nothing");
  chart.stretch(2.5, 7.5, "middle");
  EXPECT_THAT(chart.svg(), ContainsRegex("class=\"window\" d=\"M122.0 .*H274.0"));
  EXPECT_THAT(chart.svg(), HasSubstr(">middle</text>"));
}

TEST(Chart, TakesTextsAsTexts) {
  Chart chart({"<x>", 0, 10}, {"a & b", 0, 10}, "\"quoted\"");
  EXPECT_THAT(chart.svg(), HasSubstr("&lt;x&gt;"));
  EXPECT_THAT(chart.svg(), HasSubstr("a &amp; b"));
  EXPECT_THAT(chart.svg(), HasSubstr("&quot;quoted&quot;"));
}

}  // namespace
}  // namespace plimsoll
