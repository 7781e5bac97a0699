// What was forecast against what came: resource by resource, then how it came (routes, prefix
// cache, retries) and how it was met (latencies). Fed with a file like that of a history.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "forecast/demand/forecast_request.h"
#include "forecast/headroom/headroom.h"
#include "forecast/history/history.h"
#include "forecast/runway/demand_growth.h"
#include "forecast/runway/demand_history.h"

namespace plimsoll {

enum class ActualKind {
  resource,  ///< in the unit of the resource: p95 of the steps of the file; of a demand that
             ///< continues a history, the highest within the dates that both have
  share,     ///< over the whole file
  latency    ///< p95 of the steps of the file, in ms
};

struct ActualRow {
  ActualKind kind = ActualKind::resource;
  /// Of the resource, `request_share`, `cached_share`, `retry_share`, or a latency.
  std::string name;
  std::string route{};  ///< of a share of the requests
  std::optional<double> forecast{};
  std::optional<Interval> band{};  ///< of the forecast
  double actual = 0;
  std::size_t dates = 0;          ///< that were compared one by one; 0: none were
  std::size_t dates_inside = 0;   ///< their own 90 % bands
  std::vector<double> came = {};  ///< on each of them
  std::size_t first = 0;          ///< step of the outlook that they begin at

  /// How much more came than was forecast, as a share of that; none without a forecast above 0.
  std::optional<double> error() const;
  std::optional<bool> inside() const;  ///< the band
  /// 0 where both are equal, 1 where one of them is nothing; of shares the difference. None without
  /// a forecast.
  std::optional<double> distance() const;
};

struct Actuals {
  std::string path;
  double start_s = 0;
  double end_s = 0;
  bool dated = false;
  std::vector<ActualRow> rows;

  /// The largest distance; null without any.
  const ActualRow* most_wrong() const;
};

/// Columns are those of a history (forecast/runway/demand_history.h). An error is one of the file,
/// a column or route that nothing is known about, or a part that is more than its whole.
Result<History> read_actuals(const std::string& path, const ForecastRequest& request);

/// Of several routes, the latency of a step is the highest. Demand that continues a history
/// (`demand` and its `outlooks`) is compared date by date, in the windows of that history; an error
/// where what came does not follow it, or no window of it is whole within the horizon.
Result<Actuals> compare_actuals(const History& history, const std::string& path,
                                const ForecastRequest& request, const HeadroomSheet& headroom,
                                const DemandHistory* demand = nullptr,
                                std::span<const DemandOutlook> outlooks = {});

// What came, laid on the windows of the history that a forecast continues: so that each date of the
// forecast has its own outcome. Called where actuals are compared.

/// Steps [first, first + count) of an outlook that what came fills.
struct DatedWindows {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t rows_each = 1;    ///< of what came
  std::size_t rows_before = 0;  ///< that lie before the first window
};

/// An error where the times of what came cannot be set against those of the forecast.
Result<DatedWindows> windows_of(const History& came, const std::string& path,
                                const DemandHistory& demand, std::size_t horizon);

/// One value for each window: what a value of the history is, the busiest step of a day or the mean
/// of a step.
std::vector<double> in_windows(std::span<const double> rows, const DatedWindows& windows,
                               bool daily_peaks);

}  // namespace plimsoll
