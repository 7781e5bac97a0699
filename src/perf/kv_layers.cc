#include "perf/kv_layers.h"

#include <algorithm>
#include <limits>

#include "perf/model_size.h"

namespace plimsoll {

double KvLayers::bytes_of_new_token() const {
  double bytes = bytes_per_token;
  for (const WindowedKv& layers : windowed) bytes += layers.bytes_per_token;
  return bytes;
}

void KvLayers::add(const KvLayers& others) {
  bytes_per_token += others.bytes_per_token;
  bytes_per_request += others.bytes_per_request;
  windowed.insert(windowed.end(), others.windowed.begin(), others.windowed.end());
  std::ranges::sort(windowed, {}, &WindowedKv::window);
}

KvLayers kv_layers_of(const ModelConfig& model, std::int64_t tp) {
  KvLayers kv;
  for (const LayerGroup& group : model.layers_by_kind) {
    const Attention& attention = group.layer.attention;
    const auto layers = static_cast<double>(group.count);
    const KvFootprint one =
        kv_footprint(attention, model.quantization.kv_bytes, static_cast<double>(tp));
    kv.bytes_per_request += layers * one.bytes_per_request;
    if (attention.window == 0) {
      kv.bytes_per_token += layers * one.bytes_per_token;
    } else {
      kv.windowed.push_back({static_cast<double>(attention.window), layers * one.bytes_per_token});
    }
  }
  std::sort(kv.windowed.begin(), kv.windowed.end(),
            [](const WindowedKv& a, const WindowedKv& b) { return a.window < b.window; });
  return kv;
}

double tokens_that_fit(const KvLayers& kv, double free_bytes, double requests) {
  // Up to the first full window every token is in all layers; from there on one kind less grows.
  double slope = kv.bytes_of_new_token();
  double used = 0;
  double tokens = 0;
  for (const WindowedKv& layers : kv.windowed) {
    const double full_at = requests * layers.window;
    if (used + slope * (full_at - tokens) > free_bytes) break;
    used += slope * (full_at - tokens);
    tokens = full_at;
    slope -= layers.bytes_per_token;
  }
  // What is left of the slope when every layer has a window is rounding.
  if (!(slope > 1e-9 * kv.bytes_of_new_token())) return std::numeric_limits<double>::infinity();
  return tokens + std::max(0.0, free_bytes - used) / slope;
}

}  // namespace plimsoll
