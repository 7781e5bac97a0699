// `plimsoll replay`: what happens when this recorded traffic is replayed? Traffic comes from a
// trace.
#include "base/quoting.h"
#include "cli/parse.h"
#include "cli/run_functions.h"
#include "cli/simulate.h"
#include "setup/input_file.h"

namespace plimsoll {
namespace {

// `replay FILE`: as if the flags that name this trace had been given.
Result<Command> with_named_trace(Command command) {
  const std::string path = command.arguments.front();
  Options& options = command.options;
  TraceSpec& trace = options.run.traffic.trace;
  const std::pair<const char*, const std::string*> said[]{
      {"--trace", &trace.path}, {"--trace-header", &trace.header}, {"--trace-data", &trace.data}};
  for (const auto& [flag, file] : said) {
    if (file->empty()) continue;
    return fail(ErrorKind::usage,
                "the trace is " + path + ", or that of " + std::string(flag) + "?",
                "give one of them");
  }
  TRY_TO(name_input(path, &options.run.traffic));
  if (!options.run.traffic.workload_spec.empty()) {
    return fail(ErrorKind::usage, path + " is a workload specification, not a trace",
                "plimsoll run --workload-spec " + shell_quoted(path));
  }
  command.arguments.clear();
  return command;
}

}  // namespace

Result<int> replay_verb(const Command& command) {
  if (command.arguments.empty()) return simulating_verb(command, recorded_traffic);
  TRY(named, with_named_trace(command));
  return simulating_verb(named, recorded_traffic);
}

}  // namespace plimsoll
