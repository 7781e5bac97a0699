// The pools of a deployment that has several: how busy each is and which one is short or idle;
// where prompts and answers are on different instances what became of the KV blocks between them,
// and how many instances of each would balance them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/deployment.h"
#include "engine/run_record.h"
#include "metrics/bottleneck.h"
#include "metrics/group_summary.h"
#include "stats/steady_state.h"

namespace plimsoll {

/// Of what a pool can serve: above it a pool is short.
inline constexpr double kFullPool = 0.85;

struct Summary;

/// The name of a pool and its size.
struct PoolSize {
  std::string name;
  PoolRole role = PoolRole::serve;
  std::int64_t instances = 0;
};
/// None where all instances are alike.
std::vector<PoolSize> sizes_of(const Deployment& deployment);

/// Means over the instances of a pool, but for counts.
struct PoolFigures {
  std::string name;
  PoolRole role = PoolRole::serve;
  std::string gpu;
  std::int64_t instances = 0;
  std::int64_t gpus = 0;        ///< of all its instances
  std::int64_t prompts = 0;     ///< computed for the other side
  std::int64_t answers = 0;     ///< requests completed
  double link_gb_per_s = 0;     ///< of each GPU, for transfers of KV blocks
  double link_utilization = 0;  ///< of that; 0: nothing shares it, or nobody is split
  double share = 0;             ///< of the prompts, or of the answers, of all pools of its side
  double utilization = 0;       ///< share of the run
  double kv_utilization = 0;    ///< share of KV blocks in use while busy
  double mean_batch_size = 0;
  double mean_queue_depth = 0;
  std::int64_t preemptions = 0;
  /// How full it was: the share of its time that it would need for the same work with its batches
  /// as large as they can become (metrics/step_sums.h).
  double fullness = 0;
  /// That full, or hardly less and requests wait in it for a notable part of their time.
  bool is_short = false;
};

/// Times of transfers, and how many of them went on at once.
struct TransferFigures {
  std::int64_t ended = 0;
  std::int64_t given_up = 0;
  double mean_ms = 0;
  double gb = 0;  ///< of one GPU of the side where each sent or received more, in the mean
  bool have_own_links = false;  ///< some pool has another link than the rest
  /// Of the busiest link: that of the GPUs of a pool, or the network between all of them.
  std::string pool = {};
  PoolRole role = PoolRole::serve;
  bool is_network = false;
  double gb_per_s = 0;        ///< at most
  double utilization = 0;     ///< of that, with those that were given up; 0: nothing shares it
  double gb_per_request = 0;  ///< of those that were sent or answered where computed
  std::int64_t most_at_once = 0;
  double mean_at_once = 0;  ///< when one begins, itself included
  /// Whose the first token is that a client sees: of those that compute prompts, or that answer.
  bool first_token_by_prefill = false;
};

/// The last one is of pools that all serve whole requests; `uneven` is of pools of one side, too.
enum class PoolVerdict : std::int8_t {
  balanced,
  prefill_short,
  decode_short,
  both_short,
  link_short,
  idle,
  uneven,  ///< some are short while others have room
  all_short
};

/// So many instances, so divided that prefill and decode would be as evenly full by the load of a
/// run as whole instances allow.
struct Division {
  std::int64_t prefill = 0;
  std::int64_t decode = 0;
};

/// What a run of another division said, with the same requests.
struct TriedDivision {
  Division division;
  SteadyVerdict verdict = SteadyVerdict::too_short;
  double ttft_p99_ms = 0;
};

struct Pools {
  std::vector<PoolFigures> pools;  ///< empty where all instances are alike
  bool split = false;              ///< some compute prompts for others
  bool of_fleet_file = false;
  bool goes_by_speed = false;       ///< the router knows how much each instance can serve
  bool has_unlike_answers = false;  ///< instances that answer cannot serve equally much
  TransferFigures transfers;
  PoolVerdict verdict = PoolVerdict::balanced;
  double prefill_load = 0;  ///< what was served, in instances that are full
  double decode_load = 0;
  double arriving_prefill_load = 0;  ///< the same of what arrived
  double arriving_decode_load = 0;
  double kept_prompts = 0;  ///< share that was computed where it is answered
  double kept_waits = 0;    ///< their share of the time that requests waited for a first step
  std::optional<TriedDivision> tried;  ///< better_division(), once it was simulated

  /// The flags --prefill-instances and --decode-instances say how many there are.
  bool has_flags() const { return split && !of_fleet_file; }
  /// Most prompts, if any, are computed by instances for prefill.
  bool computes_prompts_apart() const { return kept_prompts <= 0.5; }
  /// Several pools share the requests of one side.
  bool shares() const;
};

/// The link between the pools, or the one of them that is short, where that is what holds the
/// others back, whatever most of the instances do. None: the instances say it themselves.
std::optional<Limit> limit_of_pools(const Summary& summary);

/// `instances`: at least two.
Division divide(const Pools& pools, std::int64_t instances);
/// Of as many instances, where one pool is short and this division would leave both some room.
/// None: there is none, or several pools would have to share it.
std::optional<Division> better_division(const Pools& pools);
/// As they were in the run.
Division division_of(const Pools& pools);
/// The division that was tried, where that held. Else what would serve what arrived, by the load of
/// the run: what is short grows. Where nothing is, one more of what binds.
Division division_that_may_hold(const Summary& summary);
/// All of them larger by the same factor, so that there are at least so many instances.
Pools enlarged(Pools pools, std::int64_t instances);
/// About as few as leave each pool some room.
Division fewest_with_room(const Pools& pools);

/// `prefill` and `decode` would have room with so many instances, by the load of the run.
bool has_room(const Pools& pools, const Division& division);

/// Where more instances are needed: of which pools. None where all are alike.
std::optional<Because<Remedy>> lever_of_pools(const Summary& summary);

/// `instances` and `shares` are of this run.
Pools pools_of(const RunRecord& record, const std::vector<GroupSummary>& instances,
               const Bottleneck& shares, const Deployment& deployment);

}  // namespace plimsoll
