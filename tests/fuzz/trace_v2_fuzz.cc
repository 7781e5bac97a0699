// Any bytes as the data of a trace with and without a usable header line, and as its YAML header.
// What is accepted is replayed in a closed loop, every request answered at once, and written again:
// what was written must be readable.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "workload/session_replay.h"
#include "workload/trace_v2.h"
#include "workload/trace_v2_writer.h"

namespace {

using plimsoll::Request;

constexpr const char* kHeaderLine =
    "request_id,client_id,tenant_id,slo_class,session_id,round_index,prefix_group,prefix_length,"
    "streaming,input_tokens,output_tokens,text_tokens,image_tokens,audio_tokens,video_tokens,"
    "reason_ratio,model,deadline_us,server_input_tokens,arrival_time_us,send_time_us,"
    "first_chunk_time_us,last_chunk_time_us,num_chunks,status,error_message,finish_reason";

plimsoll::Result<plimsoll::TraceV2> read(std::string text) {
  auto lines = plimsoll::LineReader::over(std::move(text), "fuzz");
  if (!lines) return plimsoll::pass_on(lines);
  plimsoll::TraceV2Reading reading;
  reading.served_model = "model";
  reading.closed_loop = true;
  return plimsoll::read_trace_v2_data(std::move(*lines), reading);
}

void replay(const plimsoll::Workload& workload, bool accumulate) {
  auto sessions = plimsoll::sessions_of(workload, "fuzz");
  if (!sessions) return;
  plimsoll::SessionReplayOptions options;
  options.accumulate = accumulate;
  plimsoll::SessionReplay source(workload, std::move(*sessions), options);
  for (Request request; source.next(&request);) {
    while (request.awaited) {
      const plimsoll::Departure departure{.row = 0,
                                          .tags = request.tags,
                                          .at = request.arrival,
                                          .awaited = true,
                                          .completed = true,
                                          .generated_tokens = request.output_tokens};
      if (!source.follow_up(departure, &request)) break;
    }
  }
}

void write_again(const plimsoll::Workload& workload) {
  plimsoll::WorkloadSource source(workload);
  std::vector<Request> requests;
  for (Request request; source.next(&request);) requests.push_back(request);
  const plimsoll::TraceV2Rows rows(requests, workload.labels);
  std::string text = rows.column_names();
  for (const Request& request : requests) rows.append(request, {}, &text);
  if (!read(text)) std::abort();
}

void try_data(std::string text) {
  const auto trace = read(std::move(text));
  if (!trace) {
    plimsoll::format(trace.error());
    return;
  }
  replay(trace->workload, false);
  replay(trace->workload, true);
  write_again(trace->workload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  try_data(text);
  try_data(kHeaderLine + std::string("\n") + text);
  try_data(kHeaderLine + std::string(",think_time_us,max_output_tokens,prefix_path\n") + text);
  auto header = plimsoll::parse_trace_v2_header(text, "fuzz");
  if (!header) plimsoll::format(header.error());
  return 0;
}
