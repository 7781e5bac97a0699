#include "metrics/summary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "metrics/bottleneck.h"
#include "metrics/intervals.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

double ratio(std::int64_t a, std::int64_t b) {
  return ratio(static_cast<double>(a), static_cast<double>(b));
}

// The measured values of a column in whole microseconds, those of an instance side by side.
class MeasuredUs {
 public:
  MeasuredUs(const RequestTable& table, const std::vector<Duration>& column, std::size_t instances)
      : begin_(instances + 1, 0) {
    const auto each = [&](auto visit) {
      for (std::size_t row = 0; row < column.size(); ++row) {
        if (table.instance[row] < 0 || column[row] == kNoDuration) continue;
        visit(static_cast<std::size_t>(table.instance[row]), column[row].ns / 1000);
      }
    };
    each([&](std::size_t instance, std::int64_t) { begin_[instance + 1] += 1; });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    values_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    each([&](std::size_t instance, std::int64_t us) { values_[next[instance]++] = us; });
  }

  std::vector<std::int64_t> of(std::size_t instance) const {
    const auto at = [&](std::size_t i) { return values_.begin() + static_cast<std::ptrdiff_t>(i); };
    return {at(begin_[instance]), at(begin_[instance + 1])};
  }

  /// Those of all instances; no other request has a measured latency.
  std::vector<std::int64_t> take_all() && { return std::move(values_); }

 private:
  std::vector<std::size_t> begin_;
  std::vector<std::int64_t> values_;
};

LatencySummary latency(std::vector<std::int64_t> us) {
  LatencySummary s;
  const std::int64_t sum = std::accumulate(us.begin(), us.end(), std::int64_t{0});
  s.mean_ms = ratio(sum, static_cast<std::int64_t>(us.size())) / 1000;
  Percentiles<std::int64_t> of(std::move(us));
  s.p50_ms = of.at(50) / 1000;
  s.p90_ms = of.at(90) / 1000;
  s.p95_ms = of.at(95) / 1000;
  s.p99_ms = of.at(99) / 1000;
  return s;
}

LatencySummary latency(const ItlHistogram& gaps) {
  return {gaps.mean_us() / 1000, gaps.percentile_us(50) / 1000, gaps.percentile_us(90) / 1000,
          gaps.percentile_us(95) / 1000, gaps.percentile_us(99) / 1000};
}

void set_delays(std::vector<std::int64_t> us, GroupSummary* s) {
  Percentiles<std::int64_t> delays(std::move(us));
  s->scheduling_delay_p50_ms = delays.at(50) / 1000;
  s->scheduling_delay_p99_ms = delays.at(99) / 1000;
}

// Gives the column's values of each group to `set`; groups that completed nothing keep zeros.
template <class Set>
void summarize_column(const RequestTable& table, const std::vector<Duration>& column,
                      Summary* summary, Set set) {
  MeasuredUs measured(table, column, summary->instances.size());
  for (std::size_t i = 0; i < summary->instances.size(); ++i) {
    if (summary->instances[i].completed > 0) set(measured.of(i), &summary->instances[i]);
  }
  if (summary->cluster.completed > 0) set(std::move(measured).take_all(), &summary->cluster);
}

void set_latencies(const RequestTable& table, Summary* summary) {
  using Values = std::vector<std::int64_t>;
  summarize_column(table, table.e2e, summary,
                   [](Values us, GroupSummary* s) { s->e2e = latency(std::move(us)); });
  summarize_column(table, table.ttft, summary,
                   [](Values us, GroupSummary* s) { s->ttft = latency(std::move(us)); });
  summarize_column(table, table.scheduling_delay, summary, set_delays);
}

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

void set_rates(double duration_s, GroupSummary* s) {
  s->duration_s = duration_s;
  s->responses_per_sec = ratio(static_cast<double>(s->completed), duration_s);
  s->tokens_per_sec = ratio(static_cast<double>(s->total_output_tokens), duration_s);
}

GroupSummary summarize_instance(const InstanceRecord& r, double run_s) {
  GroupSummary s;
  add_counts(r, &s);
  set_rates(to_seconds(r.end), &s);
  s.cache_hit_rate = ratio(r.cache_hit_blocks, r.cache_hit_blocks + r.cache_miss_blocks);
  s.prefix_hit_rate = s.cache_hit_rate;
  // The last step may end after the last thing that happened.
  s.utilization = std::fmin(1, ratio(to_seconds(r.busy), run_s));
  s.kv_utilization = ratio(static_cast<double>(r.kv_block_us) / 1e6,
                           to_seconds(r.busy) * static_cast<double>(r.total_kv_blocks));
  s.kv_peak_utilization = ratio(r.peak_kv_blocks, r.total_kv_blocks);
  s.mean_batch_size = ratio(r.batch_request_steps, r.steps);
  if (s.completed > 0) s.itl = latency(r.itl);
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
  std::int64_t hits = 0;
  std::int64_t blocks = 0;
  std::int64_t steps = 0;
  std::int64_t request_steps = 0;
  for (const InstanceRecord& r : record.instances) {
    add_counts(r, &s);
    gaps.merge(r.itl);
    hits += r.cache_hit_blocks;
    blocks += r.cache_hit_blocks + r.cache_miss_blocks;
    steps += r.steps;
    request_steps += r.batch_request_steps;
  }
  s.prefix_hit_rate = ratio(hits, blocks);
  s.mean_batch_size = ratio(request_steps, steps);
  set_rates(run_s, &s);
  if (s.completed > 0) s.itl = latency(gaps);
  return s;
}

Stay stay_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed:
    case Outcome::length_capped:
      return Stay::finished;
    case Outcome::unfinished:
      return Stay::inside;
    case Outcome::timed_out:
    case Outcome::rejected:
    case Outcome::shed:
      return Stay::lost;
    case Outcome::dropped:
      return Stay::no_demand;
  }
  return Stay::inside;
}

// Where observation ended: at the horizon, or when everything was over.
Time end_of(const RunRecord& record) {
  Time end;
  for (const InstanceRecord& r : record.instances) end = std::max(end, r.end);
  if (!record.requests.arrival.empty()) end = std::max(end, record.requests.arrival.back());
  return std::min(end, record.horizon);
}

SteadyState judge_record(const RunRecord& record) {
  const RequestTable& table = record.requests;
  std::vector<Stay> stay(table.size());
  std::transform(table.outcome.begin(), table.outcome.end(), stay.begin(), stay_of);
  return judge({table.arrival, stay, table.e2e, table.ttft, end_of(record)});
}

}  // namespace

Summary summarize(const RunRecord& record) {
  double run_s = 0;
  for (const InstanceRecord& r : record.instances) run_s = std::fmax(run_s, to_seconds(r.end));

  Summary summary;
  for (std::size_t i = 0; i < record.instances.size(); ++i) {
    summary.instances.push_back(summarize_instance(record.instances[i], run_s));
    summary.instances.back().name = "instance_" + std::to_string(i);
  }
  summary.cluster = summarize_cluster(record, summary.instances, run_s);
  set_latencies(record.requests, &summary);
  summary.rejected_admission = record.rejected_admission;
  summary.rejected_routing = record.rejected_routing;
  const auto& arrival = record.requests.arrival;
  if (!arrival.empty()) {
    summary.offered_rps =
        ratio(static_cast<double>(arrival.size()), to_seconds(arrival.back() - arrival.front()));
  }
  summary.steady_state = judge_record(record);
  summary.intervals = headline_intervals(record, summary.steady_state);
  summary.bottleneck = find_bottleneck(record, summary);
  return summary;
}

}  // namespace plimsoll
