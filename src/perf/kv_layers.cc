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

namespace {

// What grows with the tokens, by `slope` bytes each, until there are `full_at` of them.
struct Growth {
  double full_at = 0;
  double slope = 0;
};

std::vector<Growth> growths_of(const KvLayers& kv, const RequestMix& mix) {
  std::vector<Growth> growths;
  for (const WindowedKv& layers : kv.windowed) {
    growths.push_back({mix.requests * std::max(layers.window, mix.tokens_each),
                       layers.bytes_per_token * std::min(1.0, layers.window / mix.tokens_each)});
  }
  if (kv.bytes_per_request > 0) {
    growths.push_back({mix.requests * mix.tokens_each, kv.bytes_per_request / mix.tokens_each});
  }
  std::ranges::sort(growths, {}, &Growth::full_at);
  return growths;
}

}  // namespace

double tokens_that_fit(const KvLayers& kv, double free_bytes, const RequestMix& mix) {
  const std::vector<Growth> growths = growths_of(kv, mix);
  double slope = kv.bytes_per_token;
  for (const Growth& growth : growths) slope += growth.slope;
  const double all = slope;
  double used = 0;
  double tokens = 0;
  for (const Growth& growth : growths) {
    if (used + slope * (growth.full_at - tokens) > free_bytes) break;
    used += slope * (growth.full_at - tokens);
    tokens = growth.full_at;
    slope -= growth.slope;
  }
  // What is left of the slope when no layer keeps all tokens is rounding.
  if (!(slope > 1e-9 * all)) return std::numeric_limits<double>::infinity();
  return tokens + std::max(0.0, free_bytes - used) / slope;
}

}  // namespace plimsoll
