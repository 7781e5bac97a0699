#include "cli/plan_question.h"

#include "base/lists.h"
#include "workload/workload_spec.h"

namespace plimsoll {
namespace {

// Files that decide the answer, each once: of flags, of the request, and those that a specification
// of the traffic names in turn.
std::vector<std::string> paths_of(const Command& command, const PlanRequest& request) {
  std::vector<std::string> paths = deciding_files(command);
  const auto add = [&](const std::string& path) {
    if (!path.empty()) add_once(&paths, path);
  };
  for (const std::string& path : {request.profile, request.telemetry, request.calibration,
                                  request.workload_spec, request.economics.price_file}) {
    add(path);
  }
  for (const std::string& spec :
       {request.workload_spec, command.options.run.traffic.workload_spec}) {
    if (spec.empty()) continue;
    for (const std::string& path : files_named_by_workload_spec(spec)) add(path);
  }
  return paths;
}

}  // namespace

std::vector<FileDigest> files_behind(const Command& command, const PlanRequest& request) {
  constexpr std::size_t kShown = 16;
  return mapped(paths_of(command, request), [](const std::string& path) {
    return FileDigest{path, digest_of_file(path).substr(0, kShown)};
  });
}

JournalHead plan_question(const Command& command, const std::vector<PlanRequest>& requests,
                          const std::string& request_text) {
  std::vector<std::string> files;
  for (const PlanRequest& request : requests) {
    append(&files, paths_of(command, request));
    append(&files, cached_configs({request.model, command.options.run.speculation.draft_model}));
  }
  return question_of(command, {request_text}, files);
}

}  // namespace plimsoll
