#include "cli/spec_output.h"

#include <string>

#include "base/file.h"
#include "base/replacement_file.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/style.h"

namespace plimsoll {
namespace {

Result<int> write_spec(const std::string& text, const WorkloadSpec& spec, const std::string& path) {
  TRY_TO(replace_file(path, text));
  std::vector<std::string> parts;
  if (!spec.clients.empty()) parts.push_back(counted(std::ssize(spec.clients), "client"));
  if (!spec.cohorts.empty()) parts.push_back(counted(std::ssize(spec.cohorts), "cohort"));
  return print_result(join(parts, " and ") + " written to " + path + "\n");
}

}  // namespace

Result<int> print_spec(const WorkloadSpec& spec, const Command& command) {
  const Options& options = command.options;
  const std::string text = workload_spec_yaml(spec);
  if (std::ssize(text) > kMaxSpecFileBytes) {
    return fail(ErrorKind::spec,
                "the specification would have " + grouped(std::ssize(text)) + " bytes; at most " +
                    grouped(kMaxSpecFileBytes) + " are read",
                "convert a part of it");
  }
  TRY(again, parse_workload_spec(text, "the result"));
  print_notes(options, spec.notes);
  return options.conversion.output.empty() ? print_result(text)
                                           : write_spec(text, spec, options.conversion.output);
}

}  // namespace plimsoll
