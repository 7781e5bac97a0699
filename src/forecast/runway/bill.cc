#include "forecast/runway/bill.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/lists.h"
#include "base/text.h"
#include "forecast/headroom/money.h"
#include "forecast/outlook/outlook.h"
#include "stats/average.h"

namespace plimsoll {
namespace {

constexpr double kMonthS = 730 * 3600.0;

/// The months around an outlook, by their beginnings.
class Months {
 public:
  Months(const Outlook& outlook, bool dated, double zone_s)
      : start_s_(outlook.start_s), dated_(dated), zone_s_(zone_s) {}

  double start_of(double time_s) const {
    if (!dated_) return start_s_ + kMonthS * std::floor((time_s - start_s_) / kMonthS);
    using namespace std::chrono;
    const sys_days day(days(static_cast<int>(std::floor((time_s + zone_s_) / kDayS))));
    const year_month_day date(day);
    const sys_days first(date.year() / date.month() / 1);
    return static_cast<double>(first.time_since_epoch().count()) * kDayS - zone_s_;
  }

 private:
  double start_s_;
  bool dated_;
  double zone_s_;
};

// Of the month that the outlook begins in.
double spent_before(const Outlook& demand, std::span<const double> past, const Months& months) {
  const double gone = (demand.start_s - months.start_of(demand.start_s)) / demand.step_s;
  const auto steps = static_cast<std::size_t>(std::ceil(gone - 1e-6));
  const auto known = past.last(std::min(past.size(), steps));
  if (known.empty()) return 0;
  double rates = 0;
  for (const double value : known) rates += value / static_cast<double>(known.size());
  return rates * gone * demand.step_s / kMonthS;
}

// Empty where none was.
std::string over_budget(std::vector<PastBill> bills, double budget) {
  const auto all = std::ssize(bills);
  std::erase_if(bills, [&](const PastBill& bill) { return bill.usd <= budget; });
  if (bills.empty()) return {};
  const PastBill& most = *std::ranges::max_element(bills, {}, &PastBill::usd);
  return fmt::format(
      "{} of {} of the history cost more than the budget of ${}, at the prices of today: {}${} in "
      "{}",
      std::ssize(bills), counted(all, "whole month"), three_digits(budget),
      bills.size() > 1 ? "the most is " : "", three_digits(most.usd), most.month);
}

// Of one route; with an empty name, of all.
double usd_of(const ForecastRequest& request, const std::vector<Route>& routes,
              const std::string& route = {}) {
  std::vector<Flow> flows = flows_of(routes);
  if (!route.empty()) std::erase_if(flows, [&](const Flow& f) { return f.origin != route; });
  return provider_usd_at_peak(request, flows).value_or(0);
}

/// What providers would be paid for a month at the rates of each window; by route where the history
/// tells routes apart, else of all of them.
std::vector<HistorySeries> usd_by_window(const ForecastRequest& request,
                                         const DemandHistory& demand, const DemandOutlook& paid) {
  const std::string name(facts_of(Resource::budget).name);
  const std::size_t windows = demand.means.attempts.size();
  if (windows == 0) {
    // The file has no requests of routes: in proportion to what there is.
    HistorySeries all{name, "", demand.find(paid.resource)->values};
    const double each = usd_of(request, request.forecast) * request.mean_load /
                        std::max(1e-300, dearest_month(paid.outlook)[kMedianBand]);
    for (double& value : all.values) value *= each;
    return {all};
  }
  std::vector<HistorySeries> usd;
  for (const RouteSeries& series : demand.means.series) {
    if (!contains(usd, series.route, &HistorySeries::route))
      usd.push_back({name, series.route, {}});
  }
  if (usd.empty()) usd.push_back({name, "", {}});
  for (std::size_t i = 0; i < windows; ++i) {
    const std::vector<Route> then = routes_in(demand.means, i, request.baseline);
    for (HistorySeries& route : usd) route.values.push_back(usd_of(request, then, route.route));
  }
  std::erase_if(usd, [](const HistorySeries& route) {
    return std::ranges::all_of(route.values, [](double value) { return value <= 0; });
  });
  return usd;
}

std::vector<double> operator+(std::vector<double> sum, const std::vector<double>& more) {
  std::ranges::transform(sum, more, sum.begin(), std::plus{});
  return sum;
}

/// Adds what one route costs.
void add(const Spend& route, Spend* sum) {
  sum->past = sum->past + route.past;
  sum->now += route.now;
  sum->ahead.usual.clear();
  add_path_by_path(route.ahead, &sum->ahead);
}

/// What a route costs in the present, and in its dearest month to come.
struct RouteSpend {
  std::string route;
  double now = 0;
  double month = 0;
};

/// Each route is continued on its own: a sum of routes that grow at rates of their own grows at no
/// rate that any method continues. None where nothing was paid.
Result<std::optional<Spend>> look_ahead(const std::vector<HistorySeries>& usd,
                                        const ForecastRequest& request, const DemandHistory& demand,
                                        std::vector<RouteSpend>* by_route) {
  TRY(options, outlook_options(request.history, demand.history));
  std::optional<Spend> spend;
  std::vector<NotesOn> notes;
  for (const HistorySeries& series : usd) {
    TRY(ahead, look_ahead(demand.history, series, options));
    notes.push_back({"bill of " + series.route, ahead.notes});
    const auto present = present_of(ahead);
    const double now = mean_of(present);
    by_route->push_back({series.route, now, dearest_month(ahead)[kMedianBand]});
    Spend route{series.values, now, std::move(ahead)};
    if (spend) {
      add(route, &*spend);
    } else {
      spend = std::move(route);
    }
  }
  if (spend) spend->ahead.notes = told_apart(notes);
  return spend;
}

// So that the routes of `routes` add up to `all`: their months need not be the same, and what is
// silent at the peak is paid for with the others.
void set_paid_loads(const std::vector<RouteSpend>& by_route, double RouteSpend::*spent, double all,
                    const ForecastRequest& request, const std::vector<Route>& routes,
                    std::map<std::string, double>* loads) {
  double told = 0;
  for (const RouteSpend& each : by_route)
    if (usd_of(request, routes, each.route) > 0) told += each.*spent;
  if (!(told > 0)) return;
  for (const RouteSpend& each : by_route) {
    const double at_peak = usd_of(request, routes, each.route);
    if (at_peak > 0) (*loads)[each.route] = each.*spent * all / told / at_peak;
  }
}

}  // namespace

Outlook bill_of(const Outlook& usd, std::span<const double> past, bool dated, double zone_s) {
  const Months months(usd, dated, zone_s);
  const double before = spent_before(usd, past, months);
  std::vector<bool> begins;  // by step, a month other than that of the step before
  for (std::size_t h = 0; h < usd.horizon(); ++h) {
    begins.push_back(h > 0 &&
                     months.start_of(usd.time_of(h)) != months.start_of(usd.time_of(h - 1)));
  }
  const auto add_up = [&](std::vector<double>* values) {
    double sum = before;
    for (std::size_t h = 0; h < values->size(); ++h) {
      if (begins[h]) sum = 0;
      sum += (*values)[h] * usd.step_s / kMonthS;
      (*values)[h] = sum;
    }
  };
  Outlook bill = usd;
  bill.usual = {before};
  add_up(&bill.point);
  for (std::vector<double>& path : bill.paths) add_up(&path);
  for (std::size_t h = 0; h < bill.horizon(); ++h) bill.bands[h] = bill.peak(h, h + 1);
  return bill;
}

std::vector<PastBill> past_bills(const History& history, std::span<const double> past) {
  std::vector<PastBill> bills;
  if (!history.dated) return bills;
  Outlook windows;
  windows.start_s = history.start_s;
  windows.step_s = history.step_s;
  const Months months(windows, true, history.zone_s);
  const double first = months.start_of(history.start_s);
  const double last = months.start_of(history.end_s());
  std::optional<double> month;
  for (std::size_t i = 0; i < past.size(); ++i) {
    const double begins = months.start_of(windows.time_of(i));
    const bool is_whole = begins < last && (begins > first || begins == history.start_s);
    if (!is_whole) continue;
    if (begins != month) bills.push_back({iso_time(begins + history.zone_s).substr(0, 7), 0});
    month = begins;
    bills.back().usd += past[i] * history.step_s / kMonthS;
  }
  return bills;
}

std::optional<Outlook> bill_ahead(const DemandHistory& history, const Outlook* standing,
                                  double budget) {
  if (!history.spend) return std::nullopt;
  Outlook usd = history.spend->ahead;
  for (std::size_t h = 0; standing != nullptr && h < usd.horizon(); ++h) {
    usd.point[h] += standing->point[h];
    for (std::size_t k = 0; k < usd.paths.size(); ++k) usd.paths[k][h] += standing->paths[k][h];
  }
  // What stands today has stood since the month began.
  const double stood = standing != nullptr ? standing->point.front() : 0;
  std::vector<double> past = history.spend->past;
  for (double& value : past) value += stood;
  Outlook bill = bill_of(usd, past, history.history.dated, history.history.zone_s);
  bill.notes.emplace_back(
      "$ per month of the sheet are those of the most expensive month of the forecast; those of "
      "the runway are the bill of a calendar month so far, over budget from the day that uses up "
      "the rest");
  if (std::string over = over_budget(past_bills(history.history, past), budget); !over.empty())
    bill.notes.push_back(over + (stood > 0 ? ", GPUs of today included" : ""));
  return bill;
}

BandQuantiles dearest_month(const Outlook& outlook) {
  const auto month = static_cast<std::size_t>(
      std::clamp(std::round(kMonthS / outlook.step_s), 1., static_cast<double>(outlook.horizon())));
  std::vector<double> expected(outlook.horizon());
  for (const std::vector<double>& path : outlook.paths)
    std::ranges::transform(expected, path, expected.begin(), std::plus{});
  std::size_t dearest = 0;
  double most = 0;
  for (std::size_t from = 0; from + month <= expected.size(); ++from) {
    const double mean = mean_of(std::span(expected).subspan(from, month));
    if (mean > most) std::tie(most, dearest) = std::pair(mean, from);
  }
  return quantiles_of(mapped(outlook.paths, [&](const std::vector<double>& path) {
    return mean_of(std::span(path).subspan(dearest, month));
  }));
}

Result<void> follow_spend(std::span<const DemandOutlook> outlooks, bool is_stated,
                          DemandHistory* demand, ForecastRequest* request) {
  const DemandOutlook* paid = paid_of(outlooks);
  const double at_peak = usd_of(*request, request->forecast);
  if (paid == nullptr || at_peak <= 0) return {};
  std::vector<RouteSpend> by_route;
  TRY(found, look_ahead(usd_by_window(*request, *demand, *paid), *request, *demand, &by_route));
  if (!found) return {};
  Spend& spend = *found;
  const double month = dearest_month(spend.ahead)[kMedianBand];
  if (month <= 0) return {};
  const double now_at_peak = usd_of(*request, request->baseline);
  if (request->says_mean_load || is_stated) {
    const bool says_now = request->says_mean_load && spend.now > 0;
    const double now = says_now ? now_at_peak * request->mean_load / spend.now : 1;
    const double then = at_peak * request->mean_load / month;
    spend.ahead = in_proportion(std::move(spend.ahead), now, then);
    for (double& value : spend.past) value *= now;
  } else {
    set_paid_loads(by_route, &RouteSpend::month, month, *request, request->forecast,
                   &request->paid_load);
    set_paid_loads(by_route, &RouteSpend::now, spend.now, *request, request->baseline,
                   &request->paid_load_now);
    demand->history.notes.push_back("providers are paid for the mean load of a month, " +
                                    percent(month / at_peak) + " of the highest demand ahead");
  }
  const BandQuantiles band = dearest_month(spend.ahead);
  request->bands[Resource::budget] = {band.front() / band[kMedianBand],
                                      band.back() / band[kMedianBand]};
  demand->spend = std::move(spend);
  return {};
}

void follow_mean_load(std::span<const DemandOutlook> outlooks, DemandHistory* demand,
                      ForecastRequest* request) {
  const DemandOutlook* ahead = paid_of(outlooks);
  if (!demand->mean_of_windows || ahead == nullptr) return;
  double peak = 0;  // of each provider, as the sheet has them
  for (const DemandOutlook* part : outlooks_of(outlooks, ahead->resource))
    peak += part->peak[kMedianBand];
  if (peak <= 0) return;
  const double mean = *demand->mean_of_windows * dearest_month(ahead->outlook)[kMedianBand];
  const double load = std::clamp(mean / peak, 1e-9, 1.0);
  const bool any_paid = std::ranges::any_of(request->forecast, &Route::from_provider);
  if (request->says_mean_load) {
    constexpr double kApart = 0.1;
    if (any_paid && std::fabs(request->mean_load / load - 1) > kApart)
      demand->history.notes.push_back(fmt::format(
          "providers are paid for \"mean_load\", {} of the highest demand ahead, and the history "
          "says {}: leave \"mean_load\" out if its rows are means",
          percent(request->mean_load), percent(load)));
    return;
  }
  request->mean_load = load;
}

}  // namespace plimsoll
