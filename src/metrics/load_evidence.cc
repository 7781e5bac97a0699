#include "metrics/load_evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/lists.h"
#include "cluster/admission.h"
#include "cluster/saturation_signal.h"

namespace plimsoll {
namespace {

constexpr double kManyPreemptions = 0.01;   // per completed request
constexpr double kSomePreemptions = 0.002;  // likewise: fewer show in no p99
constexpr double kNoticedWait = 0.01;       // of the time of completed requests
constexpr double kLongQueue = 0.10;         // share of the time of completed requests
constexpr double kLongWait = 2;             // mean wait in steps: below, it is for the next batch
constexpr double kManySteps = 10;           // 99th percentile of waits: bursts find no place
constexpr double kBusy = 0.50;              // of the run
constexpr double kPromptWork = 0.50;        // of the run, spent on prompts
constexpr double kSlowDecode = 1.5;         // times a decode step of one request alone
constexpr double kNoticeable = 1.2;         // times a decode step of one request alone
constexpr double kUsableMemory = 0.90;      // of the KV blocks
constexpr double kFullAtPeak = 0.95;        // of the KV blocks
constexpr double kAllTheTime = 0.95;        // of the run

// A number to type.
double two_digits_up(double number) {
  double unit = 1;
  while (number / unit > 100) unit *= 10;
  return std::ceil(number / unit) * unit;
}

// The most tokens that are taken from a bucket (cluster/admission.h) that refills at that rate and
// is never empty, and that have yet to come back: one of that size would let in all that a run
// sent.
double deepest_backlog_of(const RequestTable& table, double refill_per_s) {
  double deepest = 0;
  double backlog = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Time before = i > 0 ? table.arrival[i - 1] : table.arrival[i];
    backlog = std::fmax(0, backlog - refill_per_s * to_seconds(table.arrival[i] - before)) +
              table.input_tokens[i];
    deepest = std::fmax(deepest, backlog);
  }
  return deepest;
}

std::int64_t needed_prompt_tokens_of(const RequestTable& table) {
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (is_completed(table.outcome[i])) tokens += table.input_tokens[i] - table.cached_tokens[i];
  }
  return tokens;
}

// By the longest request that any of its pools takes.
std::int64_t too_long_for_model_of(const RequestTable& table, const Deployment& deployment) {
  std::int64_t longest = 0;
  for (const Pool& pool : deployment.pools) longest = std::max(longest, pool.longest_of_model);
  if (longest == 0) return 0;
  std::int64_t requests = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const bool is_too_long = table.input_tokens[i] + table.output_tokens[i] > longest;
    requests += table.outcome[i] == Outcome::dropped && is_too_long ? 1 : 0;
  }
  return requests;
}

constexpr double kManyLost = 0.05;   // of all that arrived: the steady-state verdict's tolerance
constexpr double kFewLost = 0.001;   // likewise: where nothing else binds
constexpr double kLongShare = 0.10;  // of the time of completed requests

class EntryLimits {
 public:
  explicit EntryLimits(const LoadEvidence& evidence)
      : e_(evidence), s_(evidence.summary), gateway_(s_.gateway) {}

  // The cause of most losses, if there are many; else a gateway that takes long.
  std::optional<Limit> find() const {
    if (auto lost = most_losses(kManyLost)) return lost;
    if (e_.share(gateway_.still_queued) > kManyLost) return gateway_queue();
    if (e_.time_share(e_.times.gateway) <= kLongShare) return std::nullopt;
    if (2 * to_seconds(gateway_.total_wait) > e_.times.gateway) return gateway_queue();
    if (2 * latency_s() * e_.completed() > e_.times.gateway) return latency();
    return std::nullopt;  // an overhead of the step-time model
  }

  // If more than this share are lost.
  std::optional<Limit> most_losses(double tolerated) const {
    struct Loss {
      std::int64_t requests;
      Limit (EntryLimits::*limit)() const;
    };
    const Loss losses[] = {{s_.rejected_admission, &EntryLimits::admission},
                           {s_.rejected_routing, &EntryLimits::routing},
                           {lost_at_gateway(), &EntryLimits::gateway_queue},
                           {s_.cluster.timed_out, &EntryLimits::deadlines}};
    const std::int64_t lost = total_of(losses, &Loss::requests);
    if (e_.share(lost) <= tolerated) return std::nullopt;
    const Loss& most = *std::ranges::max_element(losses, {}, &Loss::requests);
    return (this->*most.limit)();
  }

 private:
  std::int64_t lost_at_gateway() const {
    return gateway_.rejected + gateway_.shed + gateway_.expired + gateway_.evicted;
  }
  double latency_s() const {
    return to_seconds(e_.deployment.admission_latency + e_.deployment.routing_latency);
  }

  Limit admission() const {
    return {LimitKind::admission,
            ShortResource::admission,
            {LimitCause::turned_away, s_.rejected_admission, s_.arrived},
            admission_lever()};
  }

