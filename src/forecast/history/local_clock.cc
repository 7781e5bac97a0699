// Rows of a history by the clock of their zone (forecast/history/rows.h).
#include <algorithm>

#include "forecast/history/rows.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kHourNs = 3600 * kSecondNs;

std::int64_t offset_ns(const TimeZone& zone, std::int64_t ns) {
  return zone.offset_at(ns / kSecondNs) * kSecondNs;
}

// The median distance of neighbours; 0 without any.
std::int64_t step_of(const HistoryRows& rows) {
  std::vector<std::int64_t> steps;
  for (const HistoryRoute& route : rows.routes) {
    for (std::size_t i = 1; i < route.rows.size(); ++i)
      steps.push_back(route.rows[i].ns - route.rows[i - 1].ns);
  }
  if (steps.empty()) return 0;
  const auto middle = steps.begin() + std::ssize(steps) / 2;
  std::ranges::nth_element(steps, middle);
  return *middle;
}

bool is_even(const HistoryRows& rows, std::int64_t step) {
  return std::ranges::all_of(rows.routes, [&](const HistoryRoute& route) {
    return std::ranges::all_of(route.rows, [&](const HistoryRow& row) {
      return (row.ns - route.rows.front().ns) % step == 0;
    });
  });
}

/// The rows of one route, which come in the order of time.
class Clock {
 public:
  Clock(const TimeZone& zone, std::int64_t step) : zone_(zone), step_(step) {}

  void add(HistoryRow row) {
    const std::int64_t moment = row.ns;
    row.ns += offset_ns(zone_, moment);
    const bool is_next = !rows_.empty() && moment - last_moment_ == step_;
    last_moment_ = moment;
    if (!rows_.empty() && row.ns <= rows_.back().ns) return merge(row);
    if (is_next) skip_to(row);
    rows_.push_back(std::move(row));
  }

  std::vector<HistoryRow> take() { return std::move(rows_); }

 private:
  void merge(const HistoryRow& again) {
    for (auto row = rows_.rbegin(); row != rows_.rend() && row->ns >= again.ns; ++row) {
      if (row->ns != again.ns) continue;
      for (std::size_t i = 0; i < row->values.size(); ++i)
        row->values[i] = (row->values[i] + again.values[i]) / 2;
    }
  }

  void skip_to(const HistoryRow& next) {
    const HistoryRow before = rows_.back();
    const std::int64_t steps = (next.ns - before.ns) / step_;
    for (std::int64_t i = 1; i < steps; ++i) {
      HistoryRow row = next;
      row.ns = before.ns + i * step_;
      const double share = static_cast<double>(i) / static_cast<double>(steps);
      for (std::size_t k = 0; k < row.values.size(); ++k)
        row.values[k] = before.values[k] + share * (next.values[k] - before.values[k]);
      rows_.push_back(std::move(row));
    }
  }

  const TimeZone& zone_;
  std::int64_t step_;
  std::int64_t last_moment_ = 0;
  std::vector<HistoryRow> rows_;
};

}  // namespace

void lay_on_clock(const TimeZone& zone, HistoryRows* rows) {
  const std::int64_t step = step_of(*rows);
  if (step <= 0) return;
  std::int64_t first = rows->routes.front().rows.front().ns;
  std::int64_t last = first;
  for (const HistoryRoute& route : rows->routes) {
    first = std::min(first, route.rows.front().ns);
    last = std::max(last, route.rows.back().ns);
  }
  const std::int64_t at_end = offset_ns(zone, last);
  rows->zone_s = static_cast<double>(at_end) / static_cast<double>(kSecondNs);
  if (step > kHourNs && is_even(*rows, step)) {
    // Whole days and parts of them that begin by the clock go on doing so.
    rows->by_clock = offset_ns(zone, first) == at_end && (first + at_end) % step == 0;
    return;
  }
  rows->by_clock = true;
  bool is_changed = false;
  for (HistoryRoute& route : rows->routes) {
    Clock clock(zone, step);
    for (HistoryRow& row : route.rows) {
      is_changed = is_changed || offset_ns(zone, row.ns) != at_end;
      clock.add(std::move(row));
    }
    route.rows = clock.take();
    for (HistoryRow& row : route.rows) row.ns -= at_end;
  }
  if (!is_changed || step > kHourNs) return;
  rows->notes.push_back(
      "clocks were changed: an hour that they skip is filled on a straight line, of one that they "
      "repeat the mean counts");
}

}  // namespace plimsoll
