#include "perf/trained_physics.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "perf/blackbox.h"
#include "perf/shape_costs.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMinAlpha = 3;
constexpr std::size_t kMinBeta = 7;

/// The terms of the model for one GPU, in us before their factors.
struct Basis {
  double compute_us_per_token = 0;  // projections and FFN
  double prefill_us_per_pair = 0;   // attention
  double decode_us_per_pair = 0;
  double kv_us_per_token = 0;       // written or read
  double state_us_per_request = 0;  // of linear attention
  double weights_us = 0;
  std::vector<ContextCost> limited;  // attention that does not look at the whole context

  double layers = 0;
  double all_reduces = 0;
  double all_reduce_us_per_token = 0;
  double dispatch_us_per_token = 0;
  double interleaved_moe_layers = 0;
};

/// What both bases share: communication and counts.
struct LayerCounts {
  double attention = 0;
  double dense = 0;
  double moe = 0;
};

void add_communication(const LayerCounts& layers, double hidden, double bytes,
                       double experts_per_token, const GpuSpec& gpu, const Parallelism& p,
                       Basis* basis) {
  const double tp = as_double(p.tp);
  const double dp = as_double(p.dp);
  const double group = tp * dp;
  const double bytes_per_us = gpu.memory_bandwidth_tb_s * 1e6;
  // Ring all-reduce of one layer's activations, one token.
  basis->all_reduce_us_per_token = hidden * bytes * 2 * (tp - 1) / tp / bytes_per_us;
  basis->all_reduces = (layers.attention + layers.dense) / dp;
  if (layers.moe > 0 && p.dp == 1) basis->all_reduces += layers.moe;
  if (layers.moe > 0 && p.dp > 1) {
    const double copies = p.moe_comm == MoeCommFamily::all_gather ? 1 : experts_per_token;
    basis->dispatch_us_per_token =
        layers.moe * copies / dp * (group - 1) / group * 2 * hidden * bytes / bytes_per_us;
  }
}

Basis reference_basis(const Architecture& a, const GpuSpec& gpu, const Parallelism& p) {
  const double tp = as_double(p.tp);
  const double dp = as_double(p.dp);
  const double group = a.moe ? tp * dp : tp;
  const double d = a.hidden;
  const double head_width = std::floor(d / a.heads);  // whole, unlike roofline's
  const double kv = a.kv_heads * head_width;
  const double experts_per_token = std::max(1.0, a.experts_per_token);
  const double flop_per_us = peak_tflops(gpu, a.weight_bytes) * 1e6;
  const double bytes_per_us = gpu.memory_bandwidth_tb_s * 1e6;

  Basis basis;
  const double ffn = a.moe_layers * (experts_per_token / group) * 6 * d * a.expert_ffn +
                     a.moe_layers * 6 * d * a.shared_ffn / (tp * dp) +
                     a.dense_layers * 6 * d * a.dense_ffn / (tp * dp);
  basis.compute_us_per_token =
      (a.layers * 2 * d * (2 * d + 2 * kv) / (tp * dp) + ffn) / flop_per_us;
  basis.prefill_us_per_pair = a.layers * 4 * (a.heads / tp) * head_width / dp / flop_per_us;
  basis.decode_us_per_pair = basis.prefill_us_per_pair;
  constexpr double kKvElementBytes = 2;
  basis.kv_us_per_token = a.layers * 2 * (kv / (tp * dp)) * kKvElementBytes / bytes_per_us;
  basis.weights_us = (a.layers * d * (2 * d + 2 * kv) * a.weight_bytes / tp +
                      a.moe_layers * (a.experts / group) * 3 * d * a.expert_ffn * a.weight_bytes +
                      a.moe_layers * 3 * d * a.shared_ffn * a.weight_bytes / tp +
                      a.dense_layers * 3 * d * a.dense_ffn * a.weight_bytes / tp) /
                     bytes_per_us;
  basis.layers = a.layers;
  if (a.interleaved) basis.interleaved_moe_layers = a.moe_layers;
  add_communication({a.layers, a.dense_layers, a.moe_layers}, d, a.compute_bytes, experts_per_token,
                    gpu, p, &basis);
  return basis;
}

