// The record that a run leaves behind: one row per request and one per instance. Plain data, filled
// by the engine, read by metrics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "engine/itl_histogram.h"
#include "workload/request.h"

namespace plimsoll {

enum class Outcome : std::uint8_t {
  unfinished,     ///< still queued or running (or on its way) when the run ended
  completed,      ///< got its last token
  length_capped,  ///< stopped at the maximum model length; counts as completed
  timed_out,      ///< its deadline passed
  dropped,        ///< can never be served: refused on arrival at the instance
  rejected,       ///< turned away by admission, a full gateway queue or routing
  shed,           ///< sheddable, or waiting at the gateway, and given up under load
};

/// As result files have it.
std::string_view name_of(Outcome outcome);

constexpr bool is_completed(Outcome outcome) {
  return outcome == Outcome::completed || outcome == Outcome::length_capped;
}

/// Why a request was turned away: rejected, shed or dropped.
enum class Reason : std::uint8_t {
  none,
  admission_policy,
  tenant_budget,
  gateway_full,  ///< the queue, or the band of its priority
  displaced,     ///< left the gateway's queue for a more urgent request
  expired,       ///< waited too long there
  evicted,       ///< taken back from an instance for a more urgent request
  other_model,   ///< routing: no instance serves its model
  too_long,      ///< for the model's maximum
  kv_cache,      ///< can never fit into it
};

/// As result files and decision traces have it; empty for none.
std::string_view name_of(Reason reason);

/// Parts of E2E that do not follow from the other columns; exact definitions and the rest are in
/// metrics/breakdown.h. Side by side: they are written at a few moments of a request's life.
struct PhaseTimes {
  Duration gateway;        ///< arrival to the entry into the instance's wait queue
  Duration prefill;        ///< admission to first token, of the attempt that gave it
  Duration prefill_stall;  ///< what decode steps lost to prompts; set when the request completes
  Duration preemption;     ///< attempts in vain, and gaps over a preemption
  bool operator==(const PhaseTimes&) const = default;
};

/// The times of a request whose prompt one instance computed for another one that answers: where
/// its time went in between. Part of E2E, as PhaseTimes are.
struct HandoffTimes {
  std::int32_t prefill_instance = -1;  ///< -1: one instance did it all
  Duration wait = {};  ///< end of the prefill to room for its KV blocks where the answer comes from
  Duration transfer = {};  ///< from there to their arrival
  Duration queue = {};     ///< from there to its first place in a batch
  bool operator==(const HandoffTimes&) const = default;
};

/// The ids of the requests. They take room only if they are not the numbers of the rows.
class IdColumn {
 public:
  std::int64_t operator[](std::size_t row) const {
    return others_.empty() ? static_cast<std::int64_t>(row) : others_[row];
  }
  /// The id of row number `row`, the next one.
  void add(std::size_t row, std::int64_t id);

 private:
  std::vector<std::int64_t> others_;
};

/// A column in which most runs say nothing: it takes room only if some row has another value than
/// the usual one.
template <class T, T kUsual>
class RareColumn {
 public:
  T operator[](std::size_t row) const { return values_.empty() ? kUsual : values_[row]; }
  /// Adds row number `row`, the next one.
  void add(std::size_t row, T value) {
    if (values_.empty()) {
      if (value == kUsual) return;
      values_.assign(row, kUsual);
    }
    values_.push_back(value);
  }
  /// Changes one of `rows` rows that were added.
  void set(std::size_t row, T value, std::size_t rows) {
    if (values_.empty()) values_.assign(rows, kUsual);
    values_[row] = value;
  }
  /// The values of all rows; none if all of them have the usual one.
  const std::vector<T>& values() const { return values_; }

 private:
  std::vector<T> values_;
};

/// What instances write of a request while they have it.
struct MeasuredRow {
  Outcome outcome = Outcome::unfinished;
  Reason reason = Reason::none;
  std::int32_t generated_tokens = 0;
  std::int32_t itl_count = 0;
  std::int32_t cached_tokens = 0;
  std::int32_t preemptions = 0;
  Duration scheduling_delay = kNoDuration;
  Duration ttft = kNoDuration;
  Duration e2e = kNoDuration;
  Duration itl_sum;
  PhaseTimes phases;
  bool operator==(const MeasuredRow&) const = default;
};

/// Columns by request, in order of arrival at the cluster.
struct RequestTable {
  IdColumn id;
  std::vector<Time> arrival;
  std::vector<std::int32_t> input_tokens;
  std::vector<std::int32_t> output_tokens;     ///< asked for
  std::vector<std::int32_t> generated_tokens;  ///< produced; set when a request completes
  std::vector<Outcome> outcome;
  std::vector<std::int32_t> instance;  ///< the one that answers; -1 = never routed
  /// Arrival to the first admission to a batch, or to the last one; kNoDuration = never admitted.
  std::vector<Duration> scheduling_delay;
  std::vector<Duration> ttft;           ///< kNoDuration = no first token
  std::vector<Duration> e2e;            ///< kNoDuration = not completed
  std::vector<Duration> itl_sum;        ///< sum of the gaps between the tokens
  std::vector<std::int32_t> itl_count;  ///< number of those gaps
  std::vector<PhaseTimes> phases;
  /// Prompt tokens found in the KV cache when it was first put in a batch.
  RareColumn<std::int32_t, 0> cached_tokens;
  RareColumn<std::int32_t, 0> preemptions;
  RareColumn<Reason, Reason::none> reason;
  RareColumn<SloClass, SloClass::unset> slo_class;
  RareColumn<std::int32_t, -1> client;   ///< RequestTags::client
  RareColumn<std::int32_t, -1> tenant;   ///< RequestTags::tenant
  RareColumn<std::int32_t, -1> session;  ///< RequestTags::session
  RareColumn<std::int32_t, 0> round;     ///< RequestTags::round
  RareColumn<HandoffTimes, HandoffTimes{}> handoff;

