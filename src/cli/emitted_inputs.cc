#include "cli/emitted_inputs.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "base/lists.h"
#include "cli/flags.h"
#include "workload/workload_spec.h"

namespace plimsoll {
namespace {

constexpr const char* kCalibrationFile = "calibration.yaml";
constexpr const char* kWorkloadFile = "workload.yaml";

std::string beside_script(const std::string& flag, const std::string& file) {
  return fmt::format(" {} \"$HERE/{}\"", flag, file);
}

Result<std::string> alone(const std::string& specification) {
  TRY(spec, read_workload_spec(specification));
  inline_lengths(&spec);
  return workload_spec_yaml(spec);
}

// A value may be the content of a file, too: of a fleet.
std::string with_whole_path(const std::string& name, const std::string& value) {
  const Flag* flag = find_in(flags(), name, &Flag::name);
  std::error_code failed;
  const bool is_path =
      flag != nullptr && flag->takes_path() && std::filesystem::exists(value, failed);
  if (!is_path) return name + "=" + value;
  const std::filesystem::path whole = std::filesystem::absolute(value, failed);
  return name + "=" + (failed ? value : whole.lexically_normal().string());
}

}  // namespace

std::vector<DeploymentFile> possible_inputs() {
  return {{kCalibrationFile, {}}, {kWorkloadFile, {}}};
}

Result<EmittedInputs> emitted_inputs(const std::vector<std::string>& flags,
                                     const std::optional<std::string>& calibration) {
  EmittedInputs inputs;
  for (const std::string& flag : flags) {
    const std::size_t equals = flag.find('=');
    const std::string name = flag.substr(0, equals);
    if (calibration && (name == "--profile" || name == "--telemetry")) continue;
    if (equals == std::string::npos) {
      inputs.flags.push_back(flag);
      continue;
    }
    const std::string value = flag.substr(equals + 1);
    if (name == "--workload-spec") {
      TRY(text, alone(value));
      if (std::ssize(text) <= kMaxSpecFileBytes) {
        inputs.files.push_back({kWorkloadFile, std::move(text)});
        inputs.traffic_words = beside_script(name, kWorkloadFile);
        continue;
      }
    }
    inputs.flags.push_back(with_whole_path(name, value));
  }
  inputs.run_words = inputs.traffic_words;
  if (calibration) {
    inputs.files.push_back({kCalibrationFile, *calibration});
    inputs.run_words += beside_script("--calibration", kCalibrationFile);
  }
  return inputs;
}

}  // namespace plimsoll
