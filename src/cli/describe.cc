// `plimsoll describe`: what does this workload look like?
#include <fmt/format.h>

#include <algorithm>

#include "base/quoting.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/run_functions.h"
#include "cli/style.h"
#include "cli/typed_flags.h"
#include "metrics/workload_shape.h"
#include "report/run/terminal.h"
#include "setup/input_file.h"
#include "setup/traffic.h"

namespace plimsoll {
namespace {

/// Of a workload whose number of requests nobody says: days and weeks, or users who wait for
/// answers and send what fits into their horizon.
constexpr std::int64_t kMost = 5'000'000;

bool says_what_arrives(const Options& options) {
  return std::any_of(flags().begin(), flags().end(), [&](const Flag& flag) {
    const bool named = flag.group == FlagGroup::workload || flag.group == FlagGroup::trace;
    return named && flag.value.origin(options) == Origin::asked;
  });
}

Result<void> check_input(const Command& command) {
  if (command.arguments.empty()) {
    if (says_what_arrives(command.options)) return {};
    return fail(
        ErrorKind::usage, "nothing to describe",
        "name a file with a trace or a workload specification, or give flags such as --workload");
  }
  for (const char* flag :
       {"--workload-spec", "--workload", "--trace", "--trace-header", "--trace-data"}) {
    if (is_given(command.options, flag)) {
      return fail(
          ErrorKind::usage,
          "the workload is " + command.arguments[0] + ", or that of " + std::string(flag) + "?",
          "give one of them");
    }
  }
  return {};
}

// Whose length limit fits the longest request, where there is one.
std::string model_for(const WorkloadShape& shape) {
  constexpr const char* kModels[]{"qwen/qwen3-14b", "llama-3.1-8b-instruct",
                                  "meta-llama/llama-4-scout-17b-16e-instruct"};
  const std::int64_t longest = shape.prompt.max + shape.output.max;
  for (const char* name : kModels) {
    const auto model = find_model(name);
    if (model && model->config.max_model_len >= longest) return name;
  }
  return kModels[0];
}

// Some formats have lengths only; in others the columns may be absent.
bool tells_prefixes(const Options& options, const Traffic& traffic) {
  return !options.run.traffic.trace.is_asked() || !traffic.workload->prefix_begin.empty();
}

std::string page_title(const TrafficSpec& traffic) {
  for (const std::string& file :
       {std::string(traffic.trace.path), std::string(traffic.trace.header),
        std::string(traffic.workload_spec)}) {
    if (!file.empty()) return "Workload of " + file;
  }
  return "Workload";
}

std::string next_command(const Options& options, const WorkloadShape& shape) {
  const std::string model = " --model " + model_for(shape);
  if (!options.run.traffic.trace.path.empty()) {
    return "plimsoll replay" + model + " --trace " + shell_quoted(options.run.traffic.trace.path) +
           " --trace-format " + name_of(trace_formats(), *options.run.traffic.trace.format);
  }
  if (!options.run.traffic.trace.header.empty()) {
    return "plimsoll replay" + model + " --trace-header " +
           shell_quoted(options.run.traffic.trace.header) + " --trace-data " +
           shell_quoted(options.run.traffic.trace.data);
  }
  if (!options.run.traffic.workload_spec.empty()) {
    const std::string rate = options.run.traffic.rate_rps.is_asked()
                                 ? " --rate " + shortest(options.run.traffic.rate_rps)
                                 : "";
    return "plimsoll run" + model + " --workload-spec " +
           shell_quoted(options.run.traffic.workload_spec) + rate;
  }
  return "plimsoll run" + model +
         typed_flags(options, [](const Flag& flag) { return !decides_nothing(flag.group); });
}

}  // namespace

Result<int> describe_verb(const Command& command) {
  TRY_TO(check_input(command));
  Options options = command.options;
  if (!command.arguments.empty()) {
    TRY_TO(name_input(command.arguments[0], &options.run.traffic));
  }
  TRY(traffic, any_traffic(options.run, {}));
  // The notes on a trace are about models that do not match the deployment; here is none.
  if (!options.run.traffic.trace.is_asked()) print_notes(options, traffic.notes);

  ShapeOptions shape_options;
  shape_options.horizon = traffic.horizon;
  if (!traffic.requests) shape_options.most_requests = kMost;
  const WorkloadShape shape = shape_of(*traffic.source, shape_options);

  ShapeNotes notes;
  notes.block_tokens = shape_options.block_tokens;
  notes.prefixes_are_known = tells_prefixes(options, traffic);
  notes.next_command = next_command(options, shape);
  if (traffic.source->reacts()) {
    notes.assumed.push_back(fmt::format("in closed loops an answer takes {:.0f} ms per token",
                                        to_ms(shape_options.time_per_token)));
  }
  const auto text = [&](const Style& style) { return shape_text(shape, notes, style); };
  return hand_over(
      in_form_asked_for(options.console, {[&] { return shape_json(shape, notes); },
                                          [&] { return shape_verdict(shape, notes); }, text}),
      page_of(command, page_title(options.run.traffic), text));
}

}  // namespace plimsoll
