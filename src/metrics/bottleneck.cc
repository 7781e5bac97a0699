#include "metrics/bottleneck.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "metrics/entry_limits.h"
#include "metrics/load_evidence.h"
#include "metrics/summary.h"

namespace plimsoll {
namespace {

// What the instances lack.
class InstanceLimits {
 public:
  explicit InstanceLimits(const LoadEvidence& evidence) : e_(evidence) {}

  Limit find() const {
    Limit found = by_resource();
    if (found.limit != "none" && e_.summary.balance.concentrated) found.lever = spread_requests();
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
    return nothing();
  }

  Limit memory() const {
    const std::string how_full =
        fmt::format("the KV cache is {} full on average and {} at its peak",
                    percent(e_.cluster.kv_utilization), percent(e_.cluster.kv_peak_utilization));
    std::string reason;
    if (e_.preempts()) {
      reason =
          fmt::format("{} preemptions for {} completed requests: {}",
                      grouped(e_.cluster.preemptions), grouped(e_.cluster.completed), how_full);
    } else {
      reason = fmt::format(
          "requests wait for {} of their time, {} of the batches for want of KV "
          "blocks: {}",
          percent(e_.time_share(e_.times.queue)),
          percent(ratio_or_zero(e_.work.short_of_blocks, e_.work.shortages())), how_full);
    }
    std::string lever = fmt::format(
        "more KV memory per request: more instances (try {}), TP or GPU "
        "memory",
        grouped(instances_that_may_hold(e_.summary)));
    const auto fits = static_cast<std::int64_t>(e_.room());
    if (e_.cluster.preemptions > 0 && fits >= 1 && fits < e_.work.max_num_seqs) {
      lever += fmt::format(
          "; or --max-num-seqs {}, what {} blocks hold at {} per request, so that "
          "requests wait rather than lose their place",
          fits, grouped(e_.work.total_kv_blocks), three_digits(e_.blocks_per_request()));
    }
    return {"memory", "KV memory", std::move(reason), std::move(lever)};
  }

  Limit queue() const {
    const double places = ratio_or_zero(e_.work.short_of_places, e_.work.shortages());
    const bool by_places = places > 0.5;
    std::string reason =
        fmt::format("requests wait for {} of their time (mean {})",
                    percent(e_.time_share(e_.times.queue)), ms_or_s(e_.mean_wait_s()));
    if (e_.work.shortages() > 0 && by_places) {
      reason += fmt::format(": all {} places of the batch are taken", e_.work.max_num_seqs);
    } else if (2 * e_.work.short_of_tokens > e_.work.shortages()) {
      reason += ": prompts use up the token budget of the steps";
    } else if (2 * e_.work.short_of_turns > e_.work.shortages()) {
      reason += ": the batching rule lets nobody in while others decode";
    }
    std::string lever = add_instances(e_);
    constexpr double kMoreRoom = 1.2;  // worth a try
    if (by_places && e_.room() > kMoreRoom * static_cast<double>(e_.work.max_num_seqs)) {
      lever += fmt::format(
          "; or larger batches: the KV cache has room for about {} requests "
          "(--max-num-seqs)",
          three_digits(std::floor(e_.room())));
    }
    return {"queue", "queue", std::move(reason), std::move(lever)};
  }

  // Real instances would be bound by what this model does not limit.
  Limit peak() const {
    const double mfu = e_.cluster.efficiency->mfu;
    return {"compute", "GPU peak",
            fmt::format("MFU is {}: the step-time model computes {} times faster than the "
                        "peak of the GPU, which real instances cannot",
                        percent(mfu), three_digits(mfu)),
            "another step-time model (--latency-model): this one does not fit such batches"};
  }

  Limit prompts() const {
    std::string less_stall;
    if (e_.times.prefill_stall > e_.times.prefill) {
      less_stall =
          fmt::format("{} hold up decodes less, for a longer TTFT; ",
                      e_.work.whole_prompts
                          ? "prompts in chunks (chunked prefill, --batching-rule vllm or sarathi)"
                          : "smaller chunks of prompts in a step (--long-prefill-token-threshold, "
                            "--max-num-batched-tokens)");
    }
    return {"compute", "prefill compute",
            fmt::format(
                "prompts take {} of the time of the instances: requests spend {} in prefill and "
                "{} held up by the prompts of others",
                percent(e_.prompt_work()), percent(e_.time_share(e_.times.prefill)),
                percent(e_.time_share(e_.times.prefill_stall))),
            less_stall +
                fmt::format("less prompt work per GPU: TP, prefix caching or more instances (try "
                            "{})",
                            grouped(e_.instances() + 1))};
  }

