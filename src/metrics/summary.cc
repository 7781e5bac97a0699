#include "metrics/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/lists.h"
#include "metrics/breakdown.h"
#include "metrics/intervals.h"

namespace plimsoll {
namespace {

// Sets GroupSummary::prefix_hit_rate of the cluster and its instances: how many prompt tokens the
// prefix caches had, as vLLM counts queries and hits. A request counts once, when it is first put
// in a batch of the instance that computes its prompt. Answers are not looked up.
void set_prefix_hits(const RequestTable& table, Summary* summary) {
  struct Tokens {
    std::int64_t found = 0;
    std::int64_t looked_up = 0;
    double share() const { return ratio_or_zero(found, looked_up); }
  };
  Tokens all;
  std::vector<Tokens> of_instances(summary->instances.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.scheduling_delay[row] == kNoDuration) continue;
    const std::int32_t apart = table.handoff[row].prefill_instance;
    const std::int32_t instance = apart >= 0 ? apart : table.instance[row];
    if (instance < 0) continue;
    for (Tokens* tokens : {&all, &of_instances[static_cast<std::size_t>(instance)]}) {
      tokens->found += table.cached_tokens[row];
      tokens->looked_up += table.input_tokens[row];
    }
  }
  summary->cluster.prefix_hit_rate = all.share();
  for (std::size_t i = 0; i < of_instances.size(); ++i)
    summary->instances[i].prefix_hit_rate = of_instances[i].share();
}

/// Latencies of the requests from `first_row` on, for each instance and for the cluster; ITL only
/// where the definitions of the summary take it by request. Groups that completed nothing keep
/// zeros.
class RequestLatencies {
 public:
  RequestLatencies(const RequestTable& table, std::size_t first_row, bool cluster_alone,
                   Summary* summary)
      : table_(table),
        definitions_(summary->definitions),
        first_row_(first_row),
        cluster_alone_(cluster_alone),
        summary_(summary),
        begin_(summary->instances.size() + 1, 0) {
    for (std::size_t row = first_row; row < table.size(); ++row) {
      if (table.instance[row] >= 0) ++begin_[static_cast<std::size_t>(table.instance[row]) + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  }

  void set_all() {
    each([&](std::size_t row) { return whole_us_of(table_.e2e[row]); }, kUsPerMs,
         &GroupSummary::e2e);
    each([&](std::size_t row) { return ttft_us(table_, row, definitions_); }, kUsPerMs,
         &GroupSummary::ttft);
    each([&](std::size_t row) { return whole_us_of(table_.scheduling_delay[row]); }, kUsPerMs,
         &GroupSummary::scheduling_delay);
    each([&](std::size_t row) { return whole_us_of(queue_time_of(table_, row)); }, kUsPerMs,
         &GroupSummary::queue_time);
    each([&](std::size_t row) { return tpot_ns(table_, row, definitions_); }, kNsPerMs,
         &GroupSummary::tpot);
    if (definitions_.itl == ItlOver::requests) {
      each([&](std::size_t row) { return mean_gap_ns(table_, row); }, kNsPerMs, &GroupSummary::itl);
    } else if (definitions_.itl == ItlOver::requests_by_tokens) {
      weigh_gaps_by_tokens();
    }
  }

 private:
  template <class ValueOf>
  void each(ValueOf value_of, double per_ms, Latency latency) {
    std::vector<GroupSummary>& instances = summary_->instances;
    std::vector<std::int64_t> all(begin_.back());
    const std::vector<std::size_t> end = sort_by_instance(value_of, all);
    auto last = all.begin();  // of those that are side by side
    for (std::size_t i = 0; i < instances.size(); ++i) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin_[i]);
      const auto past = all.begin() + static_cast<std::ptrdiff_t>(end[i]);
      const bool shown = instances.size() > 1 && instances[i].completed > 0 && !cluster_alone_;
      if (shown) instances[i].*latency = latency_of({first, past}, per_ms);
      last = std::copy(first, past, last);
    }
    if (summary_->cluster.completed == 0) return;
    all.erase(last, all.end());
    summary_->cluster.*latency = latency_of(std::move(all), per_ms);
    if (instances.size() == 1) instances.front().*latency = summary_->cluster.*latency;
  }

