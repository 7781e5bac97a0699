// What a GPU costs and who asks for it, in the same words and keys in every report.
#pragma once

#include <string>

#include "base/json.h"
#include "catalog/price.h"
#include "planner/purchase.h"

namespace plimsoll {

/// "RunPod, 2026-11-09" with what a buyer should know: "RunPod, 2026-11-09, community offer".
std::string offer_origin(const Price& price);
/// "$2.69 per GPU-hour (RunPod, 2026-11-09)".
std::string offer_text(const Price& price);
/// Of all prices of a bill, each remark once; empty: list prices of today.
std::string remarks_text(const Bill& bill);

/// Price of a GPU and hour, vendor, region, instance, commitment, kind, date, remarks and source.
void put_offer(const Price& price, Json* out);

}  // namespace plimsoll
