#include "setup/chosen_model.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/command_files.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/hf_config.h"
#include "catalog/repackaged.h"
#include "catalog/served_as.h"
#include "setup/hub.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

void serve_as(const std::string& weights, ChosenModel* chosen) {
  const double as_stored = chosen->config.quantization.kv_bytes;
  chosen->config = served_as(std::move(chosen->config), weights);
  chosen->cache_of_format |= chosen->config.quantization.kv_bytes < as_stored;
}

// A checkpoint that has fewer bits than the name asks for is another one.
Result<std::optional<ChosenModel>> repackaging(const std::string& name) {
  const auto repackaged = repackaged_from(name);
  if (!repackaged) return std::nullopt;
  TRY(found, find_model(repackaged->of));
  const std::string& asked = repackaged->weights;
  if (is_narrower(found.config, asked)) return std::nullopt;
  ChosenModel chosen{std::move(found)};
  std::string weights;
  if (!asked.empty() && (asked != "bf16" || is_quantized(chosen.config))) {
    // A checkpoint that says so was given its bits again by whoever published it.
    if (asked == "bf16") chosen.config.quantization = {};
    serve_as(asked, &chosen);
    weights = fmt::format(", with {} weights by its name", asked);
  }
  chosen.note = fmt::format("{} is simulated with the architecture and the length limit of {}{}{}",
                            name, chosen.hub_id, weights,
                            unless_sealed("; --model-config reads its own config.json"));
  chosen.config.id = to_lower(name);
  const bool has_owner = name.find('/') != std::string::npos;
  const std::string owner = chosen.hub_id.substr(0, chosen.hub_id.find('/') + 1);
  chosen.hub_id = has_owner ? name : owner + name;
  return chosen;
}

Result<ChosenModel> from_hub_or_cache(const ModelSpec& asked) {
  TRY(found, find_hub_model(asked.id, asked.offline));
  ChosenModel chosen;
  chosen.config = std::move(found.config);
  chosen.hub_id = asked.id;
  chosen.origin = std::move(found.origin);
  return chosen;
}

Result<ChosenModel> find_chosen(const ModelSpec& asked) {
  if (!asked.config.empty()) {
    TRY(config, read_model_config(asked.config, asked.id));
    ChosenModel chosen;
    chosen.config = std::move(config);
    chosen.origin = "file";
    return chosen;
  }
  if (asked.id->empty()) {
    return fail(ErrorKind::usage, "no model given",
                "give --model ID" + unless_sealed(" or --model-config FILE") +
                    "; `plimsoll list models` shows those that are built in");
  }
  auto found = find_model(*asked.id);
  if (found) return ChosenModel{std::move(*found)};
  if (is_hub_id(asked.id) && cached_config(asked.id)) return from_hub_or_cache(asked);
  TRY(other, repackaging(*asked.id));
  if (other) return std::move(*other);
  if (!is_hub_id(asked.id)) {
    const std::string both = contradiction_in(*asked.id);
    if (both.empty()) return pass_on(found);
    return fail(ErrorKind::usage,
                fmt::format("\"{}\" names two kinds of weights, {}", *asked.id, both),
                "a checkpoint has one: leave the other out");
  }
  return from_hub_or_cache(asked);
}

// What the server does to a checkpoint's weights and to its KV cache.
Result<void> quantize(const ModelSpec& asked, ChosenModel* chosen) {
  if (is_narrower(chosen->config, asked.quantization)) {
    return fail(ErrorKind::usage,
                fmt::format("--quantization {}: {} already has narrower weights",
                            asked.quantization, chosen->config.id),
                "leave it out: a checkpoint is served as it is stored");
  }
  serve_as(asked.quantization, chosen);
  if (asked.kv_cache_dtype->empty()) return {};
  chosen->config = with_kv_cache(std::move(chosen->config), *asked.kv_cache_dtype);
  chosen->cache_of_format = false;
  return {};
}

}  // namespace

Result<ChosenModel> choose_model(const ModelSpec& asked) {
  TRY(chosen, find_chosen(asked));
  TRY_TO(quantize(asked, &chosen));
  return chosen;
}

std::string config_beside_cases(const std::string& id, const std::string& folder) {
  std::string name = id;
  if (const std::size_t slash = name.find('/'); slash != std::string::npos) {
    name.replace(slash, 1, "--");
  }
  const fs::path cases = fs::absolute(folder).lexically_normal().parent_path();
  return (cases.parent_path() / "model-configs" / name / "config.json").string();
}

Result<ChosenModel> find_case_model(const std::string& id, const std::string& folder) {
  auto found = find_model(id);
  if (found) return ChosenModel{std::move(*found)};
  const std::string beside = config_beside_cases(id, folder);
  ChosenModel model;
  if (std::error_code error; fs::exists(beside, error)) {
    TRY_SET(model.config, read_model_config(beside, id));
    return model;
  }
  if (!is_hub_id(id)) return pass_on(found);
  TRY(cached, find_hub_model(id, true));
  model.config = std::move(cached.config);
  return model;
}

Sampling sampling_of(const Case& measured, const ChosenModel& model, const StepTimeSpec& asked) {
  if (asked.sampling) return *asked.sampling;
  const bool open_loop = measured.kind == CaseKind::trace || measured.kind == CaseKind::stages;
  return open_loop && measured.observed_by_client ? model.sampling : Sampling::greedy;
}

}  // namespace plimsoll
