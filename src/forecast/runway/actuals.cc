#include "forecast/runway/actuals.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "base/time_zone.h"
#include "forecast/runway/demand_history.h"
#include "forecast/runway/route_history.h"
#include "forecast/runway/sheet.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

constexpr double kPercentileOfSteps = 95;  // percentile of the steps

double total(const HistorySeries& series) {
  return std::accumulate(series.values.begin(), series.values.end(), 0.0);
}

// Over all routes; none without such a column.
std::optional<double> total(const History& history, std::string_view name) {
  std::optional<double> sum;
  for (const HistorySeries& series : history.series) {
    if (series.name == name) sum = sum.value_or(0) + total(series);
  }
  return sum;
}

// By counts as well as by rates: the same in a share.
std::optional<double> total_requests(const History& history) {
  const auto counts = total(history, "requests");
  return counts ? counts : total(history, facts_of(Resource::requests).name);
}

/// What the routes of a forecast say, retries and fallbacks counted.
class Said {
 public:
  explicit Said(std::vector<Route> routes)
      : routes_(std::move(routes)), flows_(flows_of(routes_)) {}

  double request_share(std::string_view route) const {
    double all = 0;
    double own = 0;
    for (const Flow& flow : flows_) {
      all += flow.requests_per_s;
      if (flow.route == route) own += flow.requests_per_s;
    }
    return all > 0 ? own / all : 0;
  }

  double cached_share() const {
    double all = 0;
    double cached = 0;
    for (const Flow& flow : flows_) {
      all += flow.requests_per_s * flow.prompt_tokens;
      cached += flow.requests_per_s * flow.prompt_tokens * flow.cached_share;
    }
    return all > 0 ? cached / all : 0;
  }

  double retry_share() const {
    double attempts = 0;
    double retries = 0;
    for (const Route& route : routes_) {
      attempts += route.requests_per_s * (1 + route.retry_share);
      retries += route.requests_per_s * route.retry_share;
    }
    return attempts > 0 ? retries / attempts : 0;
  }

 private:
  std::vector<Route> routes_;
  std::vector<Flow> flows_;
};

// What came, by the clock of the history: at the end of either it may show another hour.
History by_clock_of(const History& history, History came) {
  if (!history.by_clock || !came.by_clock) return came;
  came.start_s += came.zone_s - history.zone_s;
  came.zone_s = history.zone_s;
  return came;
}

// Of a time of a clock that may have been changed since.
double moment_of(const History& history, double time_s, const std::string& zone) {
  if (!history.by_clock) return time_s;
  const auto clock = TimeZone::named(zone);
  if (!clock) return time_s;
  const auto moments = clock->moments_of(std::llround(time_s + history.zone_s));
  return moments.empty() ? time_s : static_cast<double>(moments.front());
}

class AgainstForecast {
 public:
  AgainstForecast(const History& history, const ForecastRequest& request,
                  const HeadroomSheet& headroom, std::span<const DemandOutlook> outlooks,
                  const std::optional<DatedWindows>& windows, bool daily_peaks)
      : history_(history),
        request_(request),
        headroom_(headroom),
        outlooks_(outlooks),
        windows_(windows),
        daily_peaks_(daily_peaks),
        now_(as_seen(headroom, request.baseline)),
        then_(as_seen(headroom, request.forecast)) {}

  std::vector<ActualRow> rows(const DemandHistory& demand) {
    add_resources(demand);
    add_routes();
    add_shares();
    add_latencies();
    return std::move(rows_);
  }

 private:
  void add_resources(const DemandHistory& demand) {
    for (const auto& [resource, column, provider] : demand.columns) {
      if (!provider.empty()) continue;  // is in the row of all providers
      ActualRow row{.kind = ActualKind::resource, .name = std::string(facts_of(resource).name)};
      const std::vector<double>& values = demand.history.series[column].values;
      const auto ahead = windows_ ? outlook_of(request_, resource, outlooks_, headroom_)
                                  : std::optional<ResourceOutlook>();
      if (ahead) {
        compare_dates(in_windows(values, *windows_, daily_peaks_), ahead->outlook, &row);
      } else {
        row.actual = Percentiles<double>(values).at(kPercentileOfSteps);
        if (const SheetRow* known = headroom_.row_of(resource)) {
          row.forecast = known->forecast_p95;
          row.band = known->forecast_band;
        }
      }
      rows_.push_back(std::move(row));
    }
  }

  void compare_dates(const std::vector<double>& came, const Outlook& outlook,
                     ActualRow* row) const {
    const BandQuantiles peak = outlook.peak(windows_->first, windows_->first + came.size());
    row->forecast = peak[kBandPercents.size() / 2];
    row->band = Interval{peak.front(), peak.back()};
    row->actual = *std::ranges::max_element(came);
    row->dates = came.size();
    row->came = came;
    row->first = windows_->first;
    for (std::size_t i = 0; i < came.size(); ++i) {
      const BandQuantiles& band = outlook.bands[windows_->first + i];
      row->dates_inside += came[i] >= band.front() && came[i] <= band.back() ? 1 : 0;
    }
  }

