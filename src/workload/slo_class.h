// SLO classes: their names in files and how urgent each one is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/choice.h"
#include "spec/spec_file.h"
#include "spec/yaml_writer.h"
#include "workload/request.h"

namespace plimsoll {

inline constexpr std::size_t kSloClasses = 6;  ///< SloClass::unset included

/// All but `unset`.
Choices<SloClass> slo_classes();

/// The class of that name; an empty name is unset. False for others.
bool parse_slo_class(std::string_view name, SloClass* slo_class);

/// The name, or `when_unset`.
std::string slo_class_name(SloClass slo_class, std::string_view when_unset);

/// Priorities by class: higher is more urgent, below zero is sheddable (it may be turned away or
/// given up when there is too much to do). The defaults are those of llm-d and of the reference.
class SloPriorities {
 public:
  std::int32_t of(SloClass slo_class) const { return of_[static_cast<std::size_t>(slo_class)]; }
  bool sheddable(SloClass slo_class) const { return of(slo_class) < 0; }

  /// The priority that an engine sorts by: 0 is the most urgent.
  std::int32_t engine_priority(SloClass slo_class) const { return highest_ - of(slo_class); }

  /// `priority` within kLowest and kHighest. `standard` speaks for `unset`, too.
  void set(SloClass slo_class, std::int32_t priority);

  bool operator==(const SloPriorities&) const = default;

  static constexpr std::int32_t kLowest = -100;
  static constexpr std::int32_t kHighest = 100;

 private:
  static constexpr std::int32_t kStandard = 3;
  static constexpr std::int32_t kCritical = 4;

  std::array<std::int32_t, kSloClasses> of_{kStandard, kStandard, kCritical, -1, -2, -3};
  std::int32_t highest_ = kCritical;
};

// Latency targets by SLO class, as workload specifications and headers of traces state them.
// metrics/goodput.h judges by them.

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
