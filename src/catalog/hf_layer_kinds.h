// From a config.json to each layer: its kind, as lists, patterns and rules of model families say
// it, its attention, and what follows that.
#pragma once

#include <string>
#include <vector>

#include "catalog/config_keys.h"
#include "catalog/model.h"

namespace plimsoll {

/// The kinds of layers by what a token looks back with; `other` has an MLP or experts alone.
enum class LayerKind { full, window, linear, other };

/// One per layer. Kinds that are not modelled are errors at the key that asks for them.
std::vector<LayerKind> layer_kinds(ConfigKeys& config, const ModelConfig& model);

/// Returns what follows the attention: a dense MLP or experts. One per layer. `model` has its flat
/// fields (layers, experts, widths).
std::vector<Mlp> mlp_by_layer(ConfigKeys& config, const ModelConfig& model);

/// Full, sliding-window, latent or linear; one per layer. `model` has its flat fields (layers,
/// heads, widths). Kinds that are not modelled are errors at the key that asks for them.
std::vector<Attention> attention_by_layer(ConfigKeys& config, const ModelConfig& model);

// From a config.json to how the weights of each part are stored and multiplied, and how wide the KV
// cache is.

/// `model` has its layers_by_kind. Where `quantization_config` is absent the model's id may carry
/// the format ("...-fp8", "...-quantized.w4a16", "...-nvfp4"). Unknown methods are errors.
Quantization quantization_of(ConfigKeys& config, const ModelConfig& model);

/// Returns what the reference simulator takes for the stored bytes of every weight; the compute
/// width when nothing that it knows says the model is quantised.
double reference_weight_bytes(ConfigKeys& config, const std::string& id, double compute_bytes);

}  // namespace plimsoll
