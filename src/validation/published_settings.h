// What the publisher of a measured case gives its servers and its client in the scripts that it
// publishes, where the case itself does not say it; else the defaults of engines. Of SGLang and
// TensorRT-LLM, whose first tokens depend on these settings.
#pragma once

#include <cstdint>
#include <optional>

#include "catalog/gpu.h"
#include "catalog/kernels.h"
#include "catalog/model.h"
#include "validation/case.h"
#include "validation/published_splits.h"

namespace plimsoll {

struct PublishedSettings {
  std::int64_t scheduler_recv_interval = 1;            ///< SGLang's, in decode steps
  std::optional<std::int64_t> max_num_batched_tokens;  ///< of a rank; none: nothing is known
  bool whole_prompts = false;                          ///< no step has a part of one
  bool narrow_kv = false;                              ///< 8 bits
  std::int64_t prompt_wait_steps = 0;                  ///< EngineConfig has what that is
  bool overlap = true;            ///< the host prepares a step while the one before runs
  std::int64_t draft_tokens = 0;  ///< that the model's own draft proposes in each step
  std::int64_t idle_places = 0;   ///< of as many as there are requests at a time
  double added_ms_per_step = 0;   ///< beside what present kernels take
  bool cuda_graphs = true;        ///< else the host launches the kernels of each step one by one
  /// All streams begin together, and a client with a thread for each adds nothing to first tokens.
  bool streams_begin_together = false;
  std::optional<PublishedSplit> split = {};  ///< limits of both kinds of workers
};

/// Of tokens that a draft proposes, the share that is accepted if those before were: as published
/// for a later DeepSeek (docs/explanation/accuracy-limits.md).
inline constexpr double kDraftAcceptance = 0.69;

/// `concurrency`: requests at a time.
Result<PublishedSettings> published_settings(const Case& measured, Engine engine,
                                             const ModelConfig& model, const GpuSpec& gpu,
                                             std::int64_t concurrency);

}  // namespace plimsoll
