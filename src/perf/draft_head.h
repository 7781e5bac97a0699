// What proposes tokens where a model has something of its own for it: its shapes follow from those
// of the model, so that its steps are priced by the same operators and its memory is counted
// alike. What joins the vectors that it reads is left out: less than a tenth of a layer.
#pragma once

#include "catalog/model.h"

namespace plimsoll {

/// Multi-token prediction: one more layer like the model's last kind that keeps keys and values,
/// with the model's output head (DeepSeek-V3 Technical Report, section 2.2, 2024).
ModelConfig prediction_layer(const ModelConfig& model);

/// EAGLE-3: one layer of 16 bits with attention like the model's last and a dense MLP, as wide as
/// the model's widest dense one or, where it has none, four times its hidden size; published heads
/// of such models have 2.6 to 6 times. Its output head knows 32,000 tokens, as most that are
/// published (config.json of heads trained by SpecForge).
ModelConfig eagle_head(const ModelConfig& model);

}  // namespace plimsoll
