#include "perf/operators/expert_exchange.h"

#include "base/numbers.h"

namespace plimsoll {
namespace {

// Of an element of a row on its way to its experts: it is quantised as their products are. Results
// come back in 16 bits.
double bytes_to_experts(const WeightFormat& weights) {
  switch (weights.math) {
    case MatrixFormat::fp8:
    case MatrixFormat::fp8_blocks:
      return 1;
    case MatrixFormat::fp4:
      return 0.5625;  // a scale of 8 bits for 16 elements
    case MatrixFormat::bf16:
    case MatrixFormat::int8:
    case MatrixFormat::mxfp4:
      break;
  }
  return kActivationBytes;
}

}  // namespace

ExpertExchange::ExpertExchange(const Mlp& experts, double hidden, const WeightFormat& weights,
                               const Parallelism& layout, const Device& device)
    : family_(comm_used(layout)),
      hidden_(hidden),
      gathers_(device.overheads.exchanges_per_moe_layer),
      gather_(as_double(layout.dp), device, as_double(layout.tp * layout.pp)) {
  const double ranks = as_double(layout.dp);
  const double chosen = as_double(experts.experts_per_token);
  const double bytes = hidden * (bytes_to_experts(weights) + kActivationBytes);
  // A token's experts are anywhere alike: other ranks that have any of them, experts on other
  // ranks.
  const double other_ranks = (ranks - 1) * (1 - portable_pow(1 - 1 / ranks, chosen));
  const double experts_elsewhere = chosen * (ranks - 1) / ranks;
  by_rank_ = all_to_all(device.overheads.copy_per_rank, other_ranks, bytes, layout, device);
  by_expert_ =
      all_to_all(device.overheads.copy_per_expert, experts_elsewhere, bytes, layout, device);
}

ExpertExchange::AllToAll ExpertExchange::all_to_all(const AllToAllRate& rate, double copies,
                                                    double bytes, const Parallelism& layout,
                                                    const Device& device) {
  const double ranks = as_double(layout.dp);
  const double stride = as_double(layout.tp * layout.pp);
  const double together = as_double(gpus_together(device.gpu));
  const double here = std::min(ranks, std::max(1.0, std::floor(together / stride)));
  const double away = ranks > 1 ? (ranks - here) / (ranks - 1) : 0;  // share of the copies
  const double link = std::min(rate.link * device.link_bytes_per_us(), rate.gb_per_s * 1e3);
  const double us_per_byte = (1 - away) / link + away / device.network_bytes_per_us();
  return {rate.fixed_us + (away > 0 ? 2 * kNetworkUs : 0), copies * bytes * us_per_byte / ranks};
}

double ExpertExchange::us(double rows) const {
  switch (family_) {
    case MoeCommFamily::all_gather:
      return gathers_ * gather_.us(rows * hidden_);
    case MoeCommFamily::copy_per_rank:
      return by_rank_.us(rows);
    case MoeCommFamily::copy_per_expert:
      return by_expert_.us(rows);
    case MoeCommFamily::cheaper_copy:
      return std::min(by_rank_.us(rows), by_expert_.us(rows));
  }
  return 0;
}

}  // namespace plimsoll
