// From a config.json to the kind of each layer: lists, patterns and rules of model families say it.
#pragma once

#include <vector>

#include "catalog/config_keys.h"
#include "catalog/model.h"

namespace plimsoll {

/// By what a token looks back with; `other` has an MLP or experts alone.
enum class LayerKind { full, window, linear, other };

/// One per layer. Kinds that are not modelled are errors at the key that asks for them.
std::vector<LayerKind> layer_kinds(ConfigKeys& config, const ModelConfig& model);

}  // namespace plimsoll
