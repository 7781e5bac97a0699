#include "workload/slo_class.h"

#include <algorithm>

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

}  // namespace plimsoll
