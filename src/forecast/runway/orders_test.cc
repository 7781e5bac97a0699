// Is what is ordered GPUs where they help, by a date of the same risk?
#include "forecast/runway/sheet.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

// Ten paths of four days, of which path k asks for 10 (k + 1) on the third day.
Outlook ten_paths() {
  Outlook outlook;
  outlook.step_s = kDayS;
  outlook.point.assign(4, 0);
  for (int k = 0; k < 10; ++k) outlook.paths.push_back({5, 5, 10.0 * (k + 1), 5});
  return outlook;
}

RunwaySheet sheet_with(double line, std::int64_t add_gpus) {
  RunwaySheet sheet;
  RunwayRow& row = sheet.rows.emplace_back();
  row.outlook = ten_paths();
  row.line = line;
  row.order = {kDayS, true, 0.5};
  sheet.gpu_plan.steps.resize(1);
  sheet.gpu_plan.add_gpus = add_gpus;
  return sheet;
}

LoadAhead load_in(const RunwaySheet& sheet) { return {&sheet.rows[0].outlook, sheet.rows[0].line}; }

TEST(Orders, is_the_date_that_of_the_risk_the_number_allows_for) {
  ForecastRequest request;
  request.history.lead_time_days = 1;
  request.history.cold_start_s = 0;
  RunwaySheet sheet = sheet_with(75, 2);  // three paths of ten ask for more
  const LoadAhead load = load_in(sheet);
  settle_orders(request, std::span(&load, 1), &sheet);
  ASSERT_TRUE(sheet.gpu_plan.order.by_s);
  EXPECT_EQ(*sheet.gpu_plan.order.by_s, kDayS);
  EXPECT_TRUE(sheet.rows[0].by_gpus);
  EXPECT_TRUE(sheet.rows[0].order.by_s);
}

// One path of ten asks for more than the line: so much every order allows for.
TEST(Orders, is_there_none_where_what_is_deployed_is_enough) {
  RunwaySheet sheet = sheet_with(95, 0);
  const LoadAhead load = load_in(sheet);
  settle_orders({}, std::span(&load, 1), &sheet);
  EXPECT_FALSE(sheet.gpu_plan.order.by_s);
  EXPECT_FALSE(sheet.rows[0].order.by_s);
}

// More instances do not raise a limit that is given.
TEST(Orders, does_a_limit_that_is_given_keep_its_own) {
  RunwaySheet sheet = sheet_with(75, 0);
  LoadAhead load = load_in(sheet);
  load.line = 1000;
  load.is_limited = true;
  settle_orders({}, std::span(&load, 1), &sheet);
  EXPECT_FALSE(sheet.rows[0].by_gpus);
  EXPECT_TRUE(sheet.rows[0].order.by_s);
}

TEST(Orders, do_rows_keep_their_own_where_no_plan_is_known) {
  RunwaySheet sheet = sheet_with(95, 0);
  sheet.gpu_plan.steps.clear();
  const LoadAhead load = load_in(sheet);
  settle_orders({}, std::span(&load, 1), &sheet);
  EXPECT_TRUE(sheet.rows[0].order.by_s);
}

// Where a line is known by an interval only, a path that stays below its middle may be above it.
TEST(Orders, do_gpus_allow_for_what_is_not_known_of_their_line) {
  const Outlook outlook = ten_paths();
  const LoadAhead sure{&outlook, 100};
  const LoadAhead doubtful{&outlook, 100, Interval{60, 166}};
  const auto highest = [](const LoadAhead& load) {
    double most = 0;
    for (const auto& path : used_by_path(std::span(&load, 1))) most = std::max(most, path[2]);
    return most;
  };
  EXPECT_DOUBLE_EQ(highest(sure), 1);
  EXPECT_NE(highest(doubtful), 1);
}

// Ten paths reach 10 to 100 on the third day, and 45 is held now.
TEST(Orders, tells_how_long_a_lever_would_do) {
  const RunwaySheet sheet = sheet_with(45, 1);
  const LoadAhead load = load_in(sheet);
  std::vector<LeverResult> levers(2);
  levers[0].line.factor = 2;  // twice as much: one path of ten asks for more
  levers[1].line.factor = 1.2;
  date_levers(std::span(&load, 1), 1, &levers);
  EXPECT_NEAR(levers[0].runway.probability(), 0.1, 1e-9);
  EXPECT_FALSE(levers[0].runway.time_at(0.2));
  EXPECT_EQ(levers[1].runway.time_at(0.2), 2 * kDayS);
}

TEST(Orders, does_the_row_that_runs_out_first_lead_the_sheet) {
  RunwaySheet sheet;
  for (const Resource resource : {Resource::requests, Resource::gateway_requests}) {
    RunwayRow& row = sheet.rows.emplace_back();
    row.resource = resource;
    row.runway.known = true;
    row.runway.step_s = kDayS;
  }
  sheet.rows[0].runway.chance = {0, 0.2, 0.6};
  sheet.rows[1].runway.chance = {0, 0.6, 0.7};
  HeadroomSheet headroom;
  headroom.binding = Resource::requests;
  lead_by_date(sheet, &headroom);
  EXPECT_EQ(headroom.binding, Resource::gateway_requests);
  for (RunwayRow& row : sheet.rows) row.runway.chance = {0, 0.1, 0.4};
  headroom.binding = Resource::requests;
  lead_by_date(sheet, &headroom);
  EXPECT_EQ(headroom.binding, Resource::requests);
}

}  // namespace
}  // namespace plimsoll
