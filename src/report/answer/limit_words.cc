#include "report/answer/reasons.h"

#include "base/text.h"
#include "report/answer/words.h"

namespace plimsoll {
namespace {

constexpr SentenceForm<LimitCause> kCauses[]{
    {LimitCause::preemptions,
     "{n} preemptions for {n} completed requests: the KV cache is {%} full on average and {%} at "
     "its peak"},
    {LimitCause::short_of_blocks,
     "requests wait for {%} of their time, and {%} of the batches lack KV blocks: the KV cache "
     "is {%} full on average and {%} at its peak"},
    {LimitCause::full_link,
     "the link for KV blocks is {%} full, and requests spend {%} of their time in transfers"},
    {LimitCause::full_prefill, "the instances for prefill are {%} full"},
    {LimitCause::full_decode, "the instances for decode are {%} full"},
    {LimitCause::full_memory, "the KV cache is {%} full on average and {%} at its peak"},
    {LimitCause::queue, "requests wait for {%} of their time (queue mean {s})"},
    {LimitCause::queue_places,
     "requests wait for {%} of their time (queue mean {s}): all {i} places of the batch are taken"},
    {LimitCause::queue_tokens,
     "requests wait for {%} of their time (queue mean {s}): prompts use up the token budget of the "
     "steps"},
    {LimitCause::queue_turns,
     "requests wait for {%} of their time (queue mean {s}): the batching rule admits no request "
     "while others decode"},
    {LimitCause::above_peak,
     "MFU is {%}: the step-time model computes {d} times faster than the peak of the GPU, which "
     "no real instance can"},
    {LimitCause::prompts,
     "prompts take {%} of instance time: requests spend {%} in prefill and are held up {%} "
     "by the prompts of others"},
    {LimitCause::decodes,
     "a decode step takes {s}, {d} times as long as for a lone request: each step serves {d} "
     "requests"},
    {LimitCause::room,
     "requests wait for {%} of their time, a decode step takes {s} ({s} for a lone request), "
     "prompts take {%} of instance time"},
    {LimitCause::room_without_tokens,
     "requests wait for {%} of their time, prompts take {%} of instance time"},
    {LimitCause::none_completed, "no request completed"},
    {LimitCause::too_long,
     "{n} of {n} requests are longer than the model's maximum or the KV cache"},
    {LimitCause::turned_away, "admission turned away {n} of {n} requests"},
    {LimitCause::other_model, "{n} of {n} requests ask for a model that is not deployed"},
    {LimitCause::way_in, "admission and routing take {s} of the mean request time of {s}"},
    {LimitCause::out_of_time, "{n} of {n} requests missed their deadlines; E2E is of the others"}};

constexpr SentenceForm<Remedy> kRemedies[]{
    {Remedy::add_instances, "try --num-instances {i} instead of {i}"},
    {Remedy::larger_batches,
     "try --num-instances {i} instead of {i}; or larger batches: the KV cache has room for about "
     "{d} "
     "requests (--max-num-seqs)"},
    {Remedy::more_memory,
     "more KV memory per request: --num-instances {i}, a higher --tp or a GPU with more memory"},
    {Remedy::more_blocks,
     "more KV memory per request: --num-instances {i}, or more than --total-kv-blocks {i}"},
    {Remedy::fewer_requests,
     "--max-num-seqs {i}: if requests wait rather than lose their place, about {d} req/s are "
     "served instead of {d}, with less recomputation; more KV memory per request: "
     "--num-instances {i}"},
    {Remedy::other_step_model,
     "another step-time model (--latency-model): this one does not fit such batches"},
    {Remedy::less_prompt_work,
     "less prompt work per GPU: --num-instances {i}, a higher --tp or prefix caching"},
    {Remedy::prompts_in_chunks,
     "prompts in chunks (chunked prefill, --batching-rule vllm or sarathi) hold up decodes less, "
     "for a longer TTFT; less prompt work per GPU: --num-instances {i}, a higher --tp or prefix "
     "caching"},
    {Remedy::smaller_chunks,
     "smaller chunks of prompts in a step (--long-prefill-token-threshold, "
     "--max-num-batched-tokens) hold up decodes less, for a longer TTFT; less prompt work per GPU: "
     "--num-instances {i}, a higher --tp or prefix caching"},
    {Remedy::smaller_batches,
     "use smaller batches (--num-instances {i}: at most {d} requests each instead of {d}) or more "
     "memory bandwidth (a higher --tp)"},
    {Remedy::spread_requests,
     "spread the requests over all {n} instances (--routing-policy round-robin, or more weight for "
     "a scorer of load): instance_{i} got {%} of them"},
    {Remedy::none_needed, "none needed: the load is held"},
    {Remedy::batches_may_grow,
     "none needed: more load fits if slower tokens are acceptable (batches may grow from {d} to "
     "about {d} requests)"},
    {Remedy::larger_window,
     "shorter requests, or a higher --max-model-len (the model takes up to {n} tokens){?; in a "
     "fleet "
     "file, max_model_len of the pool}"},
    {Remedy::any_larger_window,
     "shorter requests, or a higher --max-model-len (as far as the model goes)"},
    {Remedy::larger_cache,
     "shorter requests, or more memory for the KV cache: a higher --tp or "
     "--gpu-memory-utilization, a GPU with more memory"},
    {Remedy::larger_given_cache,
     "shorter requests, or a larger KV cache: more than --total-kv-blocks {i}"},
    {Remedy::longer_model,
     "shorter requests, or a model that takes longer ones: this one takes {n} tokens at most, and "
     "no flag changes that"},
    {Remedy::none_in_sight, "none known; only a steady run shows whether more load fits"},
    {Remedy::faster_deployment,
     "a faster deployment (a higher --tp, another --hardware) or other limits: no resource is "
     "short, but only {%} of requests meet the limit missed most often"},
    {Remedy::longer_run, "run longer first: about {n request} give a verdict to act on"},
    {Remedy::any_longer_run, "run longer first: this run has no verdict to act on"},
    {Remedy::larger_budgets, "let more in: larger shares of the tenants (--tenant-budgets)"},
    {Remedy::admit_always, "let some in: --admission-policy always-admit"},
    {Remedy::faster_refill,
     "let more in: --token-bucket-refill-rate {i} --token-bucket-capacity {i}{?, or larger "
     "--tenant-budgets}"},
    {Remedy::refill_and_instances,
     "let more in, and serve it: --token-bucket-refill-rate {i} --token-bucket-capacity {i} "
     "--num-instances {i}{?, or larger --tenant-budgets}"},
    {Remedy::tier_threshold,
     "try --num-instances {i} instead of {i}; or let more in "
     "(--tier-shed-threshold{?, --tenant-budgets})"},
    {Remedy::gaie_thresholds,
     "try --num-instances {i} instead of {i}; or let more in "
     "(--gaie-qd-threshold, --gaie-kv-threshold{?, --tenant-budgets})"},
    {Remedy::deploy_model,
     "deploy it, or have the traffic name the deployed model (`model` of its clients)"},
    {Remedy::more_concurrency,
     "the instances have room: let more through, --max-concurrency {i} instead of {i}"
     "{?, a higher --usage-limit-threshold}, and more instances if such batches are too slow"},
    {Remedy::higher_thresholds,
     "the instances have room: let more through, a higher --queue-depth-threshold or "
     "--kv-cache-util-threshold{?, a higher --usage-limit-threshold}"},
    {Remedy::shorter_way_in,
     "a faster way to the instances (--admission-latency, --routing-latency)"},
    {Remedy::more_time,
     "more time (--timeout) or faster answers (a higher --tp, another --hardware): the instances "
     "have room"},
    {Remedy::time_first,
     "more time (--timeout) or faster answers (a higher --tp, another --hardware) before more "
     "instances: some answers are late even when alone"},
    {Remedy::instances_or_time, "try --num-instances {i} instead of {i}; or more time (--timeout)"},
    {Remedy::divided_instances,
     "a better ratio for this load: --prefill-instances {i} --decode-instances {i}"},
    {Remedy::divided_fleet,
     "other pools in the --fleet file: {n instance} for prefill and {n} for decode, for the "
     "load of this run"},
    {Remedy::larger_fleet,
     "larger pools: {i} such instances instead of {i} for the load of this run"},
    {Remedy::faster_network,
     "a faster network between the pools: --pd-network-bandwidth {d} or more instead of {d} GB/s"},
    {Remedy::faster_link_of_pool,
     "a faster link for the GPUs of that pool: transfer_bandwidth {d} or more instead of {d} GB/s "
     "in the --fleet file"},
    {Remedy::faster_link_of_prefill,
     "a faster link for prefill: --prefill-transfer-bandwidth {d} or more instead of {d} GB/s"},
    {Remedy::faster_link_of_decode,
     "a faster link for decode: --decode-transfer-bandwidth {d} or more instead of {d} GB/s"},
    {Remedy::faster_link,
     "a faster link between the pools: --pd-transfer-bandwidth {d} or more instead of {d} GB/s"},
    {Remedy::default_rule, "omit --batching-rule: the default rule holds this load"},
    {Remedy::default_places, "omit --max-num-seqs: its default, {n}, holds this load"},
    {Remedy::default_tokens, "omit --max-num-batched-tokens: its default, {n}, holds this load"},
    {Remedy::default_memory, "omit --gpu-memory-utilization: its default, {d}, holds this load"},
    {Remedy::route_by_load, "balance requests by pool capacity: --routing-policy least-loaded"}};

// What of it there is.
std::string gateway_text(const std::array<double, 5>& f) {
  std::vector<std::string> parts;
  if (f[1] > 0)
    parts.push_back(
        sentence("requests wait for {%} of their time at the gateway ({s} on average)", f));
  if (f[2] > 0) parts.push_back(sentence("{-}{-}it gave up {n}{-} of {n} requests", f));
  if (f[3] > 0) parts.push_back(sentence("{-}{-}{-}{n} of {n} requests are still there", f));
  return join(parts, "; ");
}

}  // namespace

std::string_view name_of(LimitKind limit) {
  constexpr std::string_view kNames[]{"none",  "admission", "routing", "gateway", "deadlines",
                                      "queue", "memory",    "compute", "transfer"};
  return kNames[static_cast<std::size_t>(limit)];
}

std::string_view name_of(ShortResource resource) {
  constexpr std::string_view kNames[]{"GPU peak",        "KV link",         "KV memory",
                                      "admission",       "deadlines",       "decode bandwidth",
                                      "gateway",         "gateway latency", "nothing",
                                      "prefill compute", "queue",           "routing"};
  return kNames[static_cast<std::size_t>(resource)];
}

std::string reason_text(const Limit& limit) {
  if (limit.reason.cause == LimitCause::gateway) return gateway_text(limit.reason.figures);
  return sentence(kCauses, limit.reason);
}

std::string lever_text(const Limit& limit) {
  const std::string remedy = remedy_text(limit.lever);
  if (!limit.holds_anyway) return remedy;
  return (needs_nothing(limit) ? "none needed; for lower latencies, " : "for shorter waits, ") +
         remedy;
}

std::string remedy_text(const Because<Remedy>& remedy) { return sentence(kRemedies, remedy); }

}  // namespace plimsoll
