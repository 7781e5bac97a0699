#include "metrics/fitness.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

GroupSummary figures() {
  GroupSummary f;
  f.ttft = {.mean_ms = 40, .p50_ms = 30, .p90_ms = 60, .p95_ms = 70, .p99_ms = 99};
  f.e2e = {.mean_ms = 999, .p50_ms = 900, .p90_ms = 1500, .p95_ms = 1700, .p99_ms = 1999};
  f.responses_per_sec = 100;
  f.tokens_per_sec = 30'000;
  return f;
}

TEST(Fitness, is_the_weighted_sum_with_the_references_default_points) {
  const Fitness fitness =
      find_fitness(figures(), {*parse_fitness_weights("p99_ttft:3,mean_e2e:1,throughput:2"), {}});
  ASSERT_EQ(fitness.components.size(), 3u);
  EXPECT_EQ(fitness.components[0].key, "mean_e2e");
  EXPECT_DOUBLE_EQ(fitness.components[0].value, 0.001);  // 1 / (1 + 999 ms / 1 ms)
  EXPECT_DOUBLE_EQ(fitness.components[1].value, 0.01);
  EXPECT_DOUBLE_EQ(fitness.components[2].value, 0.5);  // 100 / (100 + 100)
  EXPECT_DOUBLE_EQ(fitness.score, 0.001 + 0.03 + 1);
}

TEST(Fitness, follows_other_reference_points) {
  const Fitness fitness =
      find_fitness(figures(), {*parse_fitness_weights("p99_ttft:1,tokens_per_sec:1"),
                               *parse_fitness_references("p99_ttft:33ms,tokens_per_sec:10000")});
  EXPECT_DOUBLE_EQ(fitness.components[0].value, 0.25);
  EXPECT_DOUBLE_EQ(fitness.components[1].value, 0.75);
}

TEST(Fitness, of_a_run_that_serves_nothing_is_nothing) {
  FitnessRequest request{*parse_fitness_weights("p99_ttft:3,mean_e2e:1,throughput:2"), {}};
  EXPECT_EQ(find_fitness({}, request).score, 0);
  EXPECT_FALSE(find_fitness({}, request).components[0].measured);
  EXPECT_TRUE(find_fitness({}, request).components[2].measured);  // no throughput is a throughput
  request.nothing_is_fast = true;
  EXPECT_EQ(find_fitness({}, request).score, 4);
}

TEST(Fitness, knows_figures_by_either_order_of_their_names) {
  const auto weights = parse_fitness_weights("ttft_p99:3,e2e_mean_ms:1");
  ASSERT_TRUE(weights);
  EXPECT_EQ((*weights)[0].first, "p99_ttft");
  EXPECT_EQ((*weights)[1].first, "mean_e2e");
  EXPECT_FALSE(parse_fitness_weights("ttft_p99:3,p99_ttft:1"));
}

TEST(Fitness, refuses_wrong_weights) {
  for (const char* text :
       {"", "p99_ttft", "p99_ttft:", "p99_ttft:x", "p99_ttft:-1", "p99_ttft:inf", "p99_ttft:nan",
        "p99_tfft:1", ":1", "p99_ttft:1,", "p99_ttft:1,p99_ttft:2", "p99_ttft=1", "p90_ttft:1",
        "p99_ttft:1;throughput:1", "P99_TTFT:1"}) {
    EXPECT_FALSE(parse_fitness_weights(text)) << text;
  }
  EXPECT_NE(format(parse_fitness_weights("p99_tfft:1").error()).find("did you mean \"p99_ttft\"?"),
            std::string::npos);
}

TEST(Fitness, refuses_wrong_reference_points) {
  for (const char* text :
       {"", "p99_ttft:500", "p99_ttft:0ms", "throughput:100ms", "throughput:0", "throughput:-1",
        "thruput:5", "throughput", "throughput:1,throughput:2"}) {
    EXPECT_FALSE(parse_fitness_references(text)) << text;
  }
}

}  // namespace
}  // namespace plimsoll
