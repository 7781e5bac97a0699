#include "catalog/speculation_preset.h"

#include <gtest/gtest.h>

#include "base/lists.h"

namespace plimsoll {
namespace {

TEST(SpeculationPresets, have_every_scheme_with_a_source) {
  const auto presets = read_speculation_presets();
  ASSERT_TRUE(presets.has_value()) << format(presets.error());
  for (const Choice<DraftScheme>& scheme : draft_schemes()) {
    EXPECT_NE(find_in(*presets, *scheme.value, &SpeculationPreset::scheme), nullptr) << scheme.name;
  }
  for (const SpeculationPreset& preset : *presets) {
    EXPECT_TRUE(
        preset.name.starts_with(name_of(draft_schemes(), preset.scheme) + "-" + preset.model))
        << preset.name;
    EXPECT_FALSE(preset.source.empty()) << preset.name;
  }
}

TEST(SpeculationPresets, are_found_by_name_and_suggested) {
  EXPECT_EQ(find_speculation_preset("eagle3-minimax-m3")->acceptance_lengths.front(), 1.78);
  const auto unknown = find_speculation_preset("eagle-minimax-m3");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(format(unknown.error()).find("did you mean \"eagle3-minimax-m3\"?"), std::string::npos);
}

TEST(SpeculationPresets, know_their_model_in_any_format_of_weights) {
  const SpeculationPreset preset = *find_speculation_preset("mtp-qwen3.5-397b-a17b");
  EXPECT_TRUE(is_measured_with(preset, "qwen/qwen3.5-397b-a17b"));
  EXPECT_TRUE(is_measured_with(preset, "nvidia/Qwen3.5-397B-A17B-NVFP4"));
  EXPECT_FALSE(is_measured_with(preset, "qwen/qwen3.5-35b-a3b"));
}

}  // namespace
}  // namespace plimsoll
