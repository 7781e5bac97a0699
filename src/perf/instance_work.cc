#include "perf/instance_work.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "catalog/kernels.h"
#include "perf/architecture.h"
#include "perf/model_size.h"
#include "perf/operators/experts.h"
#include "perf/shape_costs.h"

namespace plimsoll {
namespace {

ContextWork& context_work(double reach, InstanceWork* work) {
  for (ContextWork& context : work->contexts) {
    if (context.reach == reach) return context;
  }
  work->contexts.push_back({reach, 0, 0});
  return work->contexts.back();
}

void add_attention(const Attention& a, double count, double kv_bytes, double tp,
                   InstanceWork* work) {
  if (a.kind == AttentionKind::none) return;
  const KvFootprint kv = kv_footprint(a, kv_bytes, tp);
  work->bytes_per_token += count * kv.bytes_per_token * tp;
  work->bytes_per_sampled_token += count * 2 * kv.bytes_per_request * tp;
  if (a.kind == AttentionKind::linear) return;
  ContextWork& context = context_work(as_double(a.window > 0 ? a.window : a.selected), work);
  context.flops_per_attended_token +=
      count * 2 * as_double(a.heads) * as_double(a.key_width + a.value_width);
  context.bytes_per_kv_token += count * kv.bytes_per_token * tp;
  if (a.index_heads == 0) return;
  context_work(0, work).flops_per_attended_token +=
      count * 2 * as_double(a.index_heads) * as_double(a.index_width);
}

double fastest_flop_per_us(const ModelConfig& model, const GpuSpec& gpu) {
  const Quantization& q = model.quantization;
  double fastest = peak_flop_per_us(gpu, q.attention.math);
  for (const LayerGroup& group : model.layers_by_kind) {
    const MlpKind kind = group.layer.mlp.kind;
    const WeightFormat& format = kind == MlpKind::experts ? q.experts : q.dense_mlp;
    if (kind != MlpKind::none) fastest = std::max(fastest, peak_flop_per_us(gpu, format.math));
  }
  return fastest;
}

// Of a context of `mean` tokens, the share that a layer looks at.
double within(double reach, double mean) { return reach > 0 && mean > reach ? reach / mean : 1; }

double ratio(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : as_double(part) / as_double(whole);
}

}  // namespace

Result<InstanceWork> instance_work(const ModelConfig& model, const GpuSpec& gpu,
                                   const Parallelism& parallelism) {
  TRY_TO(checked_model(model));
  TRY_TO(checked_gpu(gpu));
  TRY(layout, checked_parallelism(parallelism, model));
  if (model.layers_by_kind.empty()) {
    return fail(ErrorKind::usage, "the layers of " + model.id + " are not known");
  }

  TRY(overheads, read_step_overheads());

  const double hidden = as_double(model.hidden);
  const double tp = as_double(layout.tp);
  const double dp = as_double(layout.dp);
  const double gpus = as_double(layout.gpus());
  const double vocabulary = hidden * as_double(model.vocab);
  InstanceWork work;
  work.expert_evenness = overheads.expert_evenness;
  work.bytes_per_token = hidden * kUnquantised;
  for (const LayerGroup& group : model.layers_by_kind) {
    const double count = as_double(group.count);
    const Mlp& mlp = group.layer.mlp;
    const double chosen = as_double(mlp.experts_per_token) * expert_parameters(mlp, hidden);
    work.flops_per_token += 2 * count *
                            (attention_parameters(group.layer.attention, hidden) +
                             common_mlp_parameters(mlp, hidden) + chosen);
    add_attention(group.layer.attention, count, model.quantization.kv_bytes, tp, &work);
    if (mlp.kind != MlpKind::experts) continue;
    work.experts = as_double(mlp.experts);
    work.experts_per_token = as_double(mlp.experts_per_token);
  }
  work.flops_per_sampled_token = 2 * vocabulary;
  // Every data-parallel rank has a copy of all but the experts. Of the embedding a step reads the
  // rows of its tokens, unless it is the output head, too.
  const double embedding = model.tie_word_embeddings ? 0 : vocabulary * kUnquantised;
  work.experts_bytes = stored_expert_bytes(model);
  work.resident_bytes = dp * (stored_weight_bytes(model) - work.experts_bytes - embedding);
  work.peak_flops = fastest_flop_per_us(model, gpu) * 1e6 * gpus;
  work.peak_bytes = gpu.memory_bandwidth_tb_s * 1e12 * gpus;
  work.tdp_w = gpu.tdp_w * gpus;
  return work;
}

double power_share(double mbu, double mfu) {
  constexpr double kRest = 0.25;
  constexpr double kMemory = 0.63;
  constexpr double kArithmetic = 1.95;
  return std::min(1.0, kRest + kMemory * std::sqrt(mbu) + kArithmetic * mfu);
}

double flops_of(const InstanceWork& work, const WorkDone& done) {
  const double mean = ratio(done.attended_tokens, done.tokens);
  double flops = work.flops_per_token * as_double(done.tokens) +
                 work.flops_per_sampled_token * as_double(done.sampled_tokens);
  for (const ContextWork& context : work.contexts) {
    flops += context.flops_per_attended_token * within(context.reach, mean) *
             as_double(done.attended_tokens);
  }
  return flops;
}

double bytes_of(const InstanceWork& work, const WorkDone& done) {
  if (done.steps == 0) return 0;
  double touched = 0;
  if (work.experts > 0) {
    const double decoding = std::max(1.0, ratio(done.sampled_tokens, done.steps));
    touched =
        experts_touched(decoding, work.experts, work.experts_per_token, work.expert_evenness) /
        work.experts;
  }
  double bytes = as_double(done.steps) * (work.resident_bytes + work.experts_bytes * touched) +
                 work.bytes_per_token * as_double(done.tokens) +
                 work.bytes_per_sampled_token * as_double(done.sampled_tokens);
  const double mean = ratio(done.kv_tokens_read, done.sampled_tokens);
  for (const ContextWork& context : work.contexts) {
    bytes +=
        context.bytes_per_kv_token * within(context.reach, mean) * as_double(done.kv_tokens_read);
  }
  return bytes;
}

}  // namespace plimsoll
