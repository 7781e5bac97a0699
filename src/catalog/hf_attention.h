// From a config.json to the attention of each layer: full, sliding-window, latent or linear.
#pragma once

#include <vector>

#include "catalog/config_keys.h"
#include "catalog/model.h"

namespace plimsoll {

/// One per layer. `model` has its flat fields (layers, heads, widths). Kinds that are not modelled
/// are errors at the key that asks for them.
std::vector<Attention> attention_by_layer(ConfigKeys& config, const ModelConfig& model);

}  // namespace plimsoll
