// Rows laid on one grid of time: same step everywhere, all routes from end to end.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/calendar.h"
#include "base/file.h"
#include "base/text.h"
#include "forecast/history/history.h"
#include "forecast/history/prometheus.h"
#include "forecast/history/recorded_counters.h"
#include "forecast/history/rows.h"
#include "forecast/history/steps.h"

namespace plimsoll {
namespace {

constexpr double kMostFilled = 0.1;  // share of the values
constexpr double kAbsurd = 1e6;      // times the median of a series
constexpr double kFarOff = 100;      // times the median: a note, if such values are few
constexpr double kFew = 0.01;        // share of the values, or one
constexpr double kFirstDate = 1e9;   // seconds from here on, in 2001, are counted from 1970

bool lacks_value(const HistoryRow& row) {
  return std::ranges::any_of(row.values, [](double v) { return std::isnan(v); });
}

class Grid {
 public:
  Grid(HistoryRows rows, bool fill_gaps)
      : rows_(std::move(rows)), fill_gaps_(fill_gaps), notes_(rows_.notes) {}

  Result<History> lay_out() {
    if (!rows_.routes.empty()) steps_ = steps_of(rows_.routes);
    if (steps_.each_ns == 0) return wrong(last_line(), "a history needs at least two rows", {});
    if (const double off_s = snap(&rows_.routes, &steps_); off_s > 0) {
      notes_.push_back("times are up to " + shortest(off_s) + " s off their step of " +
                       span(steps_.each_ns) + " and were moved to it");
    }
    TRY_TO(check_rows());
    History history;
    history.start_s = static_cast<double>(steps_.first_ns) / 1e9;
    history.step_s = static_cast<double>(steps_.each_ns) / 1e9;
    history.zone_s = rows_.zone_s;
    history.by_clock = rows_.by_clock;
    history.shape = rows_.shape;
    history.instances = rows_.instances;
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
  // Before space is made for all the values.
  Result<void> check_rows() {
    const double steps =
        static_cast<double>(steps_.last_ns - steps_.first_ns) / static_cast<double>(steps_.each_ns);
    if (steps > kMostHistorySteps) {
      return wrong(last_line(),
                   "from the first row to the last it is more than a million steps of " +
                       span(steps_.each_ns),
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
    if (step % steps_.each_ns != 0) {
      return wrong(here.line,
                   "the time " + moment(here.ns) + " lies " + span(step) +
                       " after that of the row before, where rows are " + span(steps_.each_ns) +
                       " apart",
                   "give one row for every " + span(steps_.each_ns));
    }
    if (step != steps_.each_ns && !fill_gaps_) {
      return wrong(here.line,
                   counted(step / steps_.each_ns - 1, "row") + " missing between " +
                       moment(before.ns) + " and " + moment(here.ns),
                   kHowToFillGaps);
    }
    return {};
  }

  Result<void> check_ends(const HistoryRoute& route) const {
    const HistoryRow& first = route.rows.front();
    const HistoryRow& last = route.rows.back();
    if (fill_gaps_ || (first.ns == steps_.first_ns && last.ns == steps_.last_ns)) return {};
    const bool late = first.ns != steps_.first_ns;
    return wrong(
        late ? first.line : last.line,
        "route \"" + route.name + "\" " +
            (late ? "begins at " + moment(first.ns) + ", others at " + moment(steps_.first_ns)
                  : "ends at " + moment(last.ns) + ", others at " + moment(steps_.last_ns)),
        "write 0 where a route had no traffic, or let the gaps be filled (gaps: fill)");
  }

  // Before its first row and after its last one nothing came.
  void note_ends(const HistoryRoute& route) {
    const std::int64_t first = route.rows.front().ns;
    const std::int64_t last = route.rows.back().ns;
    const std::string has_none = "route \"" + route.name + "\" has no rows ";
    if (first != steps_.first_ns)
      notes_.push_back(has_none + "before " + moment(first) + ": nothing came");
    if (last != steps_.last_ns)
      notes_.push_back(has_none + "after " + moment(last) + ": nothing came");
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
        const bool is_late = i > 0 && row.ns - route.rows[i - 1].ns > steps_.each_ns;
        if ((lacks_value(row) || is_late) && (first == 0 || row.line < first)) first = row.line;
      }
    }
    return first;
  }

  // That of the latest time; of the header where there is no row.
  int last_line() const {
    int line = 1;
    for (const HistoryRoute& route : rows_.routes) {
      if (route.rows.back().ns == steps_.last_ns) line = route.rows.back().line;
    }
    return line;
  }

  Result<std::vector<double>> values_of(const HistoryRoute& route, std::size_t column) {
    TRY_TO(check_size(route, column));
    std::vector<double> values(cell(steps_.last_ns) + 1, std::numeric_limits<double>::quiet_NaN());
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
    filled_.add(fill_gaps(steps_.each_ns, &values));
    if (!std::isnan(values.front()) && !std::isnan(values.back())) return {};
    const bool first = std::isnan(values.front());
    return wrong(first ? route.rows.front().line : route.rows.back().line,
                 "\"" + rows_.names[column] + "\" is missing in the " + (first ? "first" : "last") +
                     " row, where it has one neighbour only",
                 "begin and end the file with rows that have it");
  }

  std::size_t cell(std::int64_t ns) const {
    return static_cast<std::size_t>((ns - steps_.first_ns) / steps_.each_ns);
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
  HistorySteps steps_;
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