  // Puts the values of rows that have one (are not negative) where those of their instance begin,
  // in the order of the table, which is read once. Returns their ends.
  template <class ValueOf>
  std::vector<std::size_t> sort_by_instance(ValueOf value_of,
                                            std::span<std::int64_t> values) const {
    std::vector<std::size_t> end(begin_.begin(), begin_.end() - 1);
    for (std::size_t row = first_row_; row < table_.size(); ++row) {
      if (table_.instance[row] < 0) continue;
      std::size_t& next = end[static_cast<std::size_t>(table_.instance[row])];
      values[next] = value_of(row);
      next += values[next] >= 0 ? 1 : 0;
    }
    return end;
  }

  void weigh_gaps_by_tokens() {
    std::vector<WeightedNs> all;
    const GroupedRows rows(table_.instance, summary_->instances.size(), first_row_);
    for (std::size_t i = 0; i < rows.groups(); ++i) {
      std::vector<WeightedNs> gaps;
      for (const std::uint32_t row : rows.of(i)) {
        const std::int64_t ns = mean_gap_ns(table_, row);
        if (ns != kNoValue) gaps.push_back({ns, table_.itl_count[row]});
      }
      append(&all, gaps);
      summary_->instances[i].itl = latency_of(std::move(gaps));
    }
    summary_->cluster.itl = latency_of(std::move(all));
  }

