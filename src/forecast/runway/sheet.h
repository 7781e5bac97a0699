// When each resource reaches its line, from the history of its demand; what to add, by when.
//
// GPUs for the demand of a history, at each step ahead and at its highest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/headroom.h"
#include "forecast/headroom/supply.h"
#include "forecast/outlook/outlook.h"
#include "forecast/runway/demand_growth.h"

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

struct RunwayRow {
  Resource resource = Resource::requests;
  double line = 0;
  std::optional<Interval> line_interval;
  bool in_proportion = false;  ///< to requests/s: it has no history of its own
  BandQuantiles peak{};        ///< of the highest demand within the horizon
  Outlook outlook;
  Runway runway;
  Order order;
};

struct RunwaySheet {
  bool dated = false;   ///< times are seconds since 1970
  double zone_s = 0;    ///< east of UTC, of the clock that days go by
  double window_s = 0;  ///< of each value: a day's p95, or a step of the history
  bool daily_peaks = false;
  double history_end_s = 0;
  double now_s = 0;  ///< from which orders are late: as_of, else the end of the history
  std::vector<RunwayRow> rows;
  GpuPlan gpu_plan;
  std::vector<std::string> notes;

  bool too_short() const;  ///< some of it rests on too little history
};

/// The demand of a resource ahead: of its own history; else in proportion to requests/s, as the
/// sheet's forecast has it (a wait is in proportion to nothing). None without either.
struct ResourceOutlook {
  Outlook outlook;
  bool in_proportion = false;
};
std::optional<ResourceOutlook> outlook_of(Resource resource,
                                          std::span<const DemandOutlook> outlooks,
                                          const HeadroomSheet& headroom);

/// One row for each resource of the sheet that has a capacity and an outlook.
RunwaySheet find_runway(const ForecastRequest& request, const DemandHistory& history,
                        std::span<const DemandOutlook> outlooks, const HeadroomSheet& headroom,
                        const std::optional<Served>& served);

}  // namespace plimsoll
