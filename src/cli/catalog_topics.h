// The tables of `plimsoll list` that show the catalog.
#pragma once

#include "base/result.h"
#include "cli/table.h"

namespace plimsoll {

Result<Table> model_table();
Result<Table> gpu_table();

/// List prices in US dollars, each with its date.
Result<Table> price_table();

}  // namespace plimsoll