// The same terms from the layers as they are. Like those they leave out embeddings and output head.
Basis exact_basis(const ModelConfig& model, const GpuSpec& gpu, const Parallelism& p) {
  const ShapeCosts costs = shape_costs(model, gpu, p);
  Basis basis;
  basis.compute_us_per_token = costs.compute_us_per_token;
  basis.weights_us = costs.weights_us + costs.experts_us;
  basis.state_us_per_request = costs.state_us_per_request;
  for (const ContextCost& cost : costs.contexts) {
    if (cost.reach > 0) {
      basis.limited.push_back(cost);
      continue;
    }
    basis.prefill_us_per_pair = cost.prefill_us_per_pair;
    basis.decode_us_per_pair = cost.decode_us_per_pair;
    basis.kv_us_per_token = cost.read_us_per_token;
  }
  LayerCounts layers;
  for (const LayerGroup& group : model.layers_by_kind) {
    const double count = as_double(group.count);
    if (group.layer.attention.kind != AttentionKind::none) layers.attention += count;
    if (group.layer.mlp.kind == MlpKind::dense) layers.dense += count;
    if (group.layer.mlp.kind == MlpKind::experts) layers.moe += count;
  }
  basis.layers = as_double(model.layers);
  if (model.interleave_moe_layer_step > 0) basis.interleaved_moe_layers = layers.moe;
  constexpr double kActivationBytes = 2;
  add_communication(layers, as_double(model.hidden), kActivationBytes,
                    std::max(1.0, as_double(model.experts_per_token)), gpu, p, &basis);
  return basis;
}

class TrainedPhysics final : public StepTimeModel {
 public:
  TrainedPhysics(Basis basis, const Coefficients& fitted);

  double step_us(const BatchShape& batch) const override;
  void decode_steps_us(std::int64_t requests, std::int64_t context,
                       std::span<double> us) const override;
  double prefill_term_us(const BatchShape& batch) const;
  double weigh_decode(double compute_us, double kv_us) const;
  double decode_term_us(double tokens, double context) const;
  double hybrid_decode_term_us(double tokens, double context) const;
  double queueing_us(std::int64_t) const override { return alpha_queueing_; }
  double output_token_us() const override { return alpha_output_token_; }
  double post_decode_us() const override { return alpha_post_decode_; }

