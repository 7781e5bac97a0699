#include "catalog/speculation_preset.h"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "catalog/embedded.h"

namespace plimsoll {
namespace {

// A step yields one token, and at most each draft.
void check_lengths(const std::vector<double>& lengths, SpecMap* row) {
  if (lengths.empty()) row->error("acceptance_lengths", "no number of drafts was measured");
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t most = i + 2;
    if (lengths[i] >= 1 && lengths[i] <= static_cast<double>(most)) continue;
    row->error("acceptance_lengths", fmt::format("{} drafts yield from 1 to {} tokens, not {}",
                                                 i + 1, most, shortest(lengths[i])));
  }
}

SpeculationPreset read_preset(SpecMap row) {
  SpeculationPreset preset;
  preset.name = row.text("name");
  preset.scheme = value_of(draft_schemes(), row.choice("scheme", names_of(draft_schemes())))
                      .value_or(DraftScheme::mtp);
  preset.model = row.text("model");
  preset.acceptance_lengths = row.numbers("acceptance_lengths");
  check_lengths(preset.acceptance_lengths, &row);
  preset.help = row.prose("help");
  preset.source = row.prose("source");
  return preset;
}

}  // namespace

Choices<DraftScheme> draft_schemes() {
  static constexpr Choice<DraftScheme> kChoices[]{
      {"mtp", DraftScheme::mtp, "layers of the model that predict more than one token"},
      {"eagle3", DraftScheme::eagle3, "a head of one layer that reads layers of the model"},
      {"dspark", DraftScheme::dspark, "a drafter whose cost has to be given"},
  };
  return kChoices;
}

Result<std::vector<SpeculationPreset>> read_speculation_presets() {
  TRY(spec, open_embedded("speculation.yaml"));
  std::vector<SpeculationPreset> presets;
  for (SpecMap row : spec.top().maps("rows")) presets.push_back(read_preset(row));
  return spec.finish(std::move(presets));
}

std::vector<std::string> speculation_preset_names() {
  const auto presets = read_speculation_presets();
  return presets ? mapped(*presets, &SpeculationPreset::name) : std::vector<std::string>();
}

Result<SpeculationPreset> find_speculation_preset(std::string_view name) {
  TRY(presets, read_speculation_presets());
  if (const auto* preset = find_in(presets, name, &SpeculationPreset::name)) return *preset;
  return fail(ErrorKind::usage, "--speculation-preset has no value \"" + std::string(name) + "\"",
              suggestion(name, speculation_preset_names()));
}

bool is_measured_with(const SpeculationPreset& preset, std::string_view model_id) {
  const std::size_t slash = model_id.find('/');
  const std::string_view name = slash == model_id.npos ? model_id : model_id.substr(slash + 1);
  return to_lower(name).starts_with(preset.model);
}

}  // namespace plimsoll
