#include <algorithm>
#include <optional>

#include "base/calendar.h"
#include "workload/csv.h"
#include "workload/synthetic.h"
#include "workload/trace_formats.h"

namespace plimsoll {
namespace {

enum AzureColumn : std::size_t { time_column, context_column, generated_column };

const CsvFormat& azure_format() {
  static const CsvFormat format{{"TIMESTAMP", "ContextTokens", "GeneratedTokens"}, {}, false};
  return format;
}

// `2023-11-16 18:15:46.6805900`, taken as UTC, with or without `+00:00`; ns since 1970.
std::optional<std::int64_t> parse_timestamp(std::string_view text) {
  constexpr std::size_t kShortest = 19, kDate = 10;
  if (text.size() < kShortest || text[kDate] != ' ') return std::nullopt;
  const std::optional<WrittenTime> time = parse_written_time(text);
  if (!time || time->offset_ns.value_or(0) != 0) return std::nullopt;
  return time->local_ns;
}

}  // namespace

Result<Workload> read_azure_trace(LineReader lines) {
  TRY(table, CsvTable::open(std::move(lines), azure_format()));
  Workload workload;
  Time earliest = kNever;
  for (;;) {
    TRY(more, table.next());
    if (!more) break;
    const std::optional<std::int64_t> ns = parse_timestamp(table.text(time_column));
    if (!ns) table.error(time_column, "\"TIMESTAMP\" must look like 2023-11-16 18:15:46.6805900");
    const Time at{ns.value_or(0)};
    if (table.rows() > 1 && at > earliest + kLongestTrace) {
      table.error(time_column, "\"TIMESTAMP\" lies more than a year after the start of the trace");
    }
    earliest = std::min(earliest, at);
    workload.arrival.push_back(at);
    workload.input_tokens.push_back(
        static_cast<std::int32_t>(table.integer(context_column, 1, kMaxTokens)));
    workload.output_tokens.push_back(
        static_cast<std::int32_t>(table.integer(generated_column, 0, kMaxTokens)));
  }
  for (Time& arrival : workload.arrival) arrival = Time{} + (arrival - earliest);
  return finish_trace(std::move(workload), table.file());
}

}  // namespace plimsoll
