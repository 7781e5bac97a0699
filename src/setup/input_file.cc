#include "setup/input_file.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/quoting.h"
#include "base/text.h"
#include "forecast/history/recorded_counters.h"
#include "workload/line_reader.h"
#include "workload/trace_formats.h"

namespace plimsoll {
namespace {

/// What stands in the first line of a trace and in that of no other format.
constexpr std::pair<std::string_view, TraceFormat> kMarks[]{
    {"TIMESTAMP,ContextTokens", TraceFormat::azure},
    {"\"timestamp_us\"", TraceFormat::sharegpt},
    {"\"timestamp\"", TraceFormat::mooncake},
    {"arrival_s", TraceFormat::csv},
};

/// What a line of a document begins with, what that makes it, and the command that reads it.
struct DocumentKind {
  std::string_view mark;
  std::string_view what;
  std::string_view verb;
  std::string_view command;
};
constexpr DocumentKind kDocumentKinds[]{
    {"trace_version:", "a trace", "replay", "replay {} --model ID"},
    {"routes:", "a forecast", "forecast", "forecast {}"},
    {"clients:", "a workload specification", "run", "run MODEL {}"},
    {"cohorts:", "a workload specification", "run", "run MODEL {}"},
    {"config_space:", "the request of a plan", "plan", "plan {}"},
    {"models:", "the request of a plan", "plan", "plan {}"},
    {"rows:", "a list of prices", "list", "list prices --price-file {}"},
};

// The rows of a forecast's past (forecast/history).
bool is_history(std::string_view text) {
  const std::string_view first_line = text.substr(0, text.find('\n'));
  if (is_range_response(text)) return true;
  return first_line.starts_with("time,") && first_line.find("requests") != std::string_view::npos;
}

std::string hint_for_history(const std::string& file) {
  return "plimsoll forecast " + shell_quoted(file) + " --model MODEL --hardware GPU continues it";
}

bool is_yaml(const std::string& path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

std::optional<TraceFormat> format_of(std::string_view first_line) {
  for (const auto& [mark, format] : kMarks) {
    if (first_line.find(mark) != std::string_view::npos) return format;
  }
  return std::nullopt;
}

// What is read once to look at it is not there any more when it is to be read.
Result<void> check_readable_twice(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || std::filesystem::is_regular_file(path, ignored) ||
      std::filesystem::is_directory(path, ignored)) {
    return {};
  }
  return fail(ErrorKind::usage,
              path + " is not a file, so its format cannot be detected before reading",
              "name the format: --trace " + path + " --trace-format " +
                  join(names_of(trace_formats()), "|") + ", or --workload-spec " + path);
}

std::string with_ending(const std::string& path, const char* ending) {
  return std::filesystem::path(path).replace_extension(ending).string();
}

const DocumentKind* kind_of(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  if (format_of(first) || first.starts_with("request_id")) return &kDocumentKinds[0];
  while (!text.empty()) {
    for (const DocumentKind& kind : kDocumentKinds) {
      if (text.starts_with(kind.mark)) return &kind;
    }
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return nullptr;
}

// A header says so in one of its first lines.
Result<bool> is_trace_header(LineReader& lines) {
  constexpr int kLines = 20;
  for (int i = 0; i < kLines; ++i) {
    if (lines.line().starts_with("trace_version:")) return true;
    Result<bool> more = lines.next();
    if (!more || !*more) return more;
  }
  return false;
}

}  // namespace

bool is_history_file(const std::string& path) { return is_history(beginning_of(path)); }

Result<void> check_is_for(std::string_view verb, const std::string& file, std::string_view text) {
  if (is_history(text)) {
    return fail_in(ErrorKind::spec, file, "this looks like a history of demand",
                   hint_for_history(file));
  }
  const DocumentKind* kind = kind_of(text);
  if (kind == nullptr || kind->verb == verb) return {};
  std::string hint =
      "plimsoll " + fmt::format(fmt::runtime(kind->command), shell_quoted(file)) + " reads it";
  if (verb == "plan" && kind->verb == "run")
    hint += "; a plan takes it as --workload-spec " + shell_quoted(file);
  if (kind->verb == "list")
    hint += "; a " + std::string(verb) + " takes it as --price-file " + shell_quoted(file);
  if (verb == "forecast" && kind->verb == "replay")
    hint += "; a forecast reads a trace as the file of its \"history\"";
  return fail_in(ErrorKind::spec, file,
                 fmt::format("this looks like {}, not like {}", kind->what,
                             verb == "plan" ? "the request of a plan" : "a forecast"),
                 std::move(hint));
}

Result<void> name_input(const std::string& path, TrafficSpec* traffic) {
  if (traffic->trace.format) {  // it was said
    traffic->trace.path = path;
    return {};
  }
  TRY_TO(check_readable_twice(path));
  TRY(lines, LineReader::open(path));
  TRY(any, lines.next());
  if (!any && !is_yaml(path)) {
    return fail_at(ErrorKind::spec, path, 1, "the file is empty",
                   "a trace, or a workload specification");
  }
  const std::string first(lines.line());
  if (is_yaml(path)) {
    TRY(is_header, is_trace_header(lines));
    if (is_header) {
      traffic->trace.header = path;
      traffic->trace.data = with_ending(path, ".csv");
    } else {
      traffic->workload_spec = path;
    }
    return {};
  }
  if (first.find("request_id") != std::string::npos) {
    traffic->trace.data = path;
    traffic->trace.header = with_ending(path, ".yaml");
    return {};
  }
  if (const auto format = format_of(first)) {
    traffic->trace.path = path;
    traffic->trace.format = format;
    return {};
  }
  if (path.ends_with(".json")) {
    traffic->workload_spec = path;
    return {};
  }
  if (is_history(first)) {
    return fail(ErrorKind::usage, path + " is a history of demand, which cannot be simulated",
                hint_for_history(path));
  }
  return fail(ErrorKind::usage, path + ": unrecognized format",
              "name it with --trace FILE --trace-format NAME, or with --workload-spec FILE");
}

}  // namespace plimsoll
