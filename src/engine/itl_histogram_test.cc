#include "engine/itl_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace plimsoll {
namespace {

double percentile_of(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  const double rank = p / 100 * static_cast<double>(values.size() - 1);
  const auto lower = static_cast<std::size_t>(rank);
  const std::size_t upper = std::min(lower + 1, values.size() - 1);
  return values[lower] + (rank - static_cast<double>(lower)) * (values[upper] - values[lower]);
}

TEST(ItlHistogram, is_all_zero_when_empty) {
  const ItlHistogram h;
  EXPECT_EQ(h.count(), 0);
  EXPECT_EQ(h.mean_us(), 0);
  EXPECT_EQ(h.percentile_us(99), 0);
}

TEST(ItlHistogram, gives_the_percentiles_of_the_sorted_values) {
  const std::vector<std::int64_t> gaps = {0, 1023,       1024,       40'000,    40'000,
                                          7, 16'777'215, 16'777'216, 90'000'000};
  ItlHistogram h;
  std::vector<double> values;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const auto weight = static_cast<std::int64_t>(1 + i % 3);
    h.add(microseconds(gaps[i]) + nanoseconds(999), weight);  // cut to whole microseconds
    values.insert(values.end(), static_cast<std::size_t>(weight), static_cast<double>(gaps[i]));
  }
  double sum = 0;
  for (const double v : values) sum += v;
  EXPECT_EQ(h.count(), static_cast<std::int64_t>(values.size()));
  EXPECT_DOUBLE_EQ(h.mean_us(), sum / static_cast<double>(values.size()));
  for (const double p : {0.0, 10.0, 50.0, 63.0, 90.0, 99.0, 100.0}) {
    EXPECT_DOUBLE_EQ(h.percentile_us(p), percentile_of(values, p)) << p;
  }
}

TEST(ItlHistogram, several_percentiles_at_once_are_those_asked_for_one_by_one) {
  ItlHistogram h;
  std::vector<double> ascending;
  for (int p = 0; p <= 100; ++p) ascending.push_back(p);
  for (const std::int64_t us : {5, 700, 1023, 1024, 5000, 30'000'000, 90'000'000}) {
    h.add(microseconds(us), 1);  // ranks of neighbouring percentiles fall together
    const std::vector<double> at_once = h.percentiles_us(ascending);
    for (std::size_t i = 0; i < ascending.size(); ++i) {
      EXPECT_EQ(at_once[i], h.percentile_us(ascending[i])) << ascending[i];
    }
  }
}

TEST(ItlHistogram, forgets_what_is_taken_back) {
  ItlHistogram h;
  h.add(microseconds(500), 3);
  h.add(microseconds(20'000'000), 2);
  h.add(microseconds(800), 1);
  h.add(microseconds(500), -3);
  h.add(microseconds(20'000'000), -2);
  EXPECT_EQ(h.count(), 1);
  EXPECT_EQ(h.mean_us(), 800);
  EXPECT_EQ(h.percentile_us(0), 800);
  EXPECT_EQ(h.percentile_us(100), 800);
}

TEST(ItlHistogram, classes_are_within_a_tenth_of_a_percent) {
  for (std::int64_t us = 1; us < 4'000'000'000; us += 1 + us / 37) {
    ItlHistogram coarse(false);
    coarse.add(microseconds(us), 1);
    EXPECT_EQ(coarse.mean_us(), static_cast<double>(us));
    EXPECT_NEAR(coarse.percentile_us(50), static_cast<double>(us), 0.001 * static_cast<double>(us));
    if (us < 1024) {
      EXPECT_EQ(coarse.percentile_us(50), static_cast<double>(us));
    }
  }
}

TEST(ItlHistogram, classes_keep_the_order_of_latencies) {
  ItlHistogram coarse(false);
  double before = 0;
  for (std::int64_t us = 2000; us < 10'000; ++us) {
    ItlHistogram one(false);
    one.add(microseconds(us), 1);
    EXPECT_GE(one.percentile_us(0), before);
    before = one.percentile_us(0);
  }
}

TEST(ItlHistogram, merging_is_adding_everything_to_one) {
  ItlHistogram a, b, both;
  for (std::int64_t i = 0; i < 2000; ++i) {
    ItlHistogram& part = i % 3 == 0 ? a : b;
    const Duration gap = microseconds(i * i * 11);
    part.add(gap, 1 + i % 5);
    both.add(gap, 1 + i % 5);
  }
  a.merge(b);
  EXPECT_EQ(a.count(), both.count());
  EXPECT_EQ(a.mean_us(), both.mean_us());
  for (const double p : {1.0, 50.0, 95.0, 99.9}) {
    EXPECT_EQ(a.percentile_us(p), both.percentile_us(p));
  }
}

TEST(ItlHistogram, merged_into_an_empty_one_is_as_exact_as_it_was) {
  for (const bool exact : {true, false}) {
    ItlHistogram part(exact);
    for (std::int64_t us = 5'001; us < 5'100; ++us) part.add_us(us, 1);
    ItlHistogram all(!exact);
    all.merge(part);
    EXPECT_EQ(all.count(), part.count());
    for (const double p : {1.0, 50.0, 99.0}) EXPECT_EQ(all.percentile_us(p), part.percentile_us(p));
    EXPECT_EQ(part.percentile_us(50) == 5'050, exact);
  }
}

TEST(ItlHistogram, counts_what_is_longer_than_a_limit) {
  for (const bool exact : {true, false}) {
    ItlHistogram gaps(exact);
    gaps.add_us(100, 3);
    gaps.add_us(5'000, 4);
    gaps.add_us(200'000, 5);
    gaps.add_us(40'000'000, 6);  // past the dense pages
    EXPECT_EQ(gaps.count_above_us(0), 18);
    EXPECT_EQ(gaps.count_above_us(99), 18);
    EXPECT_EQ(gaps.count_above_us(100), 15);
    EXPECT_EQ(gaps.count_above_us(5'100), 11);
    EXPECT_EQ(gaps.count_above_us(199'000), 11);
    EXPECT_EQ(gaps.count_above_us(210'000), 6);
    EXPECT_EQ(gaps.count_above_us(39'000'000), 6);
    EXPECT_EQ(gaps.count_above_us(50'000'000), 0);
  }
}

}  // namespace
}  // namespace plimsoll
