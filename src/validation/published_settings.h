// What the publisher of a measured case gives its servers in the scripts that it publishes beside
// the results, where the case itself does not say it; else the defaults of engines. Of SGLang and
// TensorRT-LLM, whose first tokens depend on these settings.
#pragma once

#include <cstdint>
#include <optional>

#include "catalog/gpu.h"
#include "catalog/kernels.h"
#include "validation/case.h"

namespace plimsoll {

struct PublishedSettings {
  std::int64_t scheduler_recv_interval = 1;            ///< SGLang's, in decode steps
  std::optional<std::int64_t> max_num_batched_tokens;  ///< of a rank; none: nothing is known
  bool whole_prompts = false;                          ///< no step has a part of one
  bool narrow_kv = false;                              ///< 8 bits
  std::int64_t prompt_wait_steps = 0;                  ///< EngineConfig has what that is
};

/// `concurrency`: requests at a time.
PublishedSettings published_settings(const Case& measured, Engine engine, const GpuSpec& gpu,
                                     std::int64_t concurrency);

}  // namespace plimsoll
