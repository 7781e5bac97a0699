#include "catalog/catalog.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "catalog/embedded.h"
#include "catalog/hf_config.h"
#include "spec/spec_file.h"

namespace plimsoll {
namespace {

constexpr std::string_view kModels = "models/";
constexpr std::string_view kGpus = "gpus/";
constexpr std::string_view kExtension = ".yaml";

const EmbeddedFile* embedded_file(std::string_view path) {
  for (const EmbeddedFile& file : embedded_catalog()) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

Result<SpecFile> open_embedded(const EmbeddedFile& file) {
  return SpecFile::parse(std::string(file.text), "catalog/" + std::string(file.path));
}

// The names of the files in a folder of the catalog, without folder and extension.
std::vector<std::string> names_in(std::string_view folder) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_catalog()) {
    if (!file.path.starts_with(folder)) continue;
    const std::string_view name = file.path.substr(folder.size());
    names.emplace_back(name.substr(0, name.size() - kExtension.size()));
  }
  return names;
}

std::string path_of(std::string_view folder, std::string_view name) {
  return std::string(folder) + std::string(name) + std::string(kExtension);
}

struct GpuEntry {
  GpuSpec datasheet;
  std::optional<GpuSpec> reference;
  std::vector<std::string> aliases;

  bool answers_to(const std::string& lower_name) const {
    if (to_lower(datasheet.name) == lower_name) return true;
    return std::any_of(aliases.begin(), aliases.end(),
                       [&](const std::string& alias) { return to_lower(alias) == lower_name; });
  }
};

GpuSpec read_gpu_row(SpecMap row, const std::string& name) {
  GpuSpec gpu;
  gpu.name = name;
  gpu.tflops_bf16 = row.number("tflops_bf16", kPositive);
  gpu.tflops_fp8 = row.number("tflops_fp8", kNonNegative);
  gpu.memory_bandwidth_tb_s = row.number("memory_bandwidth_tb_s", kPositive);
  gpu.memory_gib = row.number("memory_gib", kPositive);
  gpu.mfu_prefill = row.number("mfu_prefill", {0, 1, true});
  gpu.mfu_decode = row.number("mfu_decode", {0, 1, true});
  row.text("source");
  row.optional_text("mfu_source");
  return gpu;
}

Result<GpuEntry> read_gpu(const EmbeddedFile& file) {
  auto spec = open_embedded(file);
  if (!spec) return pass_on(spec);
  SpecMap top = spec->top();
  GpuEntry entry;
  const std::string name = top.text("name");
  entry.aliases = top.texts("aliases");
  entry.datasheet = read_gpu_row(top.map("datasheet"), name);
  if (auto row = top.optional_map("reference")) entry.reference = read_gpu_row(*row, name);
  return spec->finish(std::move(entry));
}

// All GPUs: an alias may stand in any file.
Result<std::vector<GpuEntry>> read_all_gpus() {
  std::vector<GpuEntry> entries;
  for (const EmbeddedFile& file : embedded_catalog()) {
    if (!file.path.starts_with(kGpus)) continue;
    auto entry = read_gpu(file);
    if (!entry) return pass_on(entry);
    entries.push_back(std::move(*entry));
  }
  return entries;
}

tl::unexpected<Error> unknown_gpu(std::string_view name, const std::vector<GpuEntry>& entries,
                                  bool reference_only) {
  std::vector<std::string> names;
  std::vector<std::string> all;
  for (const GpuEntry& entry : entries) {
    if (reference_only && !entry.reference) continue;
    names.push_back(entry.datasheet.name);
    all.push_back(entry.datasheet.name);
    all.insert(all.end(), entry.aliases.begin(), entry.aliases.end());
  }
  const std::string nearest = nearest_name(name, all);
  return fail(
      ErrorKind::usage, "unknown GPU \"" + std::string(name) + "\"",
      nearest.empty() ? "known GPUs: " + join(names, ", ") : "did you mean \"" + nearest + "\"?");
}

Result<CatalogModel> read_model(const EmbeddedFile& file, const std::string& id) {
  auto spec = open_embedded(file);
  if (!spec) return pass_on(spec);
  SpecMap top = spec->top();
  CatalogModel model;
  model.source = top.text("source");
  model.default_gpu = top.text("default_gpu");
  model.default_tp = top.integer("default_tp", {1});
  model.defaults_source = top.text("defaults_source");
  model.config = model_config_from(top.map("config"), id);
  return spec->finish(std::move(model));
}

}  // namespace

