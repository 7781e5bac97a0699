// What the benchmarks simulate: the tutorial's deployment, qwen3-14b on one H100 per instance.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "catalog/catalog.h"
#include "cluster/deployment.h"
#include "perf/latency_models.h"

namespace plimsoll::bench {

inline std::shared_ptr<const StepTimeModel> tutorial_model(std::string_view latency_model) {
  const auto model = find_model("qwen/qwen3-14b");
  const auto gpu = find_gpu("H100", SemanticsMode::vllm);
  if (!model || !gpu) std::abort();  // the built-in catalog has both
  auto made = make_latency_model(latency_model, {model->config, *gpu, {}, {}});
  if (!made) std::abort();
  return *made;
}

inline Deployment tutorial_cluster(std::int32_t instances) {
  Deployment deployment;
  deployment.main().num_instances = instances;
  deployment.main().engine.max_model_len = 40960;
  deployment.main().engine.total_kv_blocks = 15909;
  deployment.main().step_time = tutorial_model("trained-physics");
  return deployment;
}

}  // namespace plimsoll::bench
