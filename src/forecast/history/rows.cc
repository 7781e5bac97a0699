#include "forecast/history/rows.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/lists.h"
#include "base/printable.h"
#include "base/text.h"
#include "workload/csv.h"

namespace plimsoll {
namespace {

constexpr double kLatestSecond = 8e9;  // in 2223; milliseconds lie beyond, as Grafana writes them
constexpr double kMillisecond = 1e3;   // a second has so many

constexpr double kLargest = 1e18;
constexpr std::size_t kDateAlone = 10;  // characters of 2026-11-22

class RowReader {
 public:
  RowReader(LineReader lines, const HistoryOptions& options, const TimeZone* zone)
      : reader_(std::move(lines)), options_(options), zone_(zone) {}

  Result<HistoryRows> read() {
    rows_.file = reader_.file();
    TRY_TO(read_header());
    TRY_TO(read_all_rows());
    rows_.calendar = calendar_.value_or(false);
    rows_.zone_s = static_cast<double>(offset_.value_or(0)) / 1e9;
    return std::move(rows_);
  }

 private:
  // The first row that is wrong, and how many more are.
  Result<void> read_all_rows() {
    Result<void> first;
    std::int64_t others = 0;
    for (;;) {
      TRY(more, reader_.next());
      if (!more) break;
      Result<void> row = read_row();
      if (row) continue;
      if (first) {
        first = std::move(row);
      } else {
        others += 1;
      }
    }
    if (!first && others > 0) {
      first.error().diagnostics.front().message += fmt::format(
          " ({} {} wrong, too)", counted(others, "more row"), others == 1 ? "is" : "are");
    }
    return first;
  }

  Result<void> read_header() {
    const std::string example = "the first line must name the columns: time,requests,prompt_tokens";
    TRY(more, reader_.next());
    if (!more) {
      return fail_at(ErrorKind::spec, rows_.file, 1, "the file is empty", example);
    }
    width_ = reader_.size();
    std::vector<std::string> all;
    for (std::size_t i = 0; i < width_; ++i) {
      const std::string name(reader_.field(i));
      if (double number = 0; name.empty() || parse_double(name, &number)) {
        return reader_.error(i, "\"" + name + "\" is no name of a column", example);
      }
      if (contains(all, name)) {
        return reader_.error(i, "the column \"" + name + "\" appears twice");
      }
      all.push_back(name);
    }
    TRY(names, names_of_columns(all));
    for (std::size_t i = 0; i < width_; ++i) {
      const std::string& name = names[i];
      if (name.empty()) continue;
      if (name == "route") {
        route_ = i;
      } else if (name != "time") {
        fields_.push_back(i);
        rows_.names.push_back(name);
      }
    }
    const auto time = std::find(names.begin(), names.end(), "time");
    if (time == names.end()) {
      if (width_ == 1 && all.front().find_first_of(";\t") != std::string::npos) {
        return reader_.error(0, "the columns are not separated by commas", example);
      }
      const std::string near = nearest_name("time", all);
      return reader_.error(0, "there is no column \"time\"",
                           near.empty() ? example : "call the column \"" + near + "\" \"time\"");
    }
    time_ = static_cast<std::size_t>(time - names.begin());
    if (rows_.names.empty())
      return reader_.error(0, "there is no column besides the time", example);
    return {};
  }

  // What the columns of the file are called here; empty for those that are left out.
  Result<std::vector<std::string>> names_of_columns(const std::vector<std::string>& all) const {
    std::vector<std::string> names = all;
    std::ranges::replace(names, "Time", "time");  // as Grafana has it
    if (options_.columns.empty()) return names;
    for (std::string& name : names) {
      if (name != "time" && name != "route") name.clear();
    }
    for (const auto& [here, there] : options_.columns) {
      const auto found = std::ranges::find(all, there);
      if (found == all.end()) {
        return reader_.error(0, "there is no column \"" + there + "\", which is to be " + here,
                             suggestion(there, all));
      }
      names[static_cast<std::size_t>(found - all.begin())] = here;
    }
    return names;
  }

  Result<void> read_row() {
    if (reader_.size() != width_) {
      return reader_.error(std::min(width_, reader_.size()),
                           "the row has " + std::to_string(reader_.size()) +
                               " fields where the header names " + std::to_string(width_));
    }
    const std::string_view name = route_ ? reader_.field(*route_) : std::string_view();
    if (route_ && name.empty()) return reader_.error(*route_, "the row names no route");
    if (const std::string fault = fault_of_name(name); !fault.empty()) {
      return reader_.error(*route_, "the name of the route " + fault, kOneLine);
    }
    HistoryRoute& route = route_named(name);
    TRY(ns, read_time(route));
    if (Result<void> ok = check_order(route, ns); !ok) return ok;
    HistoryRow row{reader_.line(), ns, {}};
    for (std::size_t series = 0; series < fields_.size(); ++series) {
      TRY(value, read_value(series));
      row.values.push_back(value);
    }
    route.rows.push_back(std::move(row));
    return {};
  }

  Result<void> check_order(const HistoryRoute& route, std::int64_t ns) const {
    if (route.rows.empty() || ns > route.rows.back().ns) return {};
    const HistoryRow& before = route.rows.back();
    const std::string time(reader_.field(time_));
    const std::string line = std::to_string(before.line);
    if (ns == before.ns) {
      return reader_.error(time_, "the time " + time + " stands in line " + line + " already",
                           route_ ? "keep one row for each time and route"
                                  : "keep one row, or name the routes in a column \"route\"");
    }
    return reader_.error(time_, "the time " + time + " is earlier than that of line " + line,
                         "sort the rows by time");
  }

