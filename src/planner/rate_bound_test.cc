#include "planner/rate_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cluster/simulation.h"
#include "engine/batching_rule.h"
#include "fake_gpus.h"
#include "random/stream.h"
#include "reference/linear_model.h"

namespace plimsoll {
namespace {

/// Everything at once: the instance has as much to do as it can until the end. Prompts begin with
/// one of some prefixes, or with none.
class Crowd final : public RequestSource {
 public:
  Crowd(std::uint64_t seed, std::int64_t prefix_tokens, std::uint64_t groups)
      : seed_(seed), groups_(groups), prefix_{0, prefix_tokens} {}

  bool next(Request* request) override {
    constexpr std::int64_t kRequests = 1'500;
    if (made_ == kRequests) return false;
    RandomStream draw(seed_, Purpose::arrival, static_cast<std::uint64_t>(made_));
    *request = {};
    request->id = made_++;
    request->arrival = Time{made_};
    request->input_tokens = 16 + static_cast<std::int32_t>(draw.bits() % 200);
    request->output_tokens = 1 + static_cast<std::int32_t>(draw.bits() % 60);
    request->own_content = 1'000'000 + draw.bits();
    if (prefix_.tokens > 0) {
      prefix_.content = 1 + draw.bits() % groups_;
      request->input_tokens += static_cast<std::int32_t>(prefix_.tokens);
      kept_.push_back(std::make_unique<PrefixSegment>(prefix_));
      request->prefix = {kept_.back().get(), 1};
    }
    return true;
  }

