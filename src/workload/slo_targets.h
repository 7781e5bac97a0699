// Latency targets by SLO class, as workload specifications and headers of traces state them.
// metrics/goodput.h judges by them.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "spec/spec_file.h"
#include "spec/yaml_writer.h"
#include "workload/request.h"

namespace plimsoll {

/// In milliseconds.
struct SloTargets {
  std::optional<double> ttft_ms;
  std::optional<double> itl_ms;
  std::optional<double> e2e_ms;
  friend bool operator==(const SloTargets&, const SloTargets&) = default;
};

using SloTargetsByClass = std::vector<std::pair<SloClass, SloTargets>>;

/// The map under the key goodput_slo_targets. Errors are noted in the SpecFile.
SloTargetsByClass read_slo_targets(SpecMap map);

/// The key and the map; nothing where there are no targets.
void write_slo_targets(const SloTargetsByClass& targets, YamlWriter* out);

}  // namespace plimsoll
