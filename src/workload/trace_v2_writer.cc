#include "workload/trace_v2_writer.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "base/quoting.h"
#include "base/replacement_file.h"
#include "spec/yaml_writer.h"
#include "workload/slo_class.h"
#include "workload/trace_v2_columns.h"

namespace plimsoll {
namespace {

// Microseconds, exactly.
std::string us_text(std::int64_t ns) {
  std::string text = std::to_string(ns / 1000);
  if (ns % 1000 == 0) return text;
  text += fmt::format(".{:03}", ns % 1000);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string us_text(Time time) { return us_text(time.ns); }

std::string us_or_zero(Time arrival, Duration after) {
  return after == kNoDuration ? "0" : us_text(arrival + after);
}

std::string_view label(const std::vector<std::string>& names, std::int32_t index) {
  return index < 0 ? std::string_view("")
                   : std::string_view(names[static_cast<std::size_t>(index)]);
}

}  // namespace

TraceV2Rows::TraceV2Rows(std::span<const Request> requests, const Labels& labels)
    : labels_(labels) {
  for (const Request& request : requests) {
    has_targets_ |= client_of(request).slo_target > Duration{};
    has_adapters_ |= !client_of(request).adapter.empty();
    has_think_times_ |=
        request.tags.session >= 0 && (request.awaited || request.tags.think_time > Duration{});
    has_budgets_ |= request.max_output_tokens != request.output_tokens;
    note_prefix(request);
  }
  name_groups(requests);
}

const Labels::Client& TraceV2Rows::client_of(const Request& request) const {
  static const Labels::Client none;
  if (request.tags.client < 0) return none;
  return labels_.clients[static_cast<std::size_t>(request.tags.client)];
}

void TraceV2Rows::note_prefix(const Request& request) {
  has_paths_ |= request.prefix.size() > 1 || request.reusable;
  for (const PrefixSegment& segment : request.prefix) {
    if (reusable_.contains(segment.content)) continue;
    const SharedContent fresh{shared_.size(), segment.tokens, true, {}};
    SharedContent& known = shared_.emplace(segment.content, fresh).first->second;
    known.one_length &= known.tokens == segment.tokens;
    has_paths_ |= !known.one_length;
  }
  if (request.reusable) reusable_.emplace(request.own_content, request.id);
}

// The first request of a group says what the group is called.
void TraceV2Rows::name_groups(std::span<const Request> requests) {
  std::unordered_set<std::string> taken;
  for (const Request& request : requests) {
    if (request.prefix.empty()) continue;
    const auto found = shared_.find(request.prefix.front().content);
    if (found == shared_.end() || !found->second.name.empty()) continue;
    std::string name = client_of(request).prefix_group;
    if (name.empty()) name = "shared";
    const std::string stem = name;
    for (int i = 2; !taken.insert(name).second; ++i) name = stem + "-" + std::to_string(i);
    found->second.name = name;
  }
}

// The prefix as far as one group can state it; null if none can.
const TraceV2Rows::SharedContent* TraceV2Rows::group_of(const Request& request) const {
  if (request.prefix.empty()) return nullptr;
  const auto found = shared_.find(request.prefix.front().content);
  return found != shared_.end() && found->second.one_length ? &found->second : nullptr;
}

std::string TraceV2Rows::path_of(const Request& request) const {
  std::string path;
  for (const PrefixSegment& segment : request.prefix) {
    const auto earlier = reusable_.find(segment.content);
    const bool is_earlier = earlier != reusable_.end();
    if (!path.empty()) path += ' ';
    path += is_earlier ? 'r' : 's';
    path += is_earlier ? std::to_string(earlier->second)
                       : std::to_string(shared_.at(segment.content).number);
    path += ':' + std::to_string(segment.tokens);
  }
  if (request.reusable) path += path.empty() ? "+" : " +";
  return path;
}

std::string TraceV2Rows::session_name(const Request& request) const {
  const auto index = request.tags.session;
  if (index < 0) return {};
  if (static_cast<std::size_t>(index) < labels_.sessions.size()) {
    return csv_text(labels_.sessions[static_cast<std::size_t>(index)]);
  }
  return "session_" + std::to_string(index);
}

std::string TraceV2Rows::column_names() const {
  const CsvFormat& format = trace_v2::format();
  std::string line;
  for (std::size_t c = 0; c < format.required.size(); ++c) {
    if (c > 0) line += ',';
    line += format.required[c];
    if (c == trace_v2::deadline_us && has_targets_) line += ",slo_target_us";
  }
  const auto add = [&](bool wanted, trace_v2::Column column) {
    if (wanted) line += ',' + format.optional[column - format.required.size()];
  };
  add(has_adapters_, trace_v2::adapter);
  add(has_think_times_, trace_v2::think_time_us);
  add(has_budgets_, trace_v2::max_output_tokens);
  add(has_paths_, trace_v2::prefix_path);
  return line + '\n';
}

void TraceV2Rows::append(const Request& r, const TraceV2Result& result, std::string* out) const {
  const Labels::Client& client = client_of(r);
  const SharedContent* group = group_of(r);
  const std::int64_t prefix = group == nullptr ? 0 : group->tokens;
  const std::int64_t input = r.input_tokens - prefix;
  const std::int64_t other = r.tags.image_tokens + r.tags.audio_tokens + r.tags.video_tokens;
  const Time deadline = r.deadline == kNever ? Time{} : r.deadline;
  // A deadline may not lie before the arrival; what counts for a replay is when it was sent.
  const Time arrival = std::min(r.arrival, r.deadline);
  auto end = std::back_inserter(*out);
  fmt::format_to(end, FMT_COMPILE("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}"), r.id,
                 csv_text(client.id), csv_text(label(labels_.tenants, r.tags.tenant)),
                 name_of(slo_classes(), r.slo_class), session_name(r), r.tags.round,
                 group == nullptr ? std::string() : csv_text(group->name), prefix, client.streaming,
                 input, r.output_tokens, other > 0 ? std::max<std::int64_t>(input - other, 0) : 0,
                 r.tags.image_tokens, r.tags.audio_tokens, r.tags.video_tokens, r.tags.reason_ratio,
                 csv_text(client.model), us_text(deadline));
  if (has_targets_) fmt::format_to(end, ",{}", us_text(client.slo_target.ns));
  fmt::format_to(end, FMT_COMPILE(",{},{},{},{},{},{},{},{},{}"), result.server_input_tokens,
                 us_text(arrival), us_text(r.arrival + result.sent),
                 us_or_zero(r.arrival, result.first_chunk),
                 us_or_zero(r.arrival, result.last_chunk), result.chunks, result.status,
                 csv_text(result.error_message), csv_text(result.finish_reason));
  if (has_adapters_) fmt::format_to(end, ",{}", csv_text(client.adapter));
  if (has_think_times_) fmt::format_to(end, ",{}", us_text(r.tags.think_time.ns));
  if (has_budgets_) fmt::format_to(end, ",{}", r.max_output_tokens);
  if (has_paths_) fmt::format_to(end, ",{}", path_of(r));
  *out += '\n';
}

std::string trace_v2_header_text(const TraceV2Header& header) {
  std::string text = "trace_version: 3\ntime_unit: microseconds\n";
  text += "mode: " + yaml_text(header.mode) + '\n';
  text += "warm_up_requests: " + std::to_string(header.warm_up_requests) + '\n';
  if (header.workload_seed) text += fmt::format("workload_seed: {}\n", *header.workload_seed);
  if (!header.workload_spec.empty()) {
    text += "workload_spec: " + yaml_text(header.workload_spec) + '\n';
  }
  text += fmt::format("session_context_growth: {}\n",
                      header.context_accumulates ? "accumulate" : "\"\"");
  if (header.sessions_begin) text += "sessions_begin: true\n";
  YamlWriter targets;
  write_slo_targets(header.goodput_slo_targets, &targets);
  text += targets.take();
  const TraceV2Server& server = header.server;
  text += fmt::format(
      "server:\n  type: {}\n  model: {}\n  tensor_parallel: {}\n  max_num_seqs: {}\n"
      "  block_size: {}\n  gpu_memory_utilization: {}\n  max_model_len: {}\n",
      yaml_text(server.type), yaml_text(server.model), server.tensor_parallel, server.max_num_seqs,
      server.block_size, server.gpu_memory_utilization, server.max_model_len);
  return text;
}

Result<void> write_trace_v2(const std::string& prefix, const TraceV2Header& header,
                            std::span<const Request> requests, const Labels& labels,
                            const std::function<TraceV2Result(std::size_t)>& result_of) {
  const TraceV2Rows rows(requests, labels);
  ReplacementFile data(prefix + ".csv");
  std::string text = rows.column_names();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    rows.append(requests[i], result_of(i), &text);
    data.write_if_long(&text);
  }
  data.write(text);
  TRY_TO(data.finish());
  ReplacementFile header_file(prefix + ".yaml");
  header_file.write(trace_v2_header_text(header));
  return header_file.finish();
}

Result<void> check_trace_v2_prefix(const std::string& prefix) {
  const std::string name = std::filesystem::path(prefix).filename().string();
  if (name.empty() || name == "." || name == "..") {
    return fail(ErrorKind::usage, prefix + " is a folder: the files in it need a name",
                "for example " + (std::filesystem::path(prefix) / "trace").string());
  }
  for (const char* ending : {".csv", ".yaml"}) {
    TRY_TO(check_replaceable(prefix + ending));
  }
  return {};
}

}  // namespace plimsoll
