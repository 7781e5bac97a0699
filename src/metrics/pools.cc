#include "metrics/pools.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace plimsoll {
namespace {

constexpr double kFull = 0.85;         // of what a pool has least of
constexpr double kIdle = 0.50;         // below that of all pools nothing is short
constexpr double kLongHandoff = 0.10;  // of the time of completed requests

PoolFigures pool_figures(const Pool& pool, std::span<const InstanceRecord> records,
                         std::span<const GroupSummary> summaries) {
  PoolFigures f;
  f.name = pool.name;
  f.role = pool.role;
  f.gpu = pool.gpu;
  f.instances = pool.num_instances;
  f.gpus = pool.gpus * pool.num_instances;
  const auto n = static_cast<double>(pool.num_instances);
  double room = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const GroupSummary& s = summaries[i];
    f.prompts += records[i].handed_over;
    f.answers += s.completed;
    f.preemptions += s.preemptions;
    f.utilization += s.utilization / n;
    f.kv_utilization += s.kv_utilization / n;
    f.mean_batch_size += s.mean_batch_size / n;
    f.mean_queue_depth += s.mean_queue_depth / n;
    const double places =
        ratio_or_zero(s.mean_batch_size, static_cast<double>(pool.engine.max_num_seqs));
    room += s.utilization * std::max(places, s.kv_utilization) / n;
  }
  f.fullness = pool.answers() ? room : f.utilization;
  return f;
}

TransferFigures transfer_figures(const TransferRecord& t) {
  TransferFigures f;
  f.ended = t.ended;
  f.given_up = t.given_up;
  f.mean_ms = ratio_or_zero(to_ms(t.time), static_cast<double>(t.ended));
  f.gb = t.bytes / 1e9;
  f.most_at_once = t.most_at_once;
  f.mean_at_once = ratio_or_zero(t.under_way_at_starts, t.begun);
  return f;
}

/// Of the pools of one side together.
struct SideLoad {
  std::int64_t instances = 0;
  double load = 0;  ///< in instances that are full
  double fullness() const { return ratio_or_zero(load, static_cast<double>(instances)); }
};

SideLoad load_of(const std::vector<PoolFigures>& pools, bool prefill) {
  SideLoad side;
  for (const PoolFigures& f : pools) {
    if ((f.role == PoolRole::prefill) != prefill) continue;
    side.instances += f.instances;
    side.load += f.fullness * static_cast<double>(f.instances);
  }
  return side;
}

}  // namespace

Pools pools_of(const RunRecord& record, const std::vector<GroupSummary>& instances,
               const Bottleneck& shares, const Deployment& deployment) {
  Pools out;
  if (!deployment.splits()) return out;
  std::size_t first = 0;
  for (const Pool& pool : deployment.pools) {
    const auto n = static_cast<std::size_t>(pool.num_instances);
    out.pools.push_back(pool_figures(pool, std::span(record.instances).subspan(first, n),
                                     std::span(instances).subspan(first, n)));
    first += n;
  }
  out.transfers = transfer_figures(record.transfers);

  const SideLoad prefill = load_of(out.pools, true);
  const SideLoad decode = load_of(out.pools, false);
  const bool prefill_short = shares.queue_share > kLongHandoff || prefill.fullness() > kFull;
  const bool decode_short = shares.decode_wait_share + shares.decode_queue_share > kLongHandoff ||
                            decode.fullness() > kFull;
  out.verdict = prefill_short && decode_short ? PoolVerdict::both_short
                : prefill_short               ? PoolVerdict::prefill_short
                : decode_short                ? PoolVerdict::decode_short
                : prefill.fullness() < kIdle && decode.fullness() < kIdle ? PoolVerdict::idle
                                                                          : PoolVerdict::balanced;
  const std::int64_t all = prefill.instances + decode.instances;
  const double share = ratio_or_zero(prefill.load, prefill.load + decode.load);
  const auto apart = static_cast<std::int64_t>(std::lround(share * static_cast<double>(all)));
  out.balanced_prefill = std::clamp<std::int64_t>(apart, 1, all - 1);
  out.balanced_decode = all - out.balanced_prefill;
  return out;
}

}  // namespace plimsoll
