#include "forecast/history/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workload/workload.h"

namespace plimsoll {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<History> history_from(const std::string& text, const HistoryOptions& options = {}) {
  return read_history(LineReader::over(text, "h.csv").value(), options);
}

std::string history_error(const std::string& text, const HistoryOptions& options = {}) {
  Result<History> history = history_from(text, options);
  return history ? "no error" : format(history.error());
}

TEST(History, are_columns_read_on_the_grid_of_their_times) {
  const auto h = history_from(
      "time,requests,prompt_tokens\n"
      "2026-11-22T05:00+01:00,10,1000\n2026-11-22T06:00+01:00,12.5,0\n");
  ASSERT_TRUE(h) << format(h.error());
  EXPECT_EQ(h->start_s, 1'795'320'000);
  EXPECT_EQ(h->step_s, 3600);
  EXPECT_EQ(h->end_s(), 1'795'327'200);
  EXPECT_TRUE(h->dated);
  EXPECT_THAT(h->find("requests")->values, ElementsAre(10, 12.5));
  EXPECT_THAT(h->find("prompt_tokens")->values, ElementsAre(1000, 0));
  EXPECT_EQ(h->find("requests", "chat"), nullptr);
}

TEST(History, may_times_be_seconds) {
  const auto plain = history_from("requests,time\n1,0.5\n2,1\n3,1.5\n");
  ASSERT_TRUE(plain) << format(plain.error());
  EXPECT_EQ(plain->step_s, 0.5);
  EXPECT_FALSE(plain->dated);
  EXPECT_TRUE(history_from("time,requests\n1795320000,1\n1795323600,2\n")->dated);
}

TEST(History, are_dates_without_a_time_days_of_utc) {
  const auto history = history_from("time,a\n2026-11-21,1\n2026-11-22,2\n");
  ASSERT_TRUE(history) << format(history.error());
  EXPECT_EQ(history->start_s, 20'778 * 86'400.0);
  EXPECT_EQ(history->step_s, 86'400);
  EXPECT_THAT(history->notes, testing::Contains(testing::HasSubstr("days of UTC")));
}

TEST(History, does_each_route_have_its_own_series) {
  const auto h = history_from(
      "time,route,requests\n0,chat,1\n0,code,5\n60,chat,2\n60,code,6\n120,code,7\n120,chat,3\n");
  ASSERT_TRUE(h) << format(h.error());
  EXPECT_THAT(h->find("requests", "chat")->values, ElementsAre(1, 2, 3));
  EXPECT_THAT(h->find("requests", "code")->values, ElementsAre(5, 6, 7));
}

// As dashboards export them: other names, other columns, milliseconds, empty words.
TEST(History, are_columns_of_other_names_taken_and_all_others_left_out) {
  HistoryOptions options;
  options.columns = {{"requests_per_s", "Value #A"}, {"output_tokens", "out"}};
  options.fill_gaps = true;
  std::string text = "Time,host,Value #A,out\n";
  for (int t = 0; t < 20; ++t) {
    text += std::to_string(1'795'320'000'000 + 60'000 * t) + ",a," +
            (t == 3 ? "NaN" : std::to_string(t)) + ",7\n";
  }
  const auto h = history_from(text, options);
  ASSERT_TRUE(h) << format(h.error());
  EXPECT_EQ(h->start_s, 1'795'320'000);
  EXPECT_EQ(h->step_s, 60);
  EXPECT_EQ(h->series.size(), 2U);
  EXPECT_EQ(h->find("requests_per_s")->values[3], 3);
  EXPECT_EQ(h->find("output_tokens")->values[0], 7);
  options.columns = {{"requests", "Valu"}};
  EXPECT_THAT(format(history_from(text, options).error()),
              HasSubstr("there is no column \"Valu\""));
}

TEST(History, are_times_a_little_off_moved_to_their_step) {
  const auto h = history_from("time,requests\n0,1\n60.4,2\n119.8,3\n180.2,4\n240,5\n");
  ASSERT_TRUE(h) << format(h.error());
  EXPECT_EQ(h->step_s, 60);
  EXPECT_THAT(h->series[0].values, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(h->notes, ElementsAre(HasSubstr("up to 0.4 s off their step of 60 s")));
  EXPECT_FALSE(history_from("time,requests\n0,1\n60,2\n130,3\n180,4\n240,5\n"));
}

// A launch and an end: what has no rows there had no traffic.
TEST(History, is_a_route_nothing_before_its_first_row_and_after_its_last_if_gaps_are_filled) {
  std::string text = "time,route,requests,prompt_tokens\n";
  for (int t = 0; t < 30; ++t) {
    if (t >= 10 && t != 20) text += std::to_string(t) + ",new,2,20\n";
    if (t < 12) text += std::to_string(t) + ",old,3,30\n";
  }
  EXPECT_THAT(history_error(text), HasSubstr("others at"));
  const auto h = history_from(text, {{}, true});
  ASSERT_TRUE(h) << format(h.error());
  EXPECT_EQ(h->find("requests", "new")->values[9], 0);
  EXPECT_EQ(h->find("requests", "new")->values[20], 2);
  EXPECT_EQ(h->find("prompt_tokens", "old")->values[12], 0);
  EXPECT_THAT(h->notes, ElementsAre("route \"old\" has no rows after 11: nothing came",
                                    "route \"new\" has no rows before 10: nothing came",
                                    HasSubstr("2 missing values of 1 row (1.67 %) filled")));
}

TEST(History, are_gaps_filled_only_when_asked_for) {
  std::string text = "time,requests\n0,1\n1,1\n2,2\n4,4\n5,\n6,6\n";
  for (int t = 7; t < 30; ++t) text += std::to_string(t) + ",6\n";
  EXPECT_THAT(history_error(text), HasSubstr("h.csv:6:3: error: \"requests\" is missing"));
  const auto h = history_from(text, {{}, true});
  ASSERT_TRUE(h) << format(h.error());
  EXPECT_THAT(std::vector(h->series[0].values.begin(), h->series[0].values.begin() + 7),
              ElementsAre(1, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(h->notes, ElementsAre(HasSubstr("2 missing values (6.67 %) filled")));
}

TEST(History, is_a_long_gap_filled_as_the_weeks_before_and_after_were) {
  std::string text = "time,requests\n";
  const auto at = [](int hour) { return 10 + (hour % 24 == 12 ? 20 : 0) + hour / 168; };
  for (int hour = 0; hour < 4 * 168; ++hour) {
    const bool is_missing = (hour >= 204 && hour < 210) || hour == 228;  // noons among them
    if (!is_missing) text += std::to_string(hour * 3600) + "," + std::to_string(at(hour)) + "\n";
  }
  const auto h = history_from(text, {{}, true});
  ASSERT_TRUE(h) << format(h.error());
  EXPECT_EQ(h->series[0].values[204], at(204));
  EXPECT_EQ(h->series[0].values[209], at(209));
  EXPECT_EQ(h->series[0].values[228], at(227));  // of an hour: between its neighbours
  EXPECT_THAT(h->notes, ElementsAre("7 missing values (1.04 %) filled with the mean of the same "
                                    "time a week before and after, else on straight lines between "
                                    "neighbours"));
}

HistoryOptions in_zone(const char* zone) {
  HistoryOptions options;
  options.zone = zone;
  return options;
}

// The hour of 02:00 is skipped on 29 March and comes twice on 25 October.
TEST(History, do_hours_keep_their_place_in_the_day_when_clocks_change) {
  const auto spring = history_from(
      "time,a\n2026-03-28T23:00,1\n2026-03-29 00:00,2\n2026-03-29 01:00,3\n"
      "2026-03-29 03:00,5\n2026-03-29 04:00,6\n",
      in_zone("Europe/Berlin"));
  ASSERT_TRUE(spring) << format(spring.error());
  EXPECT_THAT(spring->series[0].values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(spring->zone_s, 7200);
  EXPECT_EQ(spring->end_s(), 1'774'753'200);  // 05:00 of summer time
  EXPECT_THAT(spring->notes, ElementsAre(HasSubstr("clocks were changed")));
  // In UTC, with a zone of each row's own, or by the clock: the same.
  const char* const autumn[] = {
      "time,a\n2026-10-24T23:00Z,1\n2026-10-25T00:00Z,2\n2026-10-25T01:00Z,4\n"
      "2026-10-25T02:00Z,5\n",
      "time,a\n2026-10-25T01:00+02:00,1\n2026-10-25T02:00+02:00,2\n2026-10-25T02:00+01:00,4\n"
      "2026-10-25T03:00+01:00,5\n",
      "time,a\n2026-10-25T01:00,1\n2026-10-25T02:00,2\n2026-10-25T02:00,4\n2026-10-25T03:00,5\n"};
  for (const char* text : autumn) {
    const auto h = history_from(text, in_zone("Europe/Berlin"));
    ASSERT_TRUE(h) << format(h.error());
    EXPECT_THAT(h->series[0].values, ElementsAre(1, 3, 5));
    EXPECT_EQ(h->zone_s, 3600);
    EXPECT_EQ(h->end_s(), 1'792'897'200);
  }
}

TEST(History, are_days_those_of_the_place) {
  const auto h = history_from("time,a\n2026-03-28,1\n2026-03-29,2\n2026-03-30,3\n2026-03-31,4\n",
                              in_zone("Europe/Berlin"));
  ASSERT_TRUE(h) << format(h.error());
  EXPECT_EQ(h->step_s, kDayS);
  EXPECT_EQ(h->start_s + h->zone_s, 1'774'656'000);
  EXPECT_EQ(h->end_s(), 1'774'994'400);  // midnight of 1 April
}

TEST(History, is_a_zone_that_cannot_be_refused) {
  EXPECT_THAT(history_error("time,a\n2026-03-29T02:30,1\n", in_zone("Europe/Berlin")),
              HasSubstr("h.csv:2:1: error: the clocks of Europe/Berlin skip the time"));
  EXPECT_THAT(history_error("time,a\n0,1\n60,1\n", in_zone("Europe/Berlin")),
              HasSubstr("times count seconds"));
  EXPECT_THAT(history_error("time,a\n", in_zone("Europe/Berln")),
              HasSubstr("did you mean \"Europe/Berlin\"?"));
}

TEST(History, is_a_column_of_words_answered_with_how_to_leave_it_out) {
  EXPECT_THAT(history_error("time,host,requests\n0,a,1\n60,b,2\n"),
              HasSubstr("by naming what is: columns: {requests: \"requests\"}"));
  EXPECT_THAT(history_error("Time,host,Value #A\n0,a,1\n60,b,2\n"),
              HasSubstr("columns: {requests: \"Value #A\"}"));
}

TEST(History, does_each_bad_input_give_one_clear_error) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"", "h.csv:1: error: the file is empty"},
      {"tim,requests\n0,1\n", "h.csv:1:1: error: there is no column \"time\""},
      {"0,1\n1,2\n", "h.csv:1:1: error: \"0\" is no name of a column"},
      {"time,a,a\n", "h.csv:1:8: error: the column \"a\" appears twice"},
      {"time;requests\n0;1\n", "h.csv:1:1: error: the columns are not separated by commas"},
      {"time,route\n", "h.csv:1:1: error: there is no column besides the time"},
      {"time,a\n", "h.csv:1: error: a history needs at least two rows"},
      {"time,a\n0,1\n", "h.csv:2: error: a history needs at least two rows"},
      {"time,a\n0,1,2\n", "h.csv:2:5: error: the row has 3 fields where the header names 2"},
      {"time,route,a\n0,,2\n", "h.csv:2:3: error: the row names no route"},
      {"time,a\nyesterday,1\n", "h.csv:2:1: error: \"yesterday\" is not a time"},
      {"time,a\n2026-02-29T00:00Z,1\n", "h.csv:2:1: error: \"2026-02-29T00:00Z\" is not a time"},
      {"time,a\n2026-11-22T00:00,1\n", "h.csv:2:1: error: the time 2026-11-22T00:00 has no zone"},
      {"time,a\n2026-11-22T00:00Z,1\n60,1\n", "h.csv:3:1: error: dates and seconds are mixed"},
      {"time,a\n-5,1\n", "h.csv:2:1: error: a time in seconds must not be negative, got -5"},
      {"time,a\n1795320000000000,1\n", "h.csv:2:1: error: a time must be below 8e9 seconds"},
      {"time,a\n2026-03-29T01:00+01:00,1\n2026-03-29T03:00+02:00,1\n",
       "h.csv:3:1: error: the zone of 2026-03-29T03:00+02:00 is not the one of the rows before: "
       "is this where summer time begins or ends?"},
      {"time,a\n2026-03-29T01:00Z,1\n2026-03-29T10:00+08:00,1\n",
       "h.csv:3:1: error: the zone of 2026-03-29T10:00+08:00 is not the one of the rows before\n"},
      {"time,a\n0,1\n60,1\n60,2\n", "h.csv:4:1: error: the time 60 stands in line 3 already"},
      {"time,a\n0,1\n60,1\n30,2\n", "h.csv:4:1: error: the time 30 is earlier than that of line 3"},
      {"time,a\n0,1\n60,x\n", "h.csv:3:4: error: \"a\" must be a number, got \"x\""},
      {"time,a\n0,1\n60,nan\n", "h.csv:3:4: error: \"a\" is missing"},
      {"time,a\n0,1\n60,1e999\n", "h.csv:3:4: error: \"a\" must be a number, got \"1e999\""},
      {"time,a\n0,1\n60,-2\n", "h.csv:3:4: error: \"a\" must not be negative, got \"-2\""},
      {"time,a\n0,1\n60,2e18\n", "h.csv:3:4: error: \"a\" must be below 1e18, got \"2e18\""},
      {"time,a\n0,1\n60,\n", "h.csv:3:4: error: \"a\" is missing"},
      {"time,a\n0,1\n60,1\n120,1\n240,1\n300,1\n",
       "h.csv:5: error: 1 row missing between 120 and 240"},
      {"time,a\n0,1\n60,1\n120,1\n170,1\n230,1\n",
       "h.csv:5: error: the time 170 lies 50 s after that of the row before, where rows are 60 s"},
      {"time,a\n0,1\n1,2\n2,1\n3,9e9\n",
       "h.csv:5: error: \"a\" is 9e+09, more than a million times its median 2"},
      {"time,route,a\n0,x,1\n1,x,1\n2,x,1\n1,y,1\n2,y,1\n",
       "h.csv:5: error: route \"y\" begins at 1, others at 0"},
      {"time,route,a\n0,x,1\n1,x,1\n2,x,1\n0,y,1\n1,y,1\n",
       "h.csv:6: error: route \"y\" ends at 1, others at 2"},
      {"time,a\n0,1\n1,1\n7e9,1\n",
       "h.csv:4: error: from the first row to the last it is more than"},
  };
  for (const auto& [text, error] : cases) {
    EXPECT_EQ(history_error(text).rfind(error, 0), 0u) << history_error(text) << "not " << error;
  }
}

TEST(History, is_a_single_value_far_from_all_others_taken_with_a_note) {
  std::string text = "time,requests\n";
  for (int t = 0; t < 20; ++t) text += std::to_string(60 * t) + (t == 7 ? ",9000\n" : ",12\n");
  const auto h = history_from(text);
  ASSERT_TRUE(h) << format(h.error());
  EXPECT_EQ(h->find("requests")->values[7], 9000);
  EXPECT_THAT(h->notes,
              ElementsAre("h.csv:9: \"requests\" is 9000, 750 times its median 12; kept as given"));
  // A hundred times is no news, and many that are far off are how this demand is.
  const auto burst = history_from("time,a\n0,1\n1,100\n2,1\n3,1\n");
  EXPECT_TRUE(burst->notes.empty());
  const auto wild = history_from("time,a\n0,1\n1,900\n2,1\n3,900\n4,1\n");
  EXPECT_TRUE(wild->notes.empty());
}

TEST(History, are_holes_that_no_line_can_bridge_refused) {
  const HistoryOptions fill{"UTC", true};
  EXPECT_THAT(history_error("time,a\n0,\n1,1\n2,1\n", fill),
              HasSubstr("h.csv:2: error: \"a\" is "));
  EXPECT_THAT(history_error("time,a\n0,1\n1,1\n2,\n", fill),
              HasSubstr("h.csv:4: error: \"a\" is "));
  EXPECT_THAT(history_error("time,a\n0,1\n1,1\n2,1\n900000,1\n", fill),
              HasSubstr("h.csv:5: error: 100 % of the values are missing"));
  EXPECT_THAT(history_error("time,a\n0,1\n1,1\n2,\n3,1\n4,\n5,1\n", fill),
              HasSubstr("h.csv:4: error: 33.3 % of the values are missing"));
  EXPECT_TRUE(history_from("time,a\n2026-11-22,1\n2026-11-23,1\n", fill));
}

TEST(History, are_the_arrivals_of_a_trace_counted_by_step) {
  Workload workload;
  workload.id = {0, 1, 2, 3};
  workload.arrival = {Time{}, Time{} + seconds(59), Time{} + seconds(60), Time{} + seconds(130)};
  workload.input_tokens = {60, 120, 600, 7};
  workload.output_tokens = {6, 0, 60, 7};
  WorkloadSource source(workload);
  const auto h = history_of(source, seconds(60));
  ASSERT_TRUE(h) << format(h.error());
  EXPECT_THAT(h->find("requests_per_s")->values, ElementsAre(2 / 60.0, 1 / 60.0));
  EXPECT_THAT(h->find("prompt_tokens_per_s")->values, ElementsAre(3, 10));
  EXPECT_THAT(h->find("output_tokens_per_s")->values, ElementsAre(0.1, 1));
  WorkloadSource again(workload);
  EXPECT_FALSE(history_of(again, seconds(3600)));
}

// Rows from 22:00 to 03:00 two days later, one per hour, each the hours since they began.
TEST(History, do_days_begin_at_midnight_by_the_clock_of_the_file) {
  const auto begins_at = [](const std::string& zone) {
    std::string text = "time,a\n";
    for (int hour = 22; hour < 75; ++hour) {
      const std::string day = std::to_string(20 + hour / 24);
      const std::string of_day = std::to_string(100 + hour % 24).substr(1);
      text += "2026-11-" + day + "T" + of_day + ":00" + zone + "," + std::to_string(hour) + "\n";
    }
    return history_from(text);
  };
  for (const auto& [zone, east_s] : {std::pair{"Z", 0}, {"+01:00", 3600}, {"-08:00", -28'800}}) {
    const auto hourly = begins_at(zone);
    ASSERT_TRUE(hourly) << format(hourly.error());
    const auto peaks = peaks_of(*hourly, 86'400, 100);
    ASSERT_TRUE(peaks);
    // The 21st and the 22nd are whole, the 20th and the 23rd are not.
    EXPECT_THAT(peaks->series[0].values, ElementsAre(47, 71)) << zone;
    EXPECT_EQ(peaks->start_s, 1'795'219'200 - east_s) << zone;
  }
  // Half hours: the first day is the first that begins with a row.
  const History late{86'400 + 12 * 3600 + 1800, 3600, true, {{"a", {}, {}}}, {}, {}, 0};
  History many = late;
  many.series[0].values.assign(40, 1);
  EXPECT_EQ(peaks_of(many, 86'400, 95)->start_s, 2 * 86'400 + 1800);
  // Without dates there is no midnight.
  many.dated = false;
  EXPECT_EQ(peaks_of(many, 86'400, 95)->start_s, late.start_s);
}

TEST(History, is_the_peak_of_a_window_its_percentile) {
  const History hourly{0, 3600, true, {{"a", {}, {1, 2, 3, 4, 10, 20, 30, 5}}}, {}, {}};
  const auto peaks = peaks_of(hourly, 3 * 3600, 50);
  ASSERT_TRUE(peaks);
  EXPECT_THAT(peaks->series[0].values, ElementsAre(2, 10));
  EXPECT_EQ(peaks->step_s, 10'800);
  EXPECT_FALSE(peaks_of(hourly, 5000, 95));
  EXPECT_FALSE(peaks_of(hourly, 90'000, 95));
}

// The first place is shown, and how much more there is to mend.
TEST(History, is_it_told_how_many_rows_are_wrong) {
  const auto read = [](const std::string& text) {
    return read_history(LineReader::over(text, "h.csv").value())
        .error()
        .diagnostics.front()
        .message;
  };
  EXPECT_EQ(read("time,requests\n0,1\n60,-1\n120,2\n180,many\n240,-3\n"),
            "\"requests\" must not be negative, got \"-1\" (2 more rows are wrong, too)");
  EXPECT_EQ(read("time,requests\n0,1\n60,-1\n120,2\n180,1\n240,3\n"),
            "\"requests\" must not be negative, got \"-1\"");
}

}  // namespace
}  // namespace plimsoll
