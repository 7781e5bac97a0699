// What speculative decoding was measured to yield: the presets of --speculation-preset. Plain facts
// with their source, no behaviour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/choice.h"
#include "base/result.h"

namespace plimsoll {

/// `mtp`: layers that were trained with the model to predict more than one token. `eagle3`: a small
/// head that reads what layers of the model computed. `dspark`: a
/// drafter whose shapes are not known here.
enum class DraftScheme { mtp, eagle3, dspark };
Choices<DraftScheme> draft_schemes();

struct SpeculationPreset {
  std::string name;
  DraftScheme scheme = DraftScheme::mtp;
  std::string model;  ///< measured with it: how its id begins after the slash
  /// Mean tokens that a request gets from a step with 1, 2, 3, ... drafts; from 1 to one more than
  /// there are drafts, each measured on its own.
  std::vector<double> acceptance_lengths;
  std::string help;  ///< one line
  std::string source;
};

Result<std::vector<SpeculationPreset>> read_speculation_presets();

/// For errors: the nearest known name is suggested.
Result<SpeculationPreset> find_speculation_preset(std::string_view name);

/// All of them, for help and completion.
std::vector<std::string> speculation_preset_names();

/// Whether it was measured with the model that has this id, of any format of weights.
bool is_measured_with(const SpeculationPreset& preset, std::string_view model_id);

}  // namespace plimsoll
