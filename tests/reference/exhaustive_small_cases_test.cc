// Does the engine match the twin on every small input? Three requests whose arrivals, lengths and
// memory are enumerated, not drawn, with steps and transfers as short as the gaps between arrivals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/batching_rule.h"
#include "reference/case.h"
#include "slow_sanitized.h"

namespace plimsoll::reference {
namespace {

struct Shape {
  std::string batching_rule;
  std::int64_t blocks;
  std::int64_t block_size;
  std::int64_t max_num_seqs;
  std::int64_t budget;
  std::int64_t shared_tokens;  ///< at most so many first tokens of all prompts are the same
  bool prefix_caching;
};

/// Prefill on one instance and decode on another, each of the shape.
struct Apart {
  bool layerwise = false;
  bool first_token_by_prefill = false;
};

// A block of one token takes a microsecond of a link, and each transfer one more.
void take_apart(const Apart& apart, Deployment* deployment) {
  Pool decode = deployment->main();
  decode.role = PoolRole::decode;
  decode.kv.bytes_per_token = 1000;
  Pool prefill = decode;
  prefill.role = PoolRole::prefill;
  deployment->pools = {prefill, decode};
  Disaggregation& how = deployment->disaggregation;
  how.first_token_by_prefill = apart.first_token_by_prefill;
  how.transfer.gb_per_s = 1;
  how.transfer.latency = microseconds(1);
  how.transfer.layerwise = apart.layerwise;
  how.transfer.layers = 2;
}

Case small_case(const Semantics& semantics, const Shape& shape) {
  Case scenario;
  scenario.semantics = semantics;
  EngineConfig& engine = scenario.deployment.main().engine;
  engine.batching_rule = shape.batching_rule;
  engine.total_kv_blocks = shape.blocks;
  engine.block_size = shape.block_size;
  engine.max_num_seqs = shape.max_num_seqs;
  engine.max_num_batched_tokens = shape.budget;
  engine.prefix_caching = shape.prefix_caching;
  scenario.model.step = 1;
  scenario.model.per_prefill_token = 1;
  scenario.model.per_decode_request = 1;
  // A request that outgrows the cache restarts for ever.
  scenario.horizon_us = 150;
  scenario.requests.resize(3);
  return scenario;
}

/// Calls `visit(a, b, c)` for every triple of indices below `count`.
template <class Visit>
void for_each_triple(std::size_t count, const Visit& visit) {
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      for (std::size_t c = 0; c < count; ++c) visit(a, b, c);
    }
  }
}

void expect_equal_for_all_lengths_and_arrivals(Case scenario, std::int64_t shared_tokens,
                                               int* runs) {
  struct Lengths {
    std::int32_t in;
    std::int32_t out;
  };
  static const std::vector<Lengths> lengths{{1, 1}, {1, 4}, {2, 0}, {2, 2}, {3, 3}, {4, 1}, {4, 4}};
  static const std::vector<std::int64_t> arrivals{0, 1, 5};
  for_each_triple(lengths.size(), [&](std::size_t a, std::size_t b, std::size_t c) {
    const std::size_t chosen[] = {a, b, c};
    for (std::size_t i = 0; i < 3; ++i) {
      scenario.requests[i].input_tokens = lengths[chosen[i]].in;
      scenario.requests[i].output_tokens = lengths[chosen[i]].out;
      const std::int64_t shared = std::min<std::int64_t>(shared_tokens, lengths[chosen[i]].in);
      scenario.requests[i].prefix.clear();
      if (shared > 0) scenario.requests[i].prefix.push_back({1, shared});
    }
    for_each_triple(arrivals.size(), [&](std::size_t x, std::size_t y, std::size_t z) {
      if (x > y || y > z || testing::Test::HasFailure()) return;
      scenario.requests[0].arrival_us = arrivals[x];
      scenario.requests[1].arrival_us = arrivals[y];
      scenario.requests[2].arrival_us = arrivals[z];
      ++*runs;
      const std::string found = differences(scenario);
      EXPECT_EQ(found, "") << to_code(scenario);
    });
  });
}

void expect_equal_for_all_lengths_and_arrivals(const Semantics& semantics, const Shape& shape,
                                               int* runs) {
  expect_equal_for_all_lengths_and_arrivals(small_case(semantics, shape), shape.shared_tokens,
                                            runs);
}

