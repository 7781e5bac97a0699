// What becomes of the routes of a history (forecast/runway/route_history.h).
#include <algorithm>

#include "forecast/runway/route_history.h"

namespace plimsoll {
namespace {

constexpr double kBusiestWindow = 0.98;  // of the busiest

double mean_when_busy(std::span<const double> values, const std::vector<double>& busyness) {
  const double most = *std::ranges::max_element(busyness);
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < busyness.size(); ++i) {
    if (busyness[i] < kBusiestWindow * most) continue;
    sum += values[i];
    count += 1;
  }
  return sum / count;
}

// The most requests in the busiest windows of the last season.
const RouteSeries* largest_of(const std::vector<RouteSeries>& series, const Busyness& busyness) {
  const RouteSeries* largest = nullptr;
  double most = -1;
  for (const RouteSeries& each : series) {
    if (each.figure != RouteFigure::request_share) continue;
    const double share =
        mean_when_busy(std::span(each.values).last(busyness.now.size()), busyness.now);
    if (share > most) largest = &each, most = share;
  }
  return largest;
}

// A share of requests bends wherever another route grows; what comes with each request of the
// largest route does not, and where both rise and fall together it stays as it is.
std::vector<double> per_request_of(const RouteSeries& largest, std::vector<double> shares) {
  constexpr double kLeastShare = 1e-3;
  for (std::size_t i = 0; i < shares.size(); ++i)
    shares[i] /= std::max(kLeastShare, largest.values[i]);
  return shares;
}

// Shares are parts of one whole, whatever they are told in.
void add_up_to_one(double RouteOutlook::*figure, std::vector<RouteOutlook>* outlooks) {
  const auto is_share = [](const RouteOutlook& outlook) {
    return outlook.figure == RouteFigure::request_share;
  };
  double sum = 0;
  for (const RouteOutlook& outlook : *outlooks) sum += is_share(outlook) ? outlook.*figure : 0;
  if (sum <= 0) return;
  for (RouteOutlook& outlook : *outlooks) {
    if (is_share(outlook)) outlook.*figure /= sum;
  }
}

}  // namespace

Result<std::vector<RouteOutlook>> look_ahead(const std::vector<RouteSeries>& series,
                                             const History& windows, const Busyness& busyness) {
  OutlookOptions options;
  options.horizon = busyness.ahead.size();
  options.paths = 1;
  std::vector<RouteOutlook> outlooks;
  const RouteSeries* largest = largest_of(series, busyness);
  for (const RouteSeries& each : series) {
    const bool is_of_requests = each.figure == RouteFigure::request_share;
    const std::vector<double> values =
        is_of_requests ? per_request_of(*largest, each.values) : each.values;
    TRY(outlook, look_ahead(windows, {std::string(), each.route, values}, options));
    RouteOutlook out{each.route, each.figure, 0, 0, outlook.method};
    out.now = mean_when_busy(std::span(each.values).last(busyness.now.size()), busyness.now);
    out.ahead = std::max(0.0, mean_when_busy(outlook.point, busyness.ahead));
    if (each.figure == RouteFigure::cached_share) out.ahead = std::min(1.0, out.ahead);
    outlooks.push_back(std::move(out));
  }
  add_up_to_one(&RouteOutlook::now, &outlooks);
  add_up_to_one(&RouteOutlook::ahead, &outlooks);
  return outlooks;
}

}  // namespace plimsoll
