// A request inside an instance: what it asked for and how far it has come.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "engine/kv_cache.h"
#include "engine/wait_queue.h"
#include "workload/request.h"

namespace plimsoll {

enum class SequenceState : std::uint8_t {
  gone,
  arriving,  ///< on its way into the wait queue
  waiting,
  prefilling,
  decoding,
  finished,   ///< has its last token, but still its place in the batch
  held,       ///< its prompt is computed for another instance, which does not have it yet
  homeless,   ///< waits for room for the KV blocks of a prompt that another instance computed
  receiving,  ///< has it; they are on their way
};

/// The part of a request that an instance does.
enum class Part : std::uint8_t { whole, prefill, decode };

/// Progress of a decoding sequence is not counted up: it is the difference between the instance's
/// decode clock and `joined`, so a step costs nothing per sequence.
struct Sequence {
  // What its last step looks at, close together: by then a batch has long left the processor's
  // cache.
  std::uint32_t row = 0;    ///< in the request table
  std::uint32_t epoch = 0;  ///< changes when a planned finish becomes void
  SequenceState state = SequenceState::gone;
  Part part = Part::whole;
  bool capped = false;  ///< finished at the maximum length
  /// The whole prompt was cached when the sequence was admitted: it computed nothing and claimed no
  /// block, so only generated tokens are held.
  bool unclaimed = false;
  /// A reusable request that starts again: the evicted copies of its answer's blocks take the new
  /// ones out of the cache (shared_runs.h), so those have to be registered when they fill.
  bool registers_answer = false;
  bool has_prompt = false;  ///< it came from elsewhere and is in the KV cache: no prefill is needed
  bool tied = false;        ///< another instance has a part in it now
  std::int64_t admission = 0;     ///< order of admission: its place in the batch
  std::int64_t joined = 0;        ///< decode clock at which the first decode step was due
  std::int64_t held_at_join = 0;  ///< tokens in KV blocks then
  /// Tokens to prefill: the prompt and, after a preemption, what had been generated.
  std::int64_t prefill_target = 0;
  std::int64_t computed = 0;          ///< of those, cached or computed
  std::int64_t generated_before = 0;  ///< tokens generated before the current prefill; when
                                      ///< finished, all but the last; -1: the first one is to come
                                      ///< after a prompt that has arrived
  Duration first_token;               ///< arrival to first token
  Duration stalls_before;             ///< the instance's sum of stalls when decoding began
  Duration stalls_missed;             ///< stalls of steps that gave this sequence no token
  Duration stalled;                   ///< by such steps before that, and in earlier attempts

  Request request;
  KvCache::Table kv;

  std::int32_t priority = 0;         ///< lower is more urgent
  std::int64_t granted = 0;          ///< tokens granted in the current step
  std::int64_t context = 0;          ///< processed before, as the step-time model sees it (prefill)
  Time first_admitted;               ///< when it was first put in a batch
  Time admitted;                     ///< when it last was
  std::int64_t admission_clock = 0;  ///< decode clock then
  Time last_token;                   ///< when the latest token before this prefill appeared
  std::int64_t first_clock = 0;      ///< decode clock of the first decode step
  Duration gaps_before;              ///< the instance's sum of gaps then
  Duration gaps_missed;              ///< gaps of steps that gave this sequence no token
  Duration gap_so_far;               ///< of those, the ones since its latest token
  std::vector<std::int64_t> missed_clocks;  ///< those steps
  Duration stall_so_far;                    ///< by steps of prompts alone since its latest token
  Time since;  ///< since when it is homeless, receives, or waits with its prompt

  QueueKey queue_key() const {
    return {priority, request.input_tokens, request.arrival, request.id};
  }
};

// The events that are due for sequences, in the queues of an instance, and the steps that it
// foresees.

/// It enters the wait queue.
struct ArrivingSequence {
  Time at;
  std::int64_t order;
  std::uint32_t slot;
  auto operator<=>(const ArrivingSequence&) const = default;
};

struct SequenceTimeout {
  Time at;
  std::int64_t order;
  std::uint32_t slot;
  std::uint32_t row;  ///< void when the slot has another request by now
  auto operator<=>(const SequenceTimeout&) const = default;
};

struct SequenceFinish {
  std::int64_t clock;  ///< of DecodeSums
  std::uint32_t slot;
  std::uint32_t epoch;  ///< void when the slot is in another epoch by now
  bool operator>(const SequenceFinish& other) const { return clock > other.clock; }
};

/// When decode steps of a batch begin that keeps its members: the first one, and those after it.
struct ForeseenSteps {
  std::int64_t clock = -1;  ///< of the first
  std::int64_t context = 0;
  std::int64_t members = 0;
  std::vector<Time> begin;
};

}  // namespace plimsoll
