#include "cli/observe_outputs.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/quoting.h"
#include "base/redaction.h"
#include "base/text.h"
#include "setup/metric_request.h"
#include "workload/trace_v2_writer.h"

namespace plimsoll {
namespace {

std::string_view name_of(AnswerStatus status) {
  switch (status) {
    case AnswerStatus::ok:
      return "ok";
    case AnswerStatus::timeout:
      return "timeout";
    case AnswerStatus::error:
      return "error";
    case AnswerStatus::incomplete:
      break;
  }
  return "incomplete";
}

// What a replay shall ask for: what came, where all of it did. The budget keeps what was asked for.
std::vector<Request> as_answered(const Observation& o) {
  std::vector<Request> requests = o.requests;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const ObservedAnswer& answer = o.answers[i];
    if (requests[i].max_output_tokens == 0)
      requests[i].max_output_tokens = requests[i].output_tokens;
    if (answer.status != AnswerStatus::ok) continue;
    requests[i].output_tokens = static_cast<std::int32_t>(answer.tokens());
  }
  return requests;
}

// Whether answers were streamed is what was asked for here, not what the workload says.
Labels as_asked(Labels labels, bool stream, std::vector<Request>* requests) {
  const auto nobody = static_cast<std::int32_t>(labels.clients.size());
  labels.clients.emplace_back();
  for (Labels::Client& client : labels.clients) client.streaming = stream;
  for (Request& request : *requests) {
    if (request.tags.client < 0) request.tags.client = nobody;
  }
  return labels;
}

TraceV2Result result_of(const Request& request, const ObservedAnswer& answer,
                        const std::string& message) {
  TraceV2Result result;
  result.sent = answer.sent - request.arrival;
  result.server_input_tokens = answer.prompt_tokens;
  if (answer.last_token != kNever) {
    const bool streamed = answer.first_token != kNever;
    result.first_chunk = (streamed ? answer.first_token : answer.last_token) - request.arrival;
    result.last_chunk = answer.last_token - request.arrival;
  }
  result.chunks = answer.chunks;
  result.status = name_of(answer.status);
  result.error_message = message;
  result.finish_reason = answer.finish_reason;
  return result;
}

TraceV2Header header_of(const Options& options, const Traffic& traffic,
                        const GoodputTargets& targets, const ServerRecord& server) {
  constexpr std::string_view kCache = "vllm:cache_config_info";
  const std::vector<MetricSample>& metrics = server.facts.metrics;
  TraceV2Header header;
  header.mode = "real";
  header.workload_seed = static_cast<std::int64_t>(traffic.seed);
  header.workload_spec = options.run.traffic.workload_spec;
  header.goodput_slo_targets = slo_targets(targets);
  header.server.model = options.run.model.id;
  const std::string block_size = metric_label(metrics, kCache, "block_size");
  header.server.type = block_size.empty() ? "openai" : "vllm";
  long long blocks = 0;
  if (parse_int(block_size, &blocks) && blocks > 0) header.server.block_size = blocks;
  double share = 0;
  if (parse_double(metric_label(metrics, kCache, "gpu_memory_utilization"), &share) && share >= 0 &&
      share <= 1) {
    header.server.gpu_memory_utilization = share;
  }
  if (server.facts.model) header.server.max_model_len = server.facts.model->max_model_len;
  return header;
}

// Its files may be written anew; any others are somebody else's.
bool is_recording(const std::string& prefix) {
  const auto text = read_output(prefix + ".server.json");
  return text && is_server_file(*text);
}

}  // namespace

Result<void> check_observe_outputs(const Command& command) {
  const std::string& prefix = command.options.conversion.output;
  if (prefix.empty()) {
    return fail(
        ErrorKind::usage, "no output given",
        "give --output PREFIX for the recording; PREFIX.csv and PREFIX.yaml can be replayed");
  }
  TRY_TO(check_trace_v2_prefix(prefix));
  const bool is_own = is_recording(prefix);
  for (const char* ending : {".csv", ".yaml", ".server.json", ".itl.csv"}) {
    const std::string path = prefix + ending;
    TRY_TO(is_own ? check_replaceable(path) : check_new("--output", path));
  }
  const std::string left = prefix + std::string(kSoFar);
  std::error_code ignored;
  if (!std::filesystem::exists(left, ignored)) return check_replaceable(left);
  return fail(ErrorKind::usage, left + " has what an earlier observation measured before it ended",
              "give another --output, or move that file away");
}

AnswersSoFar::AnswersSoFar(const std::string& path)
    : path_(path), file_(std::fopen(path.c_str(), "we")) {
  write(
      "arrival_s,input_tokens,output_tokens,request_id,sent_s,first_token_s,last_token_s,"
      "status,error\n");
}

void AnswersSoFar::add(const Request& request, const ObservedAnswer& answer) {
  const auto seconds = [](Time at) {
    return at == kNever ? std::string() : fmt::format("{:.6f}", to_seconds(at));
  };
  const std::int64_t came =
      answer.status == AnswerStatus::ok ? answer.tokens() : request.output_tokens;
  write(fmt::format("{:.6f},{},{},{},{},{},{},{},{}\n", to_seconds(request.arrival),
                    request.input_tokens, came, request.id, seconds(answer.sent),
                    seconds(answer.first_token), seconds(answer.last_token), name_of(answer.status),
                    csv_text(redacted(answer.problem.reason))));
}

void AnswersSoFar::write(const std::string& text) {
  const auto is_written = [&] {
    return std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() &&
           std::fflush(file_.get()) == 0;
  };
  is_whole_ = is_whole_ && file_ && is_written();
}

void AnswersSoFar::remove() {
  file_.reset();
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

Result<void> AnswersSoFar::left_by(const Result<void>& failure) const {
  Error error = failure.error();
  std::error_code ignored;
  if (std::filesystem::exists(path_, ignored))
    error.diagnostics.back().hint = path_ + (is_whole_ ? " has what was measured, a row per answer"
                                                       : " has a part of what was measured");
  return tl::unexpected(std::move(error));
}

TokenTimesFile::TokenTimesFile(const std::string& path) : file_(path) {
  file_.write("request_id,chunk_index,timestamp_us\n");
}

void TokenTimesFile::add(std::int64_t request_id, std::span<const Time> times) {
  std::string rows;
  for (std::size_t i = 0; i < times.size(); ++i) {
    rows += fmt::format("{},{},{}\n", request_id, i, times[i].ns / 1000);
  }
  file_.write(rows);
}

Result<void> write_observed_trace(const Options& options, const Traffic& traffic,
                                  const Observation& observation, const GoodputTargets& targets,
                                  const ServerRecord& server) {
  std::vector<Request> requests = as_answered(observation);
  const Labels labels = as_asked(traffic.source->labels(), server.request.stream, &requests);
  std::string message;  // of the row that is being written
  const auto result = [&](std::size_t i) {
    const ObservedAnswer& answer = observation.answers[i];
    message = answer.problem.reason;
    if (!answer.problem.detail.empty()) message += ": " + answer.problem.detail;
    return result_of(requests[i], answer, message);
  };
  const TraceV2Header header = header_of(options, traffic, targets, server);
  return write_trace_v2(options.conversion.output, header, requests, labels, result);
}

Result<void> write_server_file(const Options& options, const ServerRecord& server) {
  return replace_file(options.conversion.output + ".server.json", server_file_text(server));
}

}  // namespace plimsoll
