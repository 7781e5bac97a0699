#include "perf/architecture.h"

#include "base/numbers.h"
#include "base/text.h"

namespace plimsoll {
namespace {

tl::unexpected<Error> unusable(const ModelConfig& model, const std::string& what,
                               std::string hint = {}) {
  return fail(ErrorKind::usage, "model " + model.id + " " + what, std::move(hint));
}

// Each GPU has as many KV heads, or each KV head as many copies.
bool divides_kv_heads(const ModelConfig& model, std::int64_t tp, ModelShapes shapes) {
  if (model.kv_heads % tp == 0) return true;
  return shapes == ModelShapes::exact && tp % model.kv_heads == 0;
}

std::string usable_degrees(const ModelConfig& model, ModelShapes shapes) {
  std::vector<std::string> usable;
  for (std::int64_t n = 1; n <= model.heads; ++n) {
    if (divides_heads(model, n, shapes)) usable.push_back(std::to_string(n));
  }
  return join(usable, ", ");
}

}  // namespace

double shared_expert_width(const ModelConfig& model) {
  if (model.shared_expert_intermediate > 0) return as_double(model.shared_expert_intermediate);
  return as_double(model.shared_experts) *
         as_double(model.moe_intermediate > 0 ? model.moe_intermediate : model.intermediate);
}

Result<void> checked_model(const ModelConfig& model) {
  if (model.heads <= 0) return unusable(model, "has no attention heads");
  if (model.layers <= 0) return unusable(model, "has no layers");
  if (model.hidden <= 0) return unusable(model, "has no hidden size");
  if (model.is_moe() && (model.experts_per_token < 1 || model.experts_per_token > model.experts)) {
    return unusable(model,
                    "uses " + std::to_string(model.experts_per_token) + " of its " +
                        std::to_string(model.experts) + " experts per token",
                    "num_experts_per_tok must be between 1 and the number of experts");
  }
  if (model.experts == 0 && model.experts_per_token > 0) {
    return unusable(model, "names experts per token but no experts");
  }
  return {};
}

Result<Architecture> architecture_of(const ModelConfig& model) {
  TRY_TO(checked_model(model));
  if (!(model.compute_bytes > 0)) {
    return unusable(model, "has no data type", "add \"torch_dtype\" to its config.json");
  }
  Architecture a;
  a.layers = as_double(model.layers);
  a.hidden = as_double(model.hidden);
  a.heads = as_double(model.heads);
  a.kv_heads = as_double(model.kv_heads > 0 ? model.kv_heads : model.heads);
  const double ffn =
      model.intermediate > 0 ? as_double(model.intermediate) : 4 * as_double(model.hidden);
  a.dense_ffn = model.intermediate_size_mlp > 0 ? as_double(model.intermediate_size_mlp) : ffn;
  a.expert_ffn = model.moe_intermediate > 0 ? as_double(model.moe_intermediate) : ffn;
  a.moe = model.is_moe();
  a.interleaved = a.moe && model.interleave_moe_layer_step > 0;
  std::int64_t moe_layers = a.moe ? model.layers : 0;
  if (a.interleaved) moe_layers = model.layers / (model.interleave_moe_layer_step + 1);
  a.moe_layers = as_double(moe_layers);
  a.dense_layers = as_double(model.layers - moe_layers);
  if (a.moe) {
    a.experts = as_double(model.experts);
    a.experts_per_token = as_double(model.experts_per_token);
    a.shared_ffn = shared_expert_width(model);
  }
  a.compute_bytes = model.compute_bytes;
  a.weight_bytes = model.weight_bytes > 0 ? model.weight_bytes : model.compute_bytes;
  return a;
}

double peak_tflops(const GpuSpec& gpu, double weight_bytes) {
  return weight_bytes == 1.0 && gpu.tflops_fp8 > 0 ? gpu.tflops_fp8 : gpu.tflops_bf16;
}

Result<GpuSpec> checked_gpu(const GpuSpec& gpu) {
  if (!(gpu.tflops_bf16 > 0))
    return fail(ErrorKind::usage, "GPU " + gpu.name + " has no FLOP rate");
  if (!(gpu.memory_bandwidth_tb_s > 0)) {
    return fail(ErrorKind::usage, "GPU " + gpu.name + " has no memory bandwidth");
  }
  return gpu;
}

Result<Parallelism> checked_parallelism(const Parallelism& parallelism, const ModelConfig& model) {
  if (parallelism.tp < 1) return fail(ErrorKind::usage, "TP must be at least 1");
  if (parallelism.dp < 1) return fail(ErrorKind::usage, "DP must be at least 1");
  if (model.layers > 0 && parallelism.pp > model.layers) {
    return fail(ErrorKind::usage, "PP " + std::to_string(parallelism.pp) +
                                      " needs a layer for each stage; " + model.id + " has " +
                                      std::to_string(model.layers));
  }
  if (parallelism.dp > 1 && !model.is_moe()) {
    return fail(
        ErrorKind::usage,
        "DP " + std::to_string(parallelism.dp) + " needs a mixture-of-experts model; " + model.id +
            " is dense",
        "for copies of a dense model give more instances: --num-instances, or \"instances\" of "
        "the pool in a fleet file");
  }
  return parallelism;
}

bool divides_heads(const ModelConfig& model, std::int64_t tp, ModelShapes shapes) {
  return model.heads % tp == 0 && divides_kv_heads(model, tp, shapes);
}

Result<void> check_heads(const ModelConfig& model, std::int64_t tp, ModelShapes shapes) {
  if (divides_heads(model, tp, shapes)) return {};
  const bool divides = model.heads % tp == 0;
  const std::string what = divides ? std::to_string(model.kv_heads) + " KV heads"
                                   : std::to_string(model.heads) + " attention heads";
  return fail(ErrorKind::usage,
              "TP " + std::to_string(tp) + " does not divide the " + what + " of " + model.id,
              "TP degrees that do: " + usable_degrees(model, shapes),
              divides ? "KV heads" : "attention heads");
}

}  // namespace plimsoll
