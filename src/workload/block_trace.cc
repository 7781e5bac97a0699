// Traces in JSON lines that state what a prompt consists of by one hash id per block of its tokens:
// equal leading ids are a shared prefix.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "base/text.h"
#include "workload/synthetic.h"
#include "workload/trace_formats.h"

namespace plimsoll {
namespace {

// A cursor over one line of JSON: a flat object whose values are numbers or lists of numbers, as
// the trace formats have it. A general JSON library would give no columns for the errors and read
// a trace several times slower. Errors are made by the caller from the position.

class JsonLine {
 public:
  explicit JsonLine(std::string_view line) : line_(line) {}

  /// Where the cursor is; before a token after any of the calls below. 1-based.
  std::size_t column() const { return at_ + 1; }

  /// Skips white space, then takes `c` if it comes next.
  bool take(char c) {
    skip_space();
    if (at_ == line_.size() || line_[at_] != c) return false;
    at_ += 1;
    skip_space();
    return true;
  }

  /// Takes the text of a string without escapes.
  bool take_string(std::string_view* text) {
    skip_space();
    if (at_ == line_.size() || line_[at_] != '"') return false;
    const std::size_t end = line_.find_first_of("\"\\", at_ + 1);
    if (end == std::string_view::npos || line_[end] != '"') return false;
    *text = line_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  /// Takes the text of a number, to be checked by whoever parses it.
  bool take_number(std::string_view* text) {
    skip_space();
    const std::size_t end = std::min(line_.find_first_not_of("+-.0123456789eE", at_), line_.size());
    if (end == at_) return false;
    *text = line_.substr(at_, end - at_);
    at_ = end;
    return true;
  }

  /// True when only white space is left.
  bool at_end() {
    skip_space();
    return at_ == line_.size();
  }

 private:
  void skip_space() { at_ = std::min(line_.find_first_not_of(" \t", at_), line_.size()); }

  std::string_view line_;
  std::size_t at_ = 0;
};

/// How the formats of this family differ.
struct BlockFormat {
  std::vector<std::string> keys;  ///< by Key
  std::string_view time_unit;
  double ns_per_unit = 1;
  std::int64_t block_tokens = 1;
  bool partial_block_has_id = false;  ///< a last block that is not full

  std::int64_t blocks(std::int64_t tokens) const {
    return (tokens + (partial_block_has_id ? block_tokens - 1 : 0)) / block_tokens;
  }
};

enum Key : std::size_t { timestamp, input_length, output_length, hash_ids };

const BlockFormat& mooncake_format() {
  static const BlockFormat format{
      {"timestamp", "input_length", "output_length", "hash_ids"}, "milliseconds", 1e6, 512, true};
  return format;
}

const BlockFormat& sharegpt_format() {
  static const BlockFormat format{{"timestamp_us", "input_length", "output_length", "hash_ids"},
                                  "microseconds",
                                  1e3,
                                  16,
                                  false};
  return format;
}

struct Row {
  double arrival_ns = 0;
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};

// Parses one line; the ids go to a vector of the caller, to be reused.
class LineParser {
 public:
  LineParser(const BlockFormat& format, const LineReader& lines, std::vector<std::uint64_t>* ids)
      : format_(format), lines_(lines), json_(lines.line()), ids_(*ids) {}

  Result<Row> parse() {
    ids_.clear();
    if (!json_.take('{'))
      return error(json_.column(), "expected a JSON object: {\"" + format_.keys[0] + "\": ...");
    do {
      TRY_TO(parse_member());
    } while (json_.take(','));
    if (!json_.take('}')) return error(json_.column(), "expected , or }");
    if (!json_.at_end()) return error(json_.column(), "text after the end of the object");
    TRY_TO(check_whole());
    return row_;
  }

 private:
  Result<void> parse_member() {
    std::string_view name;
    const std::size_t column = json_.column();
    if (!json_.take_string(&name)) return error(column, "expected a key in quotes");
    for (std::size_t key = 0; key < format_.keys.size(); ++key) {
      if (name != format_.keys[key]) continue;
      if (column_of_[key] != 0) {
        return error(column, "the key \"" + format_.keys[key] + "\" appears twice");
      }
      if (!json_.take(':')) return error(json_.column(), "expected : after the key");
      column_of_[key] = json_.column();
      return parse_value(static_cast<Key>(key));
    }
    return error(column, "unknown key \"" + std::string(name.substr(0, 40)) + "\"",
                 suggestion(name, format_.keys));
  }

