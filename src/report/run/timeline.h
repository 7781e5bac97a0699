// A run as a timeline for ui.perfetto.dev or chrome://tracing (`--timeline`): JSON in the Trace
// Event Format (Google, 2016). One process per instance; in it a track of steps (a row of decode
// steps of the same batch is one slice), counters of its requests and KV blocks, and for each
// request the phases of its life. Written while the simulation runs.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/replacement_file.h"
#include "base/result.h"
#include "cluster/simulation.h"
#include "engine/engine_log.h"
#include "engine/run_record.h"
#include "metrics/saturation.h"
#include "workload/request.h"
#include "workload/trace_v2.h"

namespace plimsoll {

class TimelineWriter final : public EngineLog {
 public:
  /// At most `limit` events; of what comes later nothing is kept.
  TimelineWriter(const std::string& path, std::int64_t limit);

  void steps(std::int32_t instance, const StepSpan& span) override;
  void request(std::int32_t instance, const Request& request, Moment moment, Time at,
               Outcome outcome) override;

  /// Requests that are still there end with the last thing that was told. Failures are io errors.
  Result<void> finish();

  /// When what was left out for the limit began; kNever: nothing was.
  Time cut() const { return cut_; }

 private:
  /// A request between entering and leaving.
  struct Life {
    std::string_view phase;
    Time since;  ///< of the phase
    bool has_token = false;
  };
  using Key = std::pair<std::int32_t, std::int64_t>;  // instance, request

  bool full(Time now);
  /// Is in that phase since it arrived.
  void enter(const Key& key, const Request& request, std::string_view phase);
  void move_to(const Key& key, std::string_view phase, Time at);
  void leave(const Key& key, Time at, Outcome outcome);
  void name_instance(std::int32_t instance);
  /// The event is to be continued after its time.
  void start_event(char kind, std::int32_t instance, int track, std::string_view name, Time at);
  void append(std::string_view text) { buffer_.append(text); }

  ReplacementFile file_;
  const std::int64_t limit_;
  fmt::memory_buffer buffer_;
  std::int64_t events_ = 0;
  Time cut_ = kNever;
  Time last_;
  std::set<std::int32_t> named_;
  std::map<Key, Life> here_;
};

/// The file of `--saturation-report`: every verdict of the saturation detectors, and the final
/// ones. {"trace": [{"timestamp": us, "detector", "result": {"level", "score", "confidence",
/// "signals"}}, ...], "final": {detector: level}}. Written as the verdicts come, so it needs no
/// memory.
class SaturationReport {
 public:
  explicit SaturationReport(const std::string& path);
  void add(Time at, const std::string& detector, const SaturationVerdict& verdict);
  Result<void> finish(const std::vector<SaturationLabel>& labels);

 private:
  ReplacementFile file_;
  std::string_view between_ = "\n";
};

/// Records a run as a TraceV2 trace (`--trace-output`). Replaying it with the same deployment gives
/// the same result for every request, to the nanosecond. Give it to the simulation, then write what
/// was recorded: the requests that arrived at the cluster, follow-ups included, in that order, and
/// what became of them.
class TraceRecorder final : public ArrivalLog {
 public:
  void arrived(const Request& request) override { requests_.push_back(request); }

  /// Writes PREFIX.yaml and PREFIX.csv. The record and the labels are those of the same run, whose
  /// source still lives.
  Result<void> write(const std::string& prefix, const TraceV2Header& header,
                     const RunRecord& record, const Labels& labels) const;

 private:
  std::vector<Request> requests_;  ///< by row of the record
};

}  // namespace plimsoll
