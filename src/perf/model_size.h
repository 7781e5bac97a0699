// How big a model is: its parameters by part, the bytes of its weights, what its KV cache keeps of
// each token and of each request. Exact for the kinds of layers in catalog/layers.h; biases are
// left out (below 0.1 %), and so are vision encoders and heads for multi-token prediction.
#pragma once

#include "catalog/model.h"

namespace plimsoll {

/// Bytes of a parameter that no quantisation touches: embedding, output head, norms, router.
inline constexpr double kUnquantised = 2;

/// Counts are whole numbers held as doubles, exact below 2^53.
struct ParameterCount {
  double total = 0;
  double active = 0;  ///< that one token passes through; embeddings count once
};

ParameterCount count_parameters(const ModelConfig& model);

/// Parameters of one layer's attention, projections and index included.
double attention_parameters(const Attention& attention, double hidden);

/// Of those, what a group of `tp` GPUs holds more than once, counted once per further copy: the
/// down-projections of latent attention and the index are on every GPU, as is a KV head where there
/// are fewer of them than GPUs.
double copied_attention_parameters(const Attention& attention, double hidden, double tp);

/// Parameters of one layer's MLP that every token passes through: a dense MLP, or router, shared
/// experts and the projections to and from the experts' width.
double common_mlp_parameters(const Mlp& mlp, double hidden);

/// Parameters of one expert; 0 in layers without experts.
double expert_parameters(const Mlp& mlp, double hidden);

/// Bytes of all weights as they are stored.
double stored_weight_bytes(const ModelConfig& model);

/// Of those, the bytes of all routed experts.
double stored_expert_bytes(const ModelConfig& model);

/// What one layer keeps on one of `tp` GPUs. KV heads are copied when there are fewer of them than
/// GPUs; a latent vector and an index are on every GPU.
struct KvFootprint {
  double bytes_per_token = 0;    ///< of each token, or of those in the window
  double bytes_per_request = 0;  ///< a state, whatever the length
};

KvFootprint kv_footprint(const Attention& attention, double kv_bytes, double tp);

}  // namespace plimsoll
