// `plimsoll describe`: what does this workload look like?
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/console.h"
#include "cli/input_file.h"
#include "cli/parse.h"
#include "cli/run_functions.h"
#include "cli/style.h"
#include "cli/traffic.h"
#include "metrics/workload_shape.h"
#include "report/describe.h"

namespace plimsoll {
namespace {

/// Of a workload that has no end of its own.
constexpr std::int64_t kEnough = 100'000;

bool says_what_arrives(const Options& options) {
  return std::any_of(flags().begin(), flags().end(), [&](const Flag& flag) {
    const bool named = flag.group == FlagGroup::workload || flag.group == FlagGroup::trace;
    return named && options.is_given(flag.name);
  });
}

Result<void> check_input(const Command& command) {
  if (command.arguments.empty()) {
    if (says_what_arrives(command.options)) return {};
    return fail(ErrorKind::usage, "describe what?",
                "a file with a trace or a workload specification, or flags such as --workload");
  }
  for (const char* flag : {"--workload-spec", "--workload", "--trace", "--trace-format",
                           "--trace-header", "--trace-data"}) {
    if (command.options.is_given(flag)) {
      return fail(
          ErrorKind::usage,
          "the workload is " + command.arguments[0] + ", or that of " + std::string(flag) + "?",
          "give one of them");
    }
  }
  return {};
}

std::string next_command(const Options& options) {
  const std::string model = " --model qwen/qwen3-14b";
  if (!options.trace.empty()) {
    return "plimsoll replay" + model + " --trace " + shell_quoted(options.trace) +
           " --trace-format " + name_of(trace_formats(), *options.trace_format);
  }
  if (!options.trace_header.empty()) {
    return "plimsoll replay" + model + " --trace-header " + shell_quoted(options.trace_header) +
           " --trace-data " + shell_quoted(options.trace_data);
  }
  if (!options.workload_spec.empty()) {
    return "plimsoll run" + model + " --workload-spec " + shell_quoted(options.workload_spec);
  }
  std::string command = "plimsoll run" + model;
  for (const auto& [flag, value] : options.given) {
    if (flag != "--json" && flag != "--color" && flag != "--quiet") {
      command += " " + flag + " " + shell_quoted(value);
    }
  }
  return command;
}

}  // namespace

int describe_verb(const Command& command) {
  if (auto checked = check_input(command); !checked) return report(checked.error());
  Options options = command.options;
  if (!command.arguments.empty()) {
    if (auto named = name_input(command.arguments[0], &options); !named) {
      return report(named.error());
    }
  }
  auto traffic = any_traffic(options, {});
  if (!traffic) return report(traffic.error());
  // The notes on a trace are about models that do not match the deployment; here is none.
  if (!asks_for_recorded(options)) print_notes(options, traffic->notes);

  ShapeOptions shape_options;
  shape_options.horizon = traffic->horizon;
  if (!traffic->requests && traffic->horizon == kNever) shape_options.most_requests = kEnough;
  const WorkloadShape shape = shape_of(*traffic->source, shape_options);

  ShapeNotes notes;
  notes.block_tokens = shape_options.block_tokens;
  notes.next_command = next_command(options);
  if (traffic->source->reacts()) {
    notes.assumed.push_back(fmt::format("in closed loops an answer takes {:.0f} ms per token",
                                        to_ms(shape_options.time_per_token)));
  }
  if (options.json) return print_result(shape_json(shape, notes));
  return print_result(options.quiet ? shape_verdict(shape)
                                    : shape_text(shape, notes, style_of_stdout(options.color)));
}

}  // namespace plimsoll
