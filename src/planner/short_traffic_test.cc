// Has traffic that ends an answer, however short it is?
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "cluster/simulation.h"
#include "known_system.h"
#include "planner/load_probe.h"
#include "planner/slo_judgement.h"

namespace plimsoll {
namespace {

using test::known_percentile_ms;
using test::single_servers;

// What ends is all there is: far from its limit, and with enough requests that may exceed it, it
// has an answer.
TEST(ShortTraffic, has_an_answer_far_from_its_limit) {
  for (const double p : {50.0, 90.0, 99.0}) {
    const double known_ms = known_percentile_ms(70, p);
    const auto answer_at = [&](double factor) {
      const std::string slo = fmt::format("ttft_p{}<{}ms", p, factor * known_ms);
      ProbeEffort effort;
      effort.most_requests = 4'000;
      const auto test = probe_load(single_servers(slo), 70, effort);
      return test ? test->answer : Answer::unclear;
    };
    EXPECT_EQ(answer_at(2), Answer::holds) << p;
    EXPECT_NE(answer_at(0.5), Answer::holds) << p;
  }
}

// Of 3,000 requests five exceed, in two places: far fewer than the 30 that a p99 tolerates, but
// their share has no interval. With 28 of 29 in one place, another one may break the limit.
TEST(ShortTraffic, is_judged_by_the_places_where_requests_exceed) {
  const auto answer_of = [](std::int64_t in_one_place) {
    test::PromptSource source(1, 3'000, 1, [&](std::int64_t i, Request* request) {
      const bool is_slow = (i >= 1'000 && i < 1'000 + in_one_place) || i == 2'000;
      request->input_tokens = is_slow ? 400'000 : 5'000 + static_cast<std::int32_t>(i * i % 101);
      request->output_tokens = 1;
    });
    const ProbedSystem system = single_servers("ttft_p99<300ms");
    Simulation simulation(system.deployment, source, {});
    simulation.advance();
    const RunRecord record = simulation.take_record();
    SteadyState steady;
    steady.verdict = SteadyVerdict::steady;
    return slo_figures(system.slos, record, {}, steady, {.is_whole = true}).front().answer;
  };
  EXPECT_EQ(answer_of(4), Answer::holds);
  EXPECT_EQ(answer_of(28), Answer::unclear);
}

}  // namespace
}  // namespace plimsoll
