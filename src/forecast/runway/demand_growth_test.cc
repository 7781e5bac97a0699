#include "forecast/runway/demand_growth.h"
#include "forecast/runway/actuals.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/calendar.h"
#include "forecast/runway/sheet.h"
#include "read_demand.h"
#include "workload/line_reader.h"

namespace plimsoll {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kMedian = 3;

History daily(const std::vector<double>& values, const char* name = "requests_per_s") {
  History history;
  history.start_s = 20'000 * kDayS;
  history.step_s = kDayS;
  history.dated = true;
  history.series = {{name, "", values}};
  return history;
}

DemandHistory rising(int days, double per_day) {
  std::vector<double> values;
  for (int t = 0; t < days; ++t) {
    values.push_back(10 + per_day * t + 0.3 * std::sin(2.3 * t));
  }
  return demand_in(daily(values), "demand.csv", {}).value();
}

HistoryRequest over(double days) {
  HistoryRequest request;
  request.path = "demand.csv";
  request.horizon_days = days;
  return request;
}

ForecastRequest one_route() {
  ForecastRequest request;
  Route chat;
  chat.name = "chat";
  chat.requests_per_s = 10;
  chat.prompt_tokens = 100;
  chat.output_tokens = 20;
  request.baseline = request.forecast = {chat};
  return request;
}

TEST(DemandGrowth, is_the_sheet_above_its_line_when_the_chance_is_above_one_half) {
  const DemandHistory demand = rising(120, 0.1);
  auto outlooks = look_ahead(demand, over(30));
  ASSERT_TRUE(outlooks) << format(outlooks.error());
  ForecastRequest request = one_route();
  ASSERT_TRUE(continue_routes(*outlooks, {}, &request));
  const double forecast = request.forecast[0].requests_per_s;
  EXPECT_THAT(forecast, DoubleNear(25, 1.5));
  for (double line = forecast - 1; line < forecast + 1; line += 0.11) {
    const double chance = crossing(outlooks->front().outlook, line).probability();
    EXPECT_EQ(forecast > line, chance > 0.5) << line;
  }
  EXPECT_DOUBLE_EQ(request.baseline[0].requests_per_s, outlooks->front().now);
  EXPECT_LT(request.band->low, 1);
  EXPECT_GT(request.band->high, 1);
  EXPECT_DOUBLE_EQ(request.band->high * forecast, outlooks->front().peak.back());
}

// 20 days of growth by 0.5 a day say little of the 60th: the band has to reach nearly as far as
// growth.
// Computed prompt tokens say what rounds add; with those found in a cache beside them, whole
// prompts are known, and what is found of them is for the simulation to say.
TEST(DemandGrowth, do_prompts_of_sessions_follow_what_the_history_counts) {
  History history = daily(std::vector<double>(60, 10));
  history.series.push_back({"prompt_tokens_per_s", "", std::vector<double>(60, 2000)});
  const DemandHistory demand = demand_in(history, "demand.csv", {}).value();
  auto outlooks = look_ahead(demand, over(14));
  ASSERT_TRUE(outlooks) << format(outlooks.error());
  ForecastRequest request = one_route();
  request.forecast[0].prompt_tokens = 500;
  request.forecast[0].sessions = Sessions{4, 30, 100};
  request.baseline = request.forecast;
  ForecastRequest counted = request;
  ASSERT_TRUE(continue_routes(*outlooks, {}, &request));
  const Route& computed = request.forecast[0];
  EXPECT_NEAR(new_tokens_of(*computed.sessions, computed.prompt_tokens, 20), 200, 1);
  EXPECT_NEAR(computed.prompt_tokens, 100 + 2.5 * 200 + 1.5 * 20, 2);
  EXPECT_NEAR(computed.cached_share, 1 - 200 / computed.prompt_tokens, 1e-3);
  const std::vector<RouteOutlook> cached{{"", RouteFigure::cached_share, 0.5, 0.5, {}}};
  ASSERT_TRUE(continue_routes(*outlooks, cached, &counted));
  EXPECT_NEAR(counted.forecast[0].prompt_tokens, 400, 2);
}

TEST(DemandGrowth, does_little_history_give_a_wide_band_of_the_peak) {
  std::vector<double> values;
  for (int t = 0; t < 20; ++t) values.push_back(10 + 0.5 * t);
  const DemandHistory demand = demand_in(daily(values), "demand.csv", {}).value();
  const auto outlooks = look_ahead(demand, over(60));
  ASSERT_TRUE(outlooks);
  const BandQuantiles& peak = outlooks->front().peak;
  EXPECT_GT(peak.back(), 45);  // growth that goes on: 49.5
  EXPECT_GT(peak[kMedian], 20);
  EXPECT_GE(peak.front(), 18);  // it is 19.5 now
}

TEST(DemandGrowth, do_routes_that_say_what_will_be_keep_it) {
  auto outlooks = look_ahead(rising(120, 0.1), over(30));
  ForecastRequest request = one_route();
  request.forecast[0].requests_per_s = 300;
  ASSERT_TRUE(continue_routes(*outlooks, {}, &request));
  EXPECT_THAT(outlooks->front().outlook.notes,
              testing::Contains(HasSubstr("the sheet does not follow the history")));
  EXPECT_EQ(request.forecast[0].requests_per_s, 300);
  EXPECT_EQ(request.baseline[0].requests_per_s, 10);
  EXPECT_FALSE(request.band);
}

TEST(DemandGrowth, is_a_history_of_nothing_not_continued) {
  auto outlooks = look_ahead(rising(120, 0.1), over(30));
  outlooks->front().now = 0;
  ForecastRequest request = one_route();
  request.history = over(30);
  const auto continued = continue_routes(*outlooks, {}, &request);
  ASSERT_FALSE(continued);
  EXPECT_THAT(format(continued.error()),
              HasSubstr("demand.csv: error: requests/s are 0 throughout the history"));
}

TEST(DemandGrowth, is_what_routes_do_not_decide_forecast_by_its_own_column) {
  DemandHistory demand = rising(120, 0.1);
  demand.columns.front().resource = Resource::active_kv_tokens;
  auto outlooks = look_ahead(demand, over(30));
  ForecastRequest request = one_route();
  request.given[Resource::active_kv_tokens].capacity = 40;
  ASSERT_TRUE(continue_routes(*outlooks, {}, &request));
  const GivenResource& given = request.given[Resource::active_kv_tokens];
  EXPECT_EQ(given.forecast, outlooks->front().peak[kMedian]);
  EXPECT_TRUE(given.from_history);
  EXPECT_EQ(request.forecast[0].requests_per_s, 10);
}

TEST(DemandGrowth, do_errors_name_the_file) {
  const DemandHistory demand = demand_in(daily({1, 2, 3}), "demand.csv", {}).value();
  const auto few = look_ahead(demand, over(5));
  ASSERT_FALSE(few);
  EXPECT_THAT(format(few.error()),
              HasSubstr("demand.csv: error: a forecast needs at least 4 values"));
  const auto far = look_ahead(rising(30, 0.1), over(3e6));
  ASSERT_FALSE(far);
  EXPECT_THAT(format(far.error()), HasSubstr("demand.csv: error: the horizon of a forecast"));
}

// ---- from there to the rows of the runway

HeadroomSheet sheet_of(double requests, double tokens) {
  HeadroomSheet sheet;
  SheetRow row;
  row.resource = Resource::requests;
  row.forecast_p95 = requests;
  row.capacity = 24;
  sheet.rows.push_back(row);
  row.resource = Resource::output_tokens;
  row.forecast_p95 = tokens;
  row.capacity = 24.0 * tokens / requests;
  sheet.rows.push_back(row);
  row.resource = Resource::queue_delay;
  sheet.rows.push_back(row);
  return sheet;
}

TEST(RunwaySheet, does_what_has_no_history_move_in_proportion_to_requests) {
  const DemandHistory demand = rising(120, 0.1);
  const auto outlooks = look_ahead(demand, over(30));
  ForecastRequest request;
  request.history.as_of_s = demand.history.end_s() + 10 * kDayS;
  request.history.lead_time_days = 8;
  const RunwaySheet sheet = find_runway(request, demand, *outlooks, sheet_of(25, 500));
  ASSERT_EQ(sheet.rows.size(), 2U);  // none for the wait
  EXPECT_FALSE(sheet.rows[0].by_requests);
  EXPECT_TRUE(sheet.rows[1].by_requests);
  EXPECT_EQ(sheet.rows[1].runway.chance, sheet.rows[0].runway.chance);
  EXPECT_NEAR(sheet.rows[1].peak[kMedian], 20 * sheet.rows[0].peak[kMedian], 1e-9);
  // Ten of the days until the line have passed when the forecast is looked at.
  EXPECT_TRUE(sheet.rows[0].order.late);
  EXPECT_THAT(sheet.notes, testing::Contains(HasSubstr("the history ends 10 days before")));
  request.history.as_of_s.reset();
  const RunwaySheet then = find_runway(request, demand, *outlooks, sheet_of(25, 500));
  EXPECT_FALSE(then.rows[0].order.late);
  EXPECT_TRUE(then.notes.empty());
  request.history.as_of_s = demand.history.end_s() - 10 * kDayS;
  EXPECT_THAT(find_runway(request, demand, *outlooks, sheet_of(25, 500)).notes,
              testing::Contains(HasSubstr("as_of is before")));
}

// Requests stay as they are and get longer: there is room for 500 tokens/s as they are today.
TEST(RunwaySheet, are_dates_those_of_a_mix_that_changes) {
  const DemandHistory demand = rising(120, 0);
  const auto outlooks = look_ahead(demand, over(30));
  ForecastRequest request;
  HeadroomSheet headroom = sheet_of(10, 400);
  headroom.mix_changes = true;
  headroom.rows[0].baseline_p95 = 10;
  headroom.rows[1].baseline_p95 = 200;
  headroom.rows[1].capacity = 250;
  headroom.rows[1].capacity_now = 500;
  const RunwaySheet sheet = find_runway(request, demand, *outlooks, headroom);
  const RunwayRow& tokens = sheet.rows[1];
  EXPECT_FALSE(tokens.is_over_now);
  EXPECT_NEAR(tokens.outlook.point[29], 40 * outlooks->front().outlook.point[29], 1e-6);
  // 200 to 400 tokens/s, and 500 to 250 that are held: they meet on the 20th day of 30.
  EXPECT_NEAR(*tokens.runway.time_at(0.5), demand.history.end_s() + 19 * kDayS, kDayS);
  EXPECT_THAT(sheet.notes, testing::Contains(HasSubstr("from there to 250 within the horizon")));
  LoadAhead load{&tokens.outlook, tokens.line};
  load.now_of_line = tokens.now_of_line;
  EXPECT_NEAR(used_by_path(std::span(&load, 1))[0][0], 0.42, 0.05);
  EXPECT_NEAR(used_by_path(std::span(&load, 1))[0][29], 1.6, 0.1);
}

TEST(DemandHistory, is_a_part_that_is_more_than_its_whole_refused) {
  HistoryOptions utc;
  utc.zone = "UTC";
  const auto read = read_history(
      LineReader::over("time,route,requests,retries\n2026-11-01,a,4,0\n2026-11-01,b,4,1\n"
                       "2026-11-02,a,4,0\n2026-11-02,b,4,8\n",
                       "h.csv")
          .value(),
      utc);
  ASSERT_TRUE(read) << format(read.error());
  const auto demand = demand_in(*read, "h.csv", {});
  ASSERT_FALSE(demand);
  EXPECT_THAT(format(demand.error()),
              HasSubstr("at 2026-11-02T00:00Z, route \"b\", \"retries\" is 8 of 4 \"requests\""));
}

TEST(DemandHistory, is_the_same_demand_in_two_columns_refused) {
  HistoryOptions utc;
  utc.zone = "UTC";
  const auto read = read_history(
      LineReader::over("time,requests,requests_per_s\n2026-11-01,86400,2\n2026-11-02,86400,2\n",
                       "h.csv")
          .value(),
      utc);
  ASSERT_TRUE(read) << format(read.error());
  const auto demand = demand_in(*read, "h.csv", {});
  ASSERT_FALSE(demand);
  EXPECT_THAT(format(demand.error()),
              HasSubstr("\"requests_per_s\" says again what another column says: requests/s"));
}

HistoryRequest file_of(const std::string& name, const std::string& text) {
  HistoryRequest request;
  request.path = (std::filesystem::temp_directory_path() / name).string();
  std::ofstream(request.path) << text;
  return request;
}

// 20 days with one busy hour each: 3 requests/s at nine o'clock, else 1.
HistoryRequest one_busy_hour(const char* name) {
  std::string text = "time,requests_per_s\n";
  for (int hour = 0; hour < 20 * 24; ++hour) {
    text += iso_time(20'000 * kDayS + 3600.0 * hour) + (hour % 24 == 9 ? ",3\n" : ",1\n");
  }
  return file_of(name, text);
}

TEST(DemandHistory, is_the_peak_of_a_day_its_busiest_step) {
  const auto demand = read_demand(one_busy_hour("demand_busiest_step.csv"), {});
  ASSERT_TRUE(demand) << format(demand.error());
  EXPECT_TRUE(demand->daily_peaks);
  EXPECT_THAT(demand->history.series[0].values, testing::Each(3));
  // What comes is judged alike.
  EXPECT_THAT(in_windows(demand->steps.series[0].values, {0, 20, 24, 0}, true), testing::Each(3));
}

// Regions are routes; each is busy at its own nine o'clock.
TEST(DemandHistory, do_peaks_of_regions_not_add_up_where_their_clocks_differ) {
  std::string text = "time,route,requests_per_s\n";
  for (int hour = 0; hour < 20 * 24; ++hour) {
    const std::string time = iso_time(20'000 * kDayS + 3600.0 * hour);
    text += time + ",chat-eu," + (hour % 24 == 8 ? "30" : "10") + "\n";
    text += time + ",chat-us," + (hour % 24 == 14 ? "50" : "20") + "\n";
  }
  Route eu, us;
  eu.name = "chat-eu";
  us.name = "chat-us";
  const auto demand = read_demand(file_of("demand_regions.csv", text), {eu, us});
  ASSERT_TRUE(demand) << format(demand.error());
  EXPECT_THAT(demand->history.series[0].values, testing::Each(60));  // 10 + 50, not 30 + 50
}

TEST(RunwaySheet, says_how_often_and_when_a_line_was_passed) {
  ForecastRequest request;
  request.history = one_busy_hour("demand_passed_line.csv");
  const DemandHistory demand = read_demand(request.history, {}).value();
  const auto outlooks = look_ahead(demand, over(28));
  ASSERT_TRUE(outlooks);
  HeadroomSheet low = sheet_of(3, 60);
  low.rows[0].capacity = 2;
  EXPECT_THAT(find_runway(request, demand, *outlooks, low).notes,
              testing::Contains("requests/s exceeded 2.00 in 20 of 480 steps of the history, most "
                                "often at 9:00"));
  EXPECT_THAT(find_runway(request, demand, *outlooks, sheet_of(3, 60)).notes,
              testing::Not(testing::Contains(HasSubstr("exceeded"))));
}

TEST(DemandHistory, is_a_key_that_its_file_has_no_use_for_refused) {
  HistoryRequest csv = one_busy_hour("demand_useless_key.csv");
  csv.route_label = "model_name";
  EXPECT_THAT(format(read_demand(csv, {}).error()),
              HasSubstr("\"route_label\" does nothing in a history of a CSV file"));
  HistoryRequest counters = file_of("demand_useless_key.json", "{}");
  counters.columns = {{"requests", "a"}};
  EXPECT_THAT(format(read_demand(counters, {}).error()),
              HasSubstr("\"columns\" does nothing in a history of counters of Prometheus"));
  counters.columns.clear();
  counters.fill_gaps = true;
  EXPECT_THAT(format(read_demand(counters, {}).error()),
              HasSubstr("\"gaps: fill\" does nothing in a history of counters of Prometheus"));
}

TEST(DemandHistory, what_does_it_look_like) {
  std::vector<double> values;
  for (int t = 0; t < 14 * 24; ++t) values.push_back(t % 24 == 9 ? 3 : 1);
  History history = daily(values);
  history.step_s = kDayS / 24;
  const DemandProfile profile = profile_of(history, history.series[0]);
  EXPECT_EQ(profile.p50, 1);
  EXPECT_EQ(profile.peak_hour(), 9);
  EXPECT_NEAR(profile.by_hour[9], 3 / (26.0 / 24), 1e-9);
  EXPECT_THAT(profile.by_weekday, testing::Each(DoubleNear(1, 1e-9)));
  // Counts of an hour: variance over mean.
  const double mean = 26.0 / 24;
  const double variance = (23 * std::pow(1 - mean, 2) + std::pow(3 - mean, 2)) / 24 * 336 / 335;
  EXPECT_NEAR(*profile.dispersion, 3600 * variance / mean, 1e-6);
}

}  // namespace
}  // namespace plimsoll
