#include "perf/model_error.h"

#include <algorithm>
#include <cmath>

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

ModelError base_of(Regime regime) {
  switch (regime) {
    case Regime::measured:
      return {regime, 0.065, 0.10, 0.35};
    case Regime::formats:
      return {regime, 0.11, 0.27, 0.60};
    case Regime::transferred:
      return {regime, 0.15, 0.28, 0.45};
    case Regime::unknown:
      return {regime, 0.25, 0.50, 0.65};
  }
  return {};
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
  }
  return "";
}

ModelError model_error(const ModelConfig& model, const GpuSpec& gpu, const Parallelism& layout) {
  ModelError error = base_of(regime_of(model, gpu));
  // Exchanges between ranks over PCIe were measured once.
  constexpr double kRanksWithoutLink = 0.20;
  if (layout.dp > 1 && gpu.link_gb_s == 0) {
    for (double* z : {&error.step, &error.ttft, &error.ttft_tail}) {
      *z = std::sqrt(*z * *z + kRanksWithoutLink * kRanksWithoutLink);
    }
  }
  return error;
}

}  // namespace plimsoll
