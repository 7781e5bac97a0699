// GPUs for the demand of a history, at each step ahead and at its highest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "forecast/headroom.h"
#include "forecast/outlook.h"
#include "forecast/supply.h"

namespace plimsoll {

/// By the percents of kBandPercents; all of whole instances.
using GpuQuantiles = std::array<std::int64_t, kBandPercents.size()>;

struct GpuNeed {
  double time_s = 0;
  GpuQuantiles gpus{};
};

struct GpuPlan {
  std::vector<GpuNeed> steps;  ///< empty where it is not known what an instance carries
  GpuQuantiles most{};         ///< within the horizon
  std::int64_t add_gpus = 0;   ///< so that the highest demand is carried nine times in ten
  std::optional<double> add_usd_per_month;
};

/// `requests` is the outlook of requests/s; an instance carries what it does under the sheet's
/// forecast.
GpuPlan plan_gpus(const Outlook& requests, const HeadroomSheet& headroom, const Served& served);

}  // namespace plimsoll
