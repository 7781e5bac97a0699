#include "cli/input_file.h"

#include <filesystem>
#include <string_view>
#include <utility>

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

bool is_yaml(const std::string& path) {
  return path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json");
}

std::string with_ending(const std::string& path, const char* ending) {
  return std::filesystem::path(path).replace_extension(ending).string();
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

Result<void> name_input(const std::string& path, Options* options) {
  Result<LineReader> lines = LineReader::open(path);
  if (!lines) return pass_on(lines);
  Result<bool> any = lines->next();
  if (!any) return pass_on(any);
  const std::string first(lines->line());
  if (is_yaml(path)) {
    Result<bool> header = is_trace_header(*lines);
    if (!header) return pass_on(header);
    if (*header) {
      options->trace_header = path;
      options->trace_data = with_ending(path, ".csv");
    } else {
      options->workload_spec = path;
    }
    return {};
  }
  if (first.find("request_id") != std::string::npos) {
    options->trace_data = path;
    options->trace_header = with_ending(path, ".yaml");
    return {};
  }
  for (const auto& [mark, format] : kMarks) {
    if (first.find(mark) == std::string::npos) continue;
    options->trace = path;
    options->trace_format = format;
    return {};
  }
  return fail(ErrorKind::usage, path + " looks like no format that Plimsoll knows",
              "name it with --trace FILE --trace-format NAME, or with --workload-spec FILE");
}

}  // namespace plimsoll
