#include <cmath>
#include <string>
#include <unordered_map>

#include "workload/csv.h"
#include "workload/synthetic.h"
#include "workload/trace_formats.h"

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
    table.error(arrival_s, "\"arrival_s\" lies more than a year after the start of the trace",
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

}  // namespace

Result<Workload> read_csv_trace(LineReader lines) {
  TRY(table, CsvTable::open(std::move(lines), csv_format()));
  const bool prefixes = table.has(prefix_id);
  if (prefixes != table.has(prefix_tokens)) {
    return fail(
        ErrorKind::spec,
        Diagnostic{
            table.file(), 1, 0, "the columns prefix_id and prefix_tokens need each other", {}, {}});
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

}  // namespace plimsoll
