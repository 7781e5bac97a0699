// Does the engine give exactly what the naive twin gives, whatever the input?
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <string>

#include "engine/batching_rule.h"
#include "reference/case.h"
#include "reference/random_case.h"

namespace plimsoll::reference {
namespace {

void expect_equal_on_random_clusters(const Semantics& semantics) {
  const auto equal = [&semantics](const Scale& scale) {
    const Case scenario = *rc::gen::exec([&] { return pick_case(semantics, scale); });
    const std::string found = differences(scenario);
    if (!found.empty()) RC_FAIL(found);
  };
  EXPECT_EQ(counterexample(2000, [&] { equal(kSmall); }), "");
  EXPECT_EQ(counterexample(300, [&] { equal(kMedium); }), "");
}

TEST(EngineMatchesTwin, on_random_clusters_in_blis) {
  expect_equal_on_random_clusters(Semantics::blis());
}

TEST(EngineMatchesTwin, on_random_clusters_in_vllm) {
  expect_equal_on_random_clusters(Semantics::vllm());
}

TEST(EngineMatchesTwin, on_random_clusters_in_vllm_with_synchronous_scheduling) {
  Semantics synchronous = Semantics::vllm();
  synchronous.asynchronous_scheduling = false;
  expect_equal_on_random_clusters(synchronous);
}

// Few requests with long answers and little in between: what the leap is made for.
void expect_equal_on_long_answers(const Semantics& semantics, const std::string& rule) {
  const auto property = [&] {
    const auto pick = [](int from, int to) { return *rc::gen::inRange(from, to + 1); };
    Case c;
    c.semantics = semantics;
    c.deployment.main().engine.batching_rule = rule;
    c.deployment.main().num_instances = pick(1, 2);
    c.deployment.main().engine.block_size = pick(1, 16);
    c.deployment.main().engine.total_kv_blocks =
        3000 / c.deployment.main().engine.block_size + pick(0, 60);
    c.deployment.main().engine.max_num_seqs = pick(1, 4);
    c.model.step = pick(1, 40);
    c.model.per_prefill_token = 1;
    c.model.per_decode_request = pick(0, 3);
    c.model.per_decode_context = pick(0, 8) / 16.0;
    c.model.output_token = pick(0, 2);
    c.horizon_us = pick(0, 1) == 0 ? 40'000 : 4'000'000;
    c.drive = static_cast<Drive>(pick(0, 2));
    c.drive_step_us = 997;
    std::int64_t arrival_us = 0;
    for (int i = pick(1, 6); i > 0; --i) {
      const int deadline_us = pick(0, 3) == 0 ? pick(1, 60'000) : 0;
      c.requests.push_back({arrival_us,
                            pick(1, 60),
                            pick(100, 2000),
                            0,
                            SloClass::standard,
                            deadline_us > 0 ? arrival_us + deadline_us : -1,
                            {},
                            false});
      arrival_us += pick(0, 30'000);
    }
    const std::string found = differences(c);
    if (!found.empty()) RC_FAIL(found);
  };
  EXPECT_EQ(counterexample(60, property), "");
}

TEST(EngineMatchesTwin, or_a_counterexample_is_told) {
  EXPECT_NE(counterexample(5, [] { RC_FAIL("they differ"); }).find("they differ"),
            std::string::npos);
}

TEST(EngineMatchesTwin, on_long_answers) {
  expect_equal_on_long_answers(Semantics::blis(), "vllm");
  for (const BatchingRuleRow& rule : batching_rules()) {
    expect_equal_on_long_answers(Semantics::vllm(), rule.name);
  }
}

}  // namespace
}  // namespace plimsoll::reference
