// What the KV cache of a model takes on one GPU when its layers differ in kind, and how many tokens
// so many bytes hold whatever requests they belong to.
#pragma once

#include <cstdint>
#include <vector>

#include "catalog/model.h"

namespace plimsoll {

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
  /// With the layers of another model beside them.
  void add(const KvLayers& others);
};

KvLayers kv_layers_of(const ModelConfig& model, std::int64_t tp);

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
