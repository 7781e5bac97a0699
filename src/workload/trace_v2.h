// TraceV2, the recorded workload of the reference simulator (BLIS): a YAML header and a CSV with
// one row per request. Read for `replay --trace-header H --trace-data D`; written by
// trace_v2_writer.h. All columns are found by name; every number is checked, those that a replay
// does not use included. Times are microseconds with up to three decimals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "workload/line_reader.h"
#include "workload/slo_class.h"
#include "workload/workload.h"

namespace plimsoll {

/// The server that was observed or simulated; facts for the reader, but for what replay uses: see
/// there.
struct TraceV2Server {
  std::string type;
  std::string model;
  std::int64_t tensor_parallel = 0;
  std::int64_t max_num_seqs = 0;
  std::int64_t block_size = 0;
  double gpu_memory_utilization = 0;
  std::int64_t max_model_len = 0;
};

struct TraceV2Header {
  std::string mode;                   ///< real, generated or replayed
  std::int64_t warm_up_requests = 0;  ///< a fact only: a replay leaves out what --warmup says
  std::optional<std::int64_t> workload_seed;
  std::string workload_spec;  ///< a file, or preset:NAME
  /// Input lengths of the rounds of a session are what each adds to the conversation.
  bool context_accumulates = false;
  bool sessions_begin = false;            ///< as RequestSource::begins_sessions() has it
  SloTargetsByClass goodput_slo_targets;  ///< latency targets that the run was judged by
  TraceV2Server server;
};

/// The end of one request, as its client saw it.
struct TraceV2Observation {
  std::int64_t request_id = 0;
  bool ok = false;       ///< of column status
  Duration first_chunk;  ///< from sending it; kNoDuration = none came
  Duration last_chunk;   ///< the same
  std::int64_t chunks = 0;
};

struct TraceV2 {
  TraceV2Header header;
  /// Sorted by injection time: send_time_us if set, else arrival_time_us. Equal times keep the
  /// order of the file; ids are those of the column request_id.
  Workload workload;
  Time latest_injection;
  std::int64_t other_model_requests = 0;    ///< rows that name another model than the one served
  std::int64_t unknown_class_requests = 0;  ///< rows whose SLO class was taken for standard
  std::vector<TraceV2Observation> observations;  ///< in the order of the file, if asked for
};

struct TraceV2Reading {
  /// Decides which rows are Workload::other_model (compared without regard to case; rows without a
  /// model fit any).
  std::string served_model;
  bool refuse_unknown_slo_classes = true;   ///< else taken for standard; see Semantics
  bool closed_loop = false;                 ///< think times that are not recorded are estimated
  bool think_times_exclude_service = true;  ///< then; see Semantics
  bool keep_observations = false;
};

Result<TraceV2> read_trace_v2(const std::string& header_path, const std::string& data_path,
                              const TraceV2Reading& reading);

Result<TraceV2Header> parse_trace_v2_header(const std::string& text, const std::string& file);
Result<TraceV2> read_trace_v2_data(LineReader lines, const TraceV2Reading& reading);

}  // namespace plimsoll
