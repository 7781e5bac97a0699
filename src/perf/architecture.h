// The numbers of a model as the step-time formulas use them: absent fields filled in, layers split
// into dense and MoE ones. Formulas: the public simulator BLIS (inference-sim/inference-sim).
#pragma once

#include "base/result.h"
#include "catalog/gpu.h"
#include "catalog/model.h"
#include "perf/parallelism.h"

namespace plimsoll {

/// Where the sizes of a model come from. `exact`: from its layers as they are
/// (ModelConfig::layers_by_kind, quantization). `reference`: from its flat fields, as the reference
/// simulator does.
enum class ModelShapes { exact, reference };

/// Counts are whole numbers held as doubles, exact below 2^53.
struct Architecture {
  double layers = 0;
  double dense_layers = 0;
  double moe_layers = 0;
  double hidden = 0;
  double heads = 0;
  double kv_heads = 0;
  double dense_ffn = 0;
  double expert_ffn = 0;
  double shared_ffn = 0;  ///< 0 = no shared expert
  double experts = 0;
  double experts_per_token = 0;
  double compute_bytes = 0;
  double weight_bytes = 0;
  bool moe = false;
  bool interleaved = false;  ///< MoE layers alternate with dense ones
};

/// Refuses models without heads, layers or width and inconsistent expert counts.
Result<void> checked_model(const ModelConfig& model);

/// Refuses the same, and models without a data type.
Result<Architecture> architecture_of(const ModelConfig& model);

/// Width of all shared experts of a layer together; 0 = none.
double shared_expert_width(const ModelConfig& model);

/// Peak rate in 1e12 FLOP/s: the FP8 rate for weights of exactly one byte where the GPU has one.
double peak_tflops(const GpuSpec& gpu, double weight_bytes);

/// Refuses GPUs without a rate or a bandwidth.
Result<GpuSpec> checked_gpu(const GpuSpec& gpu);

/// Refuses degrees below one, and more than one data-parallel rank for a dense model.
Result<Parallelism> checked_parallelism(const Parallelism& parallelism, const ModelConfig& model);

/// Whether each of `tp` GPUs gets as many attention heads as the others. KV heads fewer than GPUs
/// are copied; the reference knows no copies.
bool divides_heads(const ModelConfig& model, std::int64_t tp, ModelShapes shapes);

/// Refuses others, and names the degrees that do.
Result<void> check_heads(const ModelConfig& model, std::int64_t tp, ModelShapes shapes);

}  // namespace plimsoll
