// Do two settings stand in one picture, and is what strangers send as a curve looked at first?
#include "report/answer/load_charts.h"

#include <gmock/gmock.h>

namespace plimsoll {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

LoadCurve curve(double answer_rps, double value_ms) {
  LoadCurve out;
  out.name = "TTFT p99";
  out.limit_ms = 500;
  out.points = {{2, 50, "brief"},
                {answer_rps, value_ms, "holds"},
                {answer_rps + 1, 700, "fails"},
                {answer_rps + 5, std::nullopt, "fails"}};
  out.answer_rps = answer_rps;
  out.highest_rps = answer_rps + 2;
  out.highest_ms = 500;
  return out;
}

TEST(LoadCurve, comes_back_as_it_was_written) {
  const auto read = read_curve(Json::parse(curve_json(curve(14.4, 184)).dump()));
  ASSERT_TRUE(read);
  EXPECT_EQ(curve_json(*read), curve_json(curve(14.4, 184)));
  EXPECT_EQ(read->answer()->value_ms, 184);
}

TEST(LoadCurve, draws_both_settings_in_one_picture_up_to_where_the_farther_one_ends) {
  const std::string figures = compared_figures({curve(14.4, 184)}, {curve(20, 171)});
  EXPECT_THAT(figures, HasSubstr("TTFT p99: A 184 ms at 14.4 req/s, B 171 ms at 20.0 req/s"));
  EXPECT_THAT(figures, HasSubstr("class=\"main\""));
  EXPECT_THAT(figures, HasSubstr("class=\"second\""));
  EXPECT_THAT(figures, HasSubstr(">A 184 ms<"));
  EXPECT_THAT(figures, HasSubstr("B at 25.0 req/s: grows; fails"));
  EXPECT_THAT(figures, HasSubstr(">limit 500 ms<"));
  EXPECT_EQ(figures.find("<figure"), figures.rfind("<figure"));
}

TEST(LoadCurve, draws_what_one_setting_alone_has_and_each_limit_of_two) {
  LoadCurve other = curve(20, 171);
  other.limit_ms = 300;
  EXPECT_THAT(compared_figures({curve(14, 184)}, {other}), HasSubstr(">limit 300 ms of B<"));
  other.name = "TTFT p95";
  const std::string figures = compared_figures({curve(14, 184)}, {other});
  EXPECT_THAT(figures, HasSubstr("TTFT p99: A 184 ms at 14.0 req/s<"));
  EXPECT_THAT(figures, HasSubstr("TTFT p95: B 171 ms at 20.0 req/s<"));
}

TEST(LoadCurve, takes_no_curve_that_no_page_of_ours_writes) {
  const Json good = curve_json(curve(14, 184));
  ASSERT_TRUE(read_curve(good));
  for (const auto& [key, value] : good.items()) {
    Json bad = good;
    bad[key] = key == "limit_ms" || key == "answer_rps" ? Json("x") : Json(-1);
    EXPECT_FALSE(read_curve(bad)) << key;
  }
  for (const char* point : {"[1,2]", "[1,2,\"maybe\"]", "[-1,2,\"holds\"]", "[1,1e300,\"holds\"]",
                            "{\"a\":1}", "[\"1\",2,\"holds\"]", "7"}) {
    Json bad = good;
    bad["points"] = Json::array({Json::parse(point)});
    EXPECT_FALSE(read_curve(bad)) << point;
  }
  for (const char* other : {"null", "[]", "7", "\"x\"", "{}"})
    EXPECT_FALSE(read_curve(Json::parse(other))) << other;
}

TEST(LoadCurve, keeps_names_out_of_markup) {
  LoadCurve named = curve(14, 184);
  named.name = "<script>";
  EXPECT_THAT(compared_figures({named}, {}), Not(HasSubstr("<script>")));
}

}  // namespace
}  // namespace plimsoll
