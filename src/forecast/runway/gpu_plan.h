// GPUs for the demand of a history, at each step ahead and at its highest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "forecast/headroom/supply.h"
#include "forecast/outlook/outlook.h"

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

/// A resource ahead that more instances carry more of.
struct LoadAhead {
  const Outlook* outlook = nullptr;
  double line = 0;  ///< of all instances deployed, > 0
};

/// Quantile by quantile, the load that asks for the most; all of the same history. Instances carry
/// in proportion to those deployed, which asks for too many where a few carry less than their
/// share.
GpuPlan plan_gpus(std::span<const LoadAhead> loads, const Served& served);

}  // namespace plimsoll
