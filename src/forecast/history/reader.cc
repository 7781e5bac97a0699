// Rows laid on one grid of time: same step everywhere, all routes from end to end.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/calendar.h"
#include "base/file.h"
#include "base/text.h"
#include "forecast/history/gaps.h"
#include "forecast/history/history.h"
#include "forecast/history/prometheus.h"
#include "forecast/history/rows.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kMostResponseBytes = std::int64_t{1} << 30;
constexpr double kMostFilled = 0.1;  // share of the values
constexpr double kAbsurd = 1e6;      // times the median of a series
constexpr double kFarOff = 100;      // times the median: a note, if such values are few
constexpr double kFew = 0.01;        // share of the values, or one
constexpr double kJitter = 0.1;      // of a step
constexpr double kFirstDate = 1e9;   // seconds from here on, in 2001, are counted from 1970

bool lacks_value(const HistoryRow& row) {
  return std::ranges::any_of(row.values, [](double v) { return std::isnan(v); });
}

class Grid {
 public:
  Grid(HistoryRows rows, bool fill_gaps)
      : rows_(std::move(rows)), fill_gaps_(fill_gaps), notes_(rows_.notes) {}

  Result<History> lay_out() {
    if (!rows_.routes.empty()) find_step();
    if (step_ns_ == 0) return wrong(last_line(), "a history needs at least two rows", {});
    snap();
    TRY_TO(check_rows());
    History history;
    history.start_s = static_cast<double>(first_ns_) / 1e9;
    history.step_s = static_cast<double>(step_ns_) / 1e9;
    history.zone_s = rows_.zone_s;
    history.by_clock = rows_.by_clock;
    history.dated = rows_.calendar || history.start_s >= kFirstDate;
    for (const HistoryRoute& route : rows_.routes) {
      for (std::size_t column = 0; column < rows_.names.size(); ++column) {
        TRY(values, values_of(route, column));
        history.series.push_back({rows_.names[column], route.name, std::move(values)});
      }
    }
    const double share = static_cast<double>(filled_.values) /
                         static_cast<double>(history.size() * history.series.size());
    if (share > kMostFilled) return too_many_missing(share);
    history.filled = filled_.values;
    history.notes = notes_;
    if (filled_.values > 0) {
      const std::string in_rows =
          filled_rows_ < filled_.values ? " of " + counted(filled_rows_, "row") : "";
      history.notes.push_back(counted(filled_.values, "missing value") + in_rows + " (" +
                              percent(share) + ") filled " + filled_.how());
    }
    return history;
  }

 private:
  // The median distance of neighbours; 0 when no route has two rows.
  void find_step() {
    std::vector<std::int64_t> steps;
    first_ns_ = std::numeric_limits<std::int64_t>::max();
    last_ns_ = std::numeric_limits<std::int64_t>::min();
    for (const HistoryRoute& route : rows_.routes) {
      first_ns_ = std::min(first_ns_, route.rows.front().ns);
      last_ns_ = std::max(last_ns_, route.rows.back().ns);
      for (std::size_t i = 1; i < route.rows.size(); ++i) {
        steps.push_back(route.rows[i].ns - route.rows[i - 1].ns);
      }
    }
    if (steps.empty()) return;
    const auto middle = steps.begin() + (std::ssize(steps) - 1) / 2;
    std::nth_element(steps.begin(), middle, steps.end());
    step_ns_ = *middle;
  }

