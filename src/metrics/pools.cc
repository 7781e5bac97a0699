#include "metrics/pools.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "metrics/summary.h"

namespace plimsoll {
namespace {

constexpr double kFull = 0.85;         // of what a pool has least of
constexpr double kIdle = 0.50;         // below that of all pools nothing is short
constexpr double kLongHandoff = 0.10;  // of the time of completed requests

PoolFigures pool_figures(const Pool& pool, std::span<const InstanceRecord> records,
                         std::span<const GroupSummary> summaries) {
  PoolFigures f{.name = pool.name,
                .role = pool.role,
                .gpu = pool.gpu,
                .instances = pool.num_instances,
                .gpus = pool.gpus * pool.num_instances};
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
  return TransferFigures{.ended = t.ended,
                         .given_up = t.given_up,
                         .mean_ms = ratio_or_zero(to_ms(t.time), static_cast<double>(t.ended)),
                         .gb = t.bytes / 1e9,
                         .most_at_once = t.most_at_once,
                         .mean_at_once = ratio_or_zero(t.under_way_at_starts, t.begun)};
}

// Of the pools of one side together, in instances that are full.
double load_of(const std::vector<PoolFigures>& pools, bool prefill) {
  double load = 0;
  for (const PoolFigures& f : pools) {
    if ((f.role == PoolRole::prefill) == prefill)
      load += f.fullness * static_cast<double>(f.instances);
  }
  return load;
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

  const Division now = division_of(out);
  out.prefill_load = load_of(out.pools, true);
  out.decode_load = load_of(out.pools, false);
  const double prefill = ratio_or_zero(out.prefill_load, static_cast<double>(now.prefill));
  const double decode = ratio_or_zero(out.decode_load, static_cast<double>(now.decode));
  const bool prefill_short = shares.queue_share > kLongHandoff || prefill > kFull;
  const bool decode_short =
      shares.decode_wait_share + shares.decode_queue_share > kLongHandoff || decode > kFull;
  out.verdict = prefill_short && decode_short       ? PoolVerdict::both_short
                : prefill_short                     ? PoolVerdict::prefill_short
                : decode_short                      ? PoolVerdict::decode_short
                : prefill < kIdle && decode < kIdle ? PoolVerdict::idle
                                                    : PoolVerdict::balanced;
  return out;
}

Division divide(const Pools& pools, std::int64_t instances) {
  const double share = ratio_or_zero(pools.prefill_load, pools.prefill_load + pools.decode_load);
  const auto apart = static_cast<std::int64_t>(std::lround(share * static_cast<double>(instances)));
  const std::int64_t prefill = std::clamp<std::int64_t>(apart, 1, instances - 1);
  return {prefill, instances - prefill};
}

Division division_of(const Pools& pools) {
  Division now;
  for (const PoolFigures& f : pools.pools) {
    (f.role == PoolRole::prefill ? now.prefill : now.decode) += f.instances;
  }
  return now;
}

// A pool that has room stays as it is: what is short grows.
Division division_that_may_hold(const Summary& summary) {
  const Pools& pools = summary.pools;
  const Division now = division_of(pools);
  const double factor = static_cast<double>(instances_that_may_hold(summary)) /
                        static_cast<double>(now.prefill + now.decode);
  const auto enough = [&](double load, std::int64_t instances) {
    const double needed = std::ceil(load * factor / kFull);
    return std::max(instances, static_cast<std::int64_t>(needed));
  };
  Division more{enough(pools.prefill_load, now.prefill), enough(pools.decode_load, now.decode)};
  if (more.prefill + more.decode > now.prefill + now.decode) return more;
  ++(pools.verdict == PoolVerdict::prefill_short ? more.prefill : more.decode);
  return more;
}

Division fewest_with_room(const Pools& pools) {
  const auto enough = [](double load) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(load / kFull)));
  };
  return {enough(pools.prefill_load), enough(pools.decode_load)};
}

}  // namespace plimsoll