// With prompts that share their first two tokens, so that some blocks are there before they come.
void expect_equal_for_all_splits(const Semantics& semantics, const std::vector<Apart>& ways) {
  int runs = 0;
  for (const Apart& apart : ways) {
    for (const std::int64_t block_size : {1, 2}) {
      for (const std::int64_t blocks : {3, 4}) {
        for (const bool caches : {false, true}) {
          const Shape shape{"vllm", blocks * 2 / block_size, block_size, 2, 3, 2, caches};
          Case scenario = small_case(semantics, shape);
          take_apart(apart, &scenario.deployment);
          expect_equal_for_all_lengths_and_arrivals(scenario, caches ? 2 : 0, &runs);
        }
      }
    }
  }
  EXPECT_EQ(runs, static_cast<int>(ways.size()) * 2 * 2 * 2 * 343 * 10);
}

void expect_equal_for_all_shapes(const Semantics& semantics) {
  int runs = 0;
  for (const std::int64_t block_size : {1, 2}) {
    for (const std::int64_t blocks : {2, 3, 4}) {
      for (const std::int64_t budget : {2, 16}) {
        const std::int64_t max_num_seqs = budget == 2 ? 2 : 3;
        Shape shape{"vllm", blocks * 2 / block_size, block_size, max_num_seqs, budget, 0, false};
        expect_equal_for_all_lengths_and_arrivals(semantics, shape, &runs);
        shape.prefix_caching = true;
        for (const std::int64_t shared_tokens : {0, 2, 4}) {
          shape.shared_tokens = shared_tokens;
          expect_equal_for_all_lengths_and_arrivals(semantics, shape, &runs);
        }
      }
    }
  }
  EXPECT_EQ(runs, 2 * 3 * 2 * 4 * 343 * 10);
}

// Without prefix caching, and with it where prompts share their first two tokens.
void expect_equal_for_every_other_rule(const Semantics& semantics) {
  for (const BatchingRuleRow& rule : batching_rules()) {
    if (rule.name == "vllm") continue;
    int runs = 0;
    for (const std::int64_t block_size : {1, 2}) {
      for (const std::int64_t blocks : {2, 4}) {
        for (const std::int64_t budget : {2, 5}) {
          Shape shape{rule.name, blocks * 2 / block_size, block_size, 3, budget, 0, false};
          expect_equal_for_all_lengths_and_arrivals(semantics, shape, &runs);
          shape.prefix_caching = true;
          shape.shared_tokens = 2;
          expect_equal_for_all_lengths_and_arrivals(semantics, shape, &runs);
        }
      }
    }
    EXPECT_EQ(runs, 2 * 2 * 2 * 2 * 343 * 10);
  }
}

TEST(EngineMatchesTwin, on_every_small_input_in_blis) {
  SLOW_SANITIZED();
  expect_equal_for_all_shapes(Semantics::blis());
}

TEST(EngineMatchesTwin, on_every_small_input_in_vllm) {
  SLOW_SANITIZED();
  expect_equal_for_all_shapes(Semantics::vllm());
}

TEST(EngineMatchesTwin, on_every_small_input_in_vllm_with_synchronous_scheduling) {
  SLOW_SANITIZED();
  Semantics synchronous = Semantics::vllm();
  synchronous.asynchronous_scheduling = false;
  expect_equal_for_all_shapes(synchronous);
}

TEST(EngineMatchesTwin, on_every_small_input_where_prefill_is_apart) {
  SLOW_SANITIZED();
  expect_equal_for_all_splits(Semantics::vllm(),
                              {{false, false}, {true, false}, {false, true}, {true, true}});
  expect_equal_for_all_splits(Semantics::blis(), {{false, false}});
}

TEST(EngineMatchesTwin, on_every_small_input_by_every_other_batching_rule) {
  SLOW_SANITIZED();
  expect_equal_for_every_other_rule(Semantics::vllm());
}

TEST(EngineMatchesTwin, on_every_small_input_by_every_other_batching_rule_synchronously) {
  SLOW_SANITIZED();
  Semantics synchronous = Semantics::vllm();
  synchronous.asynchronous_scheduling = false;
  expect_equal_for_every_other_rule(synchronous);
}

}  // namespace
}  // namespace plimsoll::reference
