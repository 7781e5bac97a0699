#include "metrics/bottleneck.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/lists.h"
#include "metrics/load_evidence.h"
#include "metrics/summary.h"

namespace plimsoll {
namespace {

/// What instances that preempt would serve with fewer requests at a time. A place less makes
/// batches smaller, which serve less; but what a preempted request computes again is time lost.
struct FewerPlaces {
  std::int64_t places = 0;  ///< of an instance: what its KV cache has room for
  double then_rps = 0;      ///< served with these, by arithmetic
  double now_rps = 0;       ///< served in this run while busy
};

// Nothing unless what is served rises clearly. Asked of overloaded instances, all alike: while
// places stay empty, a limit on them only makes requests wait that find memory free.
std::optional<FewerPlaces> fewer_places(const LoadEvidence& e) {
  const double batch = e.cluster.mean_batch_size;
  const double places = std::floor(e.room());
  if (!e.overloaded() || !e.preempts() || e.deployment.pools.size() > 1) return std::nullopt;
  if (places < 1 || places >= batch || e.cluster.completed == 0) return std::nullopt;

  // Of an instance's time for a request, its prompt is needed once; the steps of its answer are
  // shared with all that are in the batch.
  const double busy_s = static_cast<double>(e.work.busy_ns) / 1e9;
  const double prompts_s = static_cast<double>(e.work.prompts_ns) / 1e9;
  const double needed = std::fmin(1, ratio_or_zero(e.needed_prompt_tokens, e.work.prefill_tokens));
  const double share_now = e.decode_step_s(batch) / batch;
  const double share_then = e.decode_step_s(places) / places;
  const double then_s = needed * prompts_s + (busy_s - prompts_s) * share_then / share_now;

  constexpr double kClearly = 1.1;  // beyond the error of such arithmetic
  if (busy_s < kClearly * then_s) return std::nullopt;
  const double instances = static_cast<double>(e.instances());
  return FewerPlaces{static_cast<std::int64_t>(places), instances * e.completed() / then_s,
                     instances * e.completed() / busy_s};
}

// What the instances lack.
class InstanceLimits {
 public:
  explicit InstanceLimits(const LoadEvidence& evidence) : e_(evidence) {}

  Limit find() const {
    Limit found = by_resource();
    if (turns_lengths_away(e_.summary)) {
      // However many instances there are, and however long the run is.
      found.lever = longer_requests();
      if (found.limit == LimitKind::none) {
        found.reason = {LimitCause::too_long, e_.cluster.dropped_unservable, e_.summary.arrived};
      }
    } else if (found.limit != LimitKind::none && e_.summary.balance.concentrated) {
      found.lever = spread_requests();
    }
    return found;
  }

 private:
  Limit by_resource() const {
    const bool waits = e_.queues() || e_.overloaded();
    if (e_.preempts() || (waits && 2 * e_.work.short_of_blocks > e_.work.shortages())) {
      return memory();
    }
    if (waits) return queue();
    const double prompts_s = e_.times.prefill + e_.times.prefill_stall;
    if (e_.computes_prompts() && prompts_s > e_.times.decode) return prompts();
    if (e_.decodes_slowly()) return decodes();
    if (e_.computes_prompts()) return prompts();
    if (e_.cluster.efficiency && e_.cluster.efficiency->mfu > 1) return peak();
    if (e_.fills_memory()) return memory();
    if (e_.works_all_the_time()) return larger_steps();
    if (e_.queues_at_times()) return queue();
    return nothing();
  }

  Limit memory() const {
    const double full = e_.cluster.kv_utilization;
    const double peak = e_.cluster.kv_peak_utilization;
    Because<LimitCause> reason{LimitCause::full_memory, full, peak};
    if (e_.cluster.preemptions > 0) {
      reason = {LimitCause::preemptions, e_.cluster.preemptions, e_.cluster.completed, full, peak};
    } else if (e_.work.shortages() > 0) {
      reason = {LimitCause::short_of_blocks, e_.time_share(e_.times.queue),
                ratio_or_zero(e_.work.short_of_blocks, e_.work.shortages()), full, peak};
    }
    return {LimitKind::memory, ShortResource::kv_memory, reason, more_memory()};
  }

