#include "metrics/pools.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/lists.h"
#include "metrics/arrival_counts.h"
#include "metrics/breakdown.h"
#include "metrics/step_sums.h"
#include "metrics/summary.h"

namespace plimsoll {
namespace {

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
  for (std::size_t i = 0; i < records.size(); ++i) {
    const GroupSummary& s = summaries[i];
    f.prompts += records[i].handed_over;
    f.answers += s.completed;
    f.preemptions += s.preemptions;
    f.utilization += s.utilization / n;
    f.kv_utilization += s.kv_utilization / n;
    f.mean_batch_size += s.mean_batch_size / n;
    f.mean_queue_depth += s.mean_queue_depth / n;
    const double busy_s = to_seconds(records[i].busy);
    const double full_s = to_seconds(records[i].prefill_work) +
                          full_decodes_s(records[i], s, pool.engine.max_num_batched_tokens);
    f.fullness += s.utilization * ratio_or_zero(full_s, busy_s) / n;
  }
  // The batches of instances for prefill are as large as their queue makes them.
  const double waiting = ratio_or_zero(f.mean_queue_depth, f.mean_queue_depth + f.mean_batch_size);
  const bool waits = pool.answers() && f.fullness > kIdle && waiting > kLongHandoff;
  f.is_short = f.fullness > kFullPool || waits;
  return f;
}

void set_shares(std::vector<PoolFigures>* pools) {
  const auto is_prefill = [](const PoolFigures& f) { return f.role == PoolRole::prefill; };
  const auto done_by = [&](const PoolFigures& f) { return is_prefill(f) ? f.prompts : f.answers; };
  for (PoolFigures& f : *pools) {
    std::int64_t all = 0;
    for (const PoolFigures& other : *pools) {
      if (is_prefill(other) == is_prefill(f)) all += done_by(other);
    }
    f.share = ratio_or_zero(done_by(f), all);
  }
}

// Of one GPU, in the mean, of the side whose GPUs have more of them.
double of_busier_side(const TransferBytes& bytes, const Deployment& deployment) {
  double prefills = 0;
  double answers = 0;
  for (const Pool& pool : deployment.pools) {
    (pool.answers() ? answers : prefills) += static_cast<double>(pool.num_instances * pool.ranks);
  }
  return std::max(bytes.sent / std::max(1.0, prefills), bytes.received / std::max(1.0, answers));
}

// Where prompts are computed: of those that were computed at all, and of the time that completed
// requests waited for it, the share of the instances that answer.
void set_kept_prompts(const RequestTable& table, Pools* pools) {
  double prompts = 0;
  double kept = 0;
  Duration waited;
  Duration waited_for_kept;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.scheduling_delay[row] == kNoDuration) continue;
    const bool is_kept = table.handoff[row].prefill_instance < 0;
    const Duration queue = breakdown_of(table, row).queue;
    ++prompts;
    kept += is_kept ? 1 : 0;
    waited += queue;
    if (is_kept) waited_for_kept += queue;
  }
  pools->kept_prompts = ratio_or_zero(kept, prompts);
  pools->kept_waits = ratio_or_zero(waited_for_kept.ns, waited.ns);
}

// What arrives, in instances that are full: at the pace of each side, and shared between them as
// the work that was done.
void set_arriving_loads(const RunRecord& record, const std::vector<GroupSummary>& figures,
                        const Deployment& deployment, Pools* pools) {
  StepSums all;
  for (const InstanceRecord& r : record.instances) all.add(r);
  const ArrivingTokens tokens = arriving_tokens(record.requests, offered_rps_of(record.requests));
  const double prompts = ratio_or_zero(tokens.prompts, all.prompt_tokens);
  const double answers = ratio_or_zero(tokens.answers, all.decode_tokens);
  std::size_t i = 0;
  for (const Pool& pool : deployment.pools) {
    double* load = pool.answers() ? &pools->arriving_decode_load : &pools->arriving_prefill_load;
    for (const std::size_t past = i + static_cast<std::size_t>(pool.num_instances); i < past; ++i) {
      const InstanceRecord& r = record.instances[i];
      *load += prompts * to_seconds(r.prefill_work) +
               answers * full_decodes_s(r, figures[i], pool.engine.max_num_batched_tokens);
    }
  }
}

double seconds_of(const RunRecord& record) {
  double run_s = 0;
  for (const InstanceRecord& r : record.instances) run_s = std::fmax(run_s, to_seconds(r.end));
  return run_s;
}

// Bytes of one GPU, in the mean over the ranks of each pool; behind all of them those of the
// network.
std::vector<double> begun_by_link(const TransferRecord& record, const Deployment& deployment) {
  std::vector<double> bytes;
  auto port = record.begun_at_port.begin();
  for (const Pool& pool : deployment.pools) {
    const std::int64_t ranks = pool.num_instances * pool.ranks;
    bytes.push_back(std::accumulate(port, port + ranks, 0.0) / static_cast<double>(ranks));
    port += ranks;
  }
  bytes.push_back(record.begun_whole);
  return bytes;
}

