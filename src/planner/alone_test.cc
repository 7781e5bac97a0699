#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "engine/batching_rule.h"
#include "fake_gpus.h"
#include "planner/capacity.h"
#include "random/stream.h"
#include "reference/linear_model.h"
#include "shared_documents.h"

namespace plimsoll {
namespace {

using test::Documents;
using test::documents;

/// An instance holds 8 documents of 40; those that compute one whole are too slow.
ProbedSystem library() {
  ProbedSystem system;
  reference::LinearModel steps;
  steps.per_prefill_token = 100;
  system.deployment.main().step_time = std::make_shared<reference::LinearModel>(steps);
  system.deployment.main().engine.total_kv_blocks = 8 * 1600 / 16;
  system.deployment.main().engine.max_num_seqs = 16;
  system.deployment.router = "weighted";
  system.deployment.scorers = {{"prefix-affinity", 3}, {"load-balance", 1}};
  system.semantics = Semantics::of(SemanticsMode::vllm);
  system.slos = *parse_slos("test", "ttft_p90<100ms");
  Documents what;
  what.documents = 40;
  what.shared_tokens = 1440;
  what.own_tokens = 100;
  system.load = documents(what);
  return system;
}

ProbeEffort short_runs() {
  ProbeEffort effort;
  effort.most_requests = 44'000;
  return effort;
}

// One instance holds too few of the documents; eight hold all of them.
TEST(Alone, does_a_cold_cache_rule_nothing_out) {
  const ProbedSystem system = library();
  const auto cold = probe_load(system, 0.1, short_runs());
  ASSERT_TRUE(cold);
  EXPECT_EQ(cold->answer, Answer::fails) << "nearly idle, but with one instance's cache";
  const auto found = fewest_instances(system, 20, 0.1, {1, 64}, short_runs(), {});
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->idle);
  EXPECT_EQ(found->idle->answer, Answer::holds);
  EXPECT_GT(found->instances, 1);
  ProbedSystem fleet = system;
  fleet.deployment.main().num_instances = static_cast<std::int32_t>(found->instances);
  const auto warm = probe_load(fleet, 20, short_runs());
  EXPECT_EQ(warm->answer, Answer::holds);
}

// What is not shared has to be computed wherever it is: no instances would do.
TEST(Alone, does_an_impossible_limit_stay_one) {
  ProbedSystem system = library();
  system.slos = *parse_slos("test", "ttft_p90<9ms");
  const auto found = fewest_instances(system, 20, 0.1, {1, 64}, short_runs(), {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->instances, 0);
  ASSERT_TRUE(found->idle);
  EXPECT_EQ(found->idle->answer, Answer::fails);
  EXPECT_LE(found->simulations, 3);
}

// Requests that come at the very same moment are served by several instances at once.
TEST(Alone, do_bursts_rule_nothing_out) {
  ProbedSystem system = library();
  system.deployment.router = "round-robin";
  Documents what;
  what.own_tokens = 500;
  what.at_once = 10;
  system.load = documents(what);
  const auto found = fewest_instances(system, 20, 0.1, {1, 64}, short_runs(), {});
  ASSERT_TRUE(found);
  EXPECT_GT(found->instances, 1);
}

RequestTable served(const ProbedSystem& system, double rate_rps) {
  auto load = system.load(rate_rps, 2'000);
  SimulationOptions options;
  options.semantics = system.semantics;
  options.prefixes_are_cached = system.prefixes_are_cached;
  Simulation simulation(system.deployment, *load->source, options);
  simulation.advance();
  return simulation.take_record().requests;
}

/// `below(n)` draws a number below n.
template <class Below>
Documents drawn_documents(const Below& below) {
  Documents what;
  what.documents = 1 + below(60);
  what.shared_tokens = 16 * below(100);
  what.own_tokens = 1 + below(300);
  what.turns = 1 + below(4);
  what.at_once = 1 + below(3);
  return what;
}

// A lower bound, request by request: none is faster in any cluster that was tried.
TEST(Alone, is_no_request_faster_anywhere) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream draw(seed, Purpose::arrival, 0);
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(draw.bits() % n); };
    ProbedSystem system = library();
    system.load = documents(drawn_documents(below));
    const auto& rules = batching_rules();
    const BatchingRuleRow& rule = rules[static_cast<std::size_t>(below(rules.size()))];
    EngineConfig& engine = system.deployment.main().engine;
    engine.batching_rule = rule.name;
    engine.block_size = rule.block_size;
    engine.total_kv_blocks = (6'400 + below(64'000)) / engine.block_size;
    engine.prefix_caching = below(4) > 0;
    engine.max_num_batched_tokens = 256 + below(2'000);
    if (below(2) == 0) system.deployment.router = "least-loaded";
    if (below(3) == 0) system.deployment.main().ranks = 2 + below(2);
    const RequestTable bound = served(alone(system), 0.05);
    system.deployment.main().num_instances = static_cast<std::int32_t>(1 + below(12));
    const RequestTable real = served(system, 0.5 + static_cast<double>(below(40)));
    ASSERT_EQ(bound.size(), real.size());
    for (std::size_t row = 0; row < real.size(); ++row) {
      ASSERT_LE(bound.ttft[row], real.ttft[row]) << seed << ", row " << row;
      ASSERT_LE(bound.e2e[row] - bound.ttft[row], real.e2e[row] - real.ttft[row]) << seed;
    }
  }
}