  const RequestTable& table_;
  const MetricDefinitions& definitions_;
  const std::size_t first_row_;
  const bool cluster_alone_;
  Summary* const summary_;
  std::vector<std::size_t> begin_;  ///< of the rows of each instance, side by side
};

void add_counts(const InstanceRecord& r, GroupSummary* s) {
  s->completed += r.completed;
  s->still_queued += r.still_queued;
  s->still_running += r.still_running;
  s->injected += r.completed + r.still_queued + r.still_running + r.dropped + r.timed_out;
  s->total_input_tokens += r.total_input_tokens;
  s->total_output_tokens += r.total_output_tokens;
  s->kv_allocation_failures += r.kv_allocation_failures;
  s->preemptions += r.preemptions;
  s->dropped_unservable += r.dropped;
  s->length_capped += r.length_capped;
  s->timed_out += r.timed_out;
}

void set_group_rates(double duration_s, GroupSummary* s) {
  s->duration_s = duration_s;
  s->responses_per_sec = ratio_or_zero(static_cast<double>(s->completed), duration_s);
  s->tokens_per_sec = ratio_or_zero(static_cast<double>(s->total_output_tokens), duration_s);
}

GroupSummary summarize_instance(const InstanceRecord& r, double run_s) {
  GroupSummary s;
  add_counts(r, &s);
  set_group_rates(to_seconds(r.end), &s);
  s.cache_hit_rate = ratio_or_zero(r.cache_hit_blocks, r.cache_hit_blocks + r.cache_miss_blocks);
  // The last step may end after the last thing that happened.
  s.utilization = std::fmin(1, ratio_or_zero(to_seconds(r.busy), run_s));
  s.kv_utilization = ratio_or_zero(static_cast<double>(r.kv_block_us) / 1e6,
                                   to_seconds(r.busy) * static_cast<double>(r.total_kv_blocks));
  s.kv_peak_utilization = ratio_or_zero(r.peak_kv_blocks, r.total_kv_blocks);
  s.mean_batch_size = ratio_or_zero(r.batch_request_steps, r.steps);
  s.mean_queue_depth = mean_queue_depth(r);
  if (s.completed > 0) s.itl = latency_of(r.itl);
  return s;
}

GroupSummary summarize_cluster(const RunRecord& record, const std::vector<GroupSummary>& parts,
                               double run_s) {
  GroupSummary s;
  s.name = "cluster";
  const auto n = static_cast<double>(parts.size());
  for (const GroupSummary& part : parts) {
    s.cache_hit_rate += part.cache_hit_rate / n;
    s.utilization += part.utilization / n;
    s.kv_utilization += part.kv_utilization / n;
    s.kv_peak_utilization = std::fmax(s.kv_peak_utilization, part.kv_peak_utilization);
  }
  ItlHistogram gaps;
  std::int64_t steps = 0;
  std::int64_t request_steps = 0;
  std::int64_t queued_steps = 0;
  for (const InstanceRecord& r : record.instances) {
    add_counts(r, &s);
    gaps.merge(r.itl);
    steps += r.steps;
    request_steps += r.batch_request_steps;
    queued_steps += r.queued_request_steps;
  }
  s.mean_batch_size = ratio_or_zero(request_steps, steps);
  s.mean_queue_depth = ratio_or_zero(queued_steps, steps);
  set_group_rates(run_s, &s);
  if (s.completed > 0) s.itl = latency_of(gaps);
  return s;
}

// Only what does the same has queues to compare: the instances of a pool.
std::int64_t blocked_by_pool(std::span<const InstanceRecord> instances,
                             const SummaryOptions& options) {
  const bool with_itself = !options.semantics.queue_compared_with_others;
  if (options.deployment == nullptr) return blocked_instances(instances, with_itself);
  std::int64_t blocked = 0;
  for (const Pool& pool : options.deployment->pools) {
    const auto n = std::min(static_cast<std::size_t>(pool.num_instances), instances.size());
    blocked += blocked_instances(instances.first(n), with_itself);
    instances = instances.subspan(n);
  }
  return blocked;
}

void set_fairness(const RunRecord& record, const SummaryOptions& options, Summary* summary) {
  const RequestTable& table = record.requests;
  const std::size_t instances = record.instances.size();
  if (summary->tenants.size() > 1) summary->tenant_fairness = tenant_fairness(summary->tenants);
  if (!options.semantics.inversions_are_overtakings) {
    const bool counts = options.priority_scheduler;
    summary->priority_inversions.pairs = counts ? unequal_pairs(table, instances) : 0;
  } else if (summary->classes.size() > 1) {
    const SloPriorities priorities = options.deployment == nullptr
                                         ? SloPriorities{}
                                         : options.deployment->main().engine.priorities;
    summary->priority_inversions = priority_inversions(table, instances, priorities);
  }
  summary->blocked_instances = blocked_by_pool(record.instances, options);
}

void set_arrivals(const RunRecord& record, Summary* summary) {
  const std::vector<Time>& arrival = record.requests.arrival;
  summary->arrived = std::ssize(arrival);
  summary->rejected_admission = record.rejected_admission;
  summary->rejected_routing = record.rejected_routing;
  summary->shed = std::ranges::count(record.requests.outcome, Outcome::shed);
  summary->gateway = record.gateway;
  summary->still_arriving = std::ranges::count(record.requests.outcome, Outcome::unfinished) -
                            summary->cluster.still_queued - summary->cluster.still_running;
  if (arrival.empty()) return;
  summary->offered_rps = offered_rps_of(record.requests);
  summary->asked_rps =
      summary->offered_rps * (1 + ratio_or_zero(record.rounds_left_out, std::ssize(arrival)));
  summary->arriving_work = arriving_work(record, summary->asked_rps);
}

// Rates of benchmark clients: from the first arrival to the last answer that they count.
void set_client_rates(const RequestTable& table, Summary* summary) {
  std::vector<Time> last(summary->instances.size());
  std::vector<Time> first(summary->instances.size(), kNever);
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.instance[row] < 0) continue;
    const auto i = static_cast<std::size_t>(table.instance[row]);
    first[i] = std::min(first[i], table.arrival[row]);
    if (is_completed(table.outcome[row])) {
      last[i] = std::max(last[i], table.arrival[row] + table.e2e[row]);
    }
  }
  for (std::size_t i = 0; i < last.size(); ++i) {
    if (last[i] > first[i]) set_group_rates(to_seconds(last[i] - first[i]), &summary->instances[i]);
  }
  if (last.empty() || table.arrival.empty()) return;
  const Time end = *std::ranges::max_element(last);
  if (end > table.arrival.front()) {
    set_group_rates(to_seconds(end - table.arrival.front()), &summary->cluster);
  }
}

