#include "perf/kernel_model.h"

#include <algorithm>
#include <vector>

#include "base/numbers.h"
#include "perf/architecture.h"
#include "perf/attention_layers.h"
#include "perf/operators/all_reduce.h"
#include "perf/operators/attention.h"
#include "perf/operators/device.h"
#include "perf/operators/gemm.h"
#include "perf/operators/layer_rows.h"

namespace plimsoll {
namespace {

/// The largest of `ways` equal parts of `count`. Most are whole, and divisions are slow.
std::int64_t part(std::int64_t count, std::int64_t ways) {
  return ways == 1 ? count : ceil_div(count, ways);
}

double part_of(std::int64_t some, std::int64_t all) {
  return some == all ? 1 : as_double(some) / as_double(all);
}

class KernelModel final : public StepTimeModel {
 public:
  KernelModel(const ModelConfig& model, const Parallelism& layout, Sampling sampling,
              Observer observer, const Device& device);

  double step_us(const BatchShape& batch) const override;
  void decode_steps_us(std::int64_t requests, std::int64_t context,
                       std::span<double> us) const override;
  double ranks_us(std::span<const BatchShape> ranks) const override;
  void decode_ranks_us(std::span<const BatchShape> ranks, std::span<double> us) const override;
  double all_reduces_us(const BatchShape& batch) const override;
  double queueing_us(std::int64_t input_tokens) const override {
    return client_us_ + client_us_per_input_token_ * as_double(input_tokens);
  }

 private:
  void add_sends(const Parallelism& layout, double hidden, const Device& device);

  // The fullest of equal shares of a batch.
  struct Share {
    std::int64_t decodes = 0;
    double context = 0;        // of its decodes, their new tokens included
    std::int64_t prefill = 0;  // tokens
    std::int64_t chunks = 0;   // of prompts
    double attention_us = 0;   // of its prefill
  };
  Share share_of(const BatchShape& batch, std::int64_t shares) const;
  std::int64_t busiest(std::int64_t count) const { return part(count, shares_); }
  std::int64_t shared_prefill_tokens(const BatchShape& batch) const;

  double rows_us(std::int64_t rows) const;
  double experts_us(std::int64_t rows) const;
  double head_us(std::int64_t sampled) const;
  double decode_us(std::int64_t requests) const;
  double own_decode_us(std::int64_t requests) const;
  void add_context_us(std::int64_t requests, std::int64_t context, std::int64_t shares,
                      std::span<double> us) const;
  double experts_of(std::span<const BatchShape> ranks) const;
  double mixed_us(const Share& share, double experts_us) const;
  double whole_prompt_us(std::int64_t tokens) const;

  std::int64_t ranks_;   // data-parallel, which share a batch
  std::int64_t stages_;  // of the pipeline: each rank parts its share into as many micro-batches
  std::int64_t shares_;  // of a batch: ranks and their micro-batches
  bool has_experts_;
  double tp_;
  std::vector<LayerRows> layers_;
  AttentionLayers attention_;

  Gemm head_;
  double head_fixed_us_ = 0;
  double head_us_per_row_ = 0;

  double send_us_per_row_ = 0;
  double send_us_ = 0;

  double client_us_ = 0;
  double client_us_per_input_token_ = 0;

