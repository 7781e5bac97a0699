#include "planner/turning_points.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using enum DivisionAnswer;

struct Looked {
  std::vector<DivisionPoint> points;
  int asked = 0;
};

// Splitting pays from this factor on.
Looked around(double turn, int most = 100) {
  Looked out;
  const auto answer = [&](double factor) { return factor >= turn ? with : without; };
  const AskDivision ask = [&](double factor) -> Result<DivisionAnswer> {
    out.asked += 1;
    return answer(factor);
  };
  out.points = *look_around(answer(1), ask, [&] { return out.asked < most; });
  return out;
}

TEST(TurningPoints, lie_between_neighbours_with_other_answers) {
  for (const double turn : {0.3, 0.6, 0.95, 1.05, 1.5, 3.3}) {
    const Looked looked = around(turn);
    EXPECT_LE(looked.asked, 6) << turn;
    int changes = 0;
    for (std::size_t i = 1; i < looked.points.size(); ++i) {
      const DivisionPoint& low = looked.points[i - 1];
      const DivisionPoint& high = looked.points[i];
      ASSERT_LT(low.factor, high.factor);
      if (low.answer == high.answer) continue;
      changes += 1;
      EXPECT_LT(low.factor, turn);
      EXPECT_GE(high.factor, turn);
      EXPECT_LE(high.factor / low.factor, 1.2);
    }
    EXPECT_EQ(changes, 1) << turn;
  }
}

TEST(TurningPoints, are_looked_for_up_to_four_times_the_load_and_down_to_a_quarter) {
  const Looked looked = around(100);
  ASSERT_EQ(looked.points.size(), 5U);
  EXPECT_EQ(looked.points.front().factor, 0.25);
  EXPECT_EQ(looked.points.back().factor, 4);
}

TEST(TurningPoints, leave_out_what_was_cut_short) {
  EXPECT_EQ(around(100, 1).points.size(), 1U);
  EXPECT_EQ(around(100, 3).points.size(), 3U);
}

TEST(DivisionAnswer, is_by_the_cheapest_of_either_kind) {
  using Best = std::optional<BestOfDivision> Plan::*;
  struct Kind {
    DivisionKind division;
    Best with;
    Best without;
  };
  for (const Kind& kind : {Kind{DivisionKind::split, &Plan::best_split, &Plan::best_aggregated},
                           Kind{DivisionKind::mix, &Plan::best_mix, &Plan::best_alone}}) {
    Plan plan;
    PlanRequest request;  // for the most per dollar: rates have a precision
    const auto answer = [&] { return division_answer(kind.division, request, plan); };
    EXPECT_EQ(answer(), neither);
    plan.*kind.with = BestOfDivision{0, 10};
    EXPECT_EQ(answer(), with);
    plan.*kind.without = BestOfDivision{1, 10.1};
    EXPECT_EQ(answer(), even);
    request.rate_rps = 10;
    request.objective = Objective::least_cost;
    EXPECT_EQ(answer(), with);
    (plan.*kind.without)->cost = 8;
    EXPECT_EQ(answer(), without);
    (plan.*kind.without)->cost = 12;
    EXPECT_EQ(answer(), with);
  }
}

}  // namespace
}  // namespace plimsoll
