// Tables of measured operators, read as families of observations: the published ones that the
// shipped rows are from, and those that the profiler writes (docs/how-to/profiling.md).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "fit/family.h"
#include "fit/published_uses.h"

namespace plimsoll {

/// From `folder`, which holds aiconfigurator-op-latency/ and llmservingsim-op-profiles/. In the
/// order in which they are to be fitted: latent attention rests on the matrix products.
Result<std::vector<Family>> published_families(const std::string& folder, const PublishedSet& set,
                                               Device* device);

/// The part of the published ones that was measured layer by layer, on RTX PRO 6000.
Result<std::vector<Family>> layer_profile_families(const std::string& folder, Device* device);

/// The 16-bit rows of gemm.csv and attention.csv in a profiler's folder.
Result<std::vector<Family>> profiled_families(const std::string& folder, Device* device);

}  // namespace plimsoll