  Because<Remedy> admission_lever() const {
    const std::string& policy = e_.deployment.admission;
    const bool has_budgets = !e_.deployment.tenant_budgets.empty();
    if (e_.deployment.flow_control.enabled || policy == "always-admit") {
      return Remedy::larger_budgets;
    }
    if (policy == "reject-all") return Remedy::admit_always;
    if (policy == "token-bucket") return larger_bucket(has_budgets);
    Because<Remedy> lever = add_instances(e_);
    lever.figures[2] = has_budgets ? 1 : 0;
    if (policy == "tier-shed") lever.cause = Remedy::tier_threshold;
    if (policy == "gaie-legacy") lever.cause = Remedy::gaie_thresholds;
    return lever;
  }

  // The prompts of all that arrive, in those of the completed: a bucket lets short ones in first.
  double longer_prompts() const {
    const double computed = 1 - e_.cluster.cache_hit_rate;
    const double arriving = computed * ratio_or_zero(static_cast<double>(e_.prompt_tokens),
                                                     static_cast<double>(s_.arrived));
    const double served =
        ratio_or_zero(static_cast<double>(e_.needed_prompt_tokens), e_.completed());
    return std::fmax(1, ratio_or_zero(arriving, served));
  }

  // One that lets all of this run in, and the instances that serve it then.
  Because<Remedy> larger_bucket(bool has_budgets) const {
    const Parameters parameters(policy_of(admission_policies(), "token-bucket").parameters,
                                e_.deployment.parameters);
    const double refill = e_.ample_refill_per_s();
    const double capacity =
        std::fmax(parameters["token-bucket-capacity"], two_digits_up(e_.deepest_backlog));
    constexpr std::int64_t kMostTimes = 64;
    constexpr double kMargin = 1.3;  // batches of few say little of those of many
    const std::int64_t now = e_.instances();
    for (std::int64_t n = now; n <= kMostTimes * now; ++n) {
      const double rps = kMargin * s_.offered_rps / static_cast<double>(n);
      const std::optional<std::int64_t> load = in_flight_at(rps, longer_prompts());
      if (!load || longer_prompts() * static_cast<double>(*load) > e_.room()) continue;
      if (n == now) break;
      return {Remedy::refill_and_instances, refill, capacity, n, has_budgets};
    }
    return {Remedy::faster_refill, refill, capacity, has_budgets};
  }

  Limit routing() const {
    return {LimitKind::routing,
            ShortResource::routing,
            {LimitCause::other_model, s_.rejected_routing, s_.arrived},
            Remedy::deploy_model};
  }

  Limit gateway_queue() const {
    const double mean_s =
        ratio_or_zero(to_seconds(gateway_.total_wait), static_cast<double>(gateway_.dispatched));
    return {LimitKind::gateway,
            ShortResource::gateway,
            {LimitCause::gateway, e_.time_share(e_.times.gateway), mean_s, lost_at_gateway(),
             gateway_.still_queued, s_.arrived},
            gateway_lever()};
  }

  Because<Remedy> gateway_lever() const {
    if (!e_.instances_have_room()) return add_instances(e_);
    const FlowControl& rules = e_.deployment.flow_control;
    const bool is_lowered = rules.usage_limit < 1;
    if (rules.signal != "concurrency") return {Remedy::higher_thresholds, is_lowered};
    const std::optional<std::int64_t> enough =
        in_flight_at(s_.offered_rps / static_cast<double>(e_.instances()), 1);
    if (!enough) return add_instances(e_);
    const Parameters parameters(policy_of(saturation_signals(), *rules.signal).parameters,
                                e_.deployment.parameters);
    const auto today = static_cast<std::int64_t>(parameters["max-concurrency"]);
    return {Remedy::more_concurrency, std::max(*enough, today + 1), today, is_lowered};
  }

  // Requests in an instance, by Little's law, if it got so many of all that arrive: more of them
  // than now (whose prompts take `longer` times as long), and each for longer, as larger batches
  // have slower steps and more prompts come in between. To their mean comes some more for their
  // fluctuation, as in the square-root rule of staffing (Halfin and Whitt 1981). None: they would
  // be ever more, or more than there are places.
  std::optional<std::int64_t> in_flight_at(double rps, double longer) const {
    const double prompt_s = longer * ratio_or_zero(e_.work.prompts_ns, e_.cluster.completed) / 1e9;
    const double for_decodes = 1 - rps * prompt_s;  // of the time of an instance
    const double tokens = ratio_or_zero(e_.times.gaps, e_.completed());
    const double other_s = ratio_or_zero(
        e_.times.e2e - e_.times.gateway - e_.times.decode - e_.times.prefill_stall, e_.completed());
    const double alone_s = e_.decode_step_s(0);
    const double by_one_more_s = e_.decode_step_s(1) - alone_s;
    // load = rps (other_s + tokens (alone_s + by_one_more_s load) / for_decodes)
    const double growth = rps * tokens * by_one_more_s / for_decodes;
    if (for_decodes <= 0 || growth >= 1) return std::nullopt;
    const double load = rps * (other_s + tokens * alone_s / for_decodes) / (1 - growth);
    const auto places = static_cast<double>(e_.work.max_num_seqs);
    if (load > places) return std::nullopt;
    // Those that are too many slow each other down: the variance is not the load, as of requests
    // that do not, but as much more as one more of them slows the rest.
    const double enough = std::ceil(load + 2 * std::sqrt(load / (1 - growth)));
    return static_cast<std::int64_t>(std::fmin(enough, places));
  }