  Because<Remedy> more_memory() const {
    const std::int64_t instances = instances_that_may_hold(e_.summary);
    if (const auto fewer = fewer_places(e_)) {
      const std::int64_t of_rank = fewer->places / e_.deployment.main().ranks;
      return {Remedy::fewer_requests, of_rank, fewer->then_rps, fewer->now_rps, instances};
    }
    if (e_.deployment.main().kv_blocks_are_given) {
      return {Remedy::more_blocks, instances, e_.work.total_kv_blocks};
    }
    return {Remedy::more_memory, instances};
  }

  Limit queue() const {
    const double places = ratio_or_zero(e_.work.short_of_places, e_.work.shortages());
    const bool by_places = places > 0.5;
    const LimitCause cause =
        by_places                                           ? LimitCause::queue_places
        : 2 * e_.work.short_of_tokens > e_.work.shortages() ? LimitCause::queue_tokens
        : 2 * e_.work.short_of_turns > e_.work.shortages()  ? LimitCause::queue_turns
                                                            : LimitCause::queue;
    Because<Remedy> lever = add_instances(e_);
    constexpr double kMoreRoom = 1.2;  // worth a try
    if (by_places && e_.room() > kMoreRoom * static_cast<double>(e_.work.max_num_seqs)) {
      lever.cause = Remedy::larger_batches;
      lever.figures[2] = std::floor(e_.room() / static_cast<double>(e_.deployment.main().ranks));
    }
    return {LimitKind::queue,
            ShortResource::queue,
            {cause, e_.time_share(e_.times.queue), e_.mean_wait_s(), e_.work.max_num_seqs},
            lever};
  }

  // Real instances would be bound by what this model does not limit.
  Limit peak() const {
    const double mfu = e_.cluster.efficiency->mfu;
    return {LimitKind::compute,
            ShortResource::gpu_peak,
            {LimitCause::above_peak, mfu, mfu},
            Remedy::other_step_model};
  }

  Limit prompts() const {
    const Remedy remedy = e_.times.prefill_stall <= e_.times.prefill ? Remedy::less_prompt_work
                          : e_.work.whole_prompts                    ? Remedy::prompts_in_chunks
                                                                     : Remedy::smaller_chunks;
    return {LimitKind::compute,
            ShortResource::prefill_compute,
            {LimitCause::prompts, e_.prompt_work(), e_.time_share(e_.times.prefill),
             e_.time_share(e_.times.prefill_stall)},
            {remedy, e_.instances() + 1}};
  }

  Limit decodes() const {
    const double batch = e_.work.decode_batch;
    const auto n = static_cast<double>(e_.instances());
    return {LimitKind::compute,
            ShortResource::decode_bandwidth,
            {LimitCause::decodes, e_.token_s(), e_.slowness(), batch},
            {Remedy::smaller_batches, n + 1, batch * n / (n + 1), batch}};
  }

  // Tokens still come about as fast as to a request alone, but no time is left between steps: more
  // load makes each of them longer.
  Limit larger_steps() const {
    Limit found = decodes();
    const double batch = e_.work.decode_batch;
    const double most = std::fmin(e_.room(), static_cast<double>(e_.work.max_num_seqs));
    constexpr double kMoreRoom = 1.2;
    if (!holds_the_load(e_.summary) || most <= kMoreRoom * batch) return found;
    // Batches of unlike pools grow to unlike sizes.
    found.lever = e_.deployment.pools.size() > 1
                      ? Because<Remedy>{Remedy::none_needed}
                      : Because<Remedy>{Remedy::batches_may_grow, batch, std::floor(most)};
    return found;
  }

