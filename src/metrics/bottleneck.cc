#include "metrics/bottleneck.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "metrics/breakdown.h"
#include "metrics/summary.h"

namespace plimsoll {
namespace {

constexpr double kManyRejections = 0.05;   // of all arrivals
constexpr double kManyPreemptions = 0.01;  // per completed request
constexpr double kLongQueue = 0.10;        // share of the time of completed requests
constexpr double kLongWait = 2;            // mean wait in steps: below, it is for the next batch
constexpr double kBusy = 0.50;             // of the run
constexpr double kPromptWork = 0.50;       // of the run, spent on prompts
constexpr double kSlowDecode = 1.5;        // times a decode step of one request alone
constexpr double kUsableMemory = 0.90;     // of the KV blocks, to leave room for fluctuation

double ratio(double a, double b) { return b > 0 ? a / b : 0; }
double ratio(std::int64_t a, std::int64_t b) {
  return ratio(static_cast<double>(a), static_cast<double>(b));
}

std::string percent(double share) { return three_digits(100 * share) + " %"; }

// Sums over completed requests, in seconds.
struct Times {
  double gateway = 0;
  double queue = 0;
  double prefill = 0;
  double prefill_stall = 0;
  double decode = 0;
  double preemption = 0;
  double e2e = 0;
  double gaps = 0;  // number of them
};

Times add_up(const RequestTable& table) {
  Times t;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (!is_completed(table.outcome[i])) continue;
    const Breakdown b = breakdown_of(table, i);
    t.gateway += to_seconds(b.gateway);
    t.queue += to_seconds(b.queue);
    t.prefill += to_seconds(b.prefill);
    t.prefill_stall += to_seconds(b.prefill_stall);
    t.decode += to_seconds(b.decode);
    t.preemption += to_seconds(b.preemption);
    t.e2e += to_seconds(table.e2e[i]);
    t.gaps += static_cast<double>(table.itl_count[i]);
  }
  return t;
}

// Sums over instances.
struct Work {
  std::int64_t busy_ns = 0;
  std::int64_t prompts_ns = 0;
  std::int64_t steps = 0;
  std::int64_t short_of_blocks = 0;
  std::int64_t short_of_places = 0;
  std::int64_t short_of_tokens = 0;
  std::int64_t short_of_turns = 0;
  std::int64_t max_num_seqs = 0;  // of one
  bool whole_prompts = false;
  std::int64_t total_kv_blocks = 0;  // of one
  double lone_decode_s = 0;          // mean over instances that worked

  std::int64_t shortages() const {
    return short_of_blocks + short_of_places + short_of_tokens + short_of_turns;
  }
};

Work add_up(const std::vector<InstanceRecord>& instances) {
  Work w;
  std::int64_t worked = 0;
  for (const InstanceRecord& r : instances) {
    w.busy_ns += r.busy.ns;
    w.prompts_ns += r.prefill_work.ns;
    w.steps += r.steps;
    w.short_of_blocks += r.short_of_blocks;
    w.short_of_places += r.short_of_places;
    w.short_of_tokens += r.short_of_tokens;
    w.short_of_turns += r.short_of_turns;
    w.max_num_seqs = r.max_num_seqs;
    w.whole_prompts = r.whole_prompts;
    w.total_kv_blocks = r.total_kv_blocks;
    w.lone_decode_s += to_seconds(r.lone_decode_step);
    worked += r.steps > 0 ? 1 : 0;
  }
  w.lone_decode_s = ratio(w.lone_decode_s, static_cast<double>(worked));
  return w;
}

class Finder {
 public:
  Finder(const RunRecord& record, const Summary& summary)
      : summary_(summary),
        cluster_(summary.cluster),
        times_(add_up(record.requests)),
        work_(add_up(record.instances)),
        prompt_tokens_(record.requests.input_tokens) {}

  Bottleneck find() {
    set_shares();
    if (turns_many_away()) {
      admission();
    } else if (preempts() || (queues() && 2 * work_.short_of_blocks > work_.shortages())) {
      memory();
    } else if (queues()) {
      queue();
    } else if (computes_prompts() && prompts_share() > b_.decode_share) {
      prompts();
    } else if (decodes_slowly()) {
      decodes();
    } else if (computes_prompts()) {
      prompts();
    } else {
      nothing();
    }
    const bool of_instances = b_.limit != "none" && b_.limit != "admission";
    if (of_instances && summary_.balance.concentrated) b_.lever = spread_requests();
    return std::move(b_);
  }

