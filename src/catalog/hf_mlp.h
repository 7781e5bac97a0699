// From a config.json to what follows the attention of each layer: a dense MLP or experts.
#pragma once

#include <vector>

#include "catalog/config_keys.h"
#include "catalog/model.h"

namespace plimsoll {

/// One per layer. `model` has its flat fields (layers, experts, widths).
std::vector<Mlp> mlp_by_layer(ConfigKeys& config, const ModelConfig& model);

}  // namespace plimsoll