  // While most instances have little to do, more of them are no remedy.
  Because<Remedy> spread_requests() const {
    const Balance& balance = e_.summary.balance;
    return {Remedy::spread_requests, e_.instances(), balance.busiest, balance.busiest_share};
  }

  Limit nothing() const {
    Limit found;
    if (e_.cluster.completed == 0) {
      found.reason = Because<LimitCause>{LimitCause::none_completed};
      return found;
    }
    const double queue = e_.time_share(e_.times.queue);
    found.reason = e_.times.gaps > 0 ? Because<LimitCause>{LimitCause::room, queue, e_.token_s(),
                                                           e_.work.lone_decode_s, e_.prompt_work()}
                                     : Because<LimitCause>{LimitCause::room_without_tokens, queue,
                                                           e_.prompt_work()};
    found.lever = lever_where_nothing_binds();
    return found;
  }

  Because<Remedy> longer_requests() const {
    const Pool& pool = e_.deployment.main();
    if (2 * e_.too_long_for_model > e_.cluster.dropped_unservable)
      return {Remedy::longer_model, pool.longest_of_model};
    return remedy_of_length(pool);
  }

  Because<Remedy> lever_where_nothing_binds() const {
    if (holds_the_load(e_.summary)) return Remedy::none_needed;
    const bool is_steady = e_.summary.steady_state.verdict == SteadyVerdict::steady;
    if (!is_steady || !misses_limits(e_.summary)) return Remedy::none_in_sight;
    return {Remedy::faster_deployment, least_kept(*e_.summary.goodput)->share};
  }

