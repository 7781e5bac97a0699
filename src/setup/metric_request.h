// From a specification to what summarize() is asked for, before the simulation starts: a
// mistake in a flag costs no run.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "metrics/summary.h"
#include "setup/question_specs.h"
#include "setup/run_spec.h"
#include "workload/slo_class.h"

namespace plimsoll {

struct MetricRequest {
  SummaryOptions summary;          ///< without what only deployment and traffic know
  std::vector<std::string> notes;  ///< for stderr
};

/// Converts the targets of a workload specification or a trace to the form of the flags, and back.
GoodputTargets goodput_targets(const SloTargetsByClass& stated);
SloTargetsByClass slo_targets(const GoodputTargets& targets);

Result<MetricRequest> metric_request(const MetricsSpec& metrics, const RunSpec& run);

}  // namespace plimsoll
