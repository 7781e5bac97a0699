#include "setup/chosen_speculation.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/speculation_preset.h"
#include "perf/draft_head.h"
#include "setup/hub.h"

namespace plimsoll {
namespace {

Result<ModelConfig> draft_model(const RunSpec& run) {
  if (auto found = find_model(run.speculation.draft_model)) {
    return std::move(found->config);
  } else if (!is_hub_id(run.speculation.draft_model)) {
    return pass_on(found);
  }
  TRY(found, find_hub_model(run.speculation.draft_model, run.model.offline));
  return std::move(found.config);
}

double to_places(double value) {
  constexpr double kPlaces = 1e4;
  return std::round(value * kPlaces) / kPlaces;
}

Result<std::vector<double>> measured_acceptance(const SpeculationSpec& asked) {
  TRY(preset, find_speculation_preset(asked.preset));
  const std::int64_t most = std::ssize(preset.acceptance_lengths);
  if (asked.tokens > most) {
    return fail(
        ErrorKind::usage,
        fmt::format("--speculation-preset {} was measured with up to {} speculative "
                    "tokens, not {}",
                    preset.name, most, *asked.tokens),
        fmt::format("lower --num-speculative-tokens to {}, or give --acceptance-rate", most));
  }
  return acceptance_of(preset.acceptance_lengths, asked.tokens);
}

Result<std::vector<double>> chosen_acceptance(const SpeculationSpec& asked) {
  const std::vector<double>& rates = asked.acceptance_rates;
  if (!asked.preset.empty()) {
    if (rates.empty()) return measured_acceptance(asked);
    return fail(ErrorKind::usage,
                "--speculation-preset and --acceptance-rate both say the acceptance",
                "leave one of them out");
  }
  if (rates.empty()) {
    return fail(ErrorKind::usage, "speculative decoding needs an acceptance rate",
                "give --acceptance-rate as measured with your model, draft and prompts, or "
                "--speculation-preset (plimsoll list speculation-presets)");
  }
  if (rates.size() == 1) {
    return std::vector<double>(static_cast<std::size_t>(*asked.tokens), rates.front());
  }
  if (std::ssize(rates) == asked.tokens) return rates;
  return fail(ErrorKind::usage,
              fmt::format("--acceptance-rate has {} rates for --num-speculative-tokens {}",
                          rates.size(), *asked.tokens),
              fmt::format("give one rate for all positions, or {}, one for each", *asked.tokens));
}

// What a preset's scheme costs where the shapes of the model tell.
Result<void> choose_head(const std::string& name, const ModelConfig& model,
                         Speculation* speculation) {
  TRY(preset, find_speculation_preset(name));
  switch (preset.scheme) {
    case DraftScheme::mtp:
      speculation->draft = prediction_layer(model);
      speculation->draft_is_layer = true;
      return {};
    case DraftScheme::eagle3:
      speculation->draft = eagle_head(model);
      return {};
    case DraftScheme::dspark:
      break;
  }
  return fail(ErrorKind::usage,
              fmt::format("--speculation-preset {} needs the cost of proposing tokens: the shapes "
                          "of its drafter are not known",
                          preset.name),
              "give either --draft-ms or --draft-model");
}

Result<void> choose_draft(const RunSpec& run, const ModelConfig& model, Speculation* speculation) {
  const SpeculationSpec& asked = run.speculation;
  if (!asked.draft_model.empty() && asked.draft_ms) {
    return fail(ErrorKind::usage,
                "--draft-model and --draft-ms both say what proposing tokens costs",
                "leave one of them out");
  }
  if (asked.draft_ms) {
    speculation->draft_us_per_token = *asked.draft_ms * 1e3;
  } else if (!asked.draft_model.empty()) {
    TRY_SET(speculation->draft, draft_model(run));
  } else if (!asked.preset.empty()) {
    return choose_head(asked.preset, model, speculation);
  } else {
    return fail(ErrorKind::usage, "speculative decoding needs the cost of proposing tokens",
                "give either --draft-model or --draft-ms (0 for n-grams looked up)");
  }
  return {};
}

}  // namespace

Result<std::optional<Speculation>> speculation_of(const RunSpec& run, const ModelConfig& model) {
  if (run.speculation.tokens == 0) return std::nullopt;
  Speculation speculation;
  TRY_SET(speculation.acceptance, chosen_acceptance(run.speculation));
  if (run.layout.pp > 1) {
    return fail(ErrorKind::usage, "speculative decoding does not go with pipeline stages",
                "leave out --pp or --num-speculative-tokens");
  }
  TRY_TO(choose_draft(run, model, &speculation));
  return speculation;
}

std::vector<std::string> notes_on_preset(const RunSpec& run, const ModelConfig& model) {
  if (run.speculation.tokens == 0 || run.speculation.preset.empty()) return {};
  const auto preset = find_speculation_preset(run.speculation.preset);
  if (!preset || is_measured_with(*preset, model.id)) return {};
  return {
      fmt::format("--speculation-preset {} was measured with {}: {} and its draft may have fewer "
                  "or more tokens "
                  "accepted (--acceptance-rate if you have measured it)",
                  preset->name, preset->model, model.id)};
}

void describe_speculation(const SpeculationSpec& asked, const Speculation& speculation,
                          ConfigLog* log) {
  log->setting("num-speculative-tokens", asked.tokens);
  if (!asked.preset.empty()) log->value("speculation-preset", asked.preset, asked.preset);
  const bool is_one = asked.acceptance_rates.size() == 1;
  const auto texts = mapped(is_one ? asked.acceptance_rates : speculation.acceptance,
                            [](double rate) { return shortest(to_places(rate)); });
  log->value("acceptance-rate", join(texts, ","), asked.acceptance_rates, "catalog");
  log->fixed("acceptance-length", to_places(tokens_per_step(speculation)), "computed");
  if (asked.draft_ms) log->value("draft-ms", *asked.draft_ms, asked.draft_ms);
  if (!asked.draft_model.empty()) log->value("draft-model", asked.draft_model, asked.draft_model);
}

}  // namespace plimsoll
