// What do a few more instances cost?
#include "planner/plan_figures.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

Price offer(const char* gpu, const char* commitment, std::int64_t gpus, double usd) {
  Price price;
  price.gpu = gpu;
  price.commitment = commitment;
  price.gpus = gpus;
  price.usd_per_hour = usd;
  return price;
}

BillLine line(const Price& price, std::int64_t replicas, std::int64_t machines) {
  return {price, replicas, machines, 0};
}

CandidateResult billed(std::int64_t replicas, std::vector<BillLine> lines) {
  CandidateResult result;
  result.candidate.gpu = "H100";
  result.candidate.replicas = replicas;
  result.bill.lines = std::move(lines);
  result.usd_per_hour = result.bill.usd_per_hour();
  return result;
}

TEST(PlanFigures, price_more_instances_in_whatever_machines_are_offered) {
  const Price eight = offer("H100", kOnDemand, 8, 16);
  const Price one = offer("H100", kOnDemand, 1, 3);
  const auto usd = [&](CandidateResult of, std::int64_t replicas) {
    of.on_demand = {eight, one};
    return usd_of_more(of, replicas);
  };
  EXPECT_DOUBLE_EQ(usd(billed(7, {line(eight, 7, 1)}), 8), 16);  // there is room
  EXPECT_DOUBLE_EQ(usd(billed(8, {line(eight, 8, 1)}), 9), 16 + 3);
  EXPECT_DOUBLE_EQ(usd(billed(9, {line(eight, 8, 1), line(one, 1, 1)}), 10), 16 + 6);
  // A larger machine, of which it has none so far.
  EXPECT_DOUBLE_EQ(usd(billed(5, {line(one, 5, 5)}), 8), 16);
}

TEST(PlanFigures, price_more_instances_like_those_that_are_committed_to) {
  const Price reserved = offer("H100", "reserved-1-year", 1, 2);
  EXPECT_DOUBLE_EQ(usd_of_more(billed(4, {line(reserved, 4, 4)}), 6), 8 + 4);
  // Of what a mix has only its own GPUs grow in number.
  CandidateResult mix = billed(2, {line(reserved, 2, 2), line(offer("L40S", kSpot, 1, 1), 3, 3)});
  mix.candidate.other_gpu = "L40S";
  mix.candidate.beside = 3;
  EXPECT_DOUBLE_EQ(usd_of_more(mix, 3), 4 + 3 + 2);
}

TEST(PlanFigures, are_only_candidates_that_hold_alternatives) {
  Plan plan;
  plan.candidates.resize(3);
  plan.candidates[0].at_good.emplace();
  plan.candidates[2].at_good.emplace();
  plan.best = 0;
  const auto alternatives = [&](std::optional<std::size_t> cheapest_known) {
    plan.cheapest_known = cheapest_known;
    std::vector<std::ptrdiff_t> places;
    for (const Alternative& a : alternatives_of(PlanRequest(), plan, {}))
      places.push_back(a.result - plan.candidates.data());
    return places;
  };
  EXPECT_EQ(alternatives({}), (std::vector<std::ptrdiff_t>{0}));
  EXPECT_EQ(alternatives(1), (std::vector<std::ptrdiff_t>{0})) << "no test of it held";
  EXPECT_EQ(alternatives(2), (std::vector<std::ptrdiff_t>{0, 2}));
}

}  // namespace
}  // namespace plimsoll
