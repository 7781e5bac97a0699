// The load that the benchmark inference-perf makes of shared system prompts, as clients of a
// workload specification. Read from the key inference_perf of a specification, or from a file of
// its own by `plimsoll convert inference-perf`.
#pragma once

#include <string>

#include "base/result.h"
#include "workload/workload_spec.h"

namespace plimsoll {

/// A file that holds either the keys `stages` and `shared_prefix` of the reference's specification,
/// or a configuration of inference-perf itself with `load` and `data` of type shared_prefix, of
/// which other keys are skipped.
Result<InferencePerfSpec> read_inference_perf_file(const std::string& path);
Result<InferencePerfSpec> parse_inference_perf(const std::string& text, const std::string& file);

/// One client per user of each system prompt, and per stage if there are several; all alike but for
/// their prompts. One stage: exactly rate * duration requests in all (rounded down, at least one),
/// at that rate; in a chat each user has one session, whose rounds are dealt out evenly. Several
/// stages: each has its window, with arrivals at its rate. Arrivals are Poisson, or what the load
/// type of a configuration says.
/// An error if that makes more clients than anyone wants to read.
Result<WorkloadSpec> expand_inference_perf(const InferencePerfSpec& perf);

}  // namespace plimsoll
