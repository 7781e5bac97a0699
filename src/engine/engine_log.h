// The events inside the instances, told as they happen: for timelines. A run does the same with
// and without a log, but for the work of telling.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "engine/run_record.h"
#include "workload/request.h"

namespace plimsoll {

/// One step, or several in a row in which the same sequences decode.
struct StepSpan {
  Time begin;
  Duration duration;
  std::int64_t steps = 1;
  std::int64_t prefill_tokens = 0;
  std::int64_t prefill_requests = 0;
  std::int64_t decode_requests = 0;
  std::int64_t running = 0;    ///< sequences in the batch, with and without a token
  std::int64_t waiting = 0;    ///< in the wait queue
  std::int64_t kv_blocks = 0;  ///< in use during the last of them
};

enum class Moment {
  queued,     ///< entered the wait queue, or was turned away from it
  admitted,   ///< was put in a batch
  token,      ///< its first token, or the first after it lost its place
  preempted,  ///< lost its place
  left,       ///< for good: see the outcome
};

/// Calls of one instance come in the order in which it does things; a token may appear later than
/// the next thing that happens. Instances may be ahead of each other.
class EngineLog {
 public:
  virtual ~EngineLog() = default;
  virtual void steps(std::int32_t instance, const StepSpan& span) = 0;
  /// `outcome` is unfinished but for requests that left.
  virtual void request(std::int32_t instance, const Request& request, Moment moment, Time at,
                       Outcome outcome) = 0;
};

}  // namespace plimsoll