 private:
  Basis basis_;
  bool is_hybrid_ = false;        // not all attention looks at the whole context
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

TrainedPhysics::TrainedPhysics(Basis basis, const Coefficients& fitted)
    : basis_(std::move(basis)),
      is_hybrid_(!basis_.limited.empty() || basis_.state_us_per_request > 0) {
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
  comm_us_per_token_ = beta[3] * basis_.all_reduce_us_per_token * basis_.all_reduces +
                       optional_beta(10, beta[3]) * basis_.dispatch_us_per_token;
  us_per_request_ = beta[5];
  fixed_us_ = beta[2] * basis_.weights_us + beta[4] * basis_.layers + beta[6];
  if (basis_.interleaved_moe_layers > 0) {
    fixed_us_ += optional_beta(7, 0) * basis_.interleaved_moe_layers;
  }

  alpha_queueing_ = fitted.alpha[0];
  alpha_post_decode_ = fitted.alpha[1];
  alpha_output_token_ = fitted.alpha[2];
}

double TrainedPhysics::step_us(const BatchShape& batch) const {
  if (batch.requests() == 0) return 0;
  const double prefill_tokens = as_double(batch.prefill_tokens);
  const double decode_tokens = as_double(batch.decode_requests);
  const double prefill_us = batch.prefill_requests > 0 ? prefill_term_us(batch) : 0;
  const double context = as_double(batch.decode_context);
  const double decode_us = is_hybrid_ ? hybrid_decode_term_us(decode_tokens, context)
                                      : decode_term_us(decode_tokens, context);
  return prefill_us + decode_us + comm_us_per_token_ * (prefill_tokens + decode_tokens) +
         us_per_request_ * as_double(batch.requests()) + fixed_us_;
}

void TrainedPhysics::decode_steps_us(std::int64_t requests, std::int64_t context,
                                     std::span<double> us) const {
  if (is_hybrid_) return StepTimeModel::decode_steps_us(requests, context, us);
  const double tokens = as_double(requests);
  const double comm_us = comm_us_per_token_ * tokens;
  const double request_us = us_per_request_ * tokens;
  double grown = as_double(context);  // a whole number below 2^53: exact
  for (double& step : us) {
    step = decode_term_us(tokens, grown) + comm_us + request_us + fixed_us_;
    grown += tokens;
  }
}

double TrainedPhysics::prefill_term_us(const BatchShape& batch) const {
  const double tokens = as_double(batch.prefill_tokens);
  // Each chunk is charged as if at the end of its prompt, as the coefficients were fitted.
  const double pairs =
      as_double(batch.prefill_tokens_input) + as_double(batch.prefill_tokens_squared) / 2;
  double compute_us = basis_.compute_us_per_token * tokens + basis_.prefill_us_per_pair * pairs;
  double kv_us = basis_.kv_us_per_token * tokens;
  for (const ContextCost& cost : basis_.limited) {
    compute_us += cost.prefill_us_per_pair * std::min(pairs, tokens * cost.reach);
    kv_us += cost.read_us_per_token * tokens;
  }
  return prefill_split_ ? prefill_compute_ * compute_us + prefill_kv_ * kv_us
                        : prefill_compute_ * std::max(compute_us, kv_us);
}

double TrainedPhysics::weigh_decode(double compute_us, double kv_us) const {
  return decode_split_ ? decode_compute_ * compute_us + decode_kv_ * kv_us
                       : decode_compute_ * std::max(compute_us, kv_us);
}

double TrainedPhysics::decode_term_us(double tokens, double context) const {
  return weigh_decode(basis_.compute_us_per_token * tokens + basis_.decode_us_per_pair * context,
                      basis_.kv_us_per_token * (context + tokens));
}

double TrainedPhysics::hybrid_decode_term_us(double tokens, double context) const {
  double compute_us = basis_.compute_us_per_token * tokens + basis_.decode_us_per_pair * context;
  double kv_us = basis_.kv_us_per_token * (context + tokens) + basis_.state_us_per_request * tokens;
  for (const ContextCost& cost : basis_.limited) {
    const double reached = std::min(context, tokens * cost.reach);
    compute_us += cost.decode_us_per_pair * reached;
    kv_us += cost.read_us_per_token * (reached + tokens);
  }
  return weigh_decode(compute_us, kv_us);
}

Result<Basis> make_basis(const ModelConfig& model, const GpuSpec& gpu, const Parallelism& layout,
                         ModelShapes shapes) {
  TRY_TO(check_heads(model, layout.tp, shapes));
  if (shapes == ModelShapes::exact) return exact_basis(model, gpu, layout);
  TRY(architecture, architecture_of(model));
  if (model.intermediate <= 0) {
    return fail(ErrorKind::usage, "model " + model.id + " has no MLP width");
  }
  return reference_basis(architecture, gpu, layout);
}

}  // namespace

Result<StepTimePtr> make_trained_physics(const ModelConfig& model, const GpuSpec& gpu,
                                         const Parallelism& parallelism, ModelShapes shapes,
                                         const Coefficients& fitted) {
  TRY_TO(checked_model(model));
  TRY_TO(checked_gpu(gpu));
  TRY(layout, checked_parallelism(parallelism, model));
  TRY(basis, make_basis(model, gpu, layout, shapes));
  TRY(usable, checked_coefficients(fitted, kMinAlpha, kMinBeta, "trained-physics"));
  return std::make_shared<const TrainedPhysics>(std::move(basis), usable);
}

}  // namespace plimsoll
