#include "perf/trained_physics.h"

#include <algorithm>
#include <cmath>

#include "perf/architecture.h"
#include "perf/coefficients.h"

namespace plimsoll {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

constexpr std::size_t kMinAlpha = 3;
constexpr std::size_t kMinBeta = 7;

class TrainedPhysics final : public StepTimeModel {
 public:
  TrainedPhysics(const Architecture& a, const GpuSpec& gpu, const Parallelism& p,
                 const Coefficients& fitted);

  double step_us(const BatchShape& batch) const override;
  double prefill_term_us(const BatchShape& batch) const;
  double decode_term_us(double tokens, double context) const;
  double queueing_us(std::int64_t) const override { return alpha_queueing_; }
  double output_token_us() const override { return alpha_output_token_; }
  double post_decode_us() const override { return alpha_post_decode_; }

 private:
  // Basis terms in us, before their factors.
  double compute_us_per_token_ = 0;          // projections and FFN
  double compute_us_per_token_context_ = 0;  // attention
  double kv_us_per_token_ = 0;
  double comm_us_per_token_ = 0;  // with factors: all-reduce and expert dispatch

  // Factors; `split` adds compute and KV terms, otherwise the larger one counts.
  double prefill_compute_ = 0;
  double prefill_kv_ = 0;
  bool prefill_split_ = false;
  double decode_compute_ = 0;
  double decode_kv_ = 0;
  bool decode_split_ = false;

  double fixed_us_ = 0;  // weights, layers, step, interleaved MoE layers
  double us_per_request_ = 0;

