#include "report/compare/comparison.h"

#include <gtest/gtest.h>

#include "kept_limits.h"

namespace plimsoll {
namespace {

VariantRuns variant(const std::string& name, const std::vector<double>& ttft_p99_ms,
                    SteadyVerdict verdict = SteadyVerdict::steady) {
  VariantRuns v{name, std::nullopt, {}};
  for (const double ms : ttft_p99_ms) {
    Summary& s = v.runs.emplace_back();
    s.arrived = 100;
    s.cluster.completed = 100;
    s.cluster.ttft = {ms, ms, ms, ms, ms};
    s.cluster.tokens_per_sec = 1000;
    s.steady_state.verdict = verdict;
    s.bottleneck.resource = ShortResource::queue;
  }
  return v;
}

struct Case {
  std::vector<VariantRuns> variants;
  bool recorded = false;
  std::string_view leading = "ttft_p99_ms";
};

std::string verdict_of(const Case& c) {
  const auto keys = compared_figure_keys();
  const auto leading = static_cast<std::size_t>(std::ranges::find(keys, c.leading) - keys.begin());
  ComparisonFacts facts;
  facts.recorded = c.recorded;
  return comparison_verdict(compare_variants(c.variants, leading), facts);
}

TEST(ComparisonText, has_one_unit_for_a_figure_in_all_its_tables) {
  const auto keys = compared_figure_keys();
  const auto leading =
      static_cast<std::size_t>(std::ranges::find(keys, "ttft_p99_ms") - keys.begin());
  ComparisonFacts facts;
  facts.seeds = {1, 2};
  facts.variants.resize(3);
  const std::string text = comparison_text(
      compare_variants({variant("a", {12'000, 12'010}), variant("b", {12'500, 12'520}),
                        variant("c", {52'500, 52'520})},
                       leading),
      facts, {false, 140, true});
  EXPECT_NE(text.find("TTFT p99 s "), std::string::npos) << text;
  EXPECT_EQ(text.find("TTFT p99 ms"), std::string::npos) << text;
}

TEST(ComparisonVerdict, names_the_best_and_how_far_the_next_is_behind) {
  EXPECT_EQ(verdict_of({{variant("a", {100, 102}), variant("b", {90, 92})}}),
            "better: b leads with TTFT p99 91.0 ms [78.3, 104]: 10.0 ms (9.90 %) less than a, a "
            "real difference (95 %, 2 seeds).\n");
}

// What nobody measured may be slower than its lead.
TEST(ComparisonVerdict, leaves_open_what_the_error_of_the_steps_may_turn) {
  const auto keys = compared_figure_keys();
  const auto leading =
      static_cast<std::size_t>(std::ranges::find(keys, "ttft_p99_ms") - keys.begin());
  const Comparison c =
      compare_variants({variant("H100", {100, 102}), variant("MI300X", {80, 82})}, leading);
  ComparisonFacts facts;
  facts.variants.resize(2);
  facts.variants[0].model_error = usual_error(Regime::measured);
  facts.variants[1].model_error = usual_error(Regime::unknown);
  facts.variants[1].steps_of = "MI300X";
  EXPECT_EQ(plimsoll::verdict_of(c, facts).outcome, ComparisonOutcome::undecided);
  EXPECT_NE(comparison_verdict(c, facts).find("The model's error may be larger than that"),
            std::string::npos);
  EXPECT_FALSE(decision_of(c, facts).confidence);
  facts.variants[1].steps_of = facts.variants[0].steps_of;  // the same steps are wrong alike
  EXPECT_EQ(plimsoll::verdict_of(c, facts).outcome, ComparisonOutcome::better);
}

TEST(ComparisonVerdict, warns_of_one_that_is_far_behind) {
  const std::string verdict =
      verdict_of({{variant("a", {100, 100}), variant("b", {110, 110}), variant("c", {9e4, 9e4})}});
  EXPECT_EQ(verdict,
            "better: a leads with TTFT p99 100 ms: 10.0 ms (10.0 %) more with b, a real "
            "difference (95 %, 2 seeds). c is far behind, with 90.0 s.\n");
}

TEST(ComparisonVerdict, names_the_price_of_being_better) {
  VariantRuns cheap = variant("cheap", {100, 102});
  VariantRuns dear = variant("dear", {90, 92});
  cheap.usd_per_hour = 10;
  dear.usd_per_hour = 20;
  EXPECT_NE(verdict_of({{cheap, dear}}).find("It costs $20.00 per hour instead of $10.00."),
            std::string::npos);
  dear.usd_per_hour = 10;
  EXPECT_EQ(verdict_of({{cheap, dear}}).find("costs"), std::string::npos);
}

TEST(ComparisonVerdict, calls_a_tie_what_chance_may_have_made) {
  EXPECT_EQ(
      verdict_of({{variant("a", {100, 120}), variant("b", {110, 109}), variant("c", {500, 510})}}),
      "tie: no clear difference between b and a: TTFT p99 110 ms [103, 116] with b. That is "
      "396 ms (78.3 %) less than c.\n");
}

TEST(ComparisonVerdict, names_what_is_too_uncertain_to_rank) {
  const std::string verdict =
      verdict_of({{variant("a", {100, 101, 102}), variant("b", {90, 300, 95})}});
  EXPECT_NE(verdict.find("TTFT p99 101 ms [98.5, 103] with a. The TTFT p99 of b, 162 ms"),
            std::string::npos)
      << verdict;
  EXPECT_NE(verdict.find(", is too uncertain to rank: more seeds may settle it.\n"),
            std::string::npos)
      << verdict;
}

TEST(ComparisonVerdict, names_the_cheapest_of_a_tie) {
  VariantRuns a = variant("a", {100, 120});
  VariantRuns b = variant("b", {110, 109});
  VariantRuns c = variant("c", {111, 108});
  a.usd_per_hour = 10;
  b.usd_per_hour = 12.8;
  EXPECT_NE(verdict_of({{a, b}}).find(" a costs less: $10.00 per hour instead of $12.80."),
            std::string::npos);
  c.usd_per_hour = 16;
  EXPECT_NE(verdict_of({{a, b, c}}).find(" a costs less: $10.00 per hour instead of up to $16.00."),
            std::string::npos);
  a.usd_per_hour = b.usd_per_hour = c.usd_per_hour;
  EXPECT_EQ(verdict_of({{a, b, c}}).find("less: $"), std::string::npos);
}

// The price stands behind what is said of the figure, and with what was not shown.
TEST(ComparisonVerdict, offers_no_cheaper_one_that_was_never_shown_to_hold) {
  VariantRuns a = variant("a", {100, 120}, SteadyVerdict::too_short);
  VariantRuns b = variant("b", {110, 109});
  a.usd_per_hour = 10;
  b.usd_per_hour = 12.8;
  VariantRuns c = variant("c", {500, 510});
  c.usd_per_hour = 12.8;
  const std::string verdict = verdict_of({{a, b, c}});
  const std::size_t less = verdict.find("less than c. a costs less: $10.00 per hour");
  EXPECT_NE(less, std::string::npos) << verdict;
  EXPECT_NE(verdict.find(" But a was steady in none of 2 seeds: longer runs have to show", less),
            std::string::npos)
      << verdict;
}

TEST(ComparisonText, tells_the_variant_in_each_row_of_a_page) {
  const auto keys = compared_figure_keys();
  const auto leading =
      static_cast<std::size_t>(std::ranges::find(keys, "ttft_p99_ms") - keys.begin());
  ComparisonFacts facts;
  facts.seeds = {1, 2};
  facts.variants.resize(2);
  Style page;
  page.markup = true;
  const std::string text = comparison_text(
      compare_variants({variant("one", {100, 101}), variant("two", {125, 126})}, leading), facts,
      page);
  const std::string differences = text.substr(text.find("against one"));
  const std::string table = differences.substr(0, differences.find("</table>"));
  const std::string rows = table.substr(table.find("<tbody>"));
  std::size_t count = 0;
  for (std::size_t at = 0; (at = rows.find("<tr", at)) != rows.npos; ++at) ++count;
  std::size_t named = 0;
  for (std::size_t at = 0; (at = rows.find(">two<", at)) != rows.npos; ++at) ++named;
  EXPECT_GT(named, 1);
  EXPECT_EQ(named, count) << rows;
}

TEST(ComparisonVerdict, says_when_nothing_differs_at_all) {
  EXPECT_EQ(verdict_of({{variant("a", {100, 120}), variant("b", {100, 120})}}),
            "tie: a and b have the same TTFT p99 in every run: 110 ms [0, 237].\n");
}

// Latencies are of the requests that were served.
TEST(ComparisonVerdict, by_a_latency_is_undecided_where_the_best_serves_fewer) {
  VariantRuns fewer = variant("sheds", {90, 92});
  for (Summary& s : fewer.runs) s.cluster.completed = 97;
  EXPECT_EQ(verdict_of({{variant("all", {100, 102}), fewer}}),
            "undecided: sheds leads with TTFT p99 91.0 ms [78.3, 104]: 10.0 ms (9.90 %) less than "
            "all, a real difference (95 %, 2 seeds). But sheds leaves 3.00 % of the requests "
            "unserved, which no latency counts; all leaves none.\n");
}

TEST(ComparisonVerdict, of_one_seed_is_undecided) {
  EXPECT_EQ(verdict_of({{variant("a", {100}), variant("b", {80})}}),
            "undecided: b leads with TTFT p99 80.0 ms: 20.0 ms (20.0 %) less than a. One seed "
            "cannot separate a difference from chance.\n");
  EXPECT_EQ(verdict_of({{variant("a", {100}), variant("b", {80})}, true}),
            "undecided: b leads with TTFT p99 80.0 ms: 20.0 ms (20.0 %) less than a on this "
            "trace. Whether that holds for other traffic, one trace cannot tell.\n");
}

TEST(ComparisonVerdict, says_who_does_not_hold_the_load) {
  const auto overloaded = SteadyVerdict::overloaded;
  EXPECT_EQ(verdict_of({{variant("a", {50, 50}, overloaded), variant("b", {80, 80})}}),
            "better: b, with TTFT p99 80.0 ms, is the only one that holds this load. a does not "
            "hold this load.\n");
  EXPECT_EQ(verdict_of({{variant("a", {50, 50}, overloaded), variant("b", {80, 80}, overloaded)}}),
            "overloaded: no variant holds this load. a leads with TTFT p99 50.0 ms: 30.0 ms "
            "(60.0 %) more with b, a real difference (95 %, 2 seeds).\n");
}

VariantRuns with_attainment(VariantRuns v, double share) {
  for (Summary& s : v.runs) s.goodput = goodput_of(share);
  return v;
}

TEST(ComparisonVerdict, names_who_misses_its_limits_and_calls_no_tie_with_it) {
  EXPECT_EQ(verdict_of({{with_attainment(variant("a", {50, 90}), 0.94),
                         with_attainment(variant("b", {60, 80}), 1),
                         with_attainment(variant("c", {61, 81}), 1)}}),
            "better: b leads with TTFT p99 70.0 ms [0, 197]: 1.00 ms (1.41 %) less than c, a "
            "real difference (95 %, 2 seeds). a misses its limits: 94.0 % of the requests meet "
            "the one missed most.\n");
  EXPECT_EQ(verdict_of({{with_attainment(variant("a", {50, 51}), 0.94),
                         with_attainment(variant("b", {60, 61}), 0.8)}}),
            "too slow: no variant keeps its limits for 99.0 % of the requests. a leads with TTFT "
            "p99 50.5 ms [44.1, 56.9]: 10.0 ms (19.8 %) more with b, a real difference (95 %, 2 "
            "seeds).\n");
}

TEST(ComparisonVerdict, does_not_trust_runs_that_are_too_short) {
  const auto too_short = SteadyVerdict::too_short;
  const std::string verdict =
      verdict_of({{variant("a", {50, 50}, too_short), variant("b", {80, 80}, too_short)}});
  EXPECT_NE(verdict.find("These runs are too short to say whether the load is held."),
            std::string::npos)
      << verdict;
}

// One whose answers come later has the smoother ones: whoever splits wants to know both.
TEST(ComparisonVerdict, names_what_the_next_is_clearly_better_at) {
  VariantRuns whole = variant("whole", {100, 102});
  VariantRuns split = variant("split", {130, 132});
  for (Summary& s : whole.runs) s.cluster.itl = {20, 20, 20, 20, 20};
  for (Summary& s : split.runs) s.cluster.itl = {15, 15, 15, 15, 15};
  split.runs[1].cluster.itl.mean_ms = 15.1;
  EXPECT_NE(verdict_of({{whole, split}}).find(" But with split ITL mean is 24.8 % lower."),
            std::string::npos)
      << verdict_of({{whole, split}});
  EXPECT_NE(verdict_of({{split, whole}}).find(" But with whole ITL mean is 32.9 % higher."),
            std::string::npos)
      << verdict_of({{split, whole}});
}

TEST(ComparisonVerdict, is_not_better_by_runs_that_are_too_short) {
  const auto too_short = SteadyVerdict::too_short;
  EXPECT_TRUE(verdict_of({{variant("a", {100, 102}, too_short), variant("b", {90, 92}, too_short)}})
                  .starts_with("too short: b leads with"));
}

TEST(ComparisonVerdict, says_that_the_loser_was_not_shown_to_hold_the_load) {
  const auto too_short = SteadyVerdict::too_short;
  const std::string verdict =
      verdict_of({{variant("a", {100, 102}, too_short), variant("b", {90, 92})}});
  EXPECT_TRUE(verdict.starts_with("better: b leads with")) << verdict;
  EXPECT_NE(verdict.find(" Most runs of a are too short to say whether it holds this load."),
            std::string::npos)
      << verdict;
}

TEST(ComparisonVerdict, counts_shares_in_points_and_none_above_all) {
  VariantRuns most = with_attainment(variant("b", {60, 61}), 0.98);
  most.runs.front().goodput = goodput_of(0.94);
  const std::string verdict =
      verdict_of({{with_attainment(variant("a", {50, 51}), 0.5), most}, false, "slo_attainment"});
  EXPECT_NE(verdict.find("SLO attainment 96.0 % [70.6, 100]: 46.0 percentage points more than a"),
            std::string::npos)
      << verdict;
}

}  // namespace
}  // namespace plimsoll
