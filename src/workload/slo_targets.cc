#include "workload/slo_targets.h"

#include "base/text.h"
#include "workload/slo_class.h"

namespace plimsoll {

SloTargetsByClass read_slo_targets(SpecMap map) {
  SloTargetsByClass targets;
  for (const std::string& name : map.keys()) {
    SloClass slo_class = SloClass::unset;
    if (!parse_slo_class(name, &slo_class)) {
      map.error(name, "unknown SLO class \"" + name + "\"",
                suggestion(name, names_of(slo_classes())));
    }
    SpecMap target = map.map(name);
    targets.emplace_back(slo_class, SloTargets{target.optional_number("ttft_ms", kWaitMs),
                                               target.optional_number("itl_ms", kWaitMs),
                                               target.optional_number("e2e_ms", kWaitMs)});
  }
  return targets;
}

void write_slo_targets(const SloTargetsByClass& targets, YamlWriter* out) {
  if (targets.empty()) return;
  out->open("goodput_slo_targets");
  for (const auto& [slo_class, target] : targets) {
    std::vector<std::string> entries;
    const auto add = [&](const char* key, const std::optional<double>& ms) {
      if (ms) entries.push_back(std::string(key) + ": " + shortest(*ms));
    };
    add("ttft_ms", target.ttft_ms);
    add("itl_ms", target.itl_ms);
    add("e2e_ms", target.e2e_ms);
    out->flow(slo_class == SloClass::unset ? "" : name_of(slo_classes(), slo_class), "{", entries,
              "}");
  }
  out->close();
}

}  // namespace plimsoll
