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

void add(double independent, ModelError* error) {
  for (double* z : {&error->step, &error->ttft, &error->ttft_tail}) {
    *z = std::sqrt(*z * *z + independent * independent);
  }
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
      return {regime, 0.11, 0.27, 0.60};
    case Regime::transferred:
      return {regime, 0.15, 0.28, 0.45};
    case Regime::unknown:
      return {regime, 0.25, 0.50, 0.65};
  }
  return {};
}

ModelError model_error(const ModelConfig& model, const GpuSpec& gpu, const Parallelism& layout) {
  ModelError error = usual_error(regime_of(model, gpu));
  // Exchanges between ranks over PCIe were measured once.
  constexpr double kRanksWithoutLink = 0.20;
  if (layout.dp > 1 && gpu.link_gb_s == 0) add(kRanksWithoutLink, &error);
  // Networks are assumed; nothing over one was ever compared.
  constexpr double kNetwork = 0.20;
  if (spans_nodes(gpu, layout)) add(kNetwork, &error);
  return error;
}

}  // namespace plimsoll
