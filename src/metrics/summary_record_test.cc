// Does a run of a comparison come back from a journal with all that comparisons say of it?
#include "metrics/summary_record.h"

#include <gtest/gtest.h>

#include "metrics/comparison.h"

namespace plimsoll {
namespace {

// Every figure of the cluster has another value, from `first` on.
Summary some_summary(double first) {
  Summary s;
  for (const GroupFigure& row : kGroupFigures) {
    first += 0.1;
    if (const Latency* latency = std::get_if<Latency>(&row.member)) {
      s.cluster.** latency = {first, first + 1, first + 2, first + 3, first + 1.0 / 3};
    } else if (const Number* number = std::get_if<Number>(&row.member)) {
      s.cluster.** number = first;
    } else if (const Count* count = std::get_if<Count>(&row.member)) {
      s.cluster.** count = static_cast<std::int64_t>(100 * first);
    }
  }
  s.cluster.efficiency = Efficiency{0.1, 0.2, 0.3, 0.4, 500, first};
  s.arrived = s.cluster.completed + 9;
  s.instances.resize(3);
  s.classes.resize(1);
  s.classes.front().name = "critical";
  s.classes.front().arrived = 7;
  s.goodput =
      Goodput{{100, 90, 80, 0.8, first}, {{"critical", {}, {100, 90, 80, 0.8, 2}, 0.7, {}, 0.9}}};
  s.goodput->classes.front().limits.ttft = Duration{500'000'000};
  s.fitness = Fitness{first, {}};
  s.steady_state.verdict = SteadyVerdict::overloaded;
  s.steady_state.enough_requests = 34'000;
  s.balance = {100, 2, 0.7, 2.1, 0.5, true};
  s.bottleneck.resource = ShortResource::routing;
  return s;
}

TEST(SummaryRecord, has_all_that_comparisons_say_of_a_run) {
  const auto restored = [](const Summary& s) {
    const auto again = read_summary(Json::parse(json_of_summary(s).dump()));
    EXPECT_TRUE(again);
    return *again;
  };
  std::vector<VariantRuns> runs{{"a", 2.5, {some_summary(1), some_summary(2)}},
                                {"b", 3.5, {some_summary(4), some_summary(8)}}};
  const auto told = [](const Comparison& c) {
    std::vector<double> all;
    for (const ComparedVariant& v : c.variants) {
      for (const auto& figure : v.figures) {
        EXPECT_TRUE(figure);
        all.insert(all.end(), figure->by_seed.begin(), figure->by_seed.end());
      }
      all.insert(all.end(), {static_cast<double>(v.verdicts.overloaded), v.ending, v.least_kept,
                             v.unserved_share, v.too_long_share, static_cast<double>(v.resource)});
    }
    return all;
  };
  const auto plain = told(compare_variants(runs, 0));
  for (VariantRuns& variant : runs) {
    for (Summary& run : variant.runs) run = restored(run);
  }
  EXPECT_EQ(told(compare_variants(runs, 0)), plain);
  const Summary again = restored(some_summary(1));
  EXPECT_EQ(again.instances.size(), 3U);
  EXPECT_EQ(again.classes.front().name, "critical");
  EXPECT_EQ(again.classes.front().arrived, 7);
  EXPECT_EQ(again.steady_state.enough_requests, 34'000);
  EXPECT_EQ(concentration_text(again.balance, 3), concentration_text(some_summary(1).balance, 3));
}

TEST(SummaryRecord, is_refused_without_one_of_its_fields_or_with_another_kind_of_value) {
  const Json whole = json_of_summary(some_summary(1));
  for (const auto& [key, value] : whole.items()) {
    Json less = whole;
    less.erase(key);
    EXPECT_FALSE(is_summary(less)) << key;
    Json other = whole;
    other[key] = -1;
    EXPECT_EQ(is_summary(other), key == "arrived") << key;
  }
}

}  // namespace
}  // namespace plimsoll
