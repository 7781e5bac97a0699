// Parts of the reader of workload specifications: one client, one cohort, one import. Errors are
// noted in the SpecFile and found there by whoever reads the file.
#pragma once

#include <set>
#include <string>

#include "spec/spec_file.h"
#include "workload/workload_spec.h"

namespace plimsoll {

/// The settings at the top of the file that its clients follow.
struct ClientContext {
  bool old_version = false;  ///< version 1: other names for two of the SLO classes
  std::vector<PartSpec> parts;
  bool whole_is_absolute = false;  ///< no aggregate rate: windows and spikes must bring theirs
  bool absolute = false;           ///< the same of the part that the client at hand belongs to
  bool classes_renamed = false;    ///< set when an old name was met
  std::set<std::string> notes;     ///< on keys that are read and have no effect
};

ClientSpec read_client(SpecMap map, ClientContext* context);
CohortSpec read_cohort(SpecMap map, ClientContext* context);

/// The key inference_perf.
InferencePerfSpec read_inference_perf(SpecMap map);

/// Microseconds from the start of the run, or long; at least `least_us`.
std::optional<Duration> optional_us(SpecMap map, std::string_view key, std::int64_t least_us = 0);

ArrivalSpec read_arrival(SpecMap map);
/// `least` of what a constant may be: items may be none, tokens not.
LengthDistribution read_length(SpecMap map, std::int64_t least = 1);

}  // namespace plimsoll
