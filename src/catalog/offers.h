// Which rows of a price list stand for what is paid today, and what a buyer should know of the
// rest. Used by setup/gpu_price.h for all verbs and by `plimsoll list prices`. No clock is asked: a
// price is old beside the newest one that is known.
//
//   superseded     the same vendor, region, kind, commitment and GPU have a newer row, of the same
//                  instance or, where this one is old, of any
//   second choice  not of the vendor's own list, or old, where a list price of that GPU and
//                  commitment is known that is neither
//   old            dated more than 180 days before the newest price; a date that names a year or a
//                  month alone is its first day, no date is never old
//   above on demand  a spot price of a GPU above the lowest one on demand that stands
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/price.h"

namespace plimsoll {

inline constexpr std::int64_t kDaysUntilOld = 180;

/// Days since 1970-01-01 of "2026-11-09", "2026-07" or "2026"; none: not a date.
std::optional<std::int64_t> price_day(std::string_view date);

/// Of all these; 0: none has a date.
std::int64_t newest_day(const std::vector<Price>& prices);

/// Sets the marks of each row, by the rows of its GPU and the newest day of all that is known.
void mark_prices(std::int64_t newest_day, std::vector<Price>* prices);

/// Whether a plan may take it without being told to.
bool stands(const Price& price);

/// "community offer", "old price", "spot above on demand", "superseded"; none: a plain list price.
std::vector<std::string> remarks_on(const Price& price);

}  // namespace plimsoll
