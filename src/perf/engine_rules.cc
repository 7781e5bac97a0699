#include "perf/engine_rules.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "catalog/hf_config.h"
#include "perf/architecture.h"
#include "perf/model_size.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kBlock = 128;  // rows and columns of weights that share an FP8 scale

constexpr double kTuring = 7.5, kAmpere = 8.0, kAda = 8.9, kHopper = 9.0, kBlackwell = 10.0;

bool is_below(const GpuSpec& gpu, double capability) {
  return gpu.compute_capability > 0 && gpu.compute_capability < capability;
}

bool has_format(const ModelConfig& model, auto is_it) {
  const Quantization& q = model.quantization;
  for (const LayerGroup& group : model.layers_by_kind) {
    const AttentionKind kind = group.layer.attention.kind;
    const Mlp& mlp = group.layer.mlp;
    if (kind == AttentionKind::linear && is_it(q.linear_attention)) return true;
    if ((kind == AttentionKind::standard || kind == AttentionKind::latent) && is_it(q.attention)) {
      return true;
    }
    if (mlp.kind == MlpKind::dense && is_it(q.dense_mlp)) return true;
    if (mlp.kind == MlpKind::experts && is_it(q.experts)) return true;
    if (mlp.shared_width > 0 && is_it(q.shared_experts)) return true;
  }
  return false;
}

bool has_math(const ModelConfig& model, MatrixFormat math) {
  return has_format(model, [&](const WeightFormat& format) { return format.math == math; });
}

bool has_fp8(const ModelConfig& model) {
  return has_math(model, MatrixFormat::fp8) || has_math(model, MatrixFormat::fp8_blocks);
}

// On how many GPUs each expert lies in slices; without expert parallelism on all of them.
std::int64_t slices_of_expert(const Parallelism& layout) {
  return std::max<std::int64_t>(layout.tp * layout.dp / layout.ep, 1);
}

// ---- slices of weights

std::string uneven_blocks(const char* what, std::int64_t width, std::int64_t slices) {
  if (width == 0 || slices <= 1 || width % (slices * kBlock) == 0) return {};
  return fmt::format(
      "{} of width {} in {} slices are {} wide, no multiple of the {} weights that "
      "share an FP8 scale",
      what, width, slices, three_digits(static_cast<double>(width) / static_cast<double>(slices)),
      kBlock);
}

std::string uneven_fp8_blocks(const ModelPlacement& served) {
  const Quantization& q = served.model.quantization;
  const auto in_blocks = [](const WeightFormat& f) { return f.math == MatrixFormat::fp8_blocks; };
  const std::int64_t tp = served.layout.tp;
  for (const LayerGroup& group : served.model.layers_by_kind) {
    const Mlp& mlp = group.layer.mlp;
    const Attention& a = group.layer.attention;
    std::string found;
    if (mlp.kind == MlpKind::experts && in_blocks(q.experts)) {
      found = uneven_blocks("experts", mlp.expert_width, slices_of_expert(served.layout));
    }
    if (found.empty() && mlp.kind == MlpKind::dense && in_blocks(q.dense_mlp)) {
      found = uneven_blocks("MLPs", mlp.width, tp);
    }
    if (found.empty() && in_blocks(q.shared_experts)) {
      found = uneven_blocks("shared experts", mlp.shared_width, tp);
    }
    if (found.empty() && a.kind != AttentionKind::linear && in_blocks(q.attention)) {
      found = uneven_blocks("attention outputs", a.heads * a.value_width, tp);
    }
    if (!found.empty()) return found;
  }
  return {};
}

std::string uneven_heads(const ModelPlacement& served) {
  const auto checked = check_heads(served.model, served.layout.tp, ModelShapes::exact);
  return checked ? "" : checked.error().diagnostics.front().message;
}

// ---- what a GPU can multiply

