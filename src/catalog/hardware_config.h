// Reads the reference simulator's hardware file: a JSON map from GPU names to their figures.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/gpu.h"

namespace plimsoll {

/// The GPU called `gpu` (in any case) of the file. Keys, in the units of GpuSpec: TFlopsPeak,
/// TFlopsFP8 (may be absent: no native FP8), BwPeakTBs, mfuPrefill, mfuDecode, MemoryGiB (may be
/// absent: not known). The reference has no more; here LinkGBs, PcieGBs and Kernels (a built-in set
/// or a YAML file beside this one) may follow.
Result<GpuSpec> read_hardware_config(const std::string& path, std::string_view gpu);

/// The same from a text; `file` is its name in messages.
Result<GpuSpec> parse_hardware_config(const std::string& text, std::string file,
                                      std::string_view gpu);

}  // namespace plimsoll