  Limit latency() const {
    return {LimitKind::gateway,
            ShortResource::gateway_latency,
            {LimitCause::way_in, latency_s(), e_.times.e2e / e_.completed()},
            Remedy::shorter_way_in};
  }

  Limit deadlines() const {
    const bool room = e_.instances_have_room();
    Because<Remedy> lever = add_instances(e_);
    lever.cause = Remedy::instances_or_time;
    if (e_.too_slow_alone > kToleratedLoss) lever = Remedy::time_first;
    if (room) lever = Remedy::more_time;
    return {LimitKind::deadlines,
            ShortResource::deadlines,
            {LimitCause::out_of_time, s_.cluster.timed_out, s_.arrived},
            lever,
            room};
  }

  const LoadEvidence& e_;
  const Summary& s_;
  const GatewayRecord& gateway_;
};

}  // namespace

LoadEvidence::LoadEvidence(const RunRecord& record, const Summary& of, const Deployment& deployed)
    : summary(of),
      cluster(of.cluster),
      deployment(deployed),
      times(time_sums(record.requests)),
      work(work_sums(record.instances)),
      prompt_tokens(std::accumulate(record.requests.input_tokens.begin(),
                                    record.requests.input_tokens.end(), std::int64_t{0})),
      needed_prompt_tokens(needed_prompt_tokens_of(record.requests)),
      deepest_backlog(deployed.admission == "token-bucket"
                          ? deepest_backlog_of(record.requests, ample_refill_per_s())
                          : 0),
      too_slow_alone(cluster.timed_out > 0 ? share_too_slow_alone(record, work.lone_decode_s) : 0),
      too_long_for_model(too_long_for_model_of(record.requests, deployed)) {}

double LoadEvidence::decode_step_s(double batch) const {
  const double others = work.decode_batch - 1;
  const double longer = std::fmax(0, work.decode_step_s - work.lone_decode_s);
  const double per_request = others > 0 ? longer / others : 0;
  return work.lone_decode_s + per_request * (batch - 1);
}

double LoadEvidence::ample_refill_per_s() const {
  constexpr double kMore = 1.1;
  return two_digits_up(
      kMore * summary.offered_rps *
      ratio_or_zero(static_cast<double>(prompt_tokens), static_cast<double>(summary.arrived)));
}

double LoadEvidence::room() const {
  return ratio_or_zero(kUsableMemory * static_cast<double>(work.total_kv_blocks),
                       blocks_per_request());
}

Because<Remedy> add_instances(const LoadEvidence& evidence) {
  return {Remedy::add_instances, instances_that_may_hold(evidence.summary), evidence.instances()};
}

bool LoadEvidence::preempts() const {
  return static_cast<double>(cluster.preemptions) > kManyPreemptions * std::max(1.0, completed());
}

bool LoadEvidence::queues() const {
  return time_share(times.queue) > kLongQueue && mean_wait_s() > kLongWait * mean_step_s();
}

bool LoadEvidence::queues_at_times() const {
  constexpr double kMostOfTtft = 0.5;
  const double wait_s = cluster.queue_time.p99_ms / 1e3;
  return work.shortages() > 0 && wait_s > kManySteps * mean_step_s() &&
         cluster.queue_time.p99_ms > kMostOfTtft * cluster.ttft.p99_ms;
}

bool LoadEvidence::computes_prompts() const { return prompt_work() > kPromptWork; }

bool LoadEvidence::decodes_slowly() const {
  return cluster.utilization > kBusy && slowness() > kSlowDecode;
}

bool LoadEvidence::fills_memory() const {
  const double waited_for_blocks =
      time_share(times.queue) * ratio_or_zero(work.short_of_blocks, work.shortages());
  const bool lacked = static_cast<double>(cluster.preemptions) > kSomePreemptions * completed() ||
                      waited_for_blocks > kNoticedWait;
  return cluster.kv_utilization > kFullKvMemory ||
         (lacked && cluster.kv_peak_utilization > kFullAtPeak);
}

bool LoadEvidence::works_all_the_time() const {
  return cluster.utilization > kAllTheTime && slowness() > kNoticeable;
}

std::optional<Limit> limit_before_instances(const LoadEvidence& evidence) {
  return EntryLimits(evidence).find();
}

std::optional<Limit> limit_by_few_losses(const LoadEvidence& evidence) {
  return EntryLimits(evidence).most_losses(kFewLost);
}

}  // namespace plimsoll
