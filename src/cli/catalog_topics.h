// The tables of `plimsoll list` that show the catalog.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/table.h"

namespace plimsoll {

Result<Table> model_table();
Result<Table> gpu_table();
/// The links that KV blocks may travel over, each with its source.
Result<Table> link_table();
/// Measured speculative decoding, each with its source.
Result<Table> speculation_preset_table();

/// List prices in US dollars, each with its date.
Result<Table> price_table();
/// Those of --price-file.
Result<Table> price_table_of(const std::string& file);

}  // namespace plimsoll