  /// Whether scheduling_delay of preempted requests lasts to their last admission
  /// (Semantics::resume_after_preemption is false).
  bool delay_to_last_admission = false;

  std::size_t size() const { return arrival.size(); }

  std::vector<std::uint32_t> ended;  ///< if `notes_ended`: rows whose requests have left
  bool notes_ended = false;

  /// Adds the row of a request that arrives now: unfinished, nothing measured.
  void add(const Request& request);

  /// A request has left for good: nothing of its row changes any more.
  void end(std::uint32_t row, Outcome how) {
    outcome[row] = how;
    if (notes_ended) ended.push_back(row);
  }

  /// All that instances write, but for handoffs.
  MeasuredRow measured(std::size_t row) const;
  void set_measured(std::size_t row, const MeasuredRow& measured);
};

struct InstanceRecord {
  std::int64_t completed = 0;  ///< length-capped ones included
  std::int64_t length_capped = 0;
  std::int64_t timed_out = 0;
  std::int64_t dropped = 0;
  std::int64_t evicted = 0;      ///< taken back by the gateway
  std::int64_t handed_over = 0;  ///< prompts computed for another instance that answers
  std::int64_t still_queued = 0;
  std::int64_t still_running = 0;
  std::int64_t total_input_tokens = 0;   ///< of requests accepted into the wait queue
  std::int64_t total_output_tokens = 0;  ///< of completed requests

  std::int64_t preemptions = 0;
  std::int64_t kv_allocation_failures = 0;
  std::int64_t cache_hit_blocks = 0;   ///< cached blocks claimed
  std::int64_t cache_miss_blocks = 0;  ///< blocks newly taken

  std::int64_t steps = 0;
  std::int64_t prefill_tokens = 0;   ///< computed in steps, recomputation included
  std::int64_t decode_tokens = 0;    ///< computed in steps
  std::int64_t attended_tokens = 0;  ///< summed over the tokens computed, each itself included
  std::int64_t kv_tokens_read = 0;   ///< context, summed over the requests of each step
  Duration busy;                     ///< sum of step durations
  Duration prefill_busy;             ///< of steps that processed prompt tokens
  Duration prefill_work;             ///< of those, what their decodes alone would not have taken
  std::int64_t kv_block_us = 0;      ///< integral of used blocks over busy time, in microseconds
  std::int64_t peak_kv_blocks = 0;
  std::int64_t total_kv_blocks = 0;
  std::int64_t batch_request_steps = 0;   ///< sum of batch sizes over steps
  std::int64_t queued_request_steps = 0;  ///< sum of the lengths of the wait queue over steps
  std::int64_t max_num_seqs = 0;
  bool whole_prompts = false;  ///< no prompt takes several steps
  // Batches that left requests in the wait queue, by what was short.
  std::int64_t short_of_blocks = 0;
  std::int64_t short_of_places = 0;  ///< --max-num-seqs
  std::int64_t short_of_tokens = 0;  ///< --max-num-batched-tokens
  std::int64_t short_of_turns = 0;   ///< the batching rule let nobody in, whatever there was
  /// The time of a decode step with one request alone, of the mean length of those here.
  Duration lone_decode_step;
  Time end;  ///< time of the last thing that happened here

  ItlHistogram itl;  ///< gaps between tokens, pooled (docs/reference/metrics.md)

  /// Adds what another rank of the instance did: counts and times of both, the later end.
  void merge(const InstanceRecord& other);
  bool operator==(const InstanceRecord&) const = default;
};

/// The counts of the gateway queue; all zero without flow control.
struct GatewayRecord {
  std::int64_t entered = 0;
  std::int64_t dispatched = 0;
  std::int64_t deferred = 0;  ///< of those dispatched, the ones that had to wait
  std::int64_t still_queued = 0;
  std::int64_t rejected = 0;  ///< the queue or the band was full
  std::int64_t shed = 0;      ///< gave way to a more urgent request
  std::int64_t expired = 0;   ///< waited too long
  std::int64_t evicted = 0;   ///< taken back from an instance
  Duration total_wait;        ///< of those dispatched
  Duration longest_wait;
};

/// Of one GPU of each rank, on the side that sent and on that which received.
struct TransferBytes {
  double sent = 0;
  double received = 0;
};

/// KV blocks sent from instances that computed prompts to those that answer; all zero where no
/// request was split.
struct TransferRecord {
  std::int64_t begun = 0;
  std::int64_t ended = 0;
  std::int64_t given_up = 0;  ///< the request timed out, or lost its place
  TransferBytes bytes;        ///< of those that ended
  /// Of those begun: bytes of one GPU, by rank of all instances.
  std::vector<double> begun_at_port;
  double begun_whole = 0;  ///< the same of all GPUs that receive them
  Duration time;           ///< of those that ended
  std::int64_t most_at_once = 0;
  std::int64_t under_way_at_starts = 0;  ///< itself included, summed over those begun
};

struct RunRecord {
  RequestTable requests;
  std::vector<InstanceRecord> instances;
  TransferRecord transfers;
  std::int64_t rejected_admission = 0;
  std::int64_t rejected_routing = 0;
  GatewayRecord gateway;
  Time horizon = kNever;
  bool begins_sessions = false;      ///< of its source: more and more, without end
  std::int64_t rounds_left_out = 0;  ///< of its source, which had come to its end
};

}  // namespace plimsoll