// The busiest link, and how busy those of each pool are.
void set_links(const RunRecord& record, std::int64_t answers, const Deployment& deployment,
               Pools* pools) {
  const TransferRecord& t = record.transfers;
  const KvTransfer& rules = deployment.disaggregation.transfer;
  if (!pools->split || t.begun_at_port.empty()) return;
  const std::vector<double> begun = begun_by_link(t, deployment);
  const auto requests = static_cast<double>(t.begun + answers - t.ended);
  TransferFigures& busiest = pools->transfers;
  const auto used = [&](std::size_t link, double gb_per_s) {
    const double share = ratio_or_zero(begun[link], gb_per_s * 1e9 * seconds_of(record));
    if (busiest.gb_per_s > 0 && share <= busiest.utilization) return share;
    busiest.is_network = link == pools->pools.size();
    busiest.pool = busiest.is_network ? "" : pools->pools[link].name;
    busiest.role = busiest.is_network ? PoolRole::serve : pools->pools[link].role;
    busiest.gb_per_s = gb_per_s;
    busiest.utilization = share;
    busiest.gb_per_request = ratio_or_zero(begun[link] / 1e9, requests);
    return share;
  };
  busiest.have_own_links = std::ranges::any_of(
      deployment.pools, [](const Pool& pool) { return pool.link_gb_per_s.has_value(); });
  for (std::size_t i = 0; i < pools->pools.size(); ++i) {
    PoolFigures& f = pools->pools[i];
    f.link_gb_per_s = link_gb_per_s(deployment, deployment.pools[i]);
    f.link_utilization = used(i, f.link_gb_per_s);
  }
  if (rules.network_gb_per_s > 0) used(pools->pools.size(), rules.network_gb_per_s);
  if (rules.shared) return;
  busiest.utilization = 0;
  for (PoolFigures& f : pools->pools) f.link_utilization = 0;
}

TransferFigures transfer_figures(const RunRecord& record, const Deployment& deployment) {
  const TransferRecord& t = record.transfers;
  return TransferFigures{
      .ended = t.ended,
      .given_up = t.given_up,
      .mean_ms = ratio_or_zero(to_ms(t.time), static_cast<double>(t.ended)),
      .gb = of_busier_side(t.bytes, deployment) / 1e9,
      .most_at_once = t.most_at_once,
      .mean_at_once = ratio_or_zero(t.under_way_at_starts, t.begun),
      .first_token_by_prefill = deployment.disaggregation.first_token_by_prefill};
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

// Of the pools of one side one is full while another one is not.
bool is_uneven(const std::vector<PoolFigures>& pools, bool prefill) {
  bool any_full = false;
  bool any_idle = false;
  for (const PoolFigures& f : pools) {
    if ((f.role == PoolRole::prefill) != prefill) continue;
    any_full = any_full || f.fullness > kFullPool;
    any_idle = any_idle || f.fullness < kIdle;
  }
  return any_full && any_idle;
}

PoolVerdict verdict_on_split(const Pools& pools, const Bottleneck& shares) {
  if (pools.transfers.utilization > kFullPool) return PoolVerdict::link_short;
  if (is_uneven(pools.pools, true) || is_uneven(pools.pools, false)) return PoolVerdict::uneven;
  const Division now = division_of(pools);
  const double prefill = ratio_or_zero(pools.prefill_load, static_cast<double>(now.prefill));
  const double decode = ratio_or_zero(pools.decode_load, static_cast<double>(now.decode));
  const double kept_wait = shares.queue_share * pools.kept_waits;
  const bool prompts_wait = shares.queue_share - kept_wait > kLongHandoff;
  // Prompts that wait for decode hold blocks for which the next ones wait, where nothing is
  // computed.
  const bool is_held_up = prompts_wait && shares.decode_wait_share > 0 && prefill < kIdle;
  const bool decode_short = shares.decode_wait_share + shares.decode_queue_share > kLongHandoff ||
                            (kept_wait > kLongHandoff && decode > kIdle) || decode > kFullPool ||
                            is_held_up;
  // Where decode is short, prompts wait behind blocks that it does not take: more prefill is no
  // help before the instances for it are busy.
  const bool prefill_short = prefill > kFullPool || (prompts_wait && !decode_short);
  if (prefill_short && decode_short) return PoolVerdict::both_short;
  if (prefill_short) return PoolVerdict::prefill_short;
  if (decode_short) return PoolVerdict::decode_short;
  return prefill < kIdle && decode < kIdle ? PoolVerdict::idle : PoolVerdict::balanced;
}

PoolVerdict verdict_on_sharing(const std::vector<PoolFigures>& pools) {
  const auto n = std::ranges::count_if(pools, &PoolFigures::is_short);
  if (n == std::ssize(pools)) return PoolVerdict::all_short;
  if (n > 0) return PoolVerdict::uneven;
  const auto is_idle = [](const PoolFigures& f) { return f.fullness < kIdle; };
  return std::ranges::all_of(pools, is_idle) ? PoolVerdict::idle : PoolVerdict::balanced;
}

Remedy remedy_for(const Pools& pools) {
  const TransferFigures& link = pools.transfers;
  if (link.is_network) return Remedy::faster_network;
  if (!link.have_own_links) return Remedy::faster_link;
  if (!pools.has_flags()) return Remedy::faster_link_of_pool;
  return link.role == PoolRole::prefill ? Remedy::faster_link_of_prefill
                                        : Remedy::faster_link_of_decode;
}

// With as much room as a pool that is not short.
std::optional<Limit> limit_of_link(const Summary& summary) {
  const TransferFigures& link = summary.pools.transfers;
  if (summary.pools.verdict != PoolVerdict::link_short) return std::nullopt;
  const double used = std::fmin(1, link.utilization) * link.gb_per_s;
  const double enough = std::fmax(used, link.gb_per_request * summary.offered_rps) / kFullPool;
  return Limit{
      LimitKind::transfer,
      ShortResource::kv_link,
      {LimitCause::full_link, std::fmin(1, link.utilization), summary.bottleneck.transfer_share},
      {remedy_for(summary.pools), enough, link.gb_per_s}};
}

bool has_unlike_answers(const Deployment& deployment) {
  constexpr double kUnlike = 1.1;
  const std::vector<double> speeds = speeds_of(deployment, Side::answers);
  if (speeds.empty()) return false;
  const auto [slowest, fastest] = std::ranges::minmax(speeds);
  return fastest > kUnlike * slowest;
}

bool goes_by_speed(const Deployment& deployment) {
  return deployment.router == "least-loaded" || deployment.router == "weighted-round-robin" ||
         (deployment.router == "weighted" &&
          contains(deployment.scorers, "load-for-speed", &ScorerWeight::name));
}

}  // namespace

