// The columns of TraceV2 data, for its reader and its writer.
#pragma once

#include <cstddef>

#include "workload/csv.h"

namespace plimsoll::trace_v2 {

enum Column : std::size_t {
  request_id,
  client_id,
  tenant_id,
  slo_class,
  session_id,
  round_index,
  prefix_group,
  prefix_length,
  streaming,
  input_tokens,
  output_tokens,
  text_tokens,
  image_tokens,
  audio_tokens,
  video_tokens,
  reason_ratio,
  model,
  deadline_us,
  server_input_tokens,
  arrival_time_us,
  send_time_us,
  first_chunk_time_us,
  last_chunk_time_us,
  num_chunks,
  status,
  error_message,
  finish_reason,
  // Optional ones. The reference skips those it does not know: the last two are ours.
  vllm_priority,
  slo_target_us,
  adapter,
  think_time_us,
  max_output_tokens,
  prefix_path,
};

inline const CsvFormat& format() {
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
