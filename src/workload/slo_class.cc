#include "workload/slo_class.h"

#include <algorithm>

#include "base/text.h"

namespace plimsoll {

Choices<SloClass> slo_classes() {
  static constexpr Choice<SloClass> kClasses[]{
      {"critical", SloClass::critical, "most urgent"},
      {"standard", SloClass::standard, "the default for requests without a class"},
      {"batch", SloClass::batch, "may wait; may be shed"},
      {"sheddable", SloClass::sheddable, "shed before batch"},
      {"background", SloClass::background, "least urgent, shed first"},
  };
  return kClasses;
}

bool parse_slo_class(std::string_view name, SloClass* slo_class) {
  const std::optional<SloClass> found =
      name.empty() ? SloClass::unset : value_of(slo_classes(), name);
  if (found) *slo_class = *found;
  return found.has_value();
}

std::string slo_class_name(SloClass slo_class, std::string_view when_unset) {
  return slo_class == SloClass::unset ? std::string(when_unset) : name_of(slo_classes(), slo_class);
}

void SloPriorities::set(SloClass slo_class, std::int32_t priority) {
  of_[static_cast<std::size_t>(slo_class)] = priority;
  if (slo_class == SloClass::standard) of_[static_cast<std::size_t>(SloClass::unset)] = priority;
  // The default of a class that nobody named counts, as in the reference.
  highest_ = std::max(kStandard, *std::max_element(of_.begin(), of_.end()));
}

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
