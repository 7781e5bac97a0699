// Any bytes as the data of a trace with and without a usable header line, and as its YAML header.
#include <cstdint>
#include <string>

#include "workload/trace_v2.h"

namespace {

constexpr const char* kHeaderLine =
    "request_id,client_id,tenant_id,slo_class,session_id,round_index,prefix_group,prefix_length,"
    "streaming,input_tokens,output_tokens,text_tokens,image_tokens,audio_tokens,video_tokens,"
    "reason_ratio,model,deadline_us,server_input_tokens,arrival_time_us,send_time_us,"
    "first_chunk_time_us,last_chunk_time_us,num_chunks,status,error_message,finish_reason\n";

void read_data(std::string text) {
  auto lines = plimsoll::LineReader::over(std::move(text), "fuzz");
  if (!lines) return;
  auto trace = plimsoll::read_trace_v2_data(std::move(*lines), {"model"});
  if (!trace) plimsoll::format(trace.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  read_data(text);
  read_data(kHeaderLine + text);
  auto header = plimsoll::parse_trace_v2_header(text, "fuzz");
  if (!header) plimsoll::format(header.error());
  return 0;
}
