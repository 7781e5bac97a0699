// The names of the SLO classes in files.
#pragma once

#include <string_view>

#include "base/choice.h"
#include "workload/request.h"

namespace plimsoll {

/// All but `unset`.
Choices<SloClass> slo_classes();

/// The class of that name; an empty name is unset. False for others.
bool parse_slo_class(std::string_view name, SloClass* slo_class);

}  // namespace plimsoll