// The figures of requests by class and tenant, and of sessions.
void set_groups(const RequestTable& table, std::size_t first_row, const SummaryOptions& options,
                Summary* s) {
  const GroupMeasure measure{s->definitions, first_row, s->cluster.duration_s};
  s->classes = groups_by_class(table, measure);
  s->tenants =
      groups_by_tenant(table, options.labels == nullptr ? Labels{} : *options.labels, measure);
  s->sessions = session_figures(table, s->definitions, first_row);
  if (options.deployment != nullptr)
    s->sessions.by_chance = chance_of_same_instance(*options.deployment);
}

}  // namespace

const MetricInterval* find_interval(const std::vector<MetricInterval>& intervals,
                                    std::string_view metric) {
  return find_in(intervals, metric, &MetricInterval::metric);
}

Summary summarize(const RunRecord& record, const SummaryOptions& options) {
  double run_s = 0;
  for (const InstanceRecord& r : record.instances) run_s = std::fmax(run_s, to_seconds(r.end));

  const RequestTable& table = record.requests;
  Summary summary;
  summary.definitions = options.definitions;
  for (std::size_t i = 0; i < record.instances.size(); ++i) {
    summary.instances.push_back(summarize_instance(record.instances[i], run_s));
    summary.instances.back().name = "instance_" + std::to_string(i);
  }
  summary.cluster = summarize_cluster(record, summary.instances, run_s);
  if (options.definitions.rates_from_first_arrival) set_client_rates(table, &summary);
  set_arrivals(record, &summary);
  summary.users = users_of(table, options.clients_of_users);
  summary.steady_state =
      judge_users(summary.users, options.judged ? *options.judged : judge_record(record));
  summary.warmup = find_warmup(table, options.warmup, summary.steady_state);
  summary.steady_state = judge_what_is_left(table, summary.warmup, summary.steady_state);
  const std::size_t first_row = summary.warmup.excluded;
  RequestLatencies(table, first_row, options.cluster_alone, &summary).set_all();
  set_prefix_hits(table, &summary);
  summary.first_tokens_alone = first_tokens_alone(table, first_row, summary.definitions);
  set_groups(table, first_row, options, &summary);
  set_fairness(record, options, &summary);
  if (options.deployment != nullptr) set_efficiency(record, *options.deployment, run_s, &summary);
  std::vector<Good> good;
  if (any(options.goodput)) {
    good = judge_requests(table, options.goodput);
    summary.goodput = find_goodput(table, options.goodput, good, summary.cluster.duration_s);
  }
  if (!options.fitness.weights.empty())
    summary.fitness = find_fitness(summary.cluster, options.fitness);
  summary.saturation = find_saturation(table, options.detectors, options.saturation,
                                       options.semantics, options.verdict_sink);
  if (options.steady_rates) take_steady_rates(record, &summary);
  summary.intervals = headline_intervals(record, summary, good);
  const Deployment deployment = options.deployment == nullptr ? Deployment{} : *options.deployment;
  summary.balance = balance_of(
      record, deployment.num_prefill_instances(),
      deployment.pools.size() > 1 ? speeds_of(deployment, Side::answers) : std::vector<double>{});
  summary.bottleneck = find_bottleneck(record, summary, deployment);
  summary.pools = pools_of(record, summary.instances, summary.bottleneck, deployment);
  if (auto limit = limit_of_pools(summary); limit && is_of_instances(summary.bottleneck))
    static_cast<Limit&>(summary.bottleneck) = *limit;
  if (names_instances(summary.bottleneck.lever.cause)) {
    if (const auto lever = lever_of_pools(summary)) summary.bottleneck.lever = *lever;
  }
  summary.bottleneck.holds_anyway = holds_the_load(summary) &&
                                    is_of_instances(summary.bottleneck) &&
                                    asks_for_instances(summary.bottleneck.lever.cause);
  return summary;
}

}  // namespace plimsoll