std::string lacks(const ModelPlacement& served, bool uses, double least, const char* what) {
  if (!uses || !is_below(served.gpu, least)) return {};
  return fmt::format("{} has {} weights, and {} has compute capability {:.1f}, below {:.1f}",
                     served.model.id, what, served.gpu.name, served.gpu.compute_capability, least);
}

std::string fp8_before_turing(const ModelPlacement& served) {
  return lacks(served, has_fp8(served.model), kTuring, "FP8");
}

std::string nvfp4_before_turing(const ModelPlacement& served) {
  return lacks(served, has_math(served.model, MatrixFormat::fp4), kTuring, "NVFP4");
}

std::string int4_before_turing(const ModelPlacement& served) {
  const bool uses = has_format(served.model, [](const WeightFormat& format) {
    return format.bytes < 1 && format.math == MatrixFormat::bf16;
  });
  return lacks(served, uses, kTuring, "4-bit integer");
}

std::string mxfp4_before_ampere(const ModelPlacement& served) {
  return lacks(served, has_math(served.model, MatrixFormat::mxfp4), kAmpere, "MXFP4");
}

std::string int8_on_blackwell(const ModelPlacement& served) {
  if (!has_math(served.model, MatrixFormat::int8)) return {};
  if (served.gpu.compute_capability >= kBlackwell) {
    return fmt::format("{} uses INT8, which vLLM has no kernels for on {}", served.model.id,
                       served.gpu.name);
  }
  return lacks(served, true, kTuring, "INT8");
}

bool needs_bf16(const ModelConfig& model) {
  constexpr std::string_view kFamilies[]{"gemma2", "gemma3", "gemma3_text", "glm4", "plamo2"};
  return std::ranges::find(kFamilies, model.model_type) != std::end(kFamilies);
}

std::string float16_unstable(const ModelPlacement& served) {
  if (!is_below(served.gpu, kAmpere) || !needs_bf16(served.model)) return {};
  return fmt::format("{} has no bfloat16, and {} is not stable in float16", served.gpu.name,
                     served.model.id);
}

std::string sparse_before_hopper(const ModelPlacement& served) {
  const bool sparse = std::ranges::any_of(served.model.layers_by_kind, [](const LayerGroup& group) {
    return group.layer.attention.index_heads > 0;
  });
  if (!sparse || !is_below(served.gpu, kHopper)) return {};
  return fmt::format("{} selects tokens by an index, which vLLM has no attention kernels for on {}",
                     served.model.id, served.gpu.name);
}

std::string fp4_weight_only(const ModelPlacement& served) {
  if (!has_math(served.model, MatrixFormat::fp4) || served.gpu.tflops_fp4 > 0) return {};
  const bool is_amd = is_of_amd(served.gpu.name);
  if (served.gpu.compute_capability == 0 && !is_amd) return {};
  return fmt::format(
      "{} cannot multiply in FP4: vLLM reads the weights of {} in 4 bits and "
      "multiplies in 16 ({})",
      served.gpu.name, served.model.id, is_amd ? "Petit, a package of its own" : "Marlin");
}

std::string fp8_weight_only(const ModelPlacement& served) {
  if (!has_fp8(served.model) || !is_below(served.gpu, kAda)) return {};
  return fmt::format(
      "{} cannot multiply in FP8: vLLM reads the weights of {} in 8 bits and "
      "multiplies in 16 (Marlin)",
      served.gpu.name, served.model.id);
}

// ---- limits

std::string fewer_tokens_than_requests(const ModelPlacement& served) {
  const StartLimits& limits = served.limits;
  if (limits.max_num_batched_tokens == 0 || limits.max_num_batched_tokens >= limits.max_num_seqs) {
    return {};
  }
  return fmt::format("--max-num-batched-tokens {} is less than --max-num-seqs {}",
                     limits.max_num_batched_tokens, limits.max_num_seqs);
}

