// `plimsoll compose`: what happens when these workloads run together?
#include "workload/compose.h"
#include "cli/parse.h"
#include "cli/run_functions.h"
#include "cli/spec_output.h"
#include "workload/workload_spec.h"

namespace plimsoll {

Result<int> compose_verb(const Command& command) {
  const Options& options = command.options;
  if (options.conversion.from.empty()) {
    return fail(ErrorKind::usage, "no specification given",
                "give --from FILE, once for each specification");
  }
  std::vector<NamedSpec> parts;
  Error errors{ErrorKind::spec, {}};
  for (const std::string& file : options.conversion.from) {
    auto spec = read_workload_spec(file);
    if (spec) {
      parts.push_back({file, std::move(*spec)});
      continue;
    }
    errors.kind = spec.error().kind;
    for (Diagnostic& diagnostic : spec.error().diagnostics) {
      errors.diagnostics.push_back(std::move(diagnostic));
    }
  }
  if (!errors.diagnostics.empty()) return tl::unexpected<Error>(errors);
  TRY(whole, compose(std::move(parts)));
  return print_spec(whole, command);
}

}  // namespace plimsoll