  Result<void> parse_value(Key key) {
    if (key == hash_ids) return parse_ids();
    if (key == timestamp) return parse_time();
    const bool prompt = key == input_length;
    TRY(tokens, parse_integer(key, prompt ? 1 : 0, kMaxTokens));
    (prompt ? row_.input_tokens : row_.output_tokens) = tokens;
    return {};
  }

  Result<void> parse_time() {
    std::string_view text;
    double time = 0;
    const std::size_t column = json_.column();
    const std::string key = "\"" + format_.keys[timestamp] + "\"";
    const std::string unit(format_.time_unit);
    if (!json_.take_number(&text) || !parse_double(text, &time) || time < 0) {
      return error(column, key + " must be a number of " + unit + ", at least 0");
    }
    row_.arrival_ns = time * format_.ns_per_unit;
    if (row_.arrival_ns > static_cast<double>(kLongestTrace.ns)) {
      return error(column, key + " is more than a year after the start of the trace",
                   "it counts " + unit + " from the start; is this a date or another unit?");
    }
    return {};
  }

  Result<void> parse_ids() {
    if (!json_.take('[')) return error(json_.column(), "\"hash_ids\" must be a list of numbers");
    if (json_.take(']')) return {};
    do {
      TRY(id, parse_integer(hash_ids, 0, std::numeric_limits<std::int64_t>::max()));
      ids_.push_back(static_cast<std::uint64_t>(id));
    } while (json_.take(','));
    if (!json_.take(']')) return error(json_.column(), "expected , or ]");
    return {};
  }

  Result<std::int64_t> parse_integer(Key key, std::int64_t min, std::int64_t max) {
    std::string_view text;
    long long value = 0;
    const std::size_t column = json_.column();
    if (json_.take_number(&text) && parse_int(text, &value) && value >= min && value <= max) {
      return value;
    }
    return error(column, "\"" + format_.keys[key] + "\" must hold whole numbers in [" +
                             std::to_string(min) + ", " + std::to_string(max) + "]");
  }

  Result<void> check_whole() const {
    for (std::size_t key = 0; key < format_.keys.size(); ++key) {
      if (column_of_[key] == 0) return error(1, "missing key \"" + format_.keys[key] + "\"");
    }
    const std::int64_t blocks = format_.blocks(row_.input_tokens);
    if (static_cast<std::int64_t>(ids_.size()) == blocks) return {};
    return error(column_of_[hash_ids],
                 "\"hash_ids\" has " + counted(std::ssize(ids_), "id") + ", but a prompt of " +
                     counted(row_.input_tokens, "token") + " has " + counted(blocks, "block") +
                     " of " + std::to_string(format_.block_tokens));
  }

  tl::unexpected<Error> error(std::size_t column, std::string message,
                              std::string hint = {}) const {
    return lines_.error(column, std::move(message), std::move(hint));
  }

  const BlockFormat& format_;
  const LineReader& lines_;
  JsonLine json_;
  std::vector<std::uint64_t>& ids_;
  Row row_;
  std::array<std::size_t, 4> column_of_{};  // of each value; 0 = not there
};

Result<Workload> read_block_trace(LineReader lines, const BlockFormat& format) {
  Workload workload;
  std::vector<std::uint64_t> ids;
  for (;;) {
    TRY(more, lines.next());
    if (!more) break;
    if (lines.line().empty()) continue;
    TRY(row, LineParser(format, lines, &ids).parse());

    const std::size_t begin = workload.prefix_segments.size();
    if (begin + ids.size() > std::numeric_limits<std::uint32_t>::max()) {
      return lines.error(0, "the trace has too many prompt blocks", "replay a part of it");
    }
    workload.arrival.push_back({std::llround(row.arrival_ns)});
    workload.input_tokens.push_back(static_cast<std::int32_t>(row.input_tokens));
    workload.output_tokens.push_back(static_cast<std::int32_t>(row.output_tokens));
    workload.prefix_begin.push_back(static_cast<std::uint32_t>(begin));
    workload.prefix_count.push_back(static_cast<std::uint32_t>(ids.size()));
    std::int64_t left = row.input_tokens;
    for (const std::uint64_t id : ids) {
      workload.prefix_segments.push_back({shared_content(id), std::min(left, format.block_tokens)});
      left -= format.block_tokens;
    }
  }
  return finish_trace(std::move(workload), lines.file());
}

}  // namespace

Result<Workload> read_mooncake_trace(LineReader lines) {
  return read_block_trace(std::move(lines), mooncake_format());
}

Result<Workload> read_sharegpt_trace(LineReader lines) {
  return read_block_trace(std::move(lines), sharegpt_format());
}

}  // namespace plimsoll