  Result<std::int64_t> read_time(const HistoryRoute& route) {
    const std::string_view text = reader_.field(time_);
    double seconds = 0;
    const std::optional<WrittenTime> written = parse_written_time(text);
    if (!written && !parse_double(text, &seconds)) {
      return reader_.error(time_, "\"" + std::string(text.substr(0, 40)) + "\" is not a time",
                           "write 2026-11-22T04:00Z, or seconds");
    }
    if (calendar_ && *calendar_ != written.has_value()) {
      return reader_.error(time_, "dates and seconds are mixed in one column", "write one of them");
    }
    calendar_ = written.has_value();
    if (!written) return read_seconds(seconds);
    const bool is_by_clock = zone_ != nullptr && !written->offset_ns;
    return is_by_clock ? read_by_clock(written->local_ns, route) : read_moment(*written);
  }

  Result<std::int64_t> read_seconds(double seconds) {
    const std::string got = ", got " + std::string(reader_.field(time_));
    if (seconds < 0) return reader_.error(time_, "a time in seconds must not be negative" + got);
    if (seconds > kLatestSecond) seconds /= kMillisecond;
    if (seconds > kLatestSecond) {
      return reader_.error(time_, "a time must be below 8e9 seconds, or 8e12 milliseconds" + got,
                           "are these microseconds or nanoseconds? divide them");
    }
    return std::llround(seconds * 1e6) * 1000;
  }

  Result<std::int64_t> read_moment(const WrittenTime& time) {
    const bool is_date_alone = reader_.field(time_).size() == kDateAlone;
    if (!time.offset_ns && options_.zone.empty() && is_date_alone) {
      if (rows_.notes.empty())
        rows_.notes.emplace_back("dates are days of UTC; zone: names another clock");
    } else if (!time.offset_ns && options_.zone.empty()) {
      return reader_.error(time_, "the time " + std::string(reader_.field(time_)) + " has no zone",
                           "add it (2026-11-22T04:00Z, 2026-11-22T05:00+01:00), or say which it is "
                           "(zone: UTC, zone: Europe/Berlin)");
    }
    const std::int64_t offset = time.offset_ns.value_or(0);
    if (zone_ == nullptr && offset_ && *offset_ != offset) {
      const bool by_an_hour = std::abs(*offset_ - offset) <= 3'600'000'000'000;
      return reader_.error(time_,
                           "the zone of " + std::string(reader_.field(time_)) +
                               " is not the one of the rows before" +
                               (by_an_hour ? ": is this where summer time begins or ends?" : ""),
                           "write all times in one zone, or name it (zone: Europe/Berlin)");
    }
    offset_ = offset;
    return time.local_ns - offset;
  }

  // An hour that the clock shows twice is the second one where the first has been.
  Result<std::int64_t> read_by_clock(std::int64_t local_ns, const HistoryRoute& route) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    std::optional<std::int64_t> ns;
    for (const std::int64_t moment : zone_->moments_of(local_ns / kSecond)) {
      const bool is_used = ns && !route.rows.empty() && *ns <= route.rows.back().ns;
      if (!ns || is_used) ns = moment * kSecond + local_ns % kSecond;
    }
    if (ns) return *ns;
    return reader_.error(
        time_,
        "the clocks of " + options_.zone + " skip the time " + std::string(reader_.field(time_)),
        "is it in another zone? (zone: UTC)");
  }

  Result<double> read_value(std::size_t series) {
    const std::size_t field = fields_[series];
    const std::string_view text = reader_.field(field);
    const std::string& name = rows_.names[series];
    if (text.empty() || text == "NaN" || text == "nan" || text == "null") {
      if (options_.fill_gaps) return std::numeric_limits<double>::quiet_NaN();
      return reader_.error(field, "\"" + name + "\" is missing", kHowToFillGaps);
    }
    double value = 0;
    const std::string got = ", got \"" + std::string(text.substr(0, 40)) + "\"";
    if (!parse_double(text, &value)) {
      return reader_.error(field, "\"" + name + "\" must be a number" + got,
                           how_to_leave_out(series));
    }
    if (value < 0) return reader_.error(field, "\"" + name + "\" must not be negative" + got);
    if (value > kLargest) return reader_.error(field, "\"" + name + "\" must be below 1e18" + got);
    return value;
  }

  // With another column of the file as the example.
  std::string how_to_leave_out(std::size_t series) const {
    if (!options_.columns.empty() || rows_.names.size() < 2) return {};
    const std::string& other = rows_.names[series == 0 ? 1 : 0];
    const std::vector<std::string> demand{"requests", "prompt_tokens", "output_tokens"};
    const bool is_named = contains(demand, other);
    return "if it is no demand, leave it out by naming what is: columns: {" +
           (is_named ? other : demand.front()) + ": \"" + other + "\"}";
  }

  HistoryRoute& route_named(std::string_view name) {
    const auto found = std::find_if(rows_.routes.begin(), rows_.routes.end(),
                                    [&](const HistoryRoute& route) { return route.name == name; });
    if (found != rows_.routes.end()) return *found;
    return rows_.routes.emplace_back(HistoryRoute{std::string(name), {}});
  }

  CsvReader reader_;
  HistoryOptions options_;
  const TimeZone* zone_;  // null: times say theirs
  HistoryRows rows_;
  std::size_t width_ = 0;               // fields in each row
  std::size_t time_ = 0;                // its field
  std::optional<std::size_t> route_;    // its field
  std::vector<std::size_t> fields_;     // of the series
  std::optional<bool> calendar_;        // from the first row
  std::optional<std::int64_t> offset_;  // zone of the first row
};

}  // namespace

Result<HistoryRows> read_history_rows(LineReader lines, const HistoryOptions& options,
                                      const TimeZone* zone) {
  return RowReader(std::move(lines), options, zone).read();
}

}  // namespace plimsoll
