// TraceV2, the recorded workload of the reference simulator (BLIS): a YAML header and a CSV with
// one row per request. Read for `replay --trace-header H --trace-data D`. All columns are found by
// name; every number is checked, those that a replay does not use included.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "workload/line_reader.h"
#include "workload/workload.h"

namespace plimsoll {

struct TraceV2Header {
  std::string mode;                   ///< real, generated or replayed
  std::int64_t warm_up_requests = 0;  ///< a fact only: replay does not leave them out
};

struct TraceV2 {
  TraceV2Header header;
  /// Sorted by injection time: send_time_us if set, else arrival_time_us. Equal times keep the
  /// order of the file; ids are those of the column request_id.
  Workload workload;
  Time latest_injection;
  std::int64_t other_model_requests = 0;    ///< rows that name another model than the one served
  std::int64_t session_requests = 0;        ///< rows that belong to a session
  std::int64_t unknown_class_requests = 0;  ///< rows whose SLO class was taken for standard
};

/// `served_model` decides which rows are Workload::other_model (compared without regard to case;
/// rows without a model fit any). An unknown SLO class is an error or taken for standard
/// (Semantics::refuse_unknown_slo_classes).
Result<TraceV2> read_trace_v2(const std::string& header_path, const std::string& data_path,
                              const std::string& served_model, bool refuse_unknown_classes);

Result<TraceV2Header> parse_trace_v2_header(const std::string& text, const std::string& file);
Result<TraceV2> read_trace_v2_data(LineReader lines, const std::string& served_model,
                                   bool refuse_unknown_classes);

}  // namespace plimsoll
