// The KV blocks of an instance: said by the options, or as many as its GPUs have room for.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "cli/options.h"
#include "engine/engine_config.h"
#include "perf/kv_interval.h"
#include "perf/latency_models.h"

namespace plimsoll {

struct KvBlocks {
  std::int64_t count = 0;
  std::optional<KvInterval> interval;  ///< where they were computed
};

Result<KvBlocks> choose_kv_blocks(const Options& options, const EngineConfig& engine,
                                  const LatencyInputs& inputs);

}  // namespace plimsoll