std::string longer_than_model(const ModelPlacement& served) {
  const std::int64_t longest = served.model.max_model_len;
  if (longest == 0 || served.limits.max_model_len <= longest) return {};
  return fmt::format("--max-model-len {} is more than the {} tokens of {}",
                     served.limits.max_model_len, longest, served.model.id);
}

// ---- KV caches of layers of different kinds

std::string states_without_hybrid_cache(const ModelPlacement& served) {
  const bool keeps_states = kv_layers_of(served.model, 1).bytes_per_request > 0;
  if (served.has_hybrid_cache || !keeps_states) return {};
  return fmt::format(
      "layers of {} keep a state of each request, and vLLM's hybrid KV cache "
      "manager, which that takes, is off where KV blocks travel",
      served.model.id);
}

std::string windows_without_hybrid_cache(const ModelPlacement& served) {
  const KvLayers kv = kv_layers_of(served.model, 1);
  if (served.has_hybrid_cache || kv.windowed.empty() || kv.bytes_per_token == 0) return {};
  return fmt::format(
      "vLLM's hybrid KV cache manager is off: layers of {} that look at a window "
      "keep every token",
      served.model.id);
}

std::string no_decoder(const ModelPlacement& served) {
  return why_no_decoder(served.model.architecture, served.model.model_type);
}

std::string trtllm_beside_nvidia(const ModelPlacement& served) {
  if (served.engine != Engine::trtllm || !is_of_amd(served.gpu.name)) return {};
  return fmt::format("{} is an AMD GPU", served.gpu.name);
}

std::string refusal(const EngineRule& rule, const std::string& what) {
  return fmt::format("{} refuses this ({}): {}", rule.engine, rule.name, what);
}

bool is_ignored(const EngineRule& rule, const std::vector<std::string>& ignored) {
  return contains(ignored, rule.name);
}

}  // namespace

