// Random spaces of plans with everything that makes a search go wrong, for tests of the planner.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/batching_rule.h"
#include "fake_gpus.h"
#include "random/stream.h"
#include "shared_documents.h"

namespace plimsoll::test {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : stream_(seed, Purpose::arrival, 0) {}
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(stream_.bits() % static_cast<std::uint64_t>(n));
  }
  double between(double low, double high) { return low + (high - low) * stream_.uniform(); }
  template <class T>
  T one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(std::ssize(all)))];
  }

 private:
  RandomStream stream_;
};

/// Two GPUs, of which one or both may hold no long prompt; pipelines, data-parallel ranks, prefill
/// apart from decode, mixes of both GPUs, documents, conversations and bursts.
struct Space {
  PlanRequest request;
  std::vector<FakeGpu> gpus;
  std::vector<std::int64_t> blocks;  ///< KV of each GPU
  double kv_bytes_per_token = 1e5;
  Documents what;

  Result<Deployed> deployed(const Candidate& c) const {
    auto d = deploy(c, request.slos, gpus);
    if (!d) return d;
    Deployment& deployment = d->system.deployment;
    for (Pool& pool : deployment.pools) {
      EngineConfig& engine = pool.engine;
      engine.batching_rule = c.batching_rule;
      engine.block_size = batching_rule(c.batching_rule).block_size;
      const auto gpu = static_cast<std::size_t>(pool.gpu == gpus[1].name);
      engine.total_kv_blocks = blocks[gpu] * pool.gpus * 16 / engine.block_size;
      pool.ranks = (pool.answers() ? c.layout() : c.layout_of_other()).dp;
      engine.max_num_seqs *= pool.ranks;  // of each rank
      engine.max_num_batched_tokens *= pool.ranks;
      pool.kv.bytes_per_token = kv_bytes_per_token;
    }
    deployment.router = c.router;
    deployment.scorers = {{"prefix-affinity", 2}, {"load-balance", 1}};
    d->system.load = documents(what);
    const auto shape = token_shape(d->system.load);
    set_speeds(*shape, &deployment);
    d->take_arithmetic(*shape, strictest_gap(request.slos));
    return d;
  }
};

/// With splits in some of their ways, from transfers that cost nothing to some that cost much; the
/// rest as it would be without. A split wants the rule of vllm.
inline void draw_splits(Draw draw, Space* space) {
  ConfigSpace& s = space->request.space;
  if (s.batching_rules.front() != "vllm" || draw.below(4) == 0) return;
  s.disaggregation = {Disaggregated::no, Disaggregated::yes};
  s.pool_ratios = draw.one_of<std::vector<PoolRatio>>(
      {{{1, 1}}, {{1, 2}, {2, 1}}, {{1, 1}, {3, 1}}, {{1, 3}, {2, 3}}});
  s.pd_deciders = {
      draw.one_of<std::string>({"always", "always", "prefix-threshold", "prefill-queue"})};
  space->kv_bytes_per_token = draw.one_of<double>({1e2, 1e5, 1e6});
  // Unlike instances, on the other GPU or in another layout.
  if (draw.below(2) == 0) s.prefill_tp = draw.one_of<std::vector<std::int64_t>>({{2}, {1, 2}});
  if (draw.below(2) == 0) {
    using Names = std::vector<std::string>;
    s.prefill_gpus = draw.one_of<Names>({Names{"b"}, Names{"a", "b"}});
  }
  if (draw.below(2) == 0) s.prefill_dp = draw.one_of<std::vector<std::int64_t>>({{2}, {1, 3}});
}

/// With mixes of both GPUs, by a router that knows their speed or not; with as many of each as one
/// wants, or few of one.
inline void draw_mixes(Draw draw, Space* space) {
  if (draw.below(2) == 0) return;
  space->request.space.mixes_gpus = true;
  if (draw.below(2) == 0) space->request.space.routers = {"least-loaded"};
  if (draw.below(2) == 0) space->request.available_gpus[draw.one_of<std::string>({"a", "b"})] = 2;
}

inline Space space_of(std::uint64_t seed) {
  Draw draw(seed);
  Space space;
  for (const char* name : {"a", "b"}) {
    space.gpus.push_back(
        {name, draw.between(1000, 4000), draw.between(10, 80), 1 + draw.between(0, 2)});
    space.blocks.push_back(draw.one_of<std::int64_t>({10, 60, 60, 200}) + draw.below(400));
  }
  space.what.documents = 1 + draw.below(40);
  space.what.shared_tokens = 16 * draw.below(60);
  space.what.own_tokens = 20 + draw.below(200);
  space.what.turns = draw.one_of<std::int64_t>({1, 1, 3});
  space.what.at_once = draw.one_of<std::int64_t>({1, 1, 5});
  space.request = request_of({"a", "b"});
  space.request.space.tp = {1};
  space.request.space.pp = draw.one_of<std::vector<std::int64_t>>({{1}, {1, 2}});
  space.request.space.dp = draw.one_of<std::vector<std::int64_t>>({{1}, {1, 2}});
  space.request.space.max_num_seqs = {draw.one_of<std::int64_t>({4, 16, 64})};
  space.request.space.batching_rules = {draw.one_of<std::string>({"vllm", "sarathi", "orca"})};
  space.request.space.routers = {draw.one_of<std::string>({"weighted", "round-robin"})};
  space.request.space.replicas.clear();
  space.request.rate_rps = draw.between(5, 60);
  space.request.objective = Objective::least_cost;
  space.request.max_gpus = 24;
  const std::int64_t limit = draw.one_of<std::int64_t>({4, 10, 30, 100});
  space.request.slos = *parse_slos("test", fmt::format("ttft_p90<{}ms", limit));
  draw_splits(Draw(seed + 1'000'000), &space);
  draw_mixes(Draw(seed + 2'000'000), &space);
  return space;
}

}  // namespace plimsoll::test