std::vector<PoolSize> sizes_of(const Deployment& deployment) {
  if (deployment.pools.size() == 1) return {};
  return mapped(deployment.pools, [](const Pool& pool) {
    return PoolSize{pool.name, pool.role, pool.num_instances};
  });
}

bool Pools::shares() const { return !pools.empty() && (!split || pools.size() > 2); }

Pools pools_of(const RunRecord& record, const std::vector<GroupSummary>& instances,
               const Bottleneck& shares, const Deployment& deployment) {
  Pools out;
  if (deployment.pools.size() == 1) return out;
  std::size_t first = 0;
  for (const Pool& pool : deployment.pools) {
    const auto n = static_cast<std::size_t>(pool.num_instances);
    out.pools.push_back(pool_figures(pool, std::span(record.instances).subspan(first, n),
                                     std::span(instances).subspan(first, n)));
    first += n;
  }
  set_shares(&out.pools);
  out.split = deployment.splits();
  out.of_fleet_file = deployment.has_fleet_file;
  out.goes_by_speed = goes_by_speed(deployment);
  out.has_unlike_answers = has_unlike_answers(deployment);
  const std::int64_t answers = total_of(out.pools, &PoolFigures::answers);
  out.transfers = transfer_figures(record, deployment);
  set_links(record, answers, deployment, &out);
  out.prefill_load = load_of(out.pools, true);
  out.decode_load = load_of(out.pools, false);
  set_kept_prompts(record.requests, &out);
  set_arriving_loads(record, instances, deployment, &out);
  out.verdict = out.split ? verdict_on_split(out, shares) : verdict_on_sharing(out.pools);
  return out;
}

std::optional<Limit> limit_of_pools(const Summary& summary) {
  const Pools& pools = summary.pools;
  if (auto link = limit_of_link(summary)) return link;
  const bool prefill = pools.verdict == PoolVerdict::prefill_short;
  if (!prefill && pools.verdict != PoolVerdict::decode_short) return std::nullopt;
  const ShortResource of_prefill = ShortResource::prefill_compute;
  const ShortResource of_decode = ShortResource::decode_bandwidth;
  const Bottleneck& found = summary.bottleneck;
  if (!prefill && !pools.computes_prompts_apart()) return std::nullopt;
  if (found.resource != (prefill ? of_decode : of_prefill)) return std::nullopt;
  const Division now = division_of(pools);
  const double load = prefill ? pools.prefill_load : pools.decode_load;
  const auto instances = static_cast<double>(prefill ? now.prefill : now.decode);
  return Limit{found.limit,
               prefill ? of_prefill : of_decode,
               {prefill ? LimitCause::full_prefill : LimitCause::full_decode,
                ratio_or_zero(load, instances)},
               found.lever};
}

Division division_of(const Pools& pools) {
  Division now;
  for (const PoolFigures& f : pools.pools) {
    (f.role == PoolRole::prefill ? now.prefill : now.decode) += f.instances;
  }
  return now;
}

}  // namespace plimsoll
