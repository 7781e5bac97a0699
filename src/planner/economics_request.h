// How users say what they pay: the map `economics` of a request, and the same as texts of flags.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "planner/purchase.h"
#include "spec/spec_file.h"

namespace plimsoll {

/// Notes errors in the map. What it does not say stays as it is in `out`. Percentages become
/// shares; the path of the price file is as it stands in the map.
void read_economics(SpecMap map, Economics* out);

/// "on-demand=50,1-year=30,spot=20", percent of the replicas; `spot_loss` is a share. `where` is
/// the name in messages.
Result<Purchase> parse_purchase(std::string_view where, std::string_view text,
                                std::optional<double> spot_loss);

/// "0.15,0.6": dollars per million input and output tokens.
Result<ApiPrice> parse_api_price(std::string_view where, std::string_view text);

}  // namespace plimsoll
