// Plans on GPUs whose steps and prices are known, for tests of the planner.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "planner/plan.h"
#include "planner/rate_bound.h"
#include "reference/linear_model.h"
#include "workload/synthetic.h"

namespace plimsoll::test {

inline Result<Load> traffic(double rate_rps, std::int64_t requests) {
  SyntheticSpec spec;
  spec.rate_rps = rate_rps;
  spec.arrival = {ArrivalProcess::poisson, 1};
  spec.num_requests = requests;
  spec.prompt = {40, 10, 1, 80};
  spec.output = {10, 3, 1, 20};
  Load load;
  load.source = std::make_unique<SyntheticSource>(spec);
  return load;
}

/// GPU "slow", "fast" and "dear": fewer or more microseconds per token, cheaper or dearer.
struct FakeGpu {
  const char* name;
  double step_us;
  double token_us;
  double usd;
};
constexpr FakeGpu kGpus[]{{"slow", 4000, 90, 1},
                          {"fast", 3000, 30, 2.4},
                          {"dear", 2500, 22, 6},
                          {"guessed", 3000, 30, 2.1},       // whose steps nobody measured
                          {"transferred", 3000, 30, 2.2}};  // or on another GPU

/// Prefill and decode by instances like those of a pool that does both.
inline std::vector<Pool> pools_of(Pool both, std::int64_t prefill, std::int64_t decode,
                                  double kv_bytes_per_token) {
  both.kv.bytes_per_token = kv_bytes_per_token;
  std::vector<Pool> pools(2, both);
  pools[0].name = "prefill";
  pools[0].role = PoolRole::prefill;
  pools[0].num_instances = static_cast<std::int32_t>(prefill);
  pools[1].name = "decode";
  pools[1].role = PoolRole::decode;
  pools[1].num_instances = static_cast<std::int32_t>(decode);
  return pools;
}

inline std::shared_ptr<const StepTimeModel> steps_of(const FakeGpu& gpu, std::int64_t gpus) {
  reference::LinearModel steps;
  steps.step = gpu.step_us;
  steps.per_decode_request = steps.per_prefill_token =
      gpu.token_us / std::pow(static_cast<double>(gpus), 0.8);
  return std::make_shared<reference::LinearModel>(steps);
}

inline Price price_of(const FakeGpu& gpu) {
  Price price;
  price.gpu = gpu.name;
  price.gpus = 1;
  price.commitment = kOnDemand;
  price.usd_per_hour = gpu.usd;
  return price;
}

/// What so many replicas of a candidate cost an hour.
inline double usd_of(const Deployed& d, const Candidate& c, std::int64_t replicas) {
  const std::int64_t others = c.other_instances(replicas) * c.gpus_per_other();
  const auto& of_others = c.other_gpu.empty() ? d.offers : d.other_offers;
  return static_cast<double>(c.gpus(replicas) - others) * d.offers.front().usd_per_hour +
         static_cast<double>(others) * of_others.front().usd_per_hour;
}

/// Of pools that serve side by side, as setup/pools.h has them.
inline void set_speeds(const TokenShape& shape, Deployment* deployment) {
  if (deployment->splits() || deployment->pools.size() == 1) return;
  for (Pool& pool : deployment->pools) pool.speed = estimate_pool(pool, false, shape).rate_rps;
}

inline Result<Deployed> deploy(const Candidate& c, const std::vector<Slo>& slos,
                               std::span<const FakeGpu> known = kGpus) {
  if (c.gpu == "none") return fail(ErrorKind::usage, "does not fit on none");
  const auto called = [&](const std::string& name) {
    return *std::ranges::find(known, name, &FakeGpu::name);
  };
  Deployed d;
  d.system.deployment.main().step_time = steps_of(called(c.gpu), c.gpus_per_instance());
  d.system.deployment.main().gpu = c.gpu;
  d.system.deployment.main().gpus = c.gpus_per_instance();
  d.system.deployment.main().engine.total_kv_blocks = 4000;
  d.max_num_seqs = c.max_num_seqs > 0 ? c.max_num_seqs : 64;
  d.system.deployment.main().engine.max_num_seqs = d.max_num_seqs;
  d.system.semantics = Semantics::of(SemanticsMode::vllm);
  d.system.slos = slos;
  d.system.load = traffic;
  if (c.splits()) {
    d.system.deployment.pools = pools_of(d.system.deployment.main(), c.prefill, c.decode, 1e5);
    Pool& prefill = d.system.deployment.pools.front();
    prefill.step_time = steps_of(called(c.gpu_of_other()), c.gpus_per_other());
    prefill.gpu = c.gpu_of_other();
    prefill.gpus = c.gpus_per_other();
    d.system.deployment.disaggregation.decider = c.pd_decider;
  }
  if (c.mixes()) {
    Pool& other = d.system.deployment.pools.emplace_back(d.system.deployment.main());
    other.step_time = steps_of(called(c.gpu_of_other()), c.gpus_per_other());
    other.gpu = c.gpu_of_other();
    other.gpus = c.gpus_per_other();
    other.num_instances = static_cast<std::int32_t>(c.beside);
    other.has_fixed_size = true;
    d.system.deployment.router = c.router;
  }
  const auto shape = token_shape(traffic);
  set_speeds(*shape, &d.system.deployment);
  d.take_arithmetic(*shape, strictest_gap(slos));
  d.model_error = ModelError{};
  if (c.gpu == "guessed") d.model_error = ModelError{Regime::unknown, 0.25};
  if (c.gpu == "transferred") d.model_error = ModelError{Regime::transferred, 0.25};
  d.offers = {price_of(called(c.gpu))};
  if (!c.other_gpu.empty()) d.other_offers = {price_of(called(c.other_gpu))};
  return d;
}

inline Deployment with_replicas(Deployment one, const Candidate& c, std::int64_t replicas) {
  return resized(std::move(one), static_cast<std::int32_t>(c.instances(replicas)));
}

inline PlanRequest request_of(std::vector<std::string> gpus) {
  PlanRequest request;
  request.slos = *parse_slos("test", "ttft_p90<300ms");
  request.space.gpus = std::move(gpus);
  request.space.tp = {1, 2};
  request.space.replicas = {1, 2};
  request.space.max_num_seqs = {8, 64};
  request.duration_s = 1;
  request.warmup_s = 0;
  return request;
}

inline Result<Plan> plan_of(const PlanRequest& request, std::size_t threads = 2) {
  Execution execution;
  execution.threads = threads;
  return make_plan(
      request, [&](const Candidate& c) { return deploy(c, request.slos); }, execution);
}

}  // namespace plimsoll::test
