// How big a model is: its parameters by part, the bytes of its weights, what its KV cache keeps of
// each token and of each request. Exact for the kinds of layers in catalog/layers.h; biases are
// left out (below 0.1 %), and so are vision encoders and heads for multi-token prediction.
#pragma once

#include <cstdint>
#include <vector>

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

/// The part of those that a group of `tp` GPUs holds more than once, counted once per further copy:
/// the down-projections of latent attention and the index are on every GPU, as is a KV head where
/// there are fewer of them than GPUs.
double copied_attention_parameters(const Attention& attention, double hidden, double tp);

/// Parameters of one layer's MLP that every token passes through: a dense MLP, or router, shared
/// experts and the projections to and from the experts' width.
double common_mlp_parameters(const Mlp& mlp, double hidden);

/// Parameters of one expert; 0 in layers without experts.
double expert_parameters(const Mlp& mlp, double hidden);

/// Bytes of all weights as they are stored.
double stored_weight_bytes(const ModelConfig& model);

/// The bytes of all routed experts among those.
double stored_expert_bytes(const ModelConfig& model);

/// The bytes that one layer keeps on one of `tp` GPUs. KV heads are copied when there are fewer of
/// them than GPUs; a latent vector and an index are on every GPU.
struct KvFootprint {
  double bytes_per_token = 0;    ///< of each token, or of those in the window
  double bytes_per_request = 0;  ///< a state, whatever the length
};

KvFootprint kv_footprint(const Attention& attention, double kv_bytes, double tp);

// The memory that the KV cache of a model takes on one GPU when its layers differ in kind, and how
// many tokens so many bytes hold whatever requests they belong to.

struct WindowedKv {
  double window = 0;  ///< tokens kept of each request
  double bytes_per_token = 0;
};

struct KvLayers {
  double bytes_per_token = 0;        ///< in layers that keep every token
  double bytes_per_request = 0;      ///< states
  std::vector<WindowedKv> windowed;  ///< by window, shortest first

  /// For a token that all layers keep.
  double bytes_of_new_token() const;
  /// What is kept of a request after so many tokens.
  double bytes_of_request(double tokens) const;
  /// With the layers of another model beside them.
  void add(const KvLayers& others);
};

KvLayers kv_layers_of(const ModelConfig& model, std::int64_t tp);

/// As vLLM has them without its hybrid KV cache manager: where some layers keep every token, those
/// with a window do, too.
KvLayers without_hybrid_cache(const KvLayers& kv);

/// How the tokens of an instance belong to requests: at most `requests` at a time, each of
/// `tokens_each` at least. vLLM's groups of layers take their blocks from one pool: a request takes
/// those of its windows and its states when it comes, and nothing is set aside for places of the
/// batch that nobody has taken.
struct RequestMix {
  double requests = 0;
  double tokens_each = 1;
};

/// The most tokens T for which the requests of such a mix have room in every layer. With
/// R = min(requests, T / tokens_each) of them:
///
///     T bytes_per_token + sum of windowed bytes min(T, R window) + R bytes_per_request <=
///     free_bytes
///
/// Infinite when the windows and states of all requests fit and no layer keeps more.
double tokens_that_fit(const KvLayers& kv, double free_bytes, const RequestMix& mix);

}  // namespace plimsoll