 private:
  const std::uint64_t seed_;
  const std::uint64_t groups_;
  PrefixSegment prefix_;
  std::vector<std::unique_ptr<PrefixSegment>> kept_;
  std::int64_t made_ = 0;
};

struct System {
  EngineConfig engine;
  std::shared_ptr<reference::LinearModel> model = std::make_shared<reference::LinearModel>();
  LoadMaker load;
};

System system_of(const std::string& rule, std::uint64_t seed) {
  RandomStream draw(seed, Purpose::arrival, 0);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(draw.bits() % n); };
  System s;
  s.engine.batching_rule = rule;
  s.engine.block_size = batching_rule(rule).block_size;
  const std::int64_t prefix = below(2) == 0 ? 0 : 64 + below(1500);
  const std::uint64_t groups = 1 + draw.bits() % 8;
  s.engine.max_num_seqs = 4 + below(100);
  s.engine.max_num_batched_tokens = 128 + below(2000);
  s.engine.total_kv_blocks = (3'000 + below(12'000)) / s.engine.block_size;
  s.engine.max_model_len = below(2) == 0 ? 0 : 2'200;
  s.engine.prefix_caching = below(4) > 0;
  s.model->step = 500 + static_cast<double>(below(5'000));
  s.model->per_prefill_token = static_cast<double>(5 + below(40));
  s.model->per_decode_request = static_cast<double>(below(200));
  s.model->per_decode_context = 0.1 * static_cast<double>(below(10));
  s.model->per_prefill_token_context = 1e-3 * static_cast<double>(below(10));
  s.model->per_prefill_token_squared = s.model->per_prefill_token_context;
  s.load = [=](double, std::int64_t) -> Result<Load> {
    Load load;
    load.source = std::make_unique<Crowd>(seed, prefix, groups);
    return load;
  };
  return s;
}

struct Simulated {
  std::int64_t completed = 0;
  double rps = 0;
};

Deployment deployed(const System& s) {
  Deployment deployment;
  deployment.main().engine = s.engine;
  deployment.main().step_time = s.model;
  return deployment;
}

Simulated simulate(const System& s, const Deployment& deployment) {
  SimulationOptions options;
  options.semantics = Semantics::of(SemanticsMode::vllm);
  auto load = s.load(1, 1);
  Simulation simulation(deployment, *load->source, options);
  simulation.advance({});
  Simulated all;
  Time end;
  for (const InstanceRecord& record : simulation.take_record().instances) {
    all.completed += record.completed;
    end = std::max(end, record.end);
  }
  all.rps = static_cast<double>(all.completed) / to_seconds(end - Time{});
  return all;
}

TEST(RateBound, does_no_system_serve_more) {
  for (const BatchingRuleRow& rule : batching_rules()) {
    double tightest = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const System s = system_of(rule.name, seed);
      Deployment deployment = deployed(s);
      deployment.main().ranks = seed % 3 == 0 ? 2 + static_cast<std::int64_t>(seed % 2) : 1;
      const Simulated served = simulate(s, deployment);
      ASSERT_EQ(served.completed, 1'500) << rule.name << ", seed " << seed;
      const double bound = most_rps(deployment, *token_shape(s.load));
      EXPECT_LE(served.rps, bound) << rule.name << ", seed " << seed;
      tightest = std::max(tightest, served.rps / bound);
    }
    // A bound that is far from all of them would prune nothing.
    EXPECT_GT(tightest, 0.8) << rule.name;
  }
}

// Each rank has a prompt of its own: together they compute as many tokens in the time of one.
TEST(RateBound, has_every_rank_a_prompt_of_its_own) {
  class OnePromptOnOneRank final : public StepTimeModel {
   public:
    // As it prices long prompts: one chunk is on one rank, and the others wait for it.
    double step_us(const BatchShape& batch) const override { return of_rank_.step_us(batch); }
    double ranks_us(std::span<const BatchShape> ranks) const override {
      double us = 0;
      for (const BatchShape& rank : ranks) us = std::max(us, of_rank_.step_us(rank));
      return us;
    }

   private:
    reference::LinearModel of_rank_;
  };
  Deployment deployment;
  Pool& pool = deployment.main();
  pool.step_time = std::make_shared<OnePromptOnOneRank>();
  pool.ranks = 4;
  pool.engine.total_kv_blocks = 40'000;
  pool.engine.max_num_batched_tokens = 4 * 2'000;
  System long_prompts;
  long_prompts.load = [](double, std::int64_t) -> Result<Load> {
    Load load;
    SyntheticSpec spec;
    spec.rate_rps = 1e6;
    spec.num_requests = 1'500;
    spec.prompt = {20'000, 0, 20'000, 20'000};
    spec.output = {1, 0, 1, 1};
    load.source = std::make_unique<SyntheticSource>(spec);
    return load;
  };
  const Simulated served = simulate(long_prompts, deployment);
  const double bound = most_rps(deployment, *token_shape(long_prompts.load));
  EXPECT_LE(served.rps, bound);
  EXPECT_GT(served.rps, 0.95 * bound);
}

TEST(RateBound, does_no_split_serve_more) {
  for (const char* decider : {"always", "prefix-threshold", "prefill-queue", "conditional"}) {
    double tightest = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      System s = system_of("vllm", seed);
      Deployment deployment = deployed(s);
      deployment.router = "least-loaded";
      const auto of = [&](std::uint64_t shift) {
        return 1 + static_cast<std::int64_t>(seed >> shift) % 2;
      };
      deployment.pools = test::pools_of(deployment.main(), of(0), of(1), 1e2);
      deployment.disaggregation.decider = decider;
      for (Pool& pool : deployment.pools) pool.ranks = of(2);
      const Simulated served = simulate(s, deployment);
      ASSERT_EQ(served.completed, 1'500) << decider << ", seed " << seed;
      const double bound = most_rps(deployment, *token_shape(s.load));
      EXPECT_LE(served.rps, bound) << decider << ", seed " << seed;
      tightest = std::max(tightest, served.rps / bound);
    }
    EXPECT_GT(tightest, 0.7) << decider;
  }
}

// Whoever gets which requests: a router that goes by the speed of instances, or one that does not.
TEST(RateBound, does_no_mix_serve_more) {
  double tightest = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const System s = system_of("vllm", seed);
    const TokenShape shape = *token_shape(s.load);
    Deployment deployment = deployed(s);
    deployment.router = seed % 3 == 0 ? "round-robin" : "least-loaded";
    Pool other = deployment.main();
    other.step_time = system_of("vllm", seed + 100).model;
    other.num_instances = 1 + static_cast<std::int32_t>(seed % 3);
    other.ranks = seed % 4 == 0 ? 2 : 1;
    deployment.main().num_instances = 1 + static_cast<std::int32_t>(seed % 2);
    deployment.pools.push_back(other);
    for (Pool& pool : deployment.pools) pool.speed = estimate_pool(pool, false, shape).rate_rps;
    const Simulated served = simulate(s, deployment);
    ASSERT_EQ(served.completed, 1'500) << "seed " << seed;
    const RateBound own = RateBound::of(deployment.main(), shape);
    const RateBound beside = RateBound::of(other, shape);
    const double bound = own.rps(deployment.main().num_instances, beside, other.num_instances);
    EXPECT_LE(served.rps, bound) << "seed " << seed;
    tightest = std::max(tightest, served.rps / bound);
    // The least number that the bound leaves is one that the bound of one fewer rules out.
    const double rate = 5 * bound;
    const std::int64_t fewest = own.fewest(rate, beside, other.num_instances);
    EXPECT_GE(own.rps(fewest, beside, other.num_instances), rate * (1 - 1e-9));
    EXPECT_LT(own.rps(fewest - 1, beside, other.num_instances), rate);
  }
  EXPECT_GT(tightest, 0.7);
}

// One GPU that is good at prompts and one that is good at answers serve more together than each
// alone, if each gets the requests that suit it.
TEST(RateBound, do_bounds_of_unlike_pools_not_add_up) {
  Pool prompts;
  Pool answers;
  reference::LinearModel model;
  model.step = 100;
  model.per_prefill_token = 1;
  model.per_decode_request = 100;
  prompts.step_time = std::make_shared<reference::LinearModel>(model);
  std::swap(model.per_prefill_token, model.per_decode_request);
  answers.step_time = std::make_shared<reference::LinearModel>(model);
  for (Pool* pool : {&prompts, &answers}) pool->engine.total_kv_blocks = 1'000'000;
  const TokenShape shape{100, 100, 150};
  const RateBound a = RateBound::of(prompts, shape);
  const RateBound b = RateBound::of(answers, shape);
  EXPECT_GT(a.rps(1, b, 1), 1.5 * (a.rps(1, b, 0) + a.rps(0, b, 1)));
}

TEST(RateBound, does_a_shared_prefix_take_its_memory_once) {
  Pool pool;
  pool.step_time = std::make_shared<reference::LinearModel>();
  EngineConfig& engine = pool.engine;
  engine.total_kv_blocks = 1'000;
  TokenShape shape{10'100, 100, 10'150};
  const double alone = most_rps(pool, shape);
  shape.shareable = shape.repeated = 10'000;
  shape.prefixes = {{1, 10'000}};
  EXPECT_GT(most_rps(pool, shape), 5 * alone);
  const std::int64_t batch = estimate_capacity(*pool.step_time, engine, shape).batch;
  EXPECT_EQ(batch, (1'000 - 10'000 / 16) / 10);  // 158 tokens of its own: 10 blocks
}

}  // namespace
}  // namespace plimsoll
