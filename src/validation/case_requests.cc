#include "base/lists.h"
#include "validation/case.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "workload/csv.h"
#include "workload/length_distribution.h"
#include "workload/trace_formats.h"

namespace plimsoll {
namespace {

enum Column : std::size_t {
  arrival_s,
  input_tokens,
  output_tokens,
  prefix_id,
  prefix_tokens,
  block_hash_ids,
  ttft_ms,
  tpot_ms,
  e2e_ms,
  failed
};

const CsvFormat& format() {
  static const CsvFormat columns{
      {"arrival_s", "input_tokens", "output_tokens"},
      {"prefix_id", "prefix_tokens", "block_hash_ids", "ttft_ms", "tpot_ms", "e2e_ms", "error"},
      true};  // whatever else was measured is beside them
  return columns;
}

/// Shared contents by the name they have in the file.
class Prefixes {
 public:
  std::uint64_t content_of(const std::string& name) {
    return contents_.emplace(name, shared_content(contents_.size())).first->second;
  }

 private:
  std::unordered_map<std::string, std::uint64_t> contents_;
};

void add_blocks(std::string_view ids, std::int64_t block_size, std::int64_t input,
                Prefixes* prefixes, std::vector<PrefixSegment>* segments) {
  std::int64_t tokens = 0;
  while (!ids.empty() && tokens + block_size <= input) {
    const std::size_t end = std::min(ids.find(' '), ids.size());
    if (end > 0) {
      segments->push_back({prefixes->content_of(std::string(ids.substr(0, end))), block_size});
      tokens += block_size;
    }
    ids.remove_prefix(std::min(end + 1, ids.size()));
  }
}

void read_row(CsvTable& table, std::int64_t block_size, Prefixes* prefixes, Workload* out) {
  out->arrival.push_back({std::llround(table.number(arrival_s, 0, 1e8) * 1e9)});
  const std::int64_t input = table.integer(input_tokens, 1, kMaxTokens);
  out->input_tokens.push_back(static_cast<std::int32_t>(input));
  out->output_tokens.push_back(
      static_cast<std::int32_t>(table.integer(output_tokens, 0, kMaxTokens)));
  const std::size_t begin = out->prefix_segments.size();
  if (table.has(block_hash_ids)) {
    add_blocks(table.text(block_hash_ids), block_size, input, prefixes, &out->prefix_segments);
  } else if (table.has(prefix_id) && !table.text(prefix_id).empty()) {
    const std::int64_t tokens = table.integer(prefix_tokens, 0, kMaxTokens);
    if (tokens > 0) {
      out->prefix_segments.push_back(
          {prefixes->content_of(std::string(table.text(prefix_id))), std::min(tokens, input)});
    }
  }
  out->prefix_begin.push_back(static_cast<std::uint32_t>(begin));
  out->prefix_count.push_back(static_cast<std::uint32_t>(out->prefix_segments.size() - begin));
}

double measured_ms(CsvTable& table, Column column) {
  if (!table.has(column) || table.text(column).empty()) return 0;
  return table.number(column, 0, 1e9);
}

CaseRow read_measured_row(CsvTable& table) {
  if (table.has(failed) && !table.text(failed).empty() && table.text(failed) != "0") return {};
  CaseRow row{measured_ms(table, ttft_ms), measured_ms(table, tpot_ms), measured_ms(table, e2e_ms)};
  const auto tokens = static_cast<double>(table.integer(output_tokens, 0, kMaxTokens));
  if (row.tpot_ms == 0 && row.ttft_ms > 0 && row.e2e_ms > row.ttft_ms && tokens > 1) {
    row.tpot_ms = (row.e2e_ms - row.ttft_ms) / (tokens - 1);
  }
  return row;
}

// As finish_trace sorts the requests.
std::vector<CaseRow> by_arrival(std::vector<CaseRow> rows, const std::vector<Time>& arrival) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return arrival[a] < arrival[b]; });
  return mapped(order, [&](const std::size_t i) { return rows[i]; });
}

}  // namespace

Result<void> read_case_requests(const std::string& path, std::int64_t block_size,
                                CaseWorkload* workload) {
  TRY(lines, LineReader::open(path));
  TRY(table, CsvTable::open(std::move(lines), format()));
  Workload out;
  std::vector<CaseRow> rows;
  Prefixes prefixes;
  for (;;) {
    TRY(more, table.next());
    if (!more) break;
    read_row(table, block_size, &prefixes, &out);
    if (table.has(ttft_ms)) rows.push_back(read_measured_row(table));
  }
  workload->rows = by_arrival(std::move(rows), out.arrival);
  TRY_SET(workload->requests, finish_trace(std::move(out), table.file()));
  return {};
}

}  // namespace plimsoll
