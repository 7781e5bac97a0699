#include "workload/trace_formats.h"

#include <numeric>
#include <utility>

namespace plimsoll {

Choices<TraceFormat> trace_formats() {
  static constexpr Choice<TraceFormat> kFormats[]{
      {"azure", TraceFormat::azure, "Azure LLM inference traces: TIMESTAMP,ContextTokens,..."},
      {"mooncake", TraceFormat::mooncake, "JSON lines with a content id per 512 prompt tokens"},
      {"sharegpt", TraceFormat::sharegpt, "JSON lines with a content id per 16 prompt tokens"},
      {"csv", TraceFormat::csv, "arrival_s,input_tokens,output_tokens[,prefix_id,prefix_tokens]"},
  };
  return kFormats;
}

Result<Workload> read_trace(const std::string& path, TraceFormat format) {
  TRY(lines, LineReader::open(path));
  return read_trace(std::move(lines), format);
}

Result<Workload> read_trace(LineReader lines, TraceFormat format) {
  switch (format) {
    case TraceFormat::azure:
      return read_azure_trace(std::move(lines));
    case TraceFormat::mooncake:
      return read_mooncake_trace(std::move(lines));
    case TraceFormat::sharegpt:
      return read_sharegpt_trace(std::move(lines));
    case TraceFormat::csv:
      return read_csv_trace(std::move(lines));
  }
  return fail(ErrorKind::internal, "unknown trace format");
}

Result<Workload> finish_trace(Workload workload, const std::string& file) {
  if (workload.size() == 0) {
    return fail(ErrorKind::spec, Diagnostic{file, 0, 0, "the trace holds no requests", {}, {}});
  }
  workload.sort_by_arrival();
  workload.id.resize(workload.size());
  std::iota(workload.id.begin(), workload.id.end(), 0);
  return workload;
}

}  // namespace plimsoll