  Limit decodes() const {
    const double batch = e_.cluster.mean_batch_size;
    const auto n = static_cast<double>(e_.instances());
    return {
        "compute", "decode bandwidth",
        fmt::format(
            "a token takes {}, {} times as long as for a request alone: each step serves {} "
            "requests",
            ms_or_s(e_.token_s()), three_digits(e_.slowness()), three_digits(batch)),
        fmt::format("smaller batches or more memory bandwidth: {} instances would have at most {} "
                    "requests per batch instead of {}; or TP",
                    grouped(e_.instances() + 1), three_digits(batch * n / (n + 1)),
                    three_digits(batch))};
  }

  // While most instances have little to do, more of them are no remedy.
  std::string spread_requests() const {
    return fmt::format(
        "spread the requests over all {} instances (--routing-policy round-robin, or more weight "
        "for a scorer of load): instance_{} got {} of them",
        grouped(e_.instances()), e_.summary.balance.busiest,
        percent(e_.summary.balance.busiest_share));
  }

  Limit nothing() const {
    if (e_.cluster.completed == 0) return {"none", "nothing", no_completion(), ""};
    std::string reason =
        fmt::format("requests wait for {} of their time", percent(e_.time_share(e_.times.queue)));
    if (e_.times.gaps > 0) {
      reason += fmt::format(", a token takes {} ({} for a request alone)", ms_or_s(e_.token_s()),
                            ms_or_s(e_.work.lone_decode_s));
    }
    reason +=
        fmt::format(", prompts take {} of the time of the instances", percent(e_.prompt_work()));
    return {"none", "nothing", std::move(reason), lever_where_nothing_binds()};
  }

  std::string no_completion() const {
    const std::int64_t unservable = e_.cluster.dropped_unservable;
    if (unservable == 0) return "no request completed";
    return fmt::format("{} of {} requests are longer than the model's maximum or the KV cache",
                       grouped(unservable), grouped(e_.summary.arrived));
  }

  std::string lever_where_nothing_binds() const {
    if (holds_the_load(e_.summary)) return "none needed: more load fits";
    if (e_.summary.steady_state.verdict != SteadyVerdict::steady) {
      return "none in sight; only a steady run tells whether more load fits";
    }
    return fmt::format(
        "a faster deployment (TP, another GPU) or other limits: no resource is short, yet only {} "
        "of the requests are within theirs",
        percent(e_.summary.goodput->all.attainment));
  }

  const LoadEvidence& e_;
};

// All that can be said of a run whose verdict is still open.
std::string longer_run(const SteadyState& state) {
  if (state.enough_requests == 0) return "run longer first: this run has no verdict to act on";
  return fmt::format("run longer first: about {} are enough for a verdict to act on",
                     counted(state.enough_requests, "request"));
}

}  // namespace

Bottleneck find_bottleneck(const RunRecord& record, const Summary& summary,
                           const Deployment& deployment) {
  const LoadEvidence e(record, summary, deployment);
  Bottleneck b;
  b.gateway_share = e.time_share(e.times.gateway);
  b.queue_share = e.time_share(e.times.queue);
  b.prefill_share = e.time_share(e.times.prefill);
  b.prefill_stall_share = e.time_share(e.times.prefill_stall);
  b.decode_share = e.time_share(e.times.decode);
  b.preemption_share = e.time_share(e.times.preemption);
  auto before = limit_before_instances(e);
  static_cast<Limit&>(b) = before ? std::move(*before) : InstanceLimits(e).find();
  // That most instances are not used shows in a short run, too.
  if (needs_more_requests(summary) && !summary.balance.concentrated && !b.lever.empty()) {
    b.lever = longer_run(summary.steady_state);
  }
  return b;
}

bool needs_more_requests(const Summary& summary) {
  const SteadyState& state = summary.steady_state;
  return state.verdict == SteadyVerdict::too_short ||
         (state.verdict == SteadyVerdict::transient && state.enough_requests > 0);
}

bool holds_the_load(const Summary& summary) {
  constexpr double kNearlyAll = 0.99;
  if (summary.steady_state.verdict != SteadyVerdict::steady) return false;
  return !summary.goodput || summary.goodput->all.arrived == 0 ||
         summary.goodput->all.attainment >= kNearlyAll;
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
