// Records a run as a TraceV2 trace (`--trace-output`). Replaying it with the same deployment gives
// the same result for every request, to the nanosecond.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cluster/simulation.h"
#include "engine/run_record.h"
#include "workload/request.h"
#include "workload/trace_v2.h"

namespace plimsoll {

/// Give it to the simulation, then write what was recorded: the requests that arrived at the
/// cluster, follow-ups included, in that order, and what became of them.
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
