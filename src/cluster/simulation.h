// Many instances on one clock. A Simulation is resumable: advance() continues exactly where it
// stood, and many short advances give the same result as one long one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "base/semantics.h"
#include "cluster/decision_log.h"
#include "cluster/deployment.h"
#include "engine/engine_log.h"
#include "engine/itl_histogram.h"
#include "engine/run_record.h"
#include "workload/request.h"

namespace plimsoll {

/// Told of every request as it arrives at the cluster, in the order of the rows of the record.
class ArrivalLog {
 public:
  virtual ~ArrivalLog() = default;
  virtual void arrived(const Request& request) = 0;
};

struct SimulationOptions {
  Semantics semantics;
  std::uint64_t seed = 42;
  Time horizon = kNever;  ///< nothing later than this happens
  ArrivalLog* arrival_log = nullptr;
  EngineLog* engine_log = nullptr;
  DecisionLog* decision_log = nullptr;
  /// The prefix of every prompt is found in the cache, as if somebody had just asked with it: with
  /// caches of any size and any routing no request has fewer tokens to compute.
  bool prefixes_are_cached = false;
  /// Instances that share nothing run on so many threads, with the same record. Others, and those
  /// of a run with an engine log, run on one.
  std::size_t threads = 1;
};

struct Progress {
  Time now;
  std::int64_t arrived = 0;   ///< requests pulled from the source so far
  std::int64_t finished = 0;  ///< completed, timed out, dropped or rejected
};

/// Polled during advance().
class Monitor {
 public:
  virtual ~Monitor() = default;
  /// Called every few thousand events; false stops advance() between two events.
  virtual bool keep_going(const Progress& progress) = 0;
};

/// Where advance() stops: before the first event later than `time`, or before the arrival that
/// would exceed `requests`.
struct AdvanceLimit {
  Time time = kNever;
  std::int64_t requests = std::numeric_limits<std::int64_t>::max();
};

class Simulation {
 public:
  /// The source must outlive the simulation. The deployment has been validated: at least one
  /// instance, positive limits, a step-time model.
  Simulation(const Deployment& deployment, RequestSource& source, const SimulationOptions& options);
  ~Simulation();

  /// True when nothing is left to happen (or the horizon is reached), false when a limit or the
  /// monitor stopped it.
  bool advance(const AdvanceLimit& limit = {}, Monitor* monitor = nullptr);

  /// After advance() has returned true: the source, which had no more, has more now, none of it
  /// earlier than what has happened. Instances keep their caches.
  void resume();

  Progress progress() const;

  /// The record as of now. Requests still under way count as unfinished.
  RunRecord record() const;

  /// The gaps between tokens so far, of all instances.
  ItlHistogram gaps() const;

  /// The same as record() without a copy; the simulation is over after it.
  RunRecord take_record();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plimsoll
