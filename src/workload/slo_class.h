// SLO classes: their names in files and how urgent each one is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/choice.h"
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

}  // namespace plimsoll
