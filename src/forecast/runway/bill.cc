#include "forecast/runway/bill.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/lists.h"
#include "base/text.h"
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

}  // namespace plimsoll
