#include "setup/case_model.h"

#include <filesystem>

#include "catalog/catalog.h"
#include "catalog/hf_config.h"
#include "setup/hub.h"

namespace plimsoll {

namespace fs = std::filesystem;

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

Sampling sampling_of(const Case& measured, const FoundModel& model, const RunSpec& run) {
  if (run.step_time.sampling) return *run.step_time.sampling;
  const bool open_loop = measured.kind == CaseKind::trace || measured.kind == CaseKind::stages;
  return open_loop && measured.observed_by_client ? model.sampling : Sampling::greedy;
}

}  // namespace plimsoll
