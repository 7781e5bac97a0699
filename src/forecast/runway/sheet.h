// When each resource reaches its line, from the history of its demand; what to add
// (forecast/runway/gpu_plan.h), by when.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time_zone.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/levers.h"
#include "forecast/headroom/supply.h"
#include "forecast/outlook/outlook.h"
#include "forecast/runway/demand_growth.h"
#include "forecast/runway/gpu_plan.h"

namespace plimsoll {

/// The chance at which something is said to run out.
inline constexpr double kEvenOdds = 0.5;

struct RunwayRow {
  Resource resource = Resource::requests;
  std::string provider;  ///< of several that have limits of their own, the one
  double line = 0;
  std::optional<Interval> line_interval;
  double now_of_line = 1;    ///< the line of today's mix, from which it moves, as a factor of it
  bool by_requests = false;  ///< found from requests/s: it has no history of its own
  bool is_over_now = false;  ///< what comes today is above the line of today's mix
  BandQuantiles peak{};      ///< of the highest demand within the horizon
  Outlook outlook;
  Runway runway;
  Order order;
  bool by_gpus = false;  ///< what is ordered for it is GPUs, as the plan counts them
};

struct RunwaySheet {
  bool dated = false;  ///< times are seconds since 1970
  double zone_s = 0;   ///< east of UTC, of the clock that days go by
  /// Where that clock is changed: times are what it shows, less zone_s.
  std::optional<TimeZone> clock;
  double window_s = 0;  ///< of each value: a day, or a step of the history
  bool daily_peaks = false;
  double history_end_s = 0;
  double now_s = 0;  ///< from which orders are late: as_of, else the end of the history
  std::vector<RunwayRow> rows;
  GpuPlan gpu_plan;
  std::vector<std::string> notes;

  /// The row that is the likeliest to run out within the horizon, the earliest of these; null: of
  /// none it is known.
  const RunwayRow* first_to_run_out() const;
  double utc_of(double time_s) const;  ///< the moment at which the clock shows a time
  bool too_short() const;              ///< some of it rests on too little history
};

/// The demand of a resource ahead: of its own history; else in proportion to requests, as the
/// sheet has it at first for the baseline and at last for the forecast (waits and the lengths of
/// requests are in proportion to nothing, and GPUs are counted). None without either.
struct ResourceOutlook {
  Outlook outlook;
  bool by_requests = false;
  std::optional<double> now = {};  ///< of today; none: the sheet's baseline
};
std::optional<ResourceOutlook> outlook_of(const ForecastRequest& request, Resource resource,
                                          std::span<const DemandOutlook> outlooks,
                                          const HeadroomSheet& headroom);

/// One row for each resource of the sheet that has a capacity and an outlook, and for each provider
/// with limits of its own; without a GPU plan and what follows from one.
RunwaySheet find_runway(const ForecastRequest& request, const DemandHistory& history,
                        std::span<const DemandOutlook> outlooks, const HeadroomSheet& headroom);

/// The sheet's binding resource becomes the one that runs out first by even odds, where there is
/// one and requests fit.
void lead_by_date(const RunwaySheet& sheet, HeadroomSheet* headroom);

/// GPUs of a deployment, and what they cost, of which gpu_rows() makes the rows.
bool is_found_by_gpus(Resource resource, std::span<const DemandOutlook> outlooks,
                      const HeadroomSheet& headroom);

/// `line`: with a capacity. Orders are counted from the sheet's present.
RunwayRow runway_row(const ForecastRequest& request, const SheetRow& line, ResourceOutlook ahead,
                     const RunwaySheet& sheet);

/// The load that the rows ask of instances, together with what of the whole peak is held; empty
/// where none of it is.
std::vector<LoadAhead> loads_of(const RunwaySheet& sheet, const HeadroomSheet& headroom);

// GPUs and dollars ahead, of a deployment: on each path as many whole GPUs as its load needs by the
// GPU plan, those deployed at least, which stand there whatever comes; and what they cost, with
// what providers charge beside them. And the orders for the rows that instances carry: they are of
// GPUs, of which the plan knows how many; when, follows from the same paths and the same risk, so
// that an order that was carried out is enough when the same demand is looked at again. Called once
// the plan is known.

/// Of those resources that the sheet of headroom has a capacity of. Empty where the plan is not
/// known. `sheet`: with the plan that was made of `loads`.
std::vector<RunwayRow> gpu_rows(const ForecastRequest& request, const DemandHistory& history,
                                std::span<const DemandOutlook> outlooks,
                                const HeadroomSheet& headroom, const Served& served,
                                std::span<const LoadAhead> loads, const RunwaySheet& sheet);

/// Dates the order of the sheet's GPU plan, and leaves the rows of its `loads` (loads_of()) without
/// one where the plan adds none. Nothing, where there is no plan.
void settle_orders(const ForecastRequest& request, std::span<const LoadAhead> loads,
                   RunwaySheet* sheet);

/// Finds how long each lever would do. `now_held`: how many forecasts are held without any.
void date_levers(std::span<const LoadAhead> loads, double now_held,
                 std::vector<LeverResult>* levers);

}  // namespace plimsoll
