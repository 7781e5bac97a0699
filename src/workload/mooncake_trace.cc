#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "base/text.h"
#include "workload/json_line.h"
#include "workload/synthetic.h"
#include "workload/trace_formats.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kBlockTokens = 512;

enum Key : std::size_t { timestamp, input_length, output_length, hash_ids };
const std::vector<std::string>& key_names() {
  static const std::vector<std::string> names{"timestamp", "input_length", "output_length",
                                              "hash_ids"};
  return names;
}

struct Row {
  double timestamp_ms = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};

// Parses one line; the ids go to a vector of the caller, to be reused.
class LineParser {
 public:
  LineParser(const LineReader& lines, std::vector<std::uint64_t>* ids)
      : lines_(lines), json_(lines.line()), ids_(*ids) {}

  Result<Row> parse();

 private:
  Result<void> parse_member();
  Result<void> parse_value(Key key);
  Result<void> parse_ids();
  Result<std::int64_t> parse_integer(Key key, std::int64_t min, std::int64_t max);
  Result<void> check_whole() const;

  tl::unexpected<Error> error(std::size_t column, std::string message,
                              std::string hint = {}) const {
    return lines_.error(column, std::move(message), std::move(hint));
  }

  const LineReader& lines_;
  JsonLine json_;
  std::vector<std::uint64_t>& ids_;
  Row row_;
  std::array<std::size_t, 4> column_of_{};  // of each value; 0 = not there
};

Result<Row> LineParser::parse() {
  ids_.clear();
  if (!json_.take('{')) return error(json_.column(), "expected a JSON object: {\"timestamp\": ...");
  do {
    if (Result<void> ok = parse_member(); !ok) return pass_on(ok);
  } while (json_.take(','));
  if (!json_.take('}')) return error(json_.column(), "expected , or }");
  if (!json_.at_end()) return error(json_.column(), "text after the end of the object");
  if (Result<void> ok = check_whole(); !ok) return pass_on(ok);
  return row_;
}

Result<void> LineParser::parse_member() {
  std::string_view name;
  const std::size_t column = json_.column();
  if (!json_.take_string(&name)) return error(column, "expected a key in quotes");
  for (std::size_t key = 0; key < key_names().size(); ++key) {
    if (name != key_names()[key]) continue;
    if (column_of_[key] != 0) {
      return error(column, "the key \"" + key_names()[key] + "\" appears twice");
    }
    if (!json_.take(':')) return error(json_.column(), "expected : after the key");
    column_of_[key] = json_.column();
    return parse_value(static_cast<Key>(key));
  }
  return error(column, "unknown key \"" + std::string(name.substr(0, 40)) + "\"",
               suggestion(name, key_names()));
}

Result<void> LineParser::parse_value(Key key) {
  if (key == hash_ids) return parse_ids();
  if (key == timestamp) {
    std::string_view text;
    const std::size_t column = json_.column();
    if (!json_.take_number(&text) || !parse_double(text, &row_.timestamp_ms) ||
        row_.timestamp_ms < 0) {
      return error(column, "\"timestamp\" must be a number of milliseconds, at least 0");
    }
    if (row_.timestamp_ms > to_ms(kLongestTrace)) {
      return error(column, "\"timestamp\" lies more than a year after the start of the trace",
                   "it counts milliseconds from the start; are these microseconds or dates?");
    }
    return {};
  }
  const bool prompt = key == input_length;
  Result<std::int64_t> tokens = parse_integer(key, prompt ? 1 : 0, kMaxTokens);
  if (!tokens) return pass_on(tokens);
  (prompt ? row_.input_tokens : row_.output_tokens) = *tokens;
  return {};
}

Result<void> LineParser::parse_ids() {
  if (!json_.take('[')) return error(json_.column(), "\"hash_ids\" must be a list of numbers");
  if (json_.take(']')) return {};
  do {
    Result<std::int64_t> id = parse_integer(hash_ids, 0, std::numeric_limits<std::int64_t>::max());
    if (!id) return pass_on(id);
    ids_.push_back(static_cast<std::uint64_t>(*id));
  } while (json_.take(','));
  if (!json_.take(']')) return error(json_.column(), "expected , or ]");
  return {};
}

Result<std::int64_t> LineParser::parse_integer(Key key, std::int64_t min, std::int64_t max) {
  std::string_view text;
  long long value = 0;
  const std::size_t column = json_.column();
  if (json_.take_number(&text) && parse_int(text, &value) && value >= min && value <= max) {
    return value;
  }
  return error(column, "\"" + key_names()[key] + "\" must hold whole numbers in [" +
                           std::to_string(min) + ", " + std::to_string(max) + "]");
}

Result<void> LineParser::check_whole() const {
  for (std::size_t key = 0; key < key_names().size(); ++key) {
    if (column_of_[key] == 0) return error(1, "missing key \"" + key_names()[key] + "\"");
  }
  const std::int64_t blocks = (row_.input_tokens + kBlockTokens - 1) / kBlockTokens;
  if (static_cast<std::int64_t>(ids_.size()) == blocks) return {};
  return error(column_of_[hash_ids],
               "\"hash_ids\" has " + std::to_string(ids_.size()) + " ids, but a prompt of " +
                   std::to_string(row_.input_tokens) + " tokens has " + std::to_string(blocks) +
                   " blocks of " + std::to_string(kBlockTokens));
}

}  // namespace

Result<Workload> read_mooncake_trace(LineReader lines) {
  Workload workload;
  std::vector<std::uint64_t> ids;
  for (;;) {
    Result<bool> more = lines.next();
    if (!more) return pass_on(more);
    if (!*more) break;
    if (lines.line().empty()) continue;
    Result<Row> row = LineParser(lines, &ids).parse();
    if (!row) return pass_on(row);

    const std::size_t begin = workload.prefix_segments.size();
    if (begin + ids.size() > std::numeric_limits<std::uint32_t>::max()) {
      return lines.error(0, "the trace has too many prompt blocks", "replay a part of it");
    }
    workload.arrival.push_back({std::llround(row->timestamp_ms * 1e6)});
    workload.input_tokens.push_back(static_cast<std::int32_t>(row->input_tokens));
    workload.output_tokens.push_back(static_cast<std::int32_t>(row->output_tokens));
    workload.prefix_begin.push_back(static_cast<std::uint32_t>(begin));
    workload.prefix_count.push_back(static_cast<std::uint32_t>(ids.size()));
    std::int64_t left = row->input_tokens;
    for (const std::uint64_t id : ids) {
      workload.prefix_segments.push_back({shared_content(id), std::min(left, kBlockTokens)});
      left -= kBlockTokens;
    }
  }
  return finish_trace(std::move(workload), lines.file());
}

}  // namespace plimsoll
