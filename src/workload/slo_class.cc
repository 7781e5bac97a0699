#include "workload/slo_class.h"

namespace plimsoll {

Choices<SloClass> slo_classes() {
  static constexpr Choice<SloClass> kClasses[]{
      {"critical", SloClass::critical, "most urgent"},
      {"standard", SloClass::standard, "the usual; requests without a class are served like it"},
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

}  // namespace plimsoll