  StepMemo rows_memo_;
  StepMemo experts_memo_;
  StepMemo head_memo_;
  StepMemo decode_memo_;
  StepMemo whole_prompt_memo_;
};

// Decoding batches and chunks of the usual sizes; others are computed each time.
constexpr std::size_t kRemembered = 8192 + 1024;

KernelModel::KernelModel(const ModelConfig& model, const Parallelism& layout, Sampling sampling,
                         Observer observer, const Device& device)
    : ranks_(layout.dp),
      stages_(layout.pp),
      shares_(layout.dp * layout.pp),
      has_experts_(model.is_moe()),
      tp_(as_double(layout.tp)),
      attention_(model, tp_, device),
      head_(as_double(model.vocab) / tp_, as_double(model.hidden), WeightFormat{}, device),
      rows_memo_(kRemembered),
      experts_memo_(kRemembered),
      head_memo_(1024),
      decode_memo_(1024),
      whole_prompt_memo_(kRemembered) {
  const StepOverheads& overheads = device.overheads;
  for (const LayerGroup& group : model.layers_by_kind) {
    layers_.emplace_back(group, model, layout, device);
  }
  const double logits = as_double(model.vocab);
  head_fixed_us_ = overheads.small_kernels_per_step * overheads.small_kernel;
  // A handful of passes over 32-bit logits.
  head_us_per_row_ = 16 * logits / tp_ / (overheads.small_kernel_bandwidth * device.bytes_per_us());
  if (sampling == Sampling::top_p) {
    head_fixed_us_ += overheads.sampler_per_step;
    head_us_per_row_ += overheads.sampler_per_logit * logits;
  }
  if (layout.pp > 1) add_sends(layout, as_double(model.hidden), device);
  if (observer == Observer::client) {
    client_us_ = overheads.client_per_request;
    client_us_per_input_token_ = overheads.client_per_input_token;
  }
}

// From stage to stage; some lie in the next node.
void KernelModel::add_sends(const Parallelism& layout, double hidden, const Device& device) {
  const std::int64_t stages_of_node =
      std::max<std::int64_t>(gpus_together(device.gpu) / layout.tp, 1);
  const double between_nodes = as_double((layout.pp - 1) / stages_of_node);
  const double within_nodes = as_double(layout.pp - 1) - between_nodes;
  const double bytes_per_row = kActivationBytes * hidden;
  send_us_ = within_nodes * AllReduce(2, device).us(0) + between_nodes * kNetworkUs;
  send_us_per_row_ = bytes_per_row * (within_nodes / device.link_bytes_per_us() +
                                      between_nodes / device.network_bytes_per_us());
}

// Ranks run in lockstep, so all wait for the one with the most; a chunk is on one rank.
AttentionShape busiest_prefill(const BatchShape& batch, std::int64_t shares) {
  AttentionShape shape;
  shape.prefill_chunks = as_double(batch.prefill_requests);
  shape.prefill_tokens = as_double(batch.prefill_tokens);
  shape.prefill_pairs =
      as_double(batch.prefill_tokens_context) + as_double(batch.prefill_tokens_squared) / 2;
  shape.prefill_context = as_double(batch.prefill_tokens + batch.prefill_context);
  if (shares == 1) return shape;
  const std::int64_t chunks = part(batch.prefill_requests, shares);
  const double prefill = part_of(chunks, batch.prefill_requests);
  shape.prefill_chunks = as_double(chunks);
  shape.prefill_tokens = std::ceil(prefill * shape.prefill_tokens);
  shape.prefill_pairs *= prefill;
  shape.prefill_context *= prefill;
  return shape;
}

// Of the ranks that run at the same time. Ranks without a chunk do not wait for the rows of one:
// what they exchange has the size it has.
std::int64_t KernelModel::shared_prefill_tokens(const BatchShape& batch) const {
  if (stages_ == 1) return batch.prefill_tokens;
  const double chunks = as_double(batch.prefill_requests);
  const double together = as_double(part(batch.prefill_requests, stages_));
  return static_cast<std::int64_t>(std::ceil(together / chunks * as_double(batch.prefill_tokens)));
}

double KernelModel::rows_us(std::int64_t rows) const {
  return rows_memo_.at(rows, [this](std::int64_t n) {
    double us = send_us_ + send_us_per_row_ * as_double(n);
    for (const LayerRows& layer : layers_) us += layer.us(as_double(n));
    return us;
  });
}

double KernelModel::experts_us(std::int64_t rows) const {
  if (!has_experts_) return 0;
  return experts_memo_.at(rows, [this](std::int64_t n) {
    double us = 0;
    for (const LayerRows& layer : layers_) us += layer.experts_us(as_double(n));
    return us;
  });
}

double KernelModel::head_us(std::int64_t sampled) const {
  return head_memo_.at(sampled, [this](std::int64_t n) {
    return head_.us(as_double(n)) + head_fixed_us_ + head_us_per_row_ * as_double(n);
  });
}

double KernelModel::decode_us(std::int64_t requests) const {
  return decode_memo_.at(requests, [this](std::int64_t n) {
    return rows_us(n) + experts_us(ranks_ * n) + head_us(n) + attention_.decode_rows_us(n);
  });
}

// But for experts, which are not a rank's own.
double KernelModel::own_decode_us(std::int64_t requests) const {
  return rows_us(requests) + head_us(requests) + attention_.decode_rows_us(requests);
}

// In the usual mixed step one request prefills all of its prompt at once.
double KernelModel::whole_prompt_us(std::int64_t tokens) const {
  return whole_prompt_memo_.at(tokens, [this](std::int64_t n) {
    BatchShape prompt;
    prompt.add_prefill(n, 0, n);
    return attention_.prefill_us(busiest_prefill(prompt, shares_));
  });
}

[[gnu::always_inline]] inline KernelModel::Share KernelModel::share_of(const BatchShape& batch,
                                                                       std::int64_t shares) const {
  Share share;
  share.decodes = part(batch.decode_requests, shares);
  share.context = part_of(share.decodes, batch.decode_requests) *
                  as_double(batch.decode_context + batch.decode_requests);
  if (batch.prefill_tokens == 0) return share;
  share.chunks = part(batch.prefill_requests, shares);
  if (batch.prefill_requests == 1 && batch.prefill_context == 0) {
    share.prefill = batch.prefill_tokens;
    share.attention_us = whole_prompt_us(share.prefill);
  } else {
    const AttentionShape shape = busiest_prefill(batch, shares);
    share.prefill = static_cast<std::int64_t>(shape.prefill_tokens);
    share.attention_us = attention_.prefill_us(shape);
  }
  return share;
}

// Of a step with prompts.
[[gnu::always_inline]] inline double KernelModel::mixed_us(const Share& share,
                                                           double experts_us) const {
  const double us = rows_us(share.decodes + share.prefill) + experts_us +
                    head_us(share.decodes + share.chunks) + share.attention_us;
  if (share.decodes == 0) return attention_.with_host_us(us + attention_.prefill_launch_us());
  return attention_.with_host_us(
      us + attention_.mixed_launch_us() + attention_.decode_rows_us(share.decodes) -
      attention_.decode_launch_us() +
      attention_.mixed_context_us(as_double(share.decodes), share.context));
}

double KernelModel::step_us(const BatchShape& batch) const {
  if (batch.requests() == 0) return 0;
  const Share share = share_of(batch, shares_);
  if (batch.prefill_tokens == 0) {
    return decode_us(share.decodes) +
           attention_.decode_context_us(as_double(share.decodes), share.context);
  }
  return mixed_us(share, experts_us(ranks_ * share.decodes + shared_prefill_tokens(batch)));
}

// Decodes of all ranks travel to the experts as if each had as many as the fullest: what they
// exchange has one size.
double KernelModel::experts_of(std::span<const BatchShape> ranks) const {
  std::int64_t decodes = 0;
  std::int64_t prefill = 0;
  for (const BatchShape& rank : ranks) {
    decodes = std::max(decodes, part(rank.decode_requests, stages_));
    if (rank.prefill_tokens > 0) prefill += shared_prefill_tokens(rank);
  }
  return experts_us(ranks_ * decodes + prefill);
}

double KernelModel::ranks_us(std::span<const BatchShape> ranks) const {
  const double experts_us = experts_of(ranks);
  double decodes_us = 0;
  double prompts_us = 0;
  for (const BatchShape& rank : ranks) {
    if (rank.requests() == 0) continue;
    const Share share = share_of(rank, stages_);
    if (rank.prefill_tokens > 0) {
      prompts_us = std::max(prompts_us, mixed_us(share, experts_us));
    } else {
      decodes_us = std::max(decodes_us,
                            attention_.decode_context_us(as_double(share.decodes), share.context) +
                                own_decode_us(share.decodes));
    }
  }
  return std::max(decodes_us > 0 ? decodes_us + experts_us : 0, prompts_us);
}

double KernelModel::all_reduces_us(const BatchShape& batch) const {
  const double rows = as_double(busiest(batch.decode_requests) + busiest(batch.prefill_tokens));
  double us = 0;
  for (const LayerRows& layer : layers_) us += layer.all_reduces_us(rows);
  return us;
}

// One rate after the other, so that the steps of each are computed side by side.
[[gnu::always_inline]] inline void KernelModel::add_context_us(std::int64_t requests,
                                                               std::int64_t context,
                                                               std::int64_t shares,
                                                               std::span<double> us) const {
  const std::int64_t decode = ::plimsoll::part(requests, shares);
  const double part = part_of(decode, requests);
  const double grown = as_double(context + requests);
  const double growth = as_double(requests);
  for (const ContextRate& rate : attention_.context_rates()) {
    const double most = rate.most(as_double(decode));
    for (std::size_t i = 0; i < us.size(); ++i) {
      const double seen = part * (grown + growth * static_cast<double>(static_cast<int>(i)));
      us[i] += rate.us * std::min(seen, most);
    }
  }
}

void KernelModel::decode_steps_us(std::int64_t requests, std::int64_t context,
                                  std::span<double> us) const {
  std::ranges::fill(us, 0);
  add_context_us(requests, context, shares_, us);
  const double fixed_us = decode_us(busiest(requests));
  for (double& step : us) step += fixed_us;
}

void KernelModel::decode_ranks_us(std::span<const BatchShape> ranks, std::span<double> us) const {
  std::ranges::fill(us, 0);
  std::vector<double> own(us.size());
  for (const BatchShape& rank : ranks) {
    if (rank.decode_requests == 0) continue;
    std::ranges::fill(own, 0);
    add_context_us(rank.decode_requests, rank.decode_context, stages_, own);
    const double fixed_us = own_decode_us(part(rank.decode_requests, stages_));
    for (std::size_t i = 0; i < us.size(); ++i) us[i] = std::max(us[i], own[i] + fixed_us);
  }
  const double experts_us = experts_of(ranks);
  for (double& step : us) step += experts_us;
}

}  // namespace

Result<StepTimePtr> make_kernel_model(const ModelConfig& model, const Device& device,
                                      const Parallelism& parallelism, Sampling sampling,
                                      Observer observer) {
  TRY_TO(checked_model(model));
  TRY_TO(checked_gpu(device.gpu));
  TRY(layout, checked_parallelism(parallelism, model));
  TRY_TO(check_heads(model, layout.tp, ModelShapes::exact));
  if (layout.gpus() > 1 && !(device.link_bytes_per_us() > 0)) {
    return fail(ErrorKind::usage, "GPU " + device.gpu.name + " has no link to others",
                "add LinkGBs or PcieGBs (one way) to its row of the hardware file");
  }
  return std::make_shared<const KernelModel>(model, layout, sampling, observer, device);
}

}  // namespace plimsoll
