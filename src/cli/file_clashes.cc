#include "cli/file_clashes.h"

#include <filesystem>
#include <string_view>
#include <vector>

#include "cli/flags.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

struct NamedFile {
  std::string flag;
  std::string path;
};

std::vector<NamedFile> files_of_prefix(const char* flag, const std::string& prefix) {
  return {{flag, prefix + ".csv"}, {flag, prefix + ".yaml"}};
}

std::vector<NamedFile> outputs_of(const Command& command) {
  const Options& options = command.options;
  std::vector<NamedFile> files{{"--results-path", options.results_path},
                               {"--metrics-path", options.metrics_path},
                               {"--saturation-report", options.saturation_report},
                               {"--timeline", options.timeline},
                               {"--decisions-output", options.decisions_output},
                               {"--html", options.html_path},
                               {"--summary", options.summary_path},
                               {"--journal", options.journal_path},
                               {"--resume", options.resume_path}};
  const auto add_prefix = [&](const char* flag, const std::string& prefix) {
    if (prefix.empty()) return;
    for (const NamedFile& file : files_of_prefix(flag, prefix)) files.push_back(file);
  };
  add_prefix("--trace-output", options.trace_output);
  if (command.verb.has(FlagGroup::trace_output)) {
    add_prefix("--output", options.output);
  } else {
    files.push_back({"--output", options.output});
  }
  std::erase_if(files, [](const NamedFile& file) { return file.path.empty(); });
  return files;
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (fs::exists(a, ignored) && !fs::is_regular_file(a, ignored)) return false;
  const fs::path canonical = fs::weakly_canonical(fs::absolute(a, ignored), ignored);
  return canonical == fs::weakly_canonical(fs::absolute(b, ignored), ignored);
}

}  // namespace

std::vector<InputFile> inputs_of(const Command& command) {
  const Options& options = command.options;
  std::vector<InputFile> files{{"--model-config", options.model_config},
                               {"--hardware-config", options.hardware_config},
                               {"--price-file", options.price_file},
                               {"--policy-config", options.policy_config},
                               {"--saturation-config", options.saturation_config},
                               {"--workload-spec", options.workload_spec},
                               {"--trace", options.trace},
                               {"--trace-header", options.trace_header},
                               {"--trace-data", options.trace_data},
                               {"--spec", options.import_spec},
                               {"--calibration", options.calibration},
                               {"--profile", options.profile},
                               {"--telemetry", options.telemetry},
                               {"--actuals", options.actuals},
                               {"--diff", options.diff_path},
                               {"--ca-file", options.http_limits.ca_file}};
  for (const std::string& file : command.arguments) {
    files.push_back({std::string(command.verb.name), file});
  }
  for (const std::string& file : options.from) files.push_back({"--from", file});
  std::erase_if(files, [](const InputFile& file) { return file.path.empty(); });
  return files;
}

Result<void> check_file_clashes(const Command& command, const std::vector<InputFile>& more) {
  const std::vector<NamedFile> outputs = outputs_of(command);
  std::vector<InputFile> inputs = inputs_of(command);
  inputs.insert(inputs.end(), more.begin(), more.end());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedFile& output = outputs[i];
    for (const InputFile& input : inputs) {
      if (input.path.empty() || !is_same_file(output.path, input.path)) continue;
      return fail(ErrorKind::usage,
                  output.flag + " would overwrite " + input.path + ", which " + input.by + " reads",
                  "give another name");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_same_file(output.path, outputs[j].path)) continue;
      return fail(ErrorKind::usage,
                  outputs[j].flag + " and " + output.flag + " would both write " + output.path);
    }
  }
  return {};
}

}  // namespace plimsoll