// The same with GPUs of two types side by side, whichever of them has the request.
TEST(Alone, is_no_request_faster_in_a_mix) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream draw(seed, Purpose::arrival, 2);
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(draw.bits() % n); };
    ProbedSystem system = library();
    system.load = documents(drawn_documents(below));
    Deployment& deployment = system.deployment;
    deployment.main().engine.prefix_caching = below(4) > 0;
    deployment.router = below(2) == 0 ? "least-loaded" : "round-robin";
    Pool other = deployment.main();
    for (Pool* pool : {&deployment.main(), &other}) {
      reference::LinearModel steps;
      steps.step = static_cast<double>(500 + below(3'000));
      steps.per_prefill_token = static_cast<double>(20 + below(200));
      steps.per_decode_request = static_cast<double>(below(500));
      pool->step_time = std::make_shared<reference::LinearModel>(steps);
      pool->engine.total_kv_blocks = 400 + below(4'000);
      pool->engine.max_num_batched_tokens = 256 + below(2'000);
      pool->ranks = std::max<std::int64_t>(1, below(6) - 2);
      pool->num_instances = static_cast<std::int32_t>(1 + below(6));
    }
    deployment.pools.push_back(other);
    ProbedSystem one = system;
    one.deployment = with_one_of_each(one.deployment);
    const RequestTable bound = served(alone(one), 0.05);
    const RequestTable real = served(system, 0.5 + static_cast<double>(below(40)));
    ASSERT_EQ(bound.size(), real.size());
    for (std::size_t row = 0; row < real.size(); ++row) {
      ASSERT_LE(bound.ttft[row], real.ttft[row]) << seed << ", row " << row;
      ASSERT_LE(bound.e2e[row], real.e2e[row]) << seed << ", row " << row;
    }
  }
}

// The same with prefill apart from decode: what is sent, and what stays by a decider.
TEST(Alone, is_no_request_faster_in_pools) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream draw(seed, Purpose::arrival, 1);
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(draw.bits() % n); };
    ProbedSystem system = library();
    system.load = documents(drawn_documents(below));
    Deployment& deployment = system.deployment;
    EngineConfig& engine = deployment.main().engine;
    engine.total_kv_blocks = 400 + below(4'000);
    engine.prefix_caching = below(4) > 0;
    engine.max_num_batched_tokens = 256 + below(2'000);
    if (below(2) == 0) deployment.router = "least-loaded";
    if (below(3) == 0) deployment.main().ranks = 2;
    deployment.pools = test::pools_of(deployment.main(), 1, 1, below(2) == 0 ? 1e3 : 1e6);
    deployment.disaggregation.transfer.layerwise = below(2) == 0;
    deployment.disaggregation.first_token_by_prefill = below(2) == 0;
    const char* const deciders[]{"always", "prefix-threshold", "prefill-queue", "conditional"};
    deployment.disaggregation.decider = deciders[below(4)];
    const RequestTable bound = served(alone(system), 0.05);
    for (Pool& pool : deployment.pools)
      pool.num_instances = static_cast<std::int32_t>(1 + below(6));
    const RequestTable real = served(system, 0.5 + static_cast<double>(below(40)));
    ASSERT_EQ(bound.size(), real.size());
    for (std::size_t row = 0; row < real.size(); ++row) {
      ASSERT_LE(bound.ttft[row], real.ttft[row]) << seed << ", row " << row;
      ASSERT_LE(bound.e2e[row], real.e2e[row]) << seed << ", row " << row;
    }
  }
}

}  // namespace
}  // namespace plimsoll
