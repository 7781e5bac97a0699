#include "perf/operators/experts.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"

namespace plimsoll {
namespace {

constexpr double kReferenceExperts = 128;

const ExpertEfficiency& expert_efficiency(const WeightFormat& format, const Device& device) {
  const auto rows = &KernelSet::experts;
  const Kernels& kernels = device.kernels;
  if (format.bytes < 1) {
    if (format.math == MatrixFormat::mxfp4) return *kernels.find(rows, {"mxfp4"});
    const bool native = format.math == MatrixFormat::fp4 && device.gpu.tflops_fp4 > 0;
    return native ? *kernels.find(rows, {"nvfp4"}) : *kernels.find(rows, {"int4"});
  }
  const bool native = device.flop_per_us(format.math) > device.flop_per_us(MatrixFormat::bf16);
  if (!native) return *kernels.find(rows, {"bf16"});
  return format.math == MatrixFormat::fp8_blocks ? *kernels.find(rows, {"fp8-blocks", "fp8"})
                                                 : *kernels.find(rows, {"fp8"});
}

}  // namespace

double experts_touched(double tokens, double experts, double per_token, double evenness_of_128) {
  if (tokens <= 1) return per_token * tokens;
  const double shape = evenness_of_128 * std::max(1.0, kReferenceExperts / experts);
  const double untouched = portable_pow(1 + tokens * per_token / (experts * shape), -shape);
  return std::clamp(experts * (1 - untouched), per_token, experts);
}

double busiest_load(double experts, double gpus, double evenness_of_128) {
  if (gpus <= 1) return 1;
  const double shape = evenness_of_128 * std::max(1.0, kReferenceExperts / experts);
  const double deviation = 1 / std::sqrt(experts / gpus * shape);
  return 1 + (std::sqrt(2 * portable_log(gpus)) - 0.6) * deviation;
}

ExpertsCost::ExpertsCost(const Mlp& mlp, double hidden, const Parallelism& layout,
                         const WeightFormat& format, const Device& device)
    : experts_(as_double(mlp.experts)),
      per_token_(as_double(mlp.experts_per_token)),
      evenness_(device.overheads.expert_evenness) {
  const ExpertEfficiency& fitted = expert_efficiency(format, device);
  const double group = as_double(layout.tp * layout.dp);
  const double input = mlp.expert_input > 0 ? as_double(mlp.expert_input) : hidden;
  double width = as_double(mlp.expert_width);
  share_ = 1 / as_double(layout.ep);
  imbalance_ = layout.expert_imbalance > 0
                   ? layout.expert_imbalance
                   : busiest_load(experts_, as_double(layout.ep), evenness_);
  width /= group / as_double(layout.ep);
  const double matrices = as_double(mlp.matrices);
  compute_us_per_row_ =
      2 * matrices * input * width / (device.flop_per_us(format.math) * fitted.compute);
  weights_us_per_expert_ =
      matrices * input * width * format.bytes / (device.bytes_per_us() * fitted.memory);
  row_padding_ = bounded_padding(fitted.row_padding, compute_us_per_row_, weights_us_per_expert_);
  activation_us_per_token_ = fitted.activation * per_token_ * share_ *
                             (2 * input + matrices * width) * kActivationBytes /
                             device.bytes_per_us();
  sharpness_ = fitted.sharpness;
  launch_us_ = fitted.launch_us;
}

double ExpertsCost::us(double tokens) const {
  const double busiest = imbalance_ * tokens;
  return us(busiest, experts_touched(busiest, experts_, per_token_, evenness_));
}

double ExpertsCost::us(double tokens, double touched) const {
  if (tokens <= 0) return 0;
  const double here = share_ * touched;
  const double rows = tokens * per_token_ * share_ + row_padding_ * here;
  return launch_us_ +
         smooth_max(compute_us_per_row_ * rows, weights_us_per_expert_ * here, sharpness_) +
         activation_us_per_token_ * tokens;
}

}  // namespace plimsoll
