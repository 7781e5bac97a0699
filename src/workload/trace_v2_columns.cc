#include "workload/trace_v2_columns.h"

namespace plimsoll::trace_v2 {

const CsvFormat& format() {
  static const CsvFormat format{
      {"request_id",   "client_id",           "tenant_id",           "slo_class",
       "session_id",   "round_index",         "prefix_group",        "prefix_length",
       "streaming",    "input_tokens",        "output_tokens",       "text_tokens",
       "image_tokens", "audio_tokens",        "video_tokens",        "reason_ratio",
       "model",        "deadline_us",         "server_input_tokens", "arrival_time_us",
       "send_time_us", "first_chunk_time_us", "last_chunk_time_us",  "num_chunks",
       "status",       "error_message",       "finish_reason"},
      {"vllm_priority", "slo_target_us", "adapter", "think_time_us", "max_output_tokens",
       "prefix_path"},
      /*foreign_columns=*/true};
  return format;
}

}  // namespace plimsoll::trace_v2
