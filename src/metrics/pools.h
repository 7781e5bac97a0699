// The pools of a deployment whose prompts and answers are on different instances: how busy each is,
// what became of the KV blocks between them, which one is short and which idle, and how many
// instances of each would balance them. Called by summarize().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/deployment.h"
#include "engine/run_record.h"
#include "metrics/bottleneck.h"
#include "metrics/group_summary.h"

namespace plimsoll {

struct Summary;

/// Means over the instances of a pool, but for counts.
struct PoolFigures {
  std::string name;
  PoolRole role = PoolRole::serve;
  std::string gpu;
  std::int64_t instances = 0;
  std::int64_t gpus = 0;      ///< of all its instances
  std::int64_t prompts = 0;   ///< computed for the other side
  std::int64_t answers = 0;   ///< requests completed
  double utilization = 0;     ///< share of the run
  double kv_utilization = 0;  ///< share of KV blocks in use while busy
  double mean_batch_size = 0;
  double mean_queue_depth = 0;
  std::int64_t preemptions = 0;
  /// How full it was, by what it has least of: time, or while it is busy places or KV blocks. Of a
  /// pool for prefill time alone: its batches are as large as its queue makes them.
  double fullness = 0;
};

/// Times of transfers, and how many of them went on at once.
struct TransferFigures {
  std::int64_t ended = 0;
  std::int64_t given_up = 0;
  double mean_ms = 0;
  double gb = 0;  ///< of one GPU
  std::int64_t most_at_once = 0;
  double mean_at_once = 0;  ///< when one begins, itself included
};

enum class PoolVerdict : std::int8_t { balanced, prefill_short, decode_short, both_short, idle };

struct Pools {
  std::vector<PoolFigures> pools;  ///< empty unless requests may be split
  TransferFigures transfers;
  PoolVerdict verdict = PoolVerdict::balanced;
  double prefill_load = 0;  ///< in instances that are full
  double decode_load = 0;
};

/// So many instances, so divided that prefill and decode would be about equally full. Worked out
/// from the load of the run, not simulated.
struct Division {
  std::int64_t prefill = 0;
  std::int64_t decode = 0;
};
/// `instances`: at least two.
Division divide(const Pools& pools, std::int64_t instances);
/// As they were in the run.
Division division_of(const Pools& pools);
/// That would serve what arrived, by the load of the run: what is short grows. Where nothing is,
/// one more for decode.
Division division_that_may_hold(const Summary& summary);
/// About as few as leave each pool some room.
Division fewest_with_room(const Pools& pools);

/// `instances` and `shares` are of this run.
Pools pools_of(const RunRecord& record, const std::vector<GroupSummary>& instances,
               const Bottleneck& shares, const Deployment& deployment);

}  // namespace plimsoll
