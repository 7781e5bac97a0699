#include "base/text.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(NearestName, finds_a_typing_mistake) {
  EXPECT_EQ(nearest_name("--num-instnaces", {"--num-requests", "--num-instances"}),
            "--num-instances");
}

TEST(NearestName, is_found_by_some_of_its_words) {
  const std::vector<std::string> models{"deepseek-ai/deepseek-r1-distill-llama-70b",
                                        "codellama/codellama-34b-instruct",
                                        "meta-llama/llama-3.1-70b-instruct"};
  EXPECT_EQ(nearest_name("llama-70b", models), "meta-llama/llama-3.1-70b-instruct");
  EXPECT_EQ(nearest_name("llama-34b", models), "codellama/codellama-34b-instruct");
  EXPECT_EQ(nearest_name("distill-llama-70b", models), models[0]);
}

TEST(NearestName, gives_nothing_when_nothing_is_near) {
  EXPECT_EQ(nearest_name("banana", {"--rate", "--seed"}), "");
}

TEST(NearestName, of_a_short_name_differs_in_one_letter_and_begins_alike_if_any_does) {
  const std::vector<std::string> gpus{"A10", "H100", "H20", "L4"};
  EXPECT_EQ(nearest_name("H10", gpus), "H100");
  EXPECT_EQ(nearest_name("X10", gpus), "A10");
  EXPECT_EQ(nearest_name("X9", gpus), "");
}

TEST(NearestNames, are_the_closest_first_and_each_once) {
  const std::vector<std::string> names{"load", "loaded", "lead", "load", "stall"};
  EXPECT_EQ(nearest_names("laod", names, 3), (std::vector<std::string>{"load", "lead"}));
  EXPECT_EQ(nearest_names("load", names, 2), (std::vector<std::string>{"load", "loaded"}));
}

TEST(Trimmed, loses_blanks_and_ends_of_lines_at_both_ends) {
  EXPECT_EQ(trimmed(" \n a b\n c\r\n\t"), "a b\n c");
  EXPECT_EQ(trimmed(" \n"), "");
}

TEST(Shortest, is_scientific_only_where_digits_would_be_too_many) {
  EXPECT_EQ(shortest(40), "40");
  EXPECT_EQ(shortest(500000), "500000");
  EXPECT_EQ(shortest(-1234567.5), "-1234567.5");
  EXPECT_EQ(shortest(0.00001), "0.00001");
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(0), "0");
  EXPECT_EQ(shortest(999999999.9), "999999999.9");
  EXPECT_EQ(shortest(1e9), "1e+09");
  EXPECT_EQ(shortest(1e-7), "1e-07");
}

TEST(Plain, keeps_all_digits_and_groups_those_before_the_point) {
  EXPECT_EQ(plain(40), "40");
  EXPECT_EQ(plain(0.001), "0.001");
  EXPECT_EQ(plain(500000), "500,000");
  EXPECT_EQ(plain(1234.5678), "1,234.5678");
  EXPECT_EQ(plain(-1234567.5), "-1,234,567.5");
  EXPECT_EQ(plain(1e9), "1e+09");
}

TEST(ThreeDigits, never_needs_an_exponent) {
  EXPECT_EQ(three_digits(0), "0");
  EXPECT_EQ(three_digits(0.0001), "0");
  EXPECT_EQ(three_digits(0.00123), "0.00123");
  EXPECT_EQ(three_digits(0.5), "0.500");
  EXPECT_EQ(three_digits(9.9951), "10.0");
  EXPECT_EQ(three_digits(79.12), "79.1");
  EXPECT_EQ(three_digits(99.96), "100");
  EXPECT_EQ(three_digits(999.6), "1,000");
  EXPECT_EQ(three_digits(1234567), "1,230,000");
  EXPECT_EQ(three_digits(-1234), "-1,230");
  EXPECT_EQ(three_digits(-0.25), "-0.250");
  EXPECT_EQ(three_digits(1e300).size(), 401u);
}

TEST(MsOrS, changes_its_unit_where_one_second_is_shown) {
  EXPECT_EQ(ms_or_s(0.0852), "85.2 ms");
  EXPECT_EQ(ms_or_s(0.9994), "999 ms");
  EXPECT_EQ(ms_or_s(0.9996), "1.00 s");
  EXPECT_EQ(ms_or_s(444.1), "444 s");
}

TEST(Grouped, keeps_every_digit) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(100000), "100,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

TEST(ParseInt, refuses_what_is_not_wholly_a_number) {
  long long v = 0;
  EXPECT_TRUE(parse_int("010", &v));
  EXPECT_EQ(v, 10);
  for (const char* bad : {"", " 1", "1 ", "+1", "0x10", "1.0", "99999999999999999999"}) {
    EXPECT_FALSE(parse_int(bad, &v)) << bad;
  }
}

TEST(ParseDouble, refuses_infinities_and_nan) {
  double v = 0;
  for (const char* bad : {"inf", "nan", "1e999", "1,5", ""}) EXPECT_FALSE(parse_double(bad, &v));
}

}  // namespace
}  // namespace plimsoll