 private:
  void set_shares() {
    b_.gateway_share = ratio(times_.gateway, times_.e2e);
    b_.queue_share = ratio(times_.queue, times_.e2e);
    b_.prefill_share = ratio(times_.prefill, times_.e2e);
    b_.prefill_stall_share = ratio(times_.prefill_stall, times_.e2e);
    b_.decode_share = ratio(times_.decode, times_.e2e);
    b_.preemption_share = ratio(times_.preemption, times_.e2e);
  }

  // ---- the figures behind the verdict

  std::int64_t instances() const { return std::ssize(summary_.instances); }
  std::int64_t arrivals() const {
    return cluster_.injected + summary_.rejected_admission + summary_.rejected_routing;
  }
  double completed() const { return static_cast<double>(cluster_.completed); }
  bool grows() const { return summary_.steady_state.backlog_growth_rps > 0; }
  double mean_wait_s() const { return ratio(times_.queue, completed()); }
  double mean_step_s() const { return ratio(work_.busy_ns, work_.steps) / 1e9; }
  double prompts_share() const { return b_.prefill_share + b_.prefill_stall_share; }
  /// Of the time of all instances from start to end.
  double prompt_work() const {
    return cluster_.utilization * ratio(work_.prompts_ns, work_.busy_ns);
  }
  double token_s() const { return ratio(times_.decode, times_.gaps); }
  double slowness() const { return ratio(token_s(), work_.lone_decode_s); }
  double blocks_per_request() const {
    return ratio(cluster_.kv_utilization * static_cast<double>(work_.total_kv_blocks),
                 cluster_.mean_batch_size);
  }
  /// Requests that the KV cache of one instance has room for.
  double room() const {
    return ratio(kUsableMemory * static_cast<double>(work_.total_kv_blocks), blocks_per_request());
  }

  bool turns_many_away() const {
    return ratio(summary_.rejected_admission, arrivals()) > kManyRejections;
  }
  bool preempts() const {
    return static_cast<double>(cluster_.preemptions) >
           kManyPreemptions * std::max(1.0, completed());
  }
  bool queues() const {
    return grows() || (b_.queue_share > kLongQueue && mean_wait_s() > kLongWait * mean_step_s());
  }
  bool computes_prompts() const { return prompt_work() > kPromptWork; }
  bool decodes_slowly() const { return cluster_.utilization > kBusy && slowness() > kSlowDecode; }

  // ---- verdicts

  void say(const char* limit, const char* resource, std::string reason, std::string lever) {
    b_.limit = limit;
    b_.resource = resource;
    b_.reason = std::move(reason);
    b_.lever = std::move(lever);
  }

  void admission() {
    double tokens = 0;
    for (const std::int32_t n : prompt_tokens_) tokens += n;
    const double per_s = ratio(tokens, static_cast<double>(arrivals())) * summary_.offered_rps;
    say("admission", "admission",
        fmt::format("admission turned away {} of {} requests", grouped(summary_.rejected_admission),
                    grouped(arrivals())),
        fmt::format("let more in: {} prompt tokens/s arrive (--token-bucket-refill-rate)",
                    three_digits(per_s)));
  }

  void memory() {
    const std::string how_full =
        fmt::format("the KV cache is {} full on average and {} at its peak",
                    percent(cluster_.kv_utilization), percent(cluster_.kv_peak_utilization));
    std::string reason;
    if (preempts()) {
      reason = fmt::format("{} preemptions for {} completed requests: {}",
                           grouped(cluster_.preemptions), grouped(cluster_.completed), how_full);
    } else {
      reason = fmt::format(
          "requests wait for {} of their time, {} of the batches for want of KV "
          "blocks: {}",
          percent(b_.queue_share), percent(ratio(work_.short_of_blocks, work_.shortages())),
          how_full);
    }
    std::string lever = fmt::format(
        "more KV memory per request: more instances (try {}), TP or GPU "
        "memory",
        grouped(instances_that_may_hold(summary_)));
    const auto fits = static_cast<std::int64_t>(room());
    if (cluster_.preemptions > 0 && fits >= 1 && fits < work_.max_num_seqs) {
      lever += fmt::format(
          "; or --max-num-seqs {}, what {} blocks hold at {} per request, so that "
          "requests wait rather than lose their place",
          fits, grouped(work_.total_kv_blocks), three_digits(blocks_per_request()));
    }
    say("memory", "KV memory", std::move(reason), std::move(lever));
  }