  double alpha_queueing_ = 0;
  double alpha_post_decode_ = 0;
  double alpha_output_token_ = 0;
};

TrainedPhysics::TrainedPhysics(const Architecture& a, const GpuSpec& gpu, const Parallelism& p,
                               const Coefficients& fitted) {
  const double tp = as_double(p.tp);
  const double dp = as_double(p.dp);
  const double group = a.moe ? tp * dp : tp;
  const double d = a.hidden;
  const double head_width = std::floor(d / a.heads);  // whole, unlike roofline's
  const double kv = a.kv_heads * head_width;
  const double experts_per_token = std::max(1.0, a.experts_per_token);
  const double flop_per_us = peak_tflops(gpu, a.weight_bytes) * 1e6;
  const double bytes_per_us = gpu.memory_bandwidth_tb_s * 1e6;

  const double ffn = a.moe_layers * (experts_per_token / group) * 6 * d * a.expert_ffn +
                     a.moe_layers * 6 * d * a.shared_ffn / (tp * dp) +
                     a.dense_layers * 6 * d * a.dense_ffn / (tp * dp);
  compute_us_per_token_ = (a.layers * 2 * d * (2 * d + 2 * kv) / (tp * dp) + ffn) / flop_per_us;
  compute_us_per_token_context_ = a.layers * 4 * (a.heads / tp) * head_width / dp / flop_per_us;
  constexpr double kKvElementBytes = 2;
  kv_us_per_token_ = a.layers * 2 * (kv / (tp * dp)) * kKvElementBytes / bytes_per_us;

  const double weights_us =
      (a.layers * d * (2 * d + 2 * kv) * a.weight_bytes / tp +
       a.moe_layers * (a.experts / group) * 3 * d * a.expert_ffn * a.weight_bytes +
       a.moe_layers * 3 * d * a.shared_ffn * a.weight_bytes / tp +
       a.dense_layers * 3 * d * a.dense_ffn * a.weight_bytes / tp) /
      bytes_per_us;

  // Ring all-reduce of one layer's activations, one token.
  const double all_reduce_us = d * a.compute_bytes * 2 * (tp - 1) / tp / bytes_per_us;
  double all_reduces = (a.layers + a.dense_layers) / dp;
  if (a.moe && p.dp == 1) all_reduces += a.moe_layers;
  double dispatch_us = 0;
  if (a.moe && p.dp > 1) {
    const double copies = p.moe_comm == MoeCommFamily::all_to_all ? experts_per_token : 1;
    dispatch_us =
        a.moe_layers * copies / dp * (group - 1) / group * 2 * d * a.compute_bytes / bytes_per_us;
  }

  const std::vector<double>& beta = fitted.beta;
  const auto optional_beta = [&](std::size_t i, double absent) {
    return beta.size() > i ? beta[i] : absent;
  };
  prefill_compute_ = beta[0];
  decode_compute_ = beta[1];
  prefill_split_ = beta.size() > 8;
  prefill_kv_ = optional_beta(8, 0);
  decode_split_ = beta.size() > 9;
  decode_kv_ = optional_beta(9, 0);
  comm_us_per_token_ =
      beta[3] * all_reduce_us * all_reduces + optional_beta(10, beta[3]) * dispatch_us;
  us_per_request_ = beta[5];
  fixed_us_ = beta[2] * weights_us + beta[4] * a.layers + beta[6];
  if (a.interleaved) fixed_us_ += optional_beta(7, 0) * a.moe_layers;

  alpha_queueing_ = fitted.alpha[0];
  alpha_post_decode_ = fitted.alpha[1];
  alpha_output_token_ = fitted.alpha[2];
}

double TrainedPhysics::step_us(const BatchShape& batch) const {
  if (batch.requests() == 0) return 0;
  const double prefill_tokens = as_double(batch.prefill_tokens);
  const double decode_tokens = as_double(batch.decode_requests);
  const double prefill_us = batch.prefill_requests > 0 ? prefill_term_us(batch) : 0;
  const double decode_us = decode_term_us(decode_tokens, as_double(batch.decode_context));
  return prefill_us + decode_us + comm_us_per_token_ * (prefill_tokens + decode_tokens) +
         us_per_request_ * as_double(batch.requests()) + fixed_us_;
}

double TrainedPhysics::prefill_term_us(const BatchShape& batch) const {
  const double tokens = as_double(batch.prefill_tokens);
  // Each chunk is charged as if at the end of its prompt, as the coefficients were fitted.
  const double pairs =
      as_double(batch.prefill_tokens_input) + as_double(batch.prefill_tokens_squared) / 2;
  const double compute_us = compute_us_per_token_ * tokens + compute_us_per_token_context_ * pairs;
  const double kv_us = kv_us_per_token_ * tokens;
  return prefill_split_ ? prefill_compute_ * compute_us + prefill_kv_ * kv_us
                        : prefill_compute_ * std::max(compute_us, kv_us);
}

double TrainedPhysics::decode_term_us(double tokens, double context) const {
  const double compute_us =
      compute_us_per_token_ * tokens + compute_us_per_token_context_ * context;
  const double kv_us = kv_us_per_token_ * (context + tokens);
  return decode_split_ ? decode_compute_ * compute_us + decode_kv_ * kv_us
                       : decode_compute_ * std::max(compute_us, kv_us);
}

Result<bool> check_division(const ModelConfig& model, std::int64_t count, const char* what,
                            std::int64_t tp) {
  if (count % tp == 0) return true;
  std::string usable;
  for (std::int64_t n = 1; n <= 8; n *= 2) {
    if (model.heads % n == 0 && model.kv_heads % n == 0) {
      usable += (usable.empty() ? "" : ", ") + std::to_string(n);
    }
  }
  return fail(ErrorKind::usage,
              "TP " + std::to_string(tp) + " does not divide the " + std::to_string(count) + " " +
                  what + " of " + model.id,
              "TP degrees that do: " + usable);
}

}  // namespace

Result<std::shared_ptr<const StepTimeModel>> make_trained_physics(const ModelConfig& model,
                                                                  const GpuSpec& gpu,
                                                                  const Parallelism& parallelism,
                                                                  const Coefficients& fitted) {
  auto architecture = architecture_of(model);
  if (!architecture) return pass_on(architecture);
  auto usable_gpu = checked_gpu(gpu);
  if (!usable_gpu) return pass_on(usable_gpu);
  auto layout = checked_parallelism(parallelism, model);
  if (!layout) return pass_on(layout);
  if (model.intermediate <= 0) {
    return fail(ErrorKind::usage, "model " + model.id + " has no MLP width");
  }
  for (const auto& [count, what] :
       {std::pair{model.heads, "attention heads"}, std::pair{model.kv_heads, "KV heads"}}) {
    auto divides = check_division(model, count, what, layout->tp);
    if (!divides) return pass_on(divides);
  }
  auto usable = checked_coefficients(fitted, kMinAlpha, kMinBeta, "trained-physics");
  if (!usable) return pass_on(usable);
  return std::make_shared<const TrainedPhysics>(*architecture, gpu, *layout, *usable);
}

}  // namespace plimsoll
