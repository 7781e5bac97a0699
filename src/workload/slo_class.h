// The names of the SLO classes in files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workload/request.h"

namespace plimsoll {

/// standard, critical, batch, sheddable, background: the index is the enum's value.
const std::vector<std::string>& slo_class_names();

/// The class of that name; an empty name is standard. False for others.
bool parse_slo_class(std::string_view name, SloClass* slo_class);

}  // namespace plimsoll