  // Of the dates that came: shares move evenly from those of the present to those of the end of the
  // horizon. Without dates, all that came is that of the forecast.
  template <class Share>
  double said(const Share& share) const {
    if (!windows_ || outlooks_.empty()) return std::invoke(share, then_);
    const auto steps = static_cast<double>(outlooks_.front().outlook.horizon());
    const double middle =
        static_cast<double>(windows_->first) + static_cast<double>(windows_->count) / 2;
    return std::lerp(std::invoke(share, now_), std::invoke(share, then_), middle / steps);
  }

  void add_routes() {
    const auto all = total_requests(history_);
    if (!all || *all <= 0) return;
    for (const HistorySeries& series : history_.series) {
      const bool counts = series.name == "requests" || series.name == "requests_per_s";
      if (!counts || series.route.empty()) continue;
      rows_.push_back(
          {.kind = ActualKind::share,
           .name = "request_share",
           .route = series.route,
           .forecast = said([&](const Said& at) { return at.request_share(series.route); }),
           .actual = total(series) / *all});
    }
  }

  void add_shares() {
    const auto add = [&](const char* name, double said, const std::optional<double>& part,
                         const std::optional<double>& all) {
      if (!part || !all || *all <= 0) return;
      rows_.push_back(
          {.kind = ActualKind::share, .name = name, .forecast = said, .actual = *part / *all});
    };
    add("cached_share", said(&Said::cached_share), total(history_, kCachedColumn),
        total(history_, "prompt_tokens"));
    add("retry_share", said(&Said::retry_share), total(history_, kRetriesColumn),
        total_requests(history_));
  }

  void add_latencies() {
    for (const Figure& column : kLatencyColumns) {
      std::vector<double> worst;
      for (const HistorySeries& series : history_.series) {
        if (series.name != column.key()) continue;
        worst.resize(series.values.size());
        std::ranges::transform(worst, series.values, worst.begin(),
                               [](double a, double b) { return std::max(a, b); });
      }
      if (worst.empty()) continue;
      ActualRow row{.kind = ActualKind::latency, .name = column.key()};
      row.actual = Percentiles<double>(std::move(worst)).at(kPercentileOfSteps);
      if (headroom_.forecast) {
        row.forecast = column.of(headroom_.forecast->probe.summary.cluster);
      }
      rows_.push_back(std::move(row));
    }
  }

  const History& history_;
  const ForecastRequest& request_;
  const HeadroomSheet& headroom_;
  std::span<const DemandOutlook> outlooks_;
  const std::optional<DatedWindows>& windows_;
  bool daily_peaks_;
  Said now_;
  Said then_;  ///< at the end of the horizon
  std::vector<ActualRow> rows_;
};

}  // namespace

std::optional<double> ActualRow::error() const {
  if (!forecast || *forecast <= 0) return std::nullopt;
  return actual / *forecast - 1;
}

std::optional<bool> ActualRow::inside() const {
  if (!band) return std::nullopt;
  return actual >= band->low && actual <= band->high;
}

std::optional<double> ActualRow::distance() const {
  if (!forecast) return std::nullopt;
  const double off = std::abs(actual - *forecast);
  if (kind == ActualKind::share) return off;
  const double larger = std::max(actual, *forecast);
  return larger > 0 ? off / larger : 0;
}

const ActualRow* Actuals::most_wrong() const {
  const ActualRow* found = nullptr;
  for (const ActualRow& row : rows) {
    if (!row.distance()) continue;
    if (found == nullptr || *row.distance() > *found->distance()) found = &row;
  }
  return found;
}

Result<History> read_actuals(const std::string& path, const ForecastRequest& request) {
  TRY(history, read_history(path, options_of(request.history)));
  TRY_TO(demand_in(history, path, request.forecast));
  TRY_TO(check_routes(history, path, request.forecast));
  return history;
}

Result<Actuals> compare_actuals(const History& history, const std::string& path,
                                const ForecastRequest& request, const HeadroomSheet& headroom,
                                const DemandHistory* demand,
                                std::span<const DemandOutlook> outlooks) {
  TRY(came, demand_in(history, path, request.forecast));
  std::optional<DatedWindows> windows;
  if (demand != nullptr && !outlooks.empty()) {
    TRY(found, windows_of(by_clock_of(demand->history, history), path, *demand,
                          outlooks.front().outlook.horizon()));
    windows = found;
  }
  const bool daily_peaks = demand != nullptr && demand->daily_peaks;
  Actuals out{path,
              moment_of(history, history.start_s, request.history.zone),
              history.end_s(),
              history.dated,
              {}};
  out.rows = AgainstForecast(history, request, headroom, outlooks, windows, daily_peaks).rows(came);
  return out;
}

}  // namespace plimsoll