std::vector<std::string> model_names() { return names_in(kModels); }

Result<CatalogModel> find_model(std::string_view name) {
  const std::string wanted = to_lower(name);
  const std::vector<std::string> ids = model_names();
  std::vector<std::string> matches;
  for (const std::string& id : ids) {
    if (id == wanted || id.substr(id.find('/') + 1) == wanted) matches.push_back(id);
  }
  if (matches.size() == 1) {
    return read_model(*embedded_file(path_of(kModels, matches[0])), matches[0]);
  }
  if (matches.size() > 1) {
    return fail(ErrorKind::usage, "\"" + std::string(name) + "\" names several models",
                "write one of: " + join(matches, ", "));
  }
  const std::string nearest = nearest_name(name, ids);
  return fail(ErrorKind::usage, "unknown model \"" + std::string(name) + "\"",
              (nearest.empty() ? "" : "did you mean \"" + nearest + "\"? ") +
                  std::string("`plimsoll list models` shows all; --model-config reads the "
                              "config.json of any other"));
}

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  if (auto entries = read_all_gpus()) {
    for (const GpuEntry& entry : *entries) names.push_back(entry.datasheet.name);
  }
  return names;
}

Result<GpuSpec> find_gpu(std::string_view name, SemanticsMode mode) {
  const std::string wanted = to_lower(name);
  std::vector<GpuEntry> entries;
  if (const EmbeddedFile* file = embedded_file(path_of(kGpus, wanted))) {
    auto entry = read_gpu(*file);
    if (!entry) return pass_on(entry);
    entries.push_back(std::move(*entry));
  } else {
    auto all = read_all_gpus();
    if (!all) return pass_on(all);
    entries = std::move(*all);
  }
  const bool reference = mode == SemanticsMode::blis;
  for (const GpuEntry& entry : entries) {
    if (!entry.answers_to(wanted)) continue;
    if (!reference) return entry.datasheet;
    if (entry.reference) return *entry.reference;
    return fail(ErrorKind::usage,
                "the reference simulator does not know the GPU " + entry.datasheet.name,
                "leave out --semantics blis, or give its figures with --hardware-config");
  }
  return unknown_gpu(name, entries, reference);
}

Result<Coefficients> find_blackbox_row(std::string_view model_id, std::string_view gpu,
                                       std::int64_t tp) {
  auto spec = open_embedded(*embedded_file("blackbox.yaml"));
  if (!spec) return pass_on(spec);
  SpecMap top = spec->top();
  top.text("source");
  const std::string wanted = to_lower(model_id);
  std::optional<Coefficients> found;
  std::vector<std::string> others;
  for (SpecMap row : top.maps("rows")) {
    const std::string model = row.text("model");
    const std::string row_gpu = row.text("gpu");
    const std::int64_t row_tp = row.integer("tp", {1});
    row.text("vllm");
    Coefficients coefficients{row.numbers("alpha", kNonNegative),
                              row.numbers("beta", kNonNegative)};
    if (model != wanted) continue;
    if (row_gpu == gpu && row_tp == tp && !found) found = std::move(coefficients);
    others.push_back(row_gpu + " TP " + std::to_string(row_tp));
  }
  if (found) return spec->finish(std::move(*found));
  if (!spec->ok()) return spec->finish(Coefficients{});
  return fail(ErrorKind::usage,
              "no blackbox coefficients for " + wanted + " on " + std::string(gpu) + " at TP " +
                  std::to_string(tp),
              others.empty() ? "give them with --alpha-coeffs and --beta-coeffs, or use another "
                               "--latency-model"
                             : "there are some for: " + join(others, ", "));
}

Result<Coefficients> trained_physics_coefficients() {
  auto spec = open_embedded(*embedded_file("trained_physics.yaml"));
  if (!spec) return pass_on(spec);
  SpecMap top = spec->top();
  top.text("source");
  return spec->finish(
      Coefficients{top.numbers("alpha", kNonNegative), top.numbers("beta", kNonNegative)});
}

}  // namespace plimsoll
