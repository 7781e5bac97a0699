// Token counts of many requests, summed up for `plimsoll describe`.
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/workload_shape.h"

namespace plimsoll {

LengthShape length_shape(std::vector<std::int32_t> tokens);

}  // namespace plimsoll