  void queue() {
    const double places = ratio(work_.short_of_places, work_.shortages());
    const bool by_places = places > 0.5;
    std::string reason = fmt::format("requests wait for {} of their time (mean {})",
                                     percent(b_.queue_share), ms_or_s(mean_wait_s()));
    if (work_.shortages() > 0 && by_places) {
      reason += fmt::format(": all {} places of the batch are taken", work_.max_num_seqs);
    } else if (2 * work_.short_of_tokens > work_.shortages()) {
      reason += ": prompts use up the token budget of the steps";
    } else if (2 * work_.short_of_turns > work_.shortages()) {
      reason += ": the batching rule lets nobody in while others decode";
    }
    std::string lever =
        fmt::format("add instances: {} instead of {} may hold what arrives",
                    grouped(instances_that_may_hold(summary_)), grouped(instances()));
    constexpr double kMoreRoom = 1.2;  // worth a try
    if (by_places && room() > kMoreRoom * static_cast<double>(work_.max_num_seqs)) {
      lever += fmt::format(
          "; or larger batches: the KV cache has room for about {} requests "
          "(--max-num-seqs)",
          three_digits(std::floor(room())));
    }
    say("queue", "queue", std::move(reason), std::move(lever));
  }

  void prompts() {
    std::string less_stall;
    if (b_.prefill_stall_share > b_.prefill_share) {
      less_stall =
          fmt::format("{} hold up decodes less, for a longer TTFT; ",
                      work_.whole_prompts
                          ? "prompts in chunks (--batching-rule vllm or sarathi)"
                          : "smaller chunks of prompts in a step (--long-prefill-token-threshold, "
                            "--max-num-batched-tokens)");
    }
    say("compute", "prefill compute",
        fmt::format(
            "prompts take {} of the time of the instances: requests spend {} in prefill and "
            "{} held up by the prompts of others",
            percent(prompt_work()), percent(b_.prefill_share), percent(b_.prefill_stall_share)),
        less_stall +
            fmt::format("less prompt work per GPU: TP, prefix caching or more instances (try {})",
                        grouped(instances() + 1)));
  }

  void decodes() {
    const double batch = cluster_.mean_batch_size;
    const auto n = static_cast<double>(instances());
    say("compute", "decode bandwidth",
        fmt::format(
            "a token takes {}, {} times as long as for a request alone: each step reads the "
            "KV cache of {} requests",
            ms_or_s(token_s()), three_digits(slowness()), three_digits(batch)),
        fmt::format("smaller batches or more memory bandwidth: {} instances would have about {} "
                    "requests per batch instead of {}; or TP",
                    grouped(instances() + 1), three_digits(batch * n / (n + 1)),
                    three_digits(batch)));
  }

  // While most instances have little to do, more of them are no remedy.
  std::string spread_requests() const {
    return fmt::format(
        "spread the requests over all {} instances (--routing-policy round-robin, or more weight "
        "for a scorer of load): instance_{} got {} of them",
        grouped(instances()), summary_.balance.busiest, percent(summary_.balance.busiest_share));
  }

  void nothing() {
    if (cluster_.completed == 0) {
      say("none", "nothing", "no request completed", "");
      return;
    }
    std::string reason = fmt::format("requests wait for {} of their time", percent(b_.queue_share));
    if (times_.gaps > 0) {
      reason += fmt::format(", a token takes {} ({} for a request alone)", ms_or_s(token_s()),
                            ms_or_s(work_.lone_decode_s));
    }
    reason += fmt::format(", prompts take {} of the time of the instances", percent(prompt_work()));
    say("none", "nothing", std::move(reason), "none needed: more load fits");
  }

  const Summary& summary_;
  const GroupSummary& cluster_;
  const Times times_;
  const Work work_;
  const std::vector<std::int32_t>& prompt_tokens_;
  Bottleneck b_;
};

}  // namespace

Bottleneck find_bottleneck(const RunRecord& record, const Summary& summary) {
  return Finder(record, summary).find();
}

std::int64_t instances_that_may_hold(const Summary& summary) {
  const std::int64_t now = std::ssize(summary.instances);
  // What leaves while requests arrive; the average to the end includes a drain with small batches.
  const double growth = summary.steady_state.backlog_growth_rps;
  double served = summary.cluster.responses_per_sec;
  if (growth > 0) served = std::fmax(served, summary.offered_rps - growth);
  if (!(served > 0)) return now + 1;
  const double needed = std::ceil(static_cast<double>(now) * summary.offered_rps / served);
  constexpr double kMostMore = 100;  // times; beyond that the estimate is worth nothing
  return std::max(
      now + 1, static_cast<std::int64_t>(std::fmin(needed, kMostMore * static_cast<double>(now))));
}

}  // namespace plimsoll
