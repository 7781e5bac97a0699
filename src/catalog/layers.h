// The layers of a model as they are: what each kind attends with and what follows it. Written by
// the config.json reader (hf_layer_kinds.h), read by the sizes and costs in perf/. Plain
// facts, no behaviour.
#pragma once

#include <cstdint>

namespace plimsoll {

/// `standard`: keys and values per head (MHA, GQA, MQA). `latent`: one compressed vector per token
/// for all heads (MLA). `linear`: a state of constant size per request instead of a KV cache
/// (Mamba, gated delta net). `none`: the layer has no attention of its own.
enum class AttentionKind { none, standard, latent, linear };

/// Widths are numbers of elements.
struct Attention {
  AttentionKind kind = AttentionKind::none;

  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t key_width = 0;    ///< per head, queries too
  std::int64_t value_width = 0;  ///< per head
  std::int64_t window = 0;       ///< looks back on so many tokens, and keeps no more; 0 = all
  bool keys_are_values = false;  ///< one vector serves as both
  bool output_gate = false;      ///< one more projection, as wide as all heads' values
  bool norm_over_heads = false;  ///< queries and keys are normalised over all heads together

  // latent
  std::int64_t query_rank = 0;  ///< 0 = queries are not compressed
  std::int64_t kv_rank = 0;
  std::int64_t rope_width = 0;  ///< the part of the keys that is kept beside the latent vector

  // Sparse attention by an index: the `selected` best tokens are read, all are kept.
  std::int64_t index_heads = 0;
  std::int64_t index_width = 0;  ///< one 8-bit key of this width per token, with a 4-byte scale
  std::int64_t selected = 0;

  // linear
  std::int64_t parameters = 0;    ///< of all its projections
  std::int64_t state_values = 0;  ///< per request
  std::int64_t state_bytes = 0;   ///< of one of them: 2 or 4
  std::int64_t conv_values = 0;   ///< per request, of 2 bytes

  bool operator==(const Attention&) const = default;
};

enum class MlpKind { none, dense, experts };

struct Mlp {
  MlpKind kind = MlpKind::none;
  std::int64_t matrices = 3;  ///< 3 gated (SwiGLU, GeGLU), 2 plain
  std::int64_t width = 0;     ///< of a dense one

  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
  std::int64_t expert_width = 0;
  std::int64_t expert_input = 0;  ///< experts work on a narrower vector; 0 = the hidden size
  std::int64_t shared_width = 0;  ///< of the experts that every token visits, together

  bool operator==(const Mlp&) const = default;
};

struct Layer {
  Attention attention;
  Mlp mlp;

  bool operator==(const Layer&) const = default;
};

/// So many layers that are alike, wherever in the model they stand.
struct LayerGroup {
  std::int64_t count = 0;
  Layer layer;

  bool operator==(const LayerGroup&) const = default;
};

/// The format in which a GPU multiplies two matrices, where it can; else in 16 bits. `fp8_blocks`:
/// one scale for each block of weights instead of one for all. `mxfp4`: 4-bit weights with 8-bit
/// activations.
enum class MatrixFormat { bf16, fp8, fp8_blocks, int8, fp4, mxfp4 };

/// How weights are stored and multiplied.
struct WeightFormat {
  double bytes = 2;  ///< per weight, scales included
  MatrixFormat math = MatrixFormat::bf16;

  bool operator==(const WeightFormat&) const = default;
};

/// Quantised checkpoints leave some parts as they were. Embeddings, output head, router and norms
/// are 16-bit in all of them.
struct Quantization {
  WeightFormat attention;
  WeightFormat linear_attention;
  WeightFormat dense_mlp;
  WeightFormat experts;
  WeightFormat shared_experts;
  double kv_bytes = 2;  ///< per element of the KV cache; 1 if the checkpoint asks for FP8

  bool operator==(const Quantization&) const = default;
};

}  // namespace plimsoll
