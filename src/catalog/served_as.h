// A model served with other weights than its configuration states: quantised by the server, or from
// another checkpoint of the same model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalog/layers.h"
#include "catalog/model.h"

namespace plimsoll {

/// The weights that the checkpoint has.
inline constexpr std::string_view kAsStored = "none";

/// `weights` is fp16, bf16, fp8, fp8-block, nvfp4, mxfp4, int4, kAsStored or empty (the same). A
/// configuration that has this format knows best which parts do, and stays; of 4-bit formats,
/// those that are multiplied alike are the same. NVFP4 checkpoints keep the KV cache in 8 bits, as
/// NVIDIA's do.
ModelConfig served_as(ModelConfig model, std::string_view weights);

/// Which parts 4-bit checkpoints (nvfp4, mxfp4, int4) leave in 16 bits, by the kind of model.
///
/// int4: AWQ, GPTQ and compressed-tensors quantise every linear layer (RedHatAI's
/// Llama-3.3-70B-Instruct-quantized.w4a16: all but `lm_head`). Of models with linear attention,
/// all attention and the shared experts stay (Qwen/Qwen3.5-27B-GPTQ-Int4: `dynamic` excludes
/// "-:.*attn.*" and "-:.*shared_expert.*").
///
/// nvfp4, mxfp4: of plain dense transformers every linear layer is quantised (llm-compressor,
/// examples/quantization_w4a4_fp4/llama3_example.py: all but `lm_head`). Where there are experts,
/// windows or states, attention stays: so the `ignore` lists of NVIDIA's checkpoints of Kimi K2.5,
/// MiniMax-M2.5, GLM-5.2, Qwen3.5 and Gemma 4, and of Qwen3-235B-A22B-2507 (sglang #18189).
void keep_attention_wide(const ModelConfig& model, std::string_view weights, Quantization* q);

/// What may be asked of a server: kAsStored, and those of `weights` that are narrower than 16 bits.
const std::vector<std::string>& quantization_names();

/// What a server is asked to make of the weights; empty: nothing, as for kAsStored.
std::string empty_if_stored(std::string_view quantization);

/// Whether the checkpoint has fewer bits than `weights` asks for: no server gives them back.
bool is_narrower(const ModelConfig& model, std::string_view weights);

/// Whether any part of the checkpoint has fewer than 16 bits.
bool is_quantized(const ModelConfig& model);

/// `cache` is fp16, bf16, fp8 or empty (as configured).
ModelConfig with_kv_cache(ModelConfig model, std::string_view cache);

// How weights are stored in the usual quantised checkpoints: bytes per weight with the scales, and
// what they are multiplied in.

inline constexpr WeightFormat kFp8{1, MatrixFormat::fp8};
inline constexpr WeightFormat kFp8Blocks{1, MatrixFormat::fp8_blocks};
// 4-bit values, an 8-bit scale for 16 (NVFP4) or 32 (OCP microscaling) of them.
inline constexpr WeightFormat kNvfp4{(4 + 8.0 / 16) / 8, MatrixFormat::fp4};
inline constexpr WeightFormat kNvfp4Weights{(4 + 8.0 / 16) / 8, MatrixFormat::bf16};
inline constexpr WeightFormat kMxfp4{(4 + 8.0 / 32) / 8, MatrixFormat::mxfp4};

/// Whole-number weights with a 16-bit scale per group, multiplied in 16 bits; no group, no scales.
constexpr WeightFormat integer_weights(double bits, double group) {
  return {(bits + (group > 0 ? 16 / group : 0)) / 8, MatrixFormat::bf16};
}

}  // namespace plimsoll
