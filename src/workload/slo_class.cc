#include "workload/slo_class.h"

#include <algorithm>

namespace plimsoll {

const std::vector<std::string>& slo_class_names() {
  static const std::vector<std::string> names{"standard", "critical", "batch", "sheddable",
                                              "background"};
  return names;
}

bool parse_slo_class(std::string_view name, SloClass* slo_class) {
  if (name.empty()) {
    *slo_class = SloClass::unset;
    return true;
  }
  for (std::size_t i = 0; i < slo_class_names().size(); ++i) {
    if (name != slo_class_names()[i]) continue;
    *slo_class = static_cast<SloClass>(i + 1);
    return true;
  }
  return false;
}

std::string_view slo_class_name(SloClass slo_class, std::string_view when_unset) {
  if (slo_class == SloClass::unset) return when_unset;
  return slo_class_names()[static_cast<std::size_t>(slo_class) - 1];
}

void SloPriorities::set(SloClass slo_class, std::int32_t priority) {
  of_[static_cast<std::size_t>(slo_class)] = priority;
  if (slo_class == SloClass::standard) of_[static_cast<std::size_t>(SloClass::unset)] = priority;
}

// The default of a class that nobody named counts, as in the reference.
std::int32_t SloPriorities::highest() const {
  return std::max(kStandard, *std::max_element(of_.begin(), of_.end()));
}

}  // namespace plimsoll
