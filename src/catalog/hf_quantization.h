// From a config.json to how the weights of each part are stored and multiplied, and how wide the KV
// cache is.
#pragma once

#include <string>

#include "catalog/config_keys.h"
#include "catalog/model.h"

namespace plimsoll {

/// `model` has its layers_by_kind. Where `quantization_config` is absent the model's id may carry
/// the format ("...-fp8", "...-quantized.w4a16", "...-nvfp4"). Unknown methods are errors.
Quantization quantization_of(ConfigKeys& config, const ModelConfig& model);

/// What the reference simulator takes for the stored bytes of every weight; the compute width when
/// nothing that it knows says the model is quantised.
double reference_weight_bytes(ConfigKeys& config, const std::string& id, double compute_bytes);

}  // namespace plimsoll
