#include "metrics/comparison.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

Summary run_with(double ttft_p99_ms, SteadyVerdict verdict = SteadyVerdict::steady) {
  Summary s;
  s.arrived = 100;
  s.cluster.completed = 100;
  s.cluster.ttft = {ttft_p99_ms / 2, ttft_p99_ms / 2, ttft_p99_ms, ttft_p99_ms, ttft_p99_ms};
  s.cluster.tokens_per_sec = 1000;
  s.steady_state.verdict = verdict;
  s.bottleneck.resource = ShortResource::queue;
  return s;
}

VariantRuns variant(const std::string& name, const std::vector<double>& ttft_p99_ms) {
  VariantRuns v{name, std::nullopt, {}};
  for (const double ms : ttft_p99_ms) v.runs.push_back(run_with(ms));
  return v;
}

std::size_t number(std::string_view key) {
  const auto keys = compared_figure_keys();
  return static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
}

const std::size_t kTtft = number("ttft_p99_ms");

Comparison by_ttft(const std::vector<VariantRuns>& variants) {
  return compare_variants(variants, kTtft);
}

// Three differences of 1, 2, 3 ms: see PairedDifference.by_hand; one pair of variants.
TEST(CompareVariants, pairs_the_runs_of_the_same_seed) {
  const Comparison c = by_ttft({variant("a", {100, 200, 300}), variant("b", {101, 202, 303})});
  EXPECT_EQ(c.seeds, 3u);
  EXPECT_EQ(c.pairs, 1u);
  EXPECT_EQ(c.best, 0u);
  ASSERT_EQ(c.from_best.size(), 1u);
  EXPECT_EQ(c.from_best[0].variant, 1u);
  EXPECT_DOUBLE_EQ(c.from_best[0].paired.mean, 2);
  EXPECT_NEAR(c.from_best[0].paired.interval->high, 4.48414, 1e-4);
  EXPECT_FALSE(c.from_best[0].paired.is_real());
}

// The same differences are less certain when they are three of six that could have been picked:
// level 1 - 0.05 / 6, t(0.99583, 2) = 10.8859.
TEST(CompareVariants, widens_intervals_for_all_pairs_of_variants) {
  const Comparison c = by_ttft({variant("a", {100, 200, 300}), variant("b", {101, 202, 303}),
                                variant("c", {100, 200, 300}), variant("d", {150, 250, 350})});
  EXPECT_EQ(c.pairs, 6u);
  EXPECT_NEAR(c.from_best[0].paired.interval->high, 2 + 10.8859 * 0.57735, 1e-3);
}

TEST(CompareVariants, a_variant_against_itself_differs_by_exactly_nothing) {
  const Comparison c = by_ttft({variant("a", {10.1, 20.2}), variant("a again", {10.1, 20.2})});
  ASSERT_FALSE(c.differences.empty());
  for (const Difference& d : c.differences) {
    EXPECT_TRUE(d.paired.equal) << compared_figures()[d.figure].key;
    EXPECT_EQ(d.paired.mean, 0);
  }
  EXPECT_EQ(c.best, 0u);
}

TEST(CompareVariants, differences_are_from_the_first_and_from_the_best) {
  const Comparison c = by_ttft({variant("a", {9, 9}), variant("b", {7, 7}), variant("c", {8, 8})});
  EXPECT_EQ(c.best, 1u);
  for (const Difference& d : c.differences) EXPECT_EQ(d.from, 0u);
  ASSERT_EQ(c.from_best.size(), 2u);
  EXPECT_EQ(c.from_best[0].variant, 0u);
  EXPECT_EQ(c.from_best[1].variant, 2u);
  EXPECT_EQ(c.from_best[1].paired.mean, 1);
}

TEST(CompareVariants, a_difference_may_be_real_and_not_matter) {
  const Comparison c = by_ttft({variant("a", {1000, 1000, 1001}), variant("b", {1005, 1005, 1006}),
                                variant("c", {1030, 1030, 1031})});
  ASSERT_EQ(c.from_best.size(), 2u);
  EXPECT_TRUE(c.from_best[0].paired.is_real());
  EXPECT_TRUE(c.from_best[0].negligible);
  EXPECT_FALSE(c.from_best[0].matters());
  EXPECT_NEAR(c.from_best[0].relative, 0.005, 1e-5);
  EXPECT_TRUE(c.from_best[1].matters());
}

TEST(CompareVariants, more_is_better_where_the_figure_says_so) {
  auto slow = variant("slow", {10, 10});
  auto fast = variant("fast", {10, 10});
  for (Summary& run : fast.runs) run.cluster.tokens_per_sec = 2000;
  EXPECT_EQ(compare_variants({slow, fast}, number("tokens_per_sec")).best, 1u);
}

TEST(CompareVariants, one_that_does_not_hold_the_load_is_not_the_best) {
  auto broken = variant("broken", {5, 5, 5});
  broken.runs[0].steady_state.verdict = SteadyVerdict::overloaded;
  EXPECT_EQ(by_ttft({broken, variant("sound", {6, 6, 6})}).best, 0u);
  broken.runs[1].steady_state.verdict = SteadyVerdict::overloaded;
  const Comparison c = by_ttft({broken, variant("sound", {6, 6, 6})});
  EXPECT_FALSE(c.variants[0].holds);
  EXPECT_EQ(c.variants[0].verdicts.overloaded, 2u);
  EXPECT_EQ(c.variants[0].verdicts.steady, 1u);
  EXPECT_EQ(c.best, 1u);
}

TEST(CompareVariants, one_that_served_nobody_is_not_the_best) {
  auto mute = variant("mute", {0, 0});
  for (Summary& run : mute.runs) run.cluster.completed = 0;
  const Comparison c = by_ttft({mute, variant("sound", {6, 6})});
  EXPECT_EQ(c.best, 1u);
  EXPECT_FALSE(c.variants[0].figures[kTtft]);
  EXPECT_EQ(c.variants[0].unserved_share, 1);
  EXPECT_TRUE(c.from_best.empty());
  EXPECT_FALSE(by_ttft({mute, mute}).best);
}

// $36 per hour for 3,600,000 tokens.
// What it serves is served fast because the long ones are left out.
TEST(CompareVariants, one_that_serves_short_requests_alone_is_not_the_best) {
  VariantRuns few = variant("few", {10, 20, 30});
  VariantRuns half = variant("half", {20, 30, 40});
  for (Summary& run : few.runs) run.cluster.dropped_unservable = 70;
  for (Summary& run : half.runs) run.cluster.dropped_unservable = 50;
  const Comparison none = by_ttft({few, half});
  EXPECT_EQ(none.best, 1u);
  EXPECT_TRUE(none.variants[1].turns_lengths_away());
  EXPECT_DOUBLE_EQ(none.variants[0].too_long_share, 0.7);
  EXPECT_EQ(by_ttft({few, half, variant("all", {100, 200, 300})}).best, 2u);
}

TEST(CompareVariants, prices_tokens_where_the_hour_has_a_price) {
  auto priced = variant("priced", {5});
  priced.usd_per_hour = 36;
  const Comparison c = by_ttft({priced, variant("unpriced", {5})});
  EXPECT_DOUBLE_EQ(c.variants[0].figures[number("usd_per_million_tokens")]->mean.mean, 10);
  EXPECT_FALSE(c.variants[1].figures[number("usd_per_hour")]);
}

}  // namespace
}  // namespace plimsoll