const std::vector<EngineRule>& engine_rules() {
  using enum RuleEffect;
  static const std::vector<EngineRule> rules{
      {"causal-decoder", refuses, false,
       "models that do not continue a text: encoders, encoder-decoders, "
       "heads that classify or rank",
       "give the config.json of a model that generates text",
       "docs.vllm.ai, Supported Models: pooling models have no completions", no_decoder},
      {"trtllm-nvidia", refuses, false, "TensorRT-LLM on GPUs not made by NVIDIA",
       "use an NVIDIA GPU, or --engine vllm or sglang",
       "nvidia.github.io/TensorRT-LLM, Support Matrix: Hardware", trtllm_beside_nvidia,
       "TensorRT-LLM"},
      {"even-heads", refuses, false, "attention heads that --tp does not divide",
       "use a --tp that divides them", "vllm #2652, #11797", uneven_heads},
      {"fp8-blocks", refuses, true,
       "FP8 weights with a scale per block of 128 x 128, in slices that cut a "
       "block",
       "--enable-expert-parallel keeps experts whole; for other layers take a smaller --tp",
       "vllm #17569, #25292, #42384", uneven_fp8_blocks},
      {"fp8-turing", refuses, true, "FP8 weights below compute capability 7.5 (V100)",
       "use a newer GPU, or a checkpoint with 16-bit weights",
       "docs.vllm.ai, FP8 W8A8 (v0.32): weight-only from 7.5 on", fp8_before_turing},
      {"nvfp4-turing", refuses, true, "NVFP4 weights below compute capability 7.5 (V100)",
       "use a newer GPU, or a checkpoint with 16-bit weights",
       "vllm, marlin_utils_fp4.py: 7.5 (8.0 until v0.11)", nvfp4_before_turing},
      {"int4-turing", refuses, true,
       "4-bit integer weights (AWQ, compressed-tensors) below compute capability 7.5 (V100)",
       "use a newer GPU; a GPTQ checkpoint is served there, with --ignore-rules int4-turing",
       "vllm #1488, #4202", int4_before_turing},
      {"mxfp4-ampere", refuses, true, "MXFP4 weights below compute capability 8.0 (T4, V100)",
       "use an Ampere GPU (A100, A10) or a newer one", "vllm #22288, #23203", mxfp4_before_ampere},
      {"int8-kernels", refuses, true,
       "weights and activations in INT8 on Blackwell, and before Turing",
       "use an FP8 checkpoint, or a GPU from Turing to Hopper",
       "docs.vllm.ai, INT8 W8A8: Blackwell GPU limitation", int8_on_blackwell},
      {"float16-unstable", refuses, true,
       "Gemma 2, Gemma 3 and GLM-4 on GPUs without bfloat16 (T4, V100)",
       "use an Ampere GPU (A100, A10) or a newer one", "vllm #14817, #20740", float16_unstable},
      {"sparse-hopper", refuses, true,
       "sparse attention by an index (DeepSeek V3.2, GLM 5) "
       "below compute capability 9.0",
       "use a Hopper GPU (H100, H200) or a newer one", "vllm #40851", sparse_before_hopper},
      {"tokens-per-step", refuses, true, "fewer tokens in a step than requests",
       "use a larger --max-num-batched-tokens, or a smaller --max-num-seqs",
       "vllm, config/scheduler.py: verify_max_model_len", fewer_tokens_than_requests},
      {"model-length", refuses, true, "requests longer than the config.json of the model allows",
       "use a smaller --max-model-len, or a config.json with the RoPE scaling that stretches it",
       "vllm, config/model.py: VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 lets it start", longer_than_model},
      {"split-states", refuses, true,
       "layers that keep a state (linear attention, Mamba) where KV blocks travel",
       "give --no-disable-hybrid-kv-cache-manager if your connector supports it, or no split",
       "vllm #41830, dynamo #10741", states_without_hybrid_cache},
      {"split-windows", falls_back, false,
       "layers with a window keep every token where KV blocks travel",
       "give --no-disable-hybrid-kv-cache-manager if your connector supports it", "vllm #42024",
       windows_without_hybrid_cache},
      {"fp4-weight-only", falls_back, false, "NVFP4 weights on GPUs without FP4 arithmetic",
       "a Blackwell GPU multiplies in FP4", "vllm #31085, #56603", fp4_weight_only},
      {"fp8-weight-only", falls_back, false,
       "FP8 weights on GPUs that cannot multiply in FP8 (Ampere)",
       "an Ada or Hopper GPU multiplies in FP8", "docs.vllm.ai, FP8 W8A8", fp8_weight_only},
  };
  return rules;
}

std::vector<std::string> ignorable_rules() {
  std::vector<std::string> names;
  for (const EngineRule& rule : engine_rules()) {
    if (rule.effect == RuleEffect::refuses && rule.can_be_ignored) names.push_back(rule.name);
  }
  return names;
}

Result<void> check_engine_rules(const ModelPlacement& served,
                                const std::vector<std::string>& ignored) {
  for (const EngineRule& rule : engine_rules()) {
    if (rule.effect != RuleEffect::refuses || is_ignored(rule, ignored)) continue;
    const std::string what = rule.objection(served);
    if (what.empty()) continue;
    std::string hint = rule.source;
    if (rule.can_be_ignored) {
      hint += fmt::format("; --ignore-rules {} simulates it anyway", rule.name);
    }
    return fail(ErrorKind::usage, refusal(rule, what) + "; " + rule.remedy, std::move(hint),
                rule.name);
  }
  return {};
}

std::vector<std::string> engine_rule_notes(const ModelPlacement& served,
                                           const std::vector<std::string>& ignored) {
  std::vector<std::string> notes;
  for (const EngineRule& rule : engine_rules()) {
    const bool falls_back = rule.effect == RuleEffect::falls_back;
    if (!falls_back && !is_ignored(rule, ignored)) continue;
    const std::string what = rule.objection(served);
    if (what.empty()) continue;
    notes.push_back(falls_back ? what : refusal(rule, what));
  }
  return notes;
}

}  // namespace plimsoll
