#include "perf/operators/layer_rows.h"

#include "base/numbers.h"

namespace plimsoll {

LayerRows::LayerRows(const LayerGroup& group, const ModelConfig& model, const Parallelism& layout,
                     const Device& device)
    : count_(as_double(group.count)),
      hidden_(as_double(model.hidden)),
      all_reduce_(as_double(layout.tp), device) {
  const double tp = as_double(layout.tp);
  const Quantization& q = model.quantization;
  const Attention& a = group.layer.attention;
  const Mlp& mlp = group.layer.mlp;
  const StepOverheads& overheads = device.overheads;
  double small_kernels = overheads.small_kernels_per_layer;
  double elements = 8 * hidden_;
  if (a.kind == AttentionKind::standard) {
    const double kv_heads = std::max(as_double(a.kv_heads) / tp, 1.0);
    const double queries = as_double(a.heads * a.key_width) / tp;
    const double outputs = as_double(a.heads * a.value_width) / tp;
    const double values = a.keys_are_values ? 0 : kv_heads * as_double(a.value_width);
    const double projected = queries + kv_heads * as_double(a.key_width) + values;
    gemms_.emplace_back(projected + (a.output_gate ? outputs : 0), hidden_, q.attention, device);
    gemms_.emplace_back(hidden_, outputs, q.attention, device);
    elements += 2 * projected;
  }
  if (a.kind == AttentionKind::linear) {
    gemms_.emplace_back(as_double(a.parameters) / hidden_ / tp, hidden_, q.linear_attention,
                        device);
  }
  if (a.kind != AttentionKind::none) all_reduces_ += 1;
  if (a.norm_over_heads) {
    all_reduced_elements_ = 4;  // sum of squares and its count, of queries and of keys
    small_kernels += 2;
  }
  if (mlp.kind == MlpKind::dense) {
    const double width = as_double(mlp.width) / tp;
    gemms_.emplace_back(as_double(mlp.matrices - 1) * width, hidden_, q.dense_mlp, device);
    gemms_.emplace_back(hidden_, width, q.dense_mlp, device);
    elements += 3 * width;
  }
  if (mlp.kind == MlpKind::experts) {
    gemms_.emplace_back(as_double(mlp.experts), hidden_, WeightFormat{}, device);
    if (mlp.shared_width > 0) {
      const double width = as_double(mlp.shared_width) / tp;
      gemms_.emplace_back(as_double(mlp.matrices - 1) * width, hidden_, q.shared_experts, device);
      gemms_.emplace_back(hidden_, width, q.shared_experts, device);
    }
    experts_.emplace(mlp, hidden_, layout, q.experts, device);
    if (layout.dp > 1) exchange_.emplace(mlp, hidden_, q.experts, layout, device);
  }
  if (mlp.kind != MlpKind::none) all_reduces_ += 1;
  small_us_ = small_kernels * overheads.small_kernel;
  small_us_per_row_ =
      kActivationBytes * elements / (overheads.small_kernel_bandwidth * device.bytes_per_us());
}

double LayerRows::us(double rows) const {
  double us = small_us_ + small_us_per_row_ * rows + all_reduces_ * all_reduce_.us(rows * hidden_);
  if (all_reduced_elements_ > 0) us += all_reduce_.us(rows * all_reduced_elements_);
  for (const Gemm& gemm : gemms_) us += gemm.us(rows);
  return count_ * us;
}

double LayerRows::all_reduces_us(double rows) const {
  return count_ * (all_reduces_ * all_reduce_.us(rows * hidden_) +
                   (all_reduced_elements_ > 0 ? all_reduce_.us(rows * all_reduced_elements_) : 0));
}

double LayerRows::experts_us(double rows) const {
  double us = experts_ ? experts_->us(rows) : 0;
  if (exchange_) us += exchange_->us(rows);
  return count_ * us;
}

}  // namespace plimsoll
