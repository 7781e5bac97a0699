// The facts that the simulator knows of a model: the numbers of its `config.json` that set memory
// use and step time. Plain facts, no behaviour.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalog/layers.h"

namespace plimsoll {

/// How the next token is chosen. `top_p` stands for everything that sorts the logits.
enum class Sampling { greedy, top_p };

/// Fields keep the meaning of the HuggingFace keys; 0 stands for "absent" unless said otherwise.
/// They are what the reference simulator sees of a model; `layers_by_kind` and `quantization` say
/// the same exactly.
struct ModelConfig {
  std::string id;  ///< lower-case HuggingFace id, e.g. "qwen/qwen3-14b"
  std::string model_type;
  std::string architecture;  ///< first of `architectures`; empty = not named

  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;      ///< set to `heads` by the reader when absent
  std::int64_t head_dim = 0;      ///< explicit `head_dim` only; 0 = hidden / heads
  std::int64_t intermediate = 0;  ///< MLP width
  std::int64_t vocab = 0;
  bool tie_word_embeddings = false;
  std::string hidden_act;

  // Mixture of experts; dense when experts < 2.
  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
  std::int64_t moe_intermediate = 0;
  std::int64_t shared_expert_intermediate = 0;  ///< explicit width of the shared expert
  std::int64_t shared_experts = 0;              ///< `n_shared_experts`
  std::int64_t first_dense_layers = 0;          ///< `first_k_dense_replace`
  std::int64_t interleave_moe_layer_step = 0;
  std::int64_t intermediate_size_mlp = 0;

  // Multi-head latent attention, when kv_lora_rank > 0.
  std::int64_t kv_lora_rank = 0;
  std::int64_t qk_rope_head_dim = 0;

  double compute_bytes = 0;  ///< bytes per parameter of the compute dtype; 0 = not named
  double weight_bytes = 0;   ///< bytes per stored weight; equals compute_bytes if not quantised

  std::vector<LayerGroup> layers_by_kind;  ///< in the order of the first of each kind
  Quantization quantization;

  std::int64_t max_position_embeddings = 0;
  std::int64_t max_model_len = 0;  ///< derived from max_position_embeddings and rope scaling

  bool is_moe() const { return experts >= 2; }
  bool operator==(const ModelConfig&) const = default;
};

}  // namespace plimsoll
