// `plimsoll validate`: how far are predictions from what was measured?
#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/hf_config.h"
#include "cli/console.h"
#include "cli/hub.h"
#include "cli/parse.h"
#include "cli/run_functions.h"
#include "perf/latency_models.h"
#include "report/validation.h"
#include "validation/case_reader.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

struct FoundModel {
  ModelConfig config;
  Sampling sampling = Sampling::greedy;
};

// In the catalog, beside the folder of cases (model-configs/OWNER--NAME), or in a cache.
Result<FoundModel> find_case_model(const std::string& id, const std::string& folder) {
  auto listed = find_model(id);
  if (listed) return FoundModel{std::move(listed->config), listed->sampling};
  std::string name = id;
  if (const std::size_t slash = name.find('/'); slash != std::string::npos) {
    name.replace(slash, 1, "--");
  }
  const fs::path cases = fs::absolute(folder).lexically_normal().parent_path();
  const fs::path beside = cases.parent_path() / "model-configs" / name / "config.json";
  std::error_code error;
  if (fs::exists(beside, error)) {
    auto config = read_model_config(beside.string(), id);
    if (!config) return pass_on(config);
    return FoundModel{std::move(*config), Sampling::greedy};
  }
  if (!is_hub_id(id)) return pass_on(listed);
  auto cached = find_hub_model(id, true);
  if (!cached) return pass_on(cached);
  return FoundModel{std::move(cached->config), Sampling::greedy};
}

// Clients of closed-loop benchmarks ask for temperature 0; others leave it to the server.
Sampling sampling_of(const Case& measured, const FoundModel& model, const Options& options) {
  if (options.sampling) return *options.sampling;
  const bool open_loop = measured.kind == CaseKind::trace || measured.kind == CaseKind::stages;
  return open_loop && measured.observed_by_client ? model.sampling : Sampling::greedy;
}

Result<CaseResult> validate_folder(const std::string& folder, const Options& options) {
  auto measured = read_case(folder);
  if (!measured) return pass_on(measured);
  auto model = find_case_model(measured->deployment.model, folder);
  if (!model) return pass_on(model);
  ValidationOptions how;
  how.latency_model = options.latency_model.value_or(Semantics::vllm().latency_model);
  how.sampling = sampling_of(*measured, *model, options);
  return validate_case(*measured, model->config, how);
}

std::string one_line(const Error& error) {
  const Diagnostic& first = error.diagnostics.front();
  const std::string place =
      first.file.empty() ? "" : first.file + ":" + std::to_string(first.line) + ": ";
  return place + first.message;
}

}  // namespace

int validate_verb(const Command& command) {
  const Options& options = command.options;
  std::vector<std::string> folders;
  for (const std::string& path : command.arguments) {
    auto found = find_cases(path);
    if (!found) return report(found.error());
    folders.insert(folders.end(), found->begin(), found->end());
  }
  Validation validation;
  for (const std::string& folder : folders) {
    auto result = validate_folder(folder, options);
    if (result) {
      validation.cases.push_back(std::move(*result));
    } else if (folders.size() == 1) {
      return report(result.error());
    } else {
      validation.skipped.push_back(
          {fs::path(folder).filename().string(), one_line(result.error())});
    }
  }
  return print_result(options.json ? validation_json(validation) : validation_text(validation));
}

}  // namespace plimsoll
