// When each resource reaches its line, from the history of its demand; what to add, by when.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "forecast/forecast_request.h"
#include "forecast/headroom.h"
#include "forecast/outlook.h"
#include "forecast/runway.h"
#include "forecast/supply.h"

namespace plimsoll {

struct RunwayRow {
  Resource resource = Resource::requests;
  double line = 0;
  Outlook outlook;
  Runway runway;
  Order order;
};

/// GPUs for the demand of one step ahead, by the percents of kBandPercents.
struct GpuNeed {
  double time_s = 0;
  std::array<std::int64_t, kBandPercents.size()> gpus{};
};

struct RunwaySheet {
  bool dated = false;   ///< times are seconds since 1970
  double window_s = 0;  ///< of each value: a day's p95, or a step of the history
  bool daily_peaks = false;
  std::vector<RunwayRow> rows;
  std::vector<GpuNeed> gpus;  ///< empty where it is not known what a GPU carries
  std::int64_t add_gpus = 0;  ///< so that the 90 % demand at the horizon is carried
  std::optional<double> add_usd_per_month;
  std::vector<std::string> notes;
};

/// What a history holds: demand in the unit of each resource. Columns are named like resources, or
/// `requests`, `prompt_tokens`, `output_tokens`, which are counts per step; with
/// `cached_prompt_tokens` beside them, prompt tokens are all there were, else those computed. Those
/// of forecast/observed_columns.h may be there, too.
struct DemandHistory {
  bool daily_peaks = false;
  History history;
  std::vector<std::pair<Resource, std::size_t>> columns;  ///< of history.series
};

Result<DemandHistory> demand_in(const History& history, const std::string& path);
/// Of a file, with daily p95 where there are two weeks of at least four values a day.
Result<DemandHistory> read_demand(const HistoryRequest& request);

/// Routes that do not say what they will be are taken from the history: their requests and tokens
/// grow as it does, and `band` is that of the requests. No change where they say it.
Result<void> continue_routes(const DemandHistory& history, ForecastRequest* request);

Result<RunwaySheet> find_runway(const ForecastRequest& request, const DemandHistory& history,
                                const HeadroomSheet& headroom, const std::optional<Served>& served);

}  // namespace plimsoll
