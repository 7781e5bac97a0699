// The limit that holds the system back, where the time of its requests goes, and which lever would
// help.
#pragma once

#include <cstdint>

#include "base/because.h"
#include "cluster/deployment.h"
#include "engine/run_record.h"

namespace plimsoll {

struct Deployment;
struct Summary;

/// Where requests lose their time, from the way in to the GPU.
enum class LimitKind : std::int8_t {
  none,
  admission,
  routing,
  gateway,
  deadlines,
  queue,
  memory,
  compute,
  transfer
};

/// The resource that is short there, in the order of its names.
enum class ShortResource : std::int8_t {
  gpu_peak,
  kv_link,
  kv_memory,
  admission,
  deadlines,
  decode_bandwidth,
  gateway,
  gateway_latency,
  nothing,
  prefill_compute,
  queue,
  routing
};

/// The figures that show it. Shares are of the time of completed requests, times in seconds.
enum class LimitCause : std::int8_t {
  none,
  preemptions,      ///< of them, completed requests, KV cache full on average, at its peak
  short_of_blocks,  ///< share in the queue, batches short of blocks, KV cache as above
  full_memory,      ///< KV cache as above
  queue,            ///< share in the queue, mean wait
  queue_places,     ///< the same, places of the batch, all of them taken
  queue_tokens,     ///< as queue: prompts use up the token budget
  queue_turns,      ///< as queue: nobody is let in while others decode
  above_peak,       ///< MFU, as a share and as a factor
  prompts,          ///< share of the time of instances, in prefill, held up by prompts of others
  decodes,          ///< time of a token, in those of a lone request, requests of a batch
  room,             ///< share in the queue, time of a token, of a lone one, prompt work
  room_without_tokens,  ///< share in the queue, prompt work
  none_completed,
  too_long,      ///< requests, of so many
  turned_away,   ///< requests, of so many
  other_model,   ///< requests, of so many
  gateway,       ///< share there, mean wait, given up, still there, of so many requests
  way_in,        ///< time of admission and routing, mean E2E
  out_of_time,   ///< requests, of so many
  full_link,     ///< share of its bandwidth in use, share of the time of requests in transfers
  full_prefill,  ///< share of the instances for prefill that is taken
  full_decode    ///< the same of those for decode
};

/// The change that would help.
enum class Remedy : std::int8_t {
  none,
  add_instances,   ///< so many, instead of so many
  larger_batches,  ///< the same, room of the KV cache in requests: or larger batches
  more_memory,     ///< instances
  more_blocks,     ///< the same, the blocks that were given
  fewer_requests,  ///< so many places, req/s then, now; or instances
  other_step_model,
  less_prompt_work,   ///< instances
  prompts_in_chunks,  ///< the same: or prompts that hold up decodes less
  smaller_chunks,     ///< the same
  smaller_batches,    ///< instances, requests of a batch then, now
  spread_requests,    ///< instances, the busiest, its share of the requests
  none_needed,
  batches_may_grow,  ///< requests of a batch now, at most
  none_in_sight,
  larger_window,  ///< for longer requests: so many tokens that the model takes, whether of a pool
  any_larger_window,   ///< the same, where that is not known
  larger_cache,        ///< for longer requests, where the KV cache is what they exceed
  larger_given_cache,  ///< the same: the blocks that were given
  longer_model,        ///< for requests longer than the model takes: so many tokens
  faster_deployment,   ///< share of requests within their limits
  longer_run,          ///< requests that are enough for a verdict
  any_longer_run,
  larger_budgets,
  admit_always,
  faster_refill,    ///< of a bucket: tokens/s, its capacity, whether tenants have budgets
  tier_threshold,   ///< as add_instances, whether tenants have budgets
  gaie_thresholds,  ///< the same
  deploy_model,
  more_concurrency,   ///< so many, instead of so many, whether the usage limit is lowered
  higher_thresholds,  ///< whether the usage limit is lowered
  shorter_way_in,
  more_time,
  time_first,            ///< more instances are no help to answers that are late even alone
  instances_or_time,     ///< as add_instances
  divided_instances,     ///< so many for prefill, so many for decode
  divided_fleet,         ///< the same of a fleet file
  larger_fleet,          ///< so many instances of unlike pools, instead of so many
  route_by_load,         ///< of pools that are unlike
  refill_and_instances,  ///< as faster_refill, with so many instances before the last figure
  faster_network,        ///< GB/s that would do, instead of so many
  faster_link_of_pool,   ///< the same, of the pool that is short
  faster_link_of_prefill,
  faster_link_of_decode,
  faster_link,  ///< the same, of all pools
  // What was given instead is so far from the default that it was simulated, and holds the load.
  default_rule,
  default_places,
  default_tokens,
  default_memory  ///< a share, as places and tokens have theirs
};

struct Limit;
/// Found behind admission, routing and gateways, and not about lengths that no instance serves.
bool is_of_instances(const Limit& limit);
/// Is it a flag of the engine to leave out?
bool is_engine_default(Remedy remedy);
/// Is more instances, all alike, what the remedy asks for?
bool names_instances(Remedy remedy);
/// The same, or larger pools?
bool asks_for_instances(Remedy remedy);
/// Is nothing needed, as more load fits or, but for waits, the load is held?
bool needs_nothing(const Limit& limit);

/// The limit that holds the system back.
struct Limit {
  LimitKind limit = LimitKind::none;
  ShortResource resource = ShortResource::nothing;
  Because<LimitCause> reason;
  Because<Remedy> lever;
  bool by_deadline_alone = false;  ///< time ran out although the instances have room
  bool holds_anyway = false;       ///< the load is held: the lever makes answers faster
};

/// The shares of the time of completed requests, as fractions of their summed E2E latency
/// (metrics/breakdown.h), and what holds the system back.
struct Bottleneck : Limit {
  double gateway_share = 0;
  double queue_share = 0;
  double prefill_share = 0;
  // Zero unless requests were split between instances.
  double decode_wait_share = 0;
  double transfer_share = 0;
  double decode_queue_share = 0;
  double prefill_stall_share = 0;
  double decode_share = 0;
  double preemption_share = 0;
};

/// `summary` has its figures and its verdict already; `deployment` says which flags could help.
Bottleneck find_bottleneck(const RunRecord& record, const Summary& summary,
                           const Deployment& deployment);

/// Nothing can be advised from this run but a longer one: its verdict awaits more requests.
bool needs_more_requests(const Summary& summary);

/// So large a share of the requests has to be within each of its limits.
inline constexpr double kNearlyAll = 0.99;
/// Fewer were, of a run that has limits.
bool misses_limits(const Summary& summary);
/// More of the requests than kToleratedLoss are longer than what is deployed can serve.
bool turns_lengths_away(const Summary& summary);
/// The change that lets this pool take longer requests.
Because<Remedy> remedy_of_length(const Pool& pool);
/// The run was steady, nothing was too long, and nearly all requests kept their limits.
bool holds_the_load(const Summary& summary);

/// How many instances may hold what arrives, at least one more than there are: an estimate from
/// what left while requests arrived, or from their work at the pace of this run. It may be more
/// than kMostInstances.
std::int64_t instances_that_may_hold(const Summary& summary);

}  // namespace plimsoll
