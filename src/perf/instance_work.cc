#include "perf/instance_work.h"

#include <algorithm>

#include "perf/architecture.h"
#include "perf/kv_capacity.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

double as_double(std::int64_t n) { return static_cast<double>(n); }

}  // namespace

Result<InstanceWork> instance_work(const ModelConfig& model, const GpuSpec& gpu,
                                   const Parallelism& parallelism) {
  auto a = architecture_of(model);
  if (!a) return pass_on(a);
  auto usable_gpu = checked_gpu(gpu);
  if (!usable_gpu) return pass_on(usable_gpu);
  auto layout = checked_parallelism(parallelism, model);
  if (!layout) return pass_on(layout);

  const double d = a->hidden;
  const double head = model.head_dim > 0 ? as_double(model.head_dim) : d / a->heads;
  const double attention = 2 * d * head * (a->heads + a->kv_heads);  // Q, K, V and output
  double dense_layers = a->dense_layers;
  if (a->moe && model.first_dense_layers > 0) {
    dense_layers = as_double(std::min(model.first_dense_layers, model.layers));
  }
  const double moe_layers = a->layers - dense_layers;
  // Gate, up and down.
  const double dense = dense_layers * 3 * d * a->dense_ffn;
  const double shared = a->moe ? moe_layers * (3 * d * a->shared_ffn + d * a->experts) : 0;
  const double per_expert = a->moe ? moe_layers * 3 * d * a->expert_ffn : 0;
  const double lm_head = d * as_double(model.vocab);
  const double used_by_all = a->layers * attention + dense + shared;

  const double tp = as_double(layout->tp);
  const double dp = as_double(layout->dp);
  const double gpus = tp * dp * as_double(layout->pp);
  const ModelShapes shapes =
      model.layers_by_kind.empty() ? ModelShapes::reference : ModelShapes::exact;
  auto kv_bytes = kv_bytes_per_token_per_gpu(model, layout->tp, KvBudget::per_gpu, shapes);
  if (!kv_bytes) return pass_on(kv_bytes);

  InstanceWork work;
  work.flops_per_token = 2 * (used_by_all + per_expert * a->experts_per_token);
  work.flops_per_attended_token = a->layers * 4 * a->heads * head;
  work.flops_per_sampled_token = 2 * lm_head;
  // Every data-parallel rank has a copy of all but the experts.
  work.resident_bytes = dp * (used_by_all * a->weight_bytes + lm_head * a->compute_bytes);
  work.experts_bytes = per_expert * a->experts * a->weight_bytes;
  if (a->moe) work.idle_expert_share = (a->experts - a->experts_per_token) / a->experts;
  work.bytes_per_kv_token = *kv_bytes * tp;
  work.bytes_per_token = d * a->compute_bytes + work.bytes_per_kv_token;
  work.peak_flops = peak_tflops(gpu, a->weight_bytes) * 1e12 * gpus;
  work.peak_bytes = gpu.memory_bandwidth_tb_s * 1e12 * gpus;
  return work;
}

double flops_of(const InstanceWork& work, const WorkDone& done) {
  return work.flops_per_token * as_double(done.tokens) +
         work.flops_per_attended_token * as_double(done.attended_tokens) +
         work.flops_per_sampled_token * as_double(done.sampled_tokens);
}

double bytes_of(const InstanceWork& work, const WorkDone& done) {
  if (done.steps == 0) return 0;
  const double tokens_per_step = as_double(done.tokens) / as_double(done.steps);
  const double idle = work.idle_expert_share;
  const double touched = idle > 0 ? 1 - portable_exp(tokens_per_step * portable_log(idle)) : 1;
  return as_double(done.steps) * (work.resident_bytes + work.experts_bytes * touched) +
         work.bytes_per_token * as_double(done.tokens) +
         work.bytes_per_kv_token * as_double(done.kv_tokens_read);
}

}  // namespace plimsoll
