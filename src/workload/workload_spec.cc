#include "workload/workload_spec.h"

#include <filesystem>
#include <utility>

#include "base/lists.h"
#include "workload/compose.h"
#include "workload/inference_perf.h"
#include "workload/servegen.h"

namespace plimsoll {
namespace {

Result<WorkloadSpec> import_servegen(const WorkloadSpec& spec, const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  TRY(data, read_servegen((folder / spec.servegen->path).string()));
  ServegenOptions options;
  options.window_duration_s = spec.servegen->window_duration_s;
  options.drain_timeout_s = spec.servegen->drain_timeout_s;
  if (spec.seed) options.seed = *spec.seed;
  return servegen_cohorts(data, options);
}

}  // namespace

std::vector<LengthDistribution*> lengths_of(ClientSpec* client) {
  std::vector<LengthDistribution*> all{&client->input, &client->output};
  const auto add = [&](std::optional<LengthDistribution>& length) {
    if (length) all.push_back(&*length);
  };
  for (WindowSpec& window : client->windows) {
    add(window.input);
    add(window.output);
  }
  if (client->multimodal) {
    add(client->multimodal->text);
    for (auto* part :
         {&client->multimodal->image, &client->multimodal->audio, &client->multimodal->video}) {
      if (!*part) continue;
      all.push_back(&(*part)->tokens);
      all.push_back(&(*part)->count);
    }
  }
  if (client->reasoning) add(client->reasoning->reason_ratio);
  return all;
}

const PartSpec* WorkloadSpec::part(const std::string& name) const {
  return find_in(parts, name, &PartSpec::name);
}

Result<WorkloadSpec> expand_imports(WorkloadSpec spec, const std::string& file) {
  if (!spec.servegen && !spec.inference_perf) return spec;
  TRY(imported,
      spec.servegen ? import_servegen(spec, file) : expand_inference_perf(*spec.inference_perf));
  spec.servegen.reset();
  spec.inference_perf.reset();
  // An aggregate rate of a specification without cohorts of its own is meant for the import.
  if (spec.cohorts.empty() && spec.aggregate_rate_rps > 0) {
    imported.aggregate_rate_rps = std::exchange(spec.aggregate_rate_rps, 0);
  }
  const WorkloadSpec own = spec;
  std::vector<std::string> notes = own.notes;
  append(&notes, imported.notes);
  std::vector<NamedSpec> parts;
  if (!spec.cohorts.empty()) parts.push_back({file, std::move(spec)});
  parts.push_back({file, std::move(imported)});
  TRY(whole, compose(std::move(parts)));
  if (own.seed) whole.seed = own.seed;
  if (!own.category.empty()) whole.category = own.category;
  if (own.num_requests != kUnlimited) whole.num_requests = own.num_requests;
  if (own.horizon != kNever) whole.horizon = own.horizon;
  whole.goodput_slo_targets = own.goodput_slo_targets;
  whole.notes = std::move(notes);
  return whole;
}

}  // namespace plimsoll
