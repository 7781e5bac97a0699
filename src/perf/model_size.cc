#include "perf/model_size.h"

#include <algorithm>
#include <limits>

#include "base/numbers.h"

namespace plimsoll {
namespace {

constexpr double kNormsPerLayer = 2;  // each as wide as the model

// DeepSeek-V2 (arXiv 2405.04434), section 2.1: queries and keys-with-values each through a narrow
// vector.
double latent_parameters(const Attention& a, double hidden) {
  const double heads = as_double(a.heads);
  const double key = as_double(a.key_width);
  const double value = as_double(a.value_width);
  const double rank = as_double(a.kv_rank);
  const double rope = as_double(a.rope_width);
  const double query_rank = as_double(a.query_rank);
  const double queries =
      a.query_rank > 0 ? query_rank * (hidden + heads * key) : hidden * heads * key;
  const double keys_and_values = hidden * (rank + rope) + rank * heads * (key - rope + value);
  return queries + keys_and_values + heads * value * hidden;
}

double standard_parameters(const Attention& a, double hidden) {
  const double heads = as_double(a.heads);
  const double kv_heads = as_double(a.kv_heads);
  const double key = as_double(a.key_width);
  const double value = as_double(a.value_width);
  const double stored_values = a.keys_are_values ? 0 : kv_heads * value;
  return hidden * (heads * key + kv_heads * key + stored_values + heads * value);
}

double index_parameters(const Attention& a, double hidden) {
  const double query_input = a.query_rank > 0 ? as_double(a.query_rank) : hidden;
  return query_input * as_double(a.index_heads * a.index_width) +
         hidden * as_double(a.index_width + a.index_heads);
}

// Embeddings, output head and the norm before it.
double unquantised_ends(const ModelConfig& model) {
  const double table = as_double(model.vocab) * as_double(model.hidden);
  return table * (model.tie_word_embeddings ? 1 : 2) + as_double(model.hidden);
}

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

double attention_parameters(const Attention& a, double hidden) {
  if (a.kind == AttentionKind::none) return 0;
  if (a.kind == AttentionKind::linear) return as_double(a.parameters);
  double count = a.kind == AttentionKind::latent ? latent_parameters(a, hidden)
                                                 : standard_parameters(a, hidden);
  if (a.output_gate) count += hidden * as_double(a.heads * a.value_width);
  if (a.index_heads > 0) count += index_parameters(a, hidden);
  return count;
}

double copied_attention_parameters(const Attention& a, double hidden, double tp) {
  double on_each = 0;
  if (a.kind == AttentionKind::latent) {
    on_each = hidden * as_double(a.query_rank + a.kv_rank + a.rope_width);
  }
  if (a.index_heads > 0) on_each += index_parameters(a, hidden);
  double copies = (tp - 1) * on_each;
  if (a.kind == AttentionKind::standard) {
    const double head = as_double(a.key_width) + (a.keys_are_values ? 0 : as_double(a.value_width));
    copies += std::max(tp - as_double(a.kv_heads), 0.0) * head * hidden;
  }
  return copies;
}

double common_mlp_parameters(const Mlp& mlp, double hidden) {
  const double matrices = as_double(mlp.matrices);
  if (mlp.kind == MlpKind::none) return 0;
  if (mlp.kind == MlpKind::dense) return matrices * hidden * as_double(mlp.width);
  return matrices * hidden * as_double(mlp.shared_width) + hidden * as_double(mlp.experts) +
         2 * hidden * as_double(mlp.expert_input);
}

double expert_parameters(const Mlp& mlp, double hidden) {
  if (mlp.kind != MlpKind::experts) return 0;
  const double input = mlp.expert_input > 0 ? as_double(mlp.expert_input) : hidden;
  return as_double(mlp.matrices) * input * as_double(mlp.expert_width);
}

ParameterCount count_parameters(const ModelConfig& model) {
  const double hidden = as_double(model.hidden);
  ParameterCount count;
  count.total = unquantised_ends(model);
  count.active = count.total;
  for (const LayerGroup& group : model.layers_by_kind) {
    const Mlp& mlp = group.layer.mlp;
    const double layers = as_double(group.count);
    const double common = attention_parameters(group.layer.attention, hidden) +
                          common_mlp_parameters(mlp, hidden) + kNormsPerLayer * hidden;
    const double expert = expert_parameters(mlp, hidden);
    count.total += layers * (common + expert * as_double(mlp.experts));
    count.active += layers * (common + expert * as_double(mlp.experts_per_token));
  }
  return count;
}

double stored_expert_bytes(const ModelConfig& model) {
  double parameters = 0;
  for (const LayerGroup& group : model.layers_by_kind) {
    const Mlp& mlp = group.layer.mlp;
    parameters += as_double(group.count) * as_double(mlp.experts) *
                  expert_parameters(mlp, as_double(model.hidden));
  }
  return parameters * model.quantization.experts.bytes;
}

double stored_weight_bytes(const ModelConfig& model) {
  const double hidden = as_double(model.hidden);
  const Quantization& q = model.quantization;
  double bytes = unquantised_ends(model) * kUnquantised;
  for (const LayerGroup& group : model.layers_by_kind) {
    const Attention& attention = group.layer.attention;
    const Mlp& mlp = group.layer.mlp;
    const WeightFormat& attention_format =
        attention.kind == AttentionKind::linear ? q.linear_attention : q.attention;
    const double common = common_mlp_parameters(mlp, hidden);
    const double shared = mlp.kind == MlpKind::experts
                              ? as_double(mlp.matrices) * hidden * as_double(mlp.shared_width)
                              : 0;
    const double layer = attention_parameters(attention, hidden) * attention_format.bytes +
                         (mlp.kind == MlpKind::dense ? common * q.dense_mlp.bytes
                                                     : shared * q.shared_experts.bytes +
                                                           (common - shared) * kUnquantised) +
                         kNormsPerLayer * hidden * kUnquantised;
    bytes += as_double(group.count) * layer;
  }
  return bytes + stored_expert_bytes(model);
}

KvFootprint kv_footprint(const Attention& a, double kv_bytes, double tp) {
  KvFootprint footprint;
  if (a.kind == AttentionKind::linear) {
    const double state = as_double(a.state_values) * as_double(a.state_bytes);
    footprint.bytes_per_request = (state + 2 * as_double(a.conv_values)) / tp;
  }
  if (a.kind == AttentionKind::latent) {
    footprint.bytes_per_token = as_double(a.kv_rank + a.rope_width) * kv_bytes;
  }
  if (a.kind == AttentionKind::standard) {
    const double width =
        as_double(a.key_width) + (a.keys_are_values ? 0 : as_double(a.value_width));
    footprint.bytes_per_token = std::max(as_double(a.kv_heads) / tp, 1.0) * width * kv_bytes;
  }
  // An index keeps one 8-bit key per token with a 4-byte scale.
  if (a.index_heads > 0) footprint.bytes_per_token += as_double(a.index_width) + 4;
  return footprint;
}

double KvLayers::bytes_of_new_token() const {
  double bytes = bytes_per_token;
  for (const WindowedKv& layers : windowed) bytes += layers.bytes_per_token;
  return bytes;
}

double KvLayers::bytes_of_request(double tokens) const {
  double bytes = tokens * bytes_per_token + bytes_per_request;
  for (const WindowedKv& layers : windowed)
    bytes += std::min(tokens, layers.window) * layers.bytes_per_token;
  return bytes;
}

KvLayers without_hybrid_cache(const KvLayers& kv) {
  if (kv.bytes_per_token == 0) return kv;
  return {kv.bytes_of_new_token(), kv.bytes_per_request, {}};
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
