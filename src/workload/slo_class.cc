#include "workload/slo_class.h"

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

}  // namespace plimsoll
