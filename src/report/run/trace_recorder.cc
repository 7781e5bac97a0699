#include "report/run/trace_recorder.h"

#include "workload/trace_v2_writer.h"

namespace plimsoll {
namespace {

void describe_outcome(Outcome outcome, TraceV2Result* result) {
  switch (outcome) {
    case Outcome::completed:
      return;
    case Outcome::length_capped:
      result->finish_reason = "length";
      return;
    case Outcome::timed_out:
      result->status = "timeout";
      return;
    case Outcome::unfinished:
      result->status = "incomplete";
      return;
    case Outcome::dropped:
      result->status = "error";
      result->error_message = "can never be served";
      return;
    case Outcome::rejected:
      result->status = "error";
      result->error_message = "rejected";
      return;
    case Outcome::shed:
      result->status = "error";
      result->error_message = "shed";
      return;
  }
}

// The gaps of a request are known when it has completed.
TraceV2Result result_of(const RequestTable& table, std::size_t row) {
  TraceV2Result result;
  describe_outcome(table.outcome[row], &result);
  if (table.ttft[row] == kNoDuration) return result;
  result.first_chunk = table.ttft[row];
  result.last_chunk = table.ttft[row] + table.itl_sum[row];
  result.chunks = 1 + table.itl_count[row];
  return result;
}

}  // namespace

Result<void> TraceRecorder::write(const std::string& prefix, const TraceV2Header& header,
                                  const RunRecord& record, const Labels& labels) const {
  return write_trace_v2(prefix, header, requests_, labels,
                        [&](std::size_t row) { return result_of(record.requests, row); });
}

}  // namespace plimsoll
