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

/// The most tokens T for which any `requests` requests with T tokens together have room in every
/// layer: bytes_per_token * T + sum of windowed bytes * min(T, requests * window) <= free_bytes.
/// Infinite when the windows of all requests fit and no layer keeps more.
double tokens_that_fit(const KvLayers& kv, double free_bytes, double requests);

}  // namespace plimsoll
