// The recipes by which the servers of published measurements ran where prompts are computed by some
// workers and answered by others: their limits, which the tables of results leave out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "catalog/gpu.h"
#include "catalog/kernels.h"
#include "validation/case.h"

namespace plimsoll {

/// Of workers for prompts.
struct PromptLimits {
  std::int64_t max_num_seqs = 1;            ///< of a rank
  std::int64_t max_num_batched_tokens = 1;  ///< of a rank; no step has a part of a prompt
  /// What the recipe has where the tables say something else; 0: as they.
  std::int64_t ranks = 0;
  bool sliced_experts = false;  ///< each over all GPUs of the worker
};

struct PublishedSplit {
  PromptLimits prompts;
  std::int64_t decode_places = 1;  ///< of a rank
  std::int64_t gateways = 1;       ///< each of which goes round by itself
  std::int64_t decode_ranks = 0;   ///< of a worker; 0: as the tables have it
  bool whole_prompts = false;
};

/// By catalog/published-splits.yaml. None: not published. `concurrency`: requests at a time. The
/// case has a split.
Result<std::optional<PublishedSplit>> published_split(const Case& measured, Engine engine,
                                                      const GpuSpec& gpu, std::int64_t concurrency);

/// The workers that ran: where the recipe differs from the tables of results, as the recipe has
/// them. Assumptions are added for what it says.
CaseSplit as_run(const CaseSplit& stated, const std::optional<PublishedSplit>& recipe,
                 std::vector<CaseAssumption>* assumptions);

/// For all points of the case.
bool has_published_split(const Case& measured);

}  // namespace plimsoll
