#include "workload/trace_formats.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/calendar.h"
#include "workload/csv.h"
#include "workload/synthetic.h"

namespace plimsoll {
namespace {

enum CsvColumn : std::size_t { arrival_s, input_tokens, output_tokens, prefix_id, prefix_tokens };

const CsvFormat& csv_format() {
  static const CsvFormat format{
      {"arrival_s", "input_tokens", "output_tokens"}, {"prefix_id", "prefix_tokens"}, false};
  return format;
}

Time read_arrival(CsvTable& table) {
  const double value = table.number(arrival_s, 0, 1e18);
  if (value > to_seconds(kLongestTrace)) {
    table.error(arrival_s, "\"arrival_s\" is more than a year after the start of the trace",
                "it counts seconds from the start; are these milliseconds, microseconds or dates?");
    return {};
  }
  return {std::llround(value * 1e9)};
}

// Adds the prefix of the current row to the workload.
void read_row_prefix(CsvTable& table, std::unordered_map<std::string, std::uint64_t>& contents,
                     Workload& workload) {
  const std::string id(table.text(prefix_id));
  const std::int32_t most = workload.input_tokens.back();
  workload.prefix_begin.push_back(static_cast<std::uint32_t>(workload.prefix_segments.size()));
  workload.prefix_count.push_back(0);
  if (id.empty()) {
    if (!table.text(prefix_tokens).empty()) table.integer(prefix_tokens, 0, 0);
    return;
  }
  const std::int64_t tokens = table.integer(prefix_tokens, 0, most);
  if (tokens == 0) return;
  const std::uint64_t content = contents.emplace(id, shared_content(contents.size())).first->second;
  workload.prefix_segments.push_back({content, tokens});
  workload.prefix_count.back() = 1;
}

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

// Columns arrival_s, input_tokens, output_tokens and optionally prefix_id and prefix_tokens, in
// any order. Requests with the same prefix_id share their first prefix_tokens tokens (of those
// that both have), which input_tokens includes.
Result<Workload> read_csv_trace(LineReader lines) {
  TRY(table, CsvTable::open(std::move(lines), csv_format()));
  const bool prefixes = table.has(prefix_id);
  if (prefixes != table.has(prefix_tokens)) {
    return fail_at(ErrorKind::spec, table.file(), 1,
                   "the columns prefix_id and prefix_tokens need each other");
  }
  Workload workload;
  std::unordered_map<std::string, std::uint64_t> contents;
  for (;;) {
    TRY(more, table.next());
    if (!more) break;
    workload.arrival.push_back(read_arrival(table));
    workload.input_tokens.push_back(
        static_cast<std::int32_t>(table.integer(input_tokens, 1, kMaxTokens)));
    workload.output_tokens.push_back(
        static_cast<std::int32_t>(table.integer(output_tokens, 0, kMaxTokens)));
    if (prefixes) read_row_prefix(table, contents, workload);
  }
  return finish_trace(std::move(workload), table.file());
}

// The Azure LLM inference traces (AzurePublicDataset, 2023): TIMESTAMP, ContextTokens,
// GeneratedTokens. Time starts at the earliest row.
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
      table.error(time_column, "\"TIMESTAMP\" is more than a year after the start of the trace");
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

}  // namespace

Choices<TraceFormat> trace_formats() {
  static constexpr Choice<TraceFormat> kFormats[]{
      {"azure", TraceFormat::azure, "Azure LLM inference traces: TIMESTAMP,ContextTokens,..."},
      {"mooncake", TraceFormat::mooncake, "JSON lines with a content id per 512 prompt tokens"},
      {"sharegpt", TraceFormat::sharegpt, "JSON lines with a content id per 16 prompt tokens"},
      {"csv", TraceFormat::csv, "arrival_s,input_tokens,output_tokens[,prefix_id,prefix_tokens]"},
  };
  return kFormats;
}

Result<Workload> read_trace(const std::string& path, TraceFormat format) {
  TRY(lines, LineReader::open(path));
  return read_trace(std::move(lines), format);
}

Result<Workload> read_trace(LineReader lines, TraceFormat format) {
  switch (format) {
    case TraceFormat::azure:
      return read_azure_trace(std::move(lines));
    case TraceFormat::mooncake:
      return read_mooncake_trace(std::move(lines));
    case TraceFormat::sharegpt:
      return read_sharegpt_trace(std::move(lines));
    case TraceFormat::csv:
      return read_csv_trace(std::move(lines));
  }
  return fail(ErrorKind::internal, "unknown trace format");
}

Result<Workload> finish_trace(Workload workload, const std::string& file) {
  if (workload.size() == 0) {
    return fail_in(ErrorKind::spec, file, "the trace holds no requests");
  }
  workload.sort_by_arrival();
  workload.id.resize(workload.size());
  std::iota(workload.id.begin(), workload.id.end(), 0);
  return workload;
}

}  // namespace plimsoll
