#include "cli/spec_output.h"

#include <string>

#include "base/file.h"
#include "base/replacement_file.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/style.h"
#include "workload/workload_spec.h"

namespace plimsoll {
namespace {

int write_spec(const std::string& text, const WorkloadSpec& spec, const std::string& path) {
  if (auto written = replace_file(path, text); !written) return report(written.error());
  return print_result(counted(std::ssize(spec.clients), "client") + " and " +
                      counted(std::ssize(spec.cohorts), "cohort") + " written to " + path + "\n");
}

}  // namespace

int print_spec(const WorkloadSpec& spec, const Command& command) {
  const Options& options = command.options;
  const std::string text = workload_spec_yaml(spec);
  if (std::ssize(text) > kMaxSpecFileBytes) {
    return report({ErrorKind::spec,
                   {{{},
                     0,
                     0,
                     "the specification would have " + grouped(std::ssize(text)) +
                         " bytes; at most " + grouped(kMaxSpecFileBytes) + " are read",
                     "convert a part of it",
                     {}}}});
  }
  const auto again = parse_workload_spec(text, "the result");
  if (!again) return report(again.error());
  print_notes(options, spec.notes);
  return options.conversion.output.empty() ? print_result(text)
                                           : write_spec(text, spec, options.conversion.output);
}

}  // namespace plimsoll
