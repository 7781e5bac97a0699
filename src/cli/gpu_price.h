// What a GPU costs by the hour: what the user pays, or the lowest list price on demand.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "catalog/price.h"
#include "cli/options.h"

namespace plimsoll {

/// None where neither --gpu-price nor the catalog names one; a GPU of --hardware-config has no list
/// price.
Result<std::optional<Price>> price_of(const Options& options, const std::string& gpu);

}  // namespace plimsoll
