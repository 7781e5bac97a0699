#include "base/json.h"

#include <array>
#include <limits>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(Json, is_a_list_of_pairs_that_begin_with_a_text_an_object) {
  EXPECT_EQ((Json{{"a", 1}, {"b", {{"c", nullptr}}}}).dump(), R"({"a":1,"b":{"c":null}})");
  EXPECT_EQ((Json{{"a", {1.5, 2}}}).dump(), R"({"a":[1.5,2]})");
  EXPECT_EQ((Json{{"a", 1, 2}, {"b", 1}}).dump(), R"([["a",1,2],["b",1]])");
  EXPECT_EQ(Json::array({{{"role", "user"}, {"content", "x"}}}).dump(),
            R"([{"role":"user","content":"x"}])");
  EXPECT_EQ(Json(std::vector<std::string>{"x", "y"}).dump(), R"(["x","y"])");
  EXPECT_EQ(Json(std::array<double, 2>{0.1, 1e300}).dump(), "[0.1,1e+300]");
}

TEST(Json, do_members_keep_their_order_and_are_overwritten_in_place) {
  Json json;
  json["z"] = true;
  json["a"] = 1;
  json["z"] = std::string("t");
  json.update({{"a", 2}, {"m", Json::object()}});
  EXPECT_EQ(json.dump(2), "{\n  \"z\": \"t\",\n  \"a\": 2,\n  \"m\": {}\n}");
  json.erase("a");
  EXPECT_EQ(json.size(), 2u);
  EXPECT_FALSE(json.contains("a"));
}

TEST(Json, is_what_is_not_there_null) {
  const Json json = {{"a", 1}};
  EXPECT_TRUE(json["b"].is_null());
  EXPECT_TRUE(json["a"]["b"].is_null());
  EXPECT_EQ(Json(3)["x"].find("y"), nullptr);
}

TEST(Json, are_numbers_written_so_that_they_come_back) {
  for (const double value : {0.1, 1.0, -2.5e-9, 1e22, 123456789.125}) {
    const Json back = Json::parse(Json(value).dump());
    EXPECT_TRUE(back.is_number_float());
    EXPECT_EQ(back.as_double(), value);
  }
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(Json(kLargest).dump(), "18446744073709551615");
  EXPECT_TRUE(Json::parse("18446744073709551615").is_number_unsigned());
  EXPECT_EQ(Json::parse("-7").as_integer(), -7);
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
  EXPECT_EQ(Json(1), Json(1.0));
  EXPECT_NE(Json(true), Json(1));
}

TEST(Json, is_what_no_json_is_null) {
  EXPECT_TRUE(Json::parse("{\"a\": ").is_null());
  EXPECT_TRUE(Json::parse("").is_null());
  EXPECT_EQ(Json::parse(R"({"a": [1, {"b": "c"}], "a": 2})").dump(), R"({"a":2})");
}

TEST(Json, does_no_depth_overflow_the_stack) {
  const std::string deep(1'000'000, '[');
  EXPECT_TRUE(Json::parse(deep + std::string(deep.size(), ']')).is_null());
  EXPECT_EQ(Json::parse("[[[[1]]]]").dump(), "[[[[1]]]]");
}

TEST(Json, is_what_is_not_utf8_replaced) { EXPECT_EQ(Json("a\xff").dump(), "\"a\xEF\xBF\xBD\""); }

}  // namespace
}  // namespace plimsoll
