#include "report/form/svg.h"

#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace plimsoll {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Box kPicture{46, 14, 358, 196};

struct Drawn {
  std::string text;
  Box box;
};

std::vector<Drawn> drawn_in(const std::string& markup) {
  static const std::regex kText(
      "<text class=\"([^\"]*)\" x=\"([^\"]*)\" y=\"([^\"]*)\" text-anchor=\"start\">([^<]*)<");
  std::vector<Drawn> found;
  for (std::sregex_iterator at(markup.begin(), markup.end(), kText), end; at != end; ++at) {
    const std::smatch& m = *at;
    const double x = std::stod(m[2]);
    const double y = std::stod(m[3]);
    found.push_back({m[4], {x + 0.1, y - 9, x + drawn_width(m[4].str(), m[1].str()) - 0.2, y + 1}});
  }
  return found;
}

// What touches, as "a over b".
std::vector<std::string> overlaps(const std::vector<Drawn>& drawn, const std::vector<Box>& marks) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      if (drawn[i].box.touches(drawn[j].box))
        found.push_back(drawn[i].text + " over " + drawn[j].text);
    for (const Box& mark : marks)
      if (drawn[i].box.touches(mark)) found.push_back(drawn[i].text + " over a mark");
  }
  return found;
}

/// Numbers that look random and are the same everywhere.
class Scattered {
 public:
  explicit Scattered(std::uint32_t seed) : state_(seed) {}
  double between(double low, double high) {
    state_ = state_ * 1664525U + 1013904223U;
    return low + (high - low) * static_cast<double>(state_ >> 8) / static_cast<double>(1U << 24);
  }

 private:
  std::uint32_t state_;
};

// From a handful of marks far apart to a hundred in one corner, with a line through them.
TEST(ChartLabels, OfCrowdsTouchNeitherEachOtherNorMarks) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Scattered scattered(seed);
    ChartLabels labels(kPicture);
    std::vector<Box> marks;
    const int count = 3 + static_cast<int>(seed % 50) * 2;
    const double right = seed % 2 == 0 ? 350 : 120;
    Segment line{60, 180, right, 40};
    labels.avoid(line);
    for (int i = 0; i < count; ++i) {
      const double x = scattered.between(50, right);
      const double y = scattered.between(20, 190);
      marks.push_back({x - 3, y - 3, x + 3, y + 3});
      labels.avoid(marks.back());
      labels.add(x, y, {fmt::format("{} x H100", i)}, i == 0 ? "pick-text" : "");
    }
    const std::string markup = labels.markup();
    std::vector<Drawn> drawn = drawn_in(markup);
    EXPECT_THAT(overlaps(drawn, marks), IsEmpty()) << "seed " << seed;
    for (const Drawn& one : drawn)
      EXPECT_FALSE(line.crosses(one.box)) << one.text << ", seed " << seed;
    const std::size_t named = drawn.size() - (markup.find("unnamed") == markup.npos ? 0 : 1);
    const std::size_t left_out = static_cast<std::size_t>(count) - named;
    if (left_out > 0) {
      EXPECT_THAT(markup,
                  HasSubstr(fmt::format(">{} mark{} unnamed", left_out, left_out == 1 ? "" : "s")));
    }
    EXPECT_GE(named, 3U) << "seed " << seed;
  }
}

TEST(ChartLabels, MoveAwayWithALeaderBeforeTheyAreLeftOut) {
  ChartLabels labels(kPicture);
  labels.avoid(Box{140, 60, 260, 140});  // all around the point
  labels.add(200, 100, {"8 x H200"}, "");
  EXPECT_THAT(labels.markup(), HasSubstr("<text"));
  EXPECT_THAT(labels.markup(), HasSubstr("<path class=\"leader\" d=\"M200.0 100.0L"));
}

TEST(ChartLabels, TakeAShorterTextWhereALongOneHasNoRoom) {
  ChartLabels labels({0, 0, 80, 40});
  labels.add(10, 20, {"a long name, the pick", "short"}, "");
  EXPECT_THAT(labels.markup(), HasSubstr(">short<"));
}

TEST(ChartLabels, OfALineStandWhereNoMarkIs) {
  ChartLabels labels(kPicture);
  labels.avoid(Box{60, 80, 70, 110});
  labels.add("limit", "limit-text", {{50, 96}, {300, 96}});
  labels.add("target", "limit-text", {{50, 90}});  // has but one place
  EXPECT_THAT(labels.markup(), HasSubstr("x=\"300.0\" y=\"96.0\" text-anchor=\"start\">limit<"));
  EXPECT_THAT(labels.markup(), HasSubstr("x=\"50.0\" y=\"90.0\" text-anchor=\"start\">target<"));
}

TEST(Segment, CrossesABoxOrPassesIt) {
  const Box box{10, 10, 20, 20};
  EXPECT_TRUE((Segment{0, 0, 30, 30}.crosses(box)));
  EXPECT_TRUE((Segment{12, 12, 13, 13}.crosses(box)));
  EXPECT_FALSE((Segment{0, 0, 5, 5}.crosses(box)));
  EXPECT_FALSE((Segment{0, 21, 30, 21}.crosses(box)));
  EXPECT_FALSE((Segment{0, 12, 12, 0}.crosses(box)));
}

}  // namespace
}  // namespace plimsoll
