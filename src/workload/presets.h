// Named workload shapes for `--workload`. The figures are those of the reference simulator (BLIS,
// `workloads` in its defaults.yaml).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "workload/synthetic.h"

namespace plimsoll {

struct Preset {
  std::string name;
  std::string help;
  GaussianLength prompt;
  GaussianLength output;
};

const std::vector<Preset>& presets();

/// An unknown name suggests the nearest; "distribution", the reference's word for no preset, is
/// the caller's business.
Result<Preset> find_preset(const std::string& name);

}  // namespace plimsoll
