#include "catalog/catalog.h"

#include <algorithm>

#include "base/command_files.h"
#include "base/text.h"
#include "catalog/embedded.h"
#include "catalog/hf_config.h"
#include "spec/spec_file.h"

namespace plimsoll {
namespace {

constexpr std::string_view kModels = "models/";

// It is written into scripts and manifests, and asked for on the web.
bool is_name_of_hub(std::string_view name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";
  const bool starts_with_word = !name.empty() && kAllowed.find(name.front()) < kAllowed.size() - 4;
  return starts_with_word && !name.ends_with('/') && std::ranges::count(name, '/') <= 1 &&
         name.find_first_not_of(kAllowed) == name.npos;
}

Result<CatalogModel> read_model(const std::string& path, const std::string& id) {
  TRY(spec, open_embedded(path));
  SpecMap top = spec.top();
  CatalogModel model;
  model.hub_id = top.optional_text("hub_id").value_or(id);
  if (!is_name_of_hub(model.hub_id)) {
    top.error("hub_id", "model hubs have no name \"" + model.hub_id + "\"",
              "names are of letters, digits, dots, - and _, as in Qwen/Qwen3-14B");
  }
  top.prose("source");
  model.default_gpu = top.text("default_gpu");
  model.default_tp = top.integer("default_tp", {1});
  top.prose("defaults_source");
  if (top.optional_choice("sampling", {"greedy", "top-p"}).value_or("greedy") == "top-p") {
    model.sampling = Sampling::top_p;
  }
  model.config = model_config_from(top.map("config"), id);
  return spec.finish(std::move(model));
}

Result<CatalogModel> read_model_called(std::string_view name) {
  const std::string wanted = to_lower(name);
  const std::vector<std::string> ids = model_names();
  std::vector<std::string> matches;
  for (const std::string& id : ids) {
    if (id == wanted || id.substr(id.find('/') + 1) == wanted) matches.push_back(id);
  }
  if (matches.size() == 1) {
    return read_model(embedded_path(kModels, matches[0]), matches[0]);
  }
  if (matches.size() > 1) {
    return fail(ErrorKind::usage, "\"" + std::string(name) + "\" names several models",
                "write one of: " + join(matches, ", "));
  }
  std::vector<std::string> names = ids;
  for (const std::string& id : ids) names.push_back(id.substr(id.find('/') + 1));
  const std::string nearest = nearest_name(name, names);
  return fail(ErrorKind::usage, "unknown model \"" + std::string(name) + "\"",
              (nearest.empty() ? "" : "did you mean \"" + nearest + "\"? ") +
                  "`plimsoll list models` shows all" +
                  unless_sealed("; --model-config reads the config.json of any other"));
}

}  // namespace

std::vector<std::string> model_names() { return embedded_names(kModels); }

Result<CatalogModel> find_model(std::string_view name) {
  static Remembered<CatalogModel> known;
  return known.of(std::string(name), [&] { return read_model_called(name); });
}

Result<Coefficients> find_blackbox_row(std::string_view model_id, std::string_view gpu,
                                       std::int64_t tp) {
  TRY(spec, open_embedded("blackbox.yaml"));
  SpecMap top = spec.top();
  top.prose("source");
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
  if (found) return spec.finish(std::move(*found));
  if (!spec.ok()) return spec.finish(Coefficients{});
  return fail(ErrorKind::usage,
              "no blackbox coefficients for " + wanted + " on " + std::string(gpu) + " at TP " +
                  std::to_string(tp),
              others.empty() ? "give them with --alpha-coeffs and --beta-coeffs, or use another "
                               "--latency-model"
                             : "there are some for: " + join(others, ", "));
}

Result<Coefficients> trained_physics_coefficients() {
  TRY(spec, open_embedded("trained_physics.yaml"));
  SpecMap top = spec.top();
  top.prose("source");
  return spec.finish(
      Coefficients{top.numbers("alpha", kNonNegative), top.numbers("beta", kNonNegative)});
}

}  // namespace plimsoll