  // Clocks that are read a little late or early: times move to the grid from which they are off by
  // less than a tenth of a step. The median tells the step of a good clock, the mean that of a bad
  // one, and neither that of one that is late by turns: there it is whole minutes, hours or days.
  void snap() {
    const double range = static_cast<double>(last_ns_ - first_ns_);
    const double steps = std::round(range / static_cast<double>(step_ns_));
    if (steps < 1 || steps > kMostHistorySteps) return;
    constexpr std::int64_t kSecond = 1'000'000'000;
    const double mean_s = range / steps / 1e9;
    const bool is_whole = std::round(mean_s) > 0 && std::abs(mean_s - std::round(mean_s)) < kJitter;
    const bool by_median = step_ns_ % kSecond == 0 || !is_whole;
    if (snap_to(by_median ? step_ns_ : std::llround(mean_s) * kSecond)) return;
    for (const std::int64_t unit : {60 * kSecond, 3600 * kSecond, 86'400 * kSecond}) {
      const std::int64_t grid_ns = (step_ns_ + unit / 2) / unit * unit;
      if (grid_ns > 0 && snap_to(grid_ns)) return;
    }
  }

  // False where times do not lie on that grid, and stay as they are.
  bool snap_to(std::int64_t grid_ns) {
    const auto on_grid = [&](std::int64_t ns) {
      const double k =
          std::round(static_cast<double>(ns - first_ns_) / static_cast<double>(grid_ns));
      return first_ns_ + static_cast<std::int64_t>(k) * grid_ns;
    };
    std::int64_t worst_ns = 0;
    for (const HistoryRoute& route : rows_.routes) {
      std::int64_t before = first_ns_ - grid_ns;
      for (const HistoryRow& row : route.rows) {
        const std::int64_t there = on_grid(row.ns);
        worst_ns = std::max(worst_ns, std::abs(row.ns - there));
        if (there <= before) return false;  // two rows for one step
        before = there;
      }
    }
    if (static_cast<double>(worst_ns) > kJitter * static_cast<double>(grid_ns)) return false;
    if (worst_ns == 0) return true;
    for (HistoryRoute& route : rows_.routes) {
      for (HistoryRow& row : route.rows) row.ns = on_grid(row.ns);
    }
    step_ns_ = grid_ns;
    last_ns_ = on_grid(last_ns_);
    notes_.push_back("times are up to " + span(worst_ns) + " off their step of " + span(step_ns_) +
                     " and were moved to it");
    return true;
  }

  // Before space is made for all the values.
  Result<void> check_rows() {
    const double steps = static_cast<double>(last_ns_ - first_ns_) / static_cast<double>(step_ns_);
    if (steps > kMostHistorySteps) {
      return wrong(
          last_line(),
          "from the first row to the last it is more than a million steps of " + span(step_ns_),
          "give one row per hour or day");
    }
    for (const HistoryRoute& route : rows_.routes) {
      for (std::size_t i = 1; i < route.rows.size(); ++i) {
        if (Result<void> ok = check_step(route.rows[i - 1], route.rows[i]); !ok) return ok;
      }
      if (Result<void> ok = check_ends(route); !ok) return ok;
      note_ends(route);
      const std::size_t own = cell(route.rows.back().ns) - cell(route.rows.front().ns) + 1;
      const auto gone = static_cast<std::int64_t>(own - route.rows.size());
      filled_rows_ += gone + std::ranges::count_if(route.rows, lacks_value);
      const double missing = static_cast<double>(gone) / static_cast<double>(own);
      if (missing > kMostFilled) return too_many_missing(missing);
    }
    return {};
  }

  Result<void> check_step(const HistoryRow& before, const HistoryRow& here) const {
    const std::int64_t step = here.ns - before.ns;
    if (step % step_ns_ != 0) {
      return wrong(here.line,
                   "the time " + moment(here.ns) + " lies " + span(step) +
                       " after that of the row before, where rows are " + span(step_ns_) + " apart",
                   "give one row for every " + span(step_ns_));
    }
    if (step != step_ns_ && !fill_gaps_) {
      return wrong(here.line,
                   counted(step / step_ns_ - 1, "row") + " missing between " + moment(before.ns) +
                       " and " + moment(here.ns),
                   kHowToFillGaps);
    }
    return {};
  }

  Result<void> check_ends(const HistoryRoute& route) const {
    const HistoryRow& first = route.rows.front();
    const HistoryRow& last = route.rows.back();
    if (fill_gaps_ || (first.ns == first_ns_ && last.ns == last_ns_)) return {};
    const bool late = first.ns != first_ns_;
    return wrong(late ? first.line : last.line,
                 "route \"" + route.name + "\" " +
                     (late ? "begins at " + moment(first.ns) + ", others at " + moment(first_ns_)
                           : "ends at " + moment(last.ns) + ", others at " + moment(last_ns_)),
                 "write 0 where a route had no traffic, or let the gaps be filled (gaps: fill)");
  }

  // Before its first row and after its last one nothing came.
  void note_ends(const HistoryRoute& route) {
    const std::int64_t first = route.rows.front().ns;
    const std::int64_t last = route.rows.back().ns;
    const std::string has_none = "route \"" + route.name + "\" has no rows ";
    if (first != first_ns_)
      notes_.push_back(has_none + "before " + moment(first) + ": nothing came");
    if (last != last_ns_) notes_.push_back(has_none + "after " + moment(last) + ": nothing came");
  }

  Result<void> check_size(const HistoryRoute& route, std::size_t column) {
    std::vector<double> positive;
    for (const HistoryRow& row : route.rows) {
      if (row.values[column] > 0) positive.push_back(row.values[column]);
    }
    if (positive.empty()) return {};
    const auto middle = positive.begin() + std::ssize(positive) / 2;
    std::nth_element(positive.begin(), middle, positive.end());
    for (const HistoryRow& row : route.rows) {
      if (row.values[column] / kAbsurd <= *middle || std::isnan(row.values[column])) continue;
      return wrong(row.line,
                   "\"" + rows_.names[column] + "\" is " + shortest(row.values[column]) +
                       ", more than a million times its median " + shortest(*middle),
                   "is this value in another unit?");
    }
    note_far_off(route, column, *middle);
    return {};
  }

  // One that is far from all others may be a mistake, or the day that matters most.
  void note_far_off(const HistoryRoute& route, std::size_t column, double median) {
    const HistoryRow* largest = nullptr;
    std::int64_t count = 0;
    for (const HistoryRow& row : route.rows) {
      if (!(row.values[column] > kFarOff * median)) continue;
      count += 1;
      if (largest == nullptr || row.values[column] > largest->values[column]) largest = &row;
    }
    const double few = std::max(1.0, kFew * static_cast<double>(route.rows.size()));
    if (largest == nullptr || static_cast<double>(count) > few) return;
    std::string note = rows_.file + ":" + std::to_string(largest->line) + ": \"" +
                       rows_.names[column] + "\" is " + shortest(largest->values[column]) + ", " +
                       three_digits(largest->values[column] / median) + " times its median " +
                       shortest(median);
    if (count > 1)
      note += "; " + counted(count - 1, "other value") + " beyond a hundred times, too";
    notes_.push_back(note + "; kept as given");
  }

  // The line of the first row that lacks a value, or lies after one that is missing.
  int first_hole() const {
    int first = 0;
    for (const HistoryRoute& route : rows_.routes) {
      for (std::size_t i = 0; i < route.rows.size(); ++i) {
        const HistoryRow& row = route.rows[i];
        const bool is_late = i > 0 && row.ns - route.rows[i - 1].ns > step_ns_;
        if ((lacks_value(row) || is_late) && (first == 0 || row.line < first)) first = row.line;
      }
    }
    return first;
  }

  // That of the latest time; of the header where there is no row.
  int last_line() const {
    int line = 1;
    for (const HistoryRoute& route : rows_.routes) {
      if (route.rows.back().ns == last_ns_) line = route.rows.back().line;
    }
    return line;
  }

  Result<std::vector<double>> values_of(const HistoryRoute& route, std::size_t column) {
    TRY_TO(check_size(route, column));
    std::vector<double> values(cell(last_ns_) + 1, std::numeric_limits<double>::quiet_NaN());
    const auto at = [&](const HistoryRow& row) {
      return values.begin() + static_cast<std::ptrdiff_t>(cell(row.ns));
    };
    std::fill(values.begin(), at(route.rows.front()), 0);
    std::fill(at(route.rows.back()), values.end(), 0);
    for (const HistoryRow& row : route.rows) *at(row) = row.values[column];
    TRY_TO(fill(route, column, values));
    return values;
  }

  Result<void> fill(const HistoryRoute& route, std::size_t column, std::vector<double>& values) {
    filled_.add(fill_gaps(step_ns_, &values));
    if (!std::isnan(values.front()) && !std::isnan(values.back())) return {};
    const bool first = std::isnan(values.front());
    return wrong(first ? route.rows.front().line : route.rows.back().line,
                 "\"" + rows_.names[column] + "\" is missing in the " + (first ? "first" : "last") +
                     " row, where it has one neighbour only",
                 "begin and end the file with rows that have it");
  }

  std::size_t cell(std::int64_t ns) const {
    return static_cast<std::size_t>((ns - first_ns_) / step_ns_);
  }
  std::string moment(std::int64_t ns) const {
    const double seconds = static_cast<double>(ns) / 1e9;
    return rows_.calendar ? iso_time(seconds) : shortest(seconds);
  }
  std::string span(std::int64_t ns) const { return shortest(static_cast<double>(ns) / 1e9) + " s"; }
  tl::unexpected<Error> wrong(int line, std::string message, std::string hint) const {
    return fail_at(ErrorKind::spec, rows_.file, line, std::move(message), std::move(hint));
  }

  tl::unexpected<Error> too_many_missing(double share) const {
    return wrong(first_hole(),
                 percent(share) + " of the values are missing; at most " + percent(kMostFilled) +
                     " can be filled",
                 "the first of them here; begin where the history is whole");
  }

  HistoryRows rows_;
  bool fill_gaps_;
  std::int64_t first_ns_ = 0, last_ns_ = 0, step_ns_ = 0;
  FilledGaps filled_;
  std::int64_t filled_rows_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace

namespace {

/// The zone whose clock is asked for by name; none where times say theirs or are UTC.
Result<std::optional<TimeZone>> clock_of(const HistoryOptions& options) {
  if (options.zone.empty() || options.zone == "UTC") return std::nullopt;
  TRY(zone, TimeZone::named(options.zone));
  return std::optional(std::move(zone));
}

Result<History> lay_out(HistoryRows rows, const std::optional<TimeZone>& zone,
                        const HistoryOptions& options) {
  if (zone && !rows.routes.empty()) {
    const HistoryRow& first = rows.routes.front().rows.front();
    if (!rows.calendar && static_cast<double>(first.ns) / 1e9 < kFirstDate) {
      return fail_at(ErrorKind::spec, rows.file, first.line,
                     "times count seconds, which no zone of a clock tells apart",
                     "write dates, or leave \"zone\" out");
    }
    lay_on_clock(*zone, &rows);
  }
  return Grid(std::move(rows), options.fill_gaps).lay_out();
}

}  // namespace

Result<History> read_history(LineReader lines, const HistoryOptions& options) {
  TRY(zone, clock_of(options));
  TRY(rows, read_history_rows(std::move(lines), options, zone ? &*zone : nullptr));
  return lay_out(std::move(rows), zone, options);
}

Result<History> read_history(const std::string& path, const HistoryOptions& options) {
  if (!is_prometheus_file(path)) {
    TRY(lines, LineReader::open(path));
    return read_history(std::move(lines), options);
  }
  TRY(zone, clock_of(options));
  TRY(text, read_file(path, kMostResponseBytes));
  TRY(rows, read_prometheus_rows(text, path, options));
  return lay_out(std::move(rows), zone, options);
}

}  // namespace plimsoll
