#include "perf/model_error.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/lists.h"
#include "base/numbers.h"

namespace plimsoll {
namespace {

bool is_narrow(const WeightFormat& format) { return format.bytes < 2; }

bool is_plain(const ModelConfig& model) {
  const Quantization& q = model.quantization;
  if (is_narrow(q.attention) || is_narrow(q.dense_mlp) || q.kv_bytes < 2) return false;
  return std::all_of(model.layers_by_kind.begin(), model.layers_by_kind.end(),
                     [](const LayerGroup& group) {
                       return group.layer.mlp.kind == MlpKind::dense &&
                              group.layer.attention.kind == AttentionKind::standard;
                     });
}

Regime regime_of(const ModelConfig& model, const GpuSpec& gpu) {
  if (gpu.kernels.empty()) return Regime::unknown;
  if (!gpu.kernels_measured) return Regime::transferred;
  return is_plain(model) ? Regime::measured : Regime::formats;
}

// Independent errors, of steps and of what a first token waits for beside them.
void add(double step, double ttft, ModelError* error) {
  error->step = std::hypot(error->step, step);
  error->ttft = std::hypot(error->ttft, ttft);
  error->ttft_tail = std::hypot(error->ttft_tail, ttft);
}

// Kernels that another GPU of the architecture lends: those of Blackwell were right on B300 and
// GB200, those of H100 on H200 for DeepSeek under SGLang. Dense models on H200 came out 13 % too
// fast (median). Experts under vLLM on H200 took 1.3 to 2.7 times as long per token in 25 of the 26
// runs at hand (MiniMax-M2.5, Qwen3-235B), which publish no settings, and their first tokens 1.2 to
// 7.4 times (docs/explanation/accuracy-limits.md). Other pairs were never compared.
void add_transfer(const ModelConfig& model, const GpuSpec& gpu, Engine engine, ModelError* error) {
  const bool of_h100 = gpu.name == "H200";
  if (!of_h100 && gpu.kernels != "blackwell") add(0.25, 0.40, error);
  if (!model.is_moe()) return;
  add(0.14, 0.14, error);
  if (!of_h100 || engine != Engine::vllm) return;
  add(0.82, 1.2, error);
  error->slower_runs = 2.7;
}

// Of the other engines the kernels were measured. How their hosts and schedulers delay first tokens
// is known from whole runs of two models each; in splits it is not.
void add_engine(const ModelConfig& model, Engine engine, bool is_split, ModelError* error) {
  if (engine == Engine::vllm) return;
  const bool is_trtllm = engine == Engine::trtllm;
  constexpr double kFirstToken = 0.65;
  const double of_splits = is_trtllm ? 0.3 : 1.0;
  add(is_trtllm ? 0.17 : 0.12, is_split ? of_splits : kFirstToken, error);
  if (has_latent_attention(model)) add(0.12, 0.28, error);
}

// GiB on each GPU. Nine in ten start-up logs are within the first of what is predicted for their
// build; groups of linked GPUs that serve experts are further off.
constexpr double kError = 0.6;
constexpr double kErrorOfExpertGroups = 0.8;
// Of a GPU's memory that nobody has seen in a log, and of weights in a format nobody has.
constexpr double kShareOfUnseenGpu = 0.01;
constexpr double kShareOfUnseenWeights = 0.02;

double free_gib(const KvCapacity& memory) {
  return memory.available_gib - memory.weights_gib - memory.activation_gib - memory.non_torch_gib;
}

double free_gib_of_build(const ModelConfig& model, const GpuSpec& gpu,
                         const Parallelism& parallelism, KvSettings settings,
                         const EngineBuild& build) {
  settings.build = build;
  const auto memory = instance_memory(model, gpu, parallelism, settings);
  return memory ? free_gib(*memory) : 0;
}

bool has_seen_weights(const ModelConfig& model) {
  const Quantization& q = model.quantization;
  return std::ranges::none_of(std::array{q.attention, q.dense_mlp, q.experts},
                              [](const WeightFormat& w) { return w.math == MatrixFormat::int8; });
}

}  // namespace

std::string_view name_of(Regime regime) {
  switch (regime) {
    case Regime::measured:
      return "measured";
    case Regime::formats:
      return "formats";
    case Regime::transferred:
      return "transferred";
    case Regime::unknown:
      return "unknown";
    case Regime::calibrated:
      return "calibrated";
  }
  return "";
}

ModelError usual_error(Regime regime) {
  switch (regime) {
    case Regime::measured:
    case Regime::calibrated:  // at least
      return {regime, 0.055, 0.08, 0.40};
    case Regime::formats:
      return {regime, 0.13, 0.27, 0.60};
    case Regime::transferred:
      return {regime, 0.15, 0.28, 0.45};
    case Regime::unknown:
      return {regime, 0.40, 0.80, 1.00};
  }
  return {};
}

bool has_latent_attention(const ModelConfig& model) {
  return std::ranges::any_of(model.layers_by_kind, [](const LayerGroup& group) {
    return group.layer.attention.kind == AttentionKind::latent;
  });
}

ModelError model_error(const ModelConfig& model, const GpuSpec& gpu, const Parallelism& layout,
                       Engine engine, bool is_split) {
  ModelError error = usual_error(regime_of(model, gpu));
  // Exchanges between ranks over PCIe were measured once.
  constexpr double kRanksWithoutLink = 0.20;
  if (layout.dp > 1 && gpu.link_gb_s == 0) add(kRanksWithoutLink, kRanksWithoutLink, &error);
  if (error.regime == Regime::transferred) add_transfer(model, gpu, engine, &error);
  // First tokens of measured splits are off by 43 % in the median, mostly too early, for reasons
  // that nobody published.
  if (is_split) add(0.20, 1.0, &error);
  add_engine(model, engine, is_split, &error);
  // Networks are assumed; nothing over one was ever compared.
  constexpr double kNetwork = 0.20;
  if (spans_nodes(gpu, layout)) add(kNetwork, kNetwork, &error);
  return error;
}

bool has_memory_log(const GpuSpec& gpu) {
  static constexpr std::array<std::string_view, 7> kSeen{"A100-40", "A100-80", "GB200",   "H100",
                                                         "H200",    "L40S",    "RTX-4090"};
  return contains(kSeen, gpu.name);
}

std::optional<KvInterval> kv_interval(const ModelConfig& model, const GpuSpec& gpu,
                                      const Parallelism& parallelism, const KvSettings& settings,
                                      const KvCapacity& capacity) {
  if (settings.shapes == ModelShapes::reference) return std::nullopt;
  const double gpus = as_double(parallelism.tp * parallelism.pp);
  double error = kError;
  if (model.is_moe() && gpus > 1 && gpu.link_gb_s > 0) error += kErrorOfExpertGroups;
  if (!has_memory_log(gpu)) error += kShareOfUnseenGpu * gpu.memory_gib;
  error *= gpus;
  if (!has_seen_weights(model)) error += kShareOfUnseenWeights * capacity.weights_gib;

  const auto of_build = [&](LogitSampler sampler, Mxfp4Kernels kernels) {
    return free_gib_of_build(model, gpu, parallelism, settings, {sampler, kernels});
  };
  const double least = of_build(LogitSampler::sorts, Mxfp4Kernels::marlin) - error;
  const double most = of_build(LogitSampler::light, Mxfp4Kernels::native) + error;
  const double blocks_per_gib = as_double(capacity.total_blocks) / free_gib(capacity);
  return KvInterval{static_cast<std::int64_t>(std::max(0.0, least * blocks_per_gib)),
                    static_cast<std::int64_t>(std::max(0.0, most * blocks_per_gib))};
}

}  // namespace plimsoll