  const LoadEvidence& e_;
};

constexpr Remedy kAboutLengths[]{Remedy::larger_window, Remedy::any_larger_window,
                                 Remedy::larger_cache, Remedy::larger_given_cache,
                                 Remedy::longer_model};
constexpr Remedy kNamingInstances[]{
    Remedy::add_instances,   Remedy::larger_batches,   Remedy::more_memory,
    Remedy::more_blocks,     Remedy::less_prompt_work, Remedy::prompts_in_chunks,
    Remedy::smaller_chunks,  Remedy::smaller_batches,  Remedy::tier_threshold,
    Remedy::gaie_thresholds, Remedy::instances_or_time};

}  // namespace

Bottleneck find_bottleneck(const RunRecord& record, const Summary& summary,
                           const Deployment& deployment) {
  const LoadEvidence e(record, summary, deployment);
  Bottleneck b;
  b.gateway_share = e.time_share(e.times.gateway);
  b.queue_share = e.time_share(e.times.queue);
  b.prefill_share = e.time_share(e.times.prefill);
  b.decode_wait_share = e.time_share(e.times.decode_wait);
  b.transfer_share = e.time_share(e.times.transfer);
  b.decode_queue_share = e.time_share(e.times.decode_queue);
  b.prefill_stall_share = e.time_share(e.times.prefill_stall);
  b.decode_share = e.time_share(e.times.decode);
  b.preemption_share = e.time_share(e.times.preemption);
  auto before = limit_before_instances(e);
  static_cast<Limit&>(b) = before ? std::move(*before) : InstanceLimits(e).find();
  if (b.resource == ShortResource::nothing && !contains(kAboutLengths, b.lever.cause)) {
    if (auto lost = limit_by_few_losses(e)) static_cast<Limit&>(b) = std::move(*lost);
  }
  // That most instances are not used shows in a short run, too.
  const bool has_lever = b.lever.cause != Remedy::none && !contains(kAboutLengths, b.lever.cause);
  if (needs_more_requests(summary) && !summary.balance.concentrated && has_lever) {
    const std::int64_t enough = summary.steady_state.enough_requests;
    b.lever = {enough > 0 ? Remedy::longer_run : Remedy::any_longer_run, enough};
  }
  return b;
}

bool is_of_instances(const Limit& limit) {
  const bool is_before = limit.limit == LimitKind::admission || limit.limit == LimitKind::routing ||
                         limit.limit == LimitKind::gateway;
  return !is_before && !contains(kAboutLengths, limit.lever.cause);
}

bool is_engine_default(Remedy remedy) {
  return Remedy::default_rule <= remedy && remedy <= Remedy::default_memory;
}

bool names_instances(Remedy remedy) { return contains(kNamingInstances, remedy); }

bool asks_for_instances(Remedy remedy) {
  return names_instances(remedy) || remedy == Remedy::divided_instances ||
         remedy == Remedy::divided_fleet || remedy == Remedy::larger_fleet;
}

bool needs_nothing(const Limit& limit) {
  const Remedy remedy = limit.lever.cause;
  const bool waits = limit.limit == LimitKind::queue || limit.limit == LimitKind::memory;
  return remedy == Remedy::none_needed || remedy == Remedy::batches_may_grow ||
         (limit.holds_anyway && !waits);
}

bool needs_more_requests(const Summary& summary) {
  const SteadyState& state = summary.steady_state;
  return state.verdict == SteadyVerdict::too_short ||
         (state.verdict == SteadyVerdict::transient && state.enough_requests > 0);
}

bool misses_limits(const Summary& summary) {
  const auto least = summary.goodput ? least_kept(*summary.goodput) : std::nullopt;
  return least && least->share < kNearlyAll;
}

Because<Remedy> remedy_of_length(const Pool& pool) {
  const EngineConfig& engine = pool.engine;
  const bool by_cache = engine.max_model_len == 0 ||
                        engine.max_model_len >= engine.total_kv_blocks * engine.block_size;
  if (by_cache) {
    return pool.kv_blocks_are_given
               ? Because<Remedy>{Remedy::larger_given_cache, engine.total_kv_blocks}
               : Because<Remedy>{Remedy::larger_cache};
  }
  if (pool.longest_of_model <= 0) return Remedy::any_larger_window;
  const bool by_model = engine.max_model_len >= pool.longest_of_model;
  const bool may_have_its_own =
      !pool.name.empty() && pool.name != "prefill" && pool.name != "decode";
  return {by_model ? Remedy::longer_model : Remedy::larger_window, pool.longest_of_model,
          may_have_its_own};
}

bool turns_lengths_away(const Summary& summary) {
  return static_cast<double>(summary.cluster.dropped_unservable) >
         kToleratedLoss * static_cast<double>(summary.arrived);
}

bool holds_the_load(const Summary& summary) {
  return summary.steady_state.verdict == SteadyVerdict::steady && !misses_limits(summary) &&
         !turns_lengths_away(summary);
}

std::int64_t instances_that_may_hold(const Summary& summary) {
  const std::int64_t now = std::ssize(summary.instances);
  // What leaves while requests arrive, of steps that are full: unless requests give up, or so
  // little leaves that it is lost in the noise of what comes.
  constexpr double kClearShare = 0.25;
  const double served = summary.offered_rps - summary.steady_state.backlog_growth_rps;
  const bool is_clear =
      summary.steady_state.backlog_growth_rps > 0 && summary.cluster.timed_out == 0 &&
      summary.asked_rps <= summary.offered_rps && served > kClearShare * summary.offered_rps;
  // Work knows nothing of what is computed again after preemptions: never fewer than all of the
  // run, to its end, has shown to leave.
  const double left = summary.cluster.timed_out == 0 ? summary.cluster.responses_per_sec : 0;
  const double by_left = static_cast<double>(now) * ratio_or_zero(summary.asked_rps, left);
  const double needed = std::ceil(is_clear ? static_cast<double>(now) * summary.offered_rps / served
                                           : std::fmax(summary.arriving_work.all(), by_left));
  constexpr double kLargestWhole = 1e15;  // of a double that is exact
  return std::max(now + 1, static_cast<std::int64_t>(std::fmin(needed, kLargestWhole)));
}

}  // namespace plimsoll
