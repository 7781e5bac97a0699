#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "workload/csv.h"
#include "workload/slo_class.h"
#include "workload/synthetic.h"
#include "workload/trace_formats.h"
#include "workload/trace_v2.h"

namespace plimsoll {
namespace {

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
  // optional
  vllm_priority,
  slo_target_us,
  think_time_us,
};

const CsvFormat& trace_format() {
  static const CsvFormat format{
      {"request_id",   "client_id",           "tenant_id",           "slo_class",
       "session_id",   "round_index",         "prefix_group",        "prefix_length",
       "streaming",    "input_tokens",        "output_tokens",       "text_tokens",
       "image_tokens", "audio_tokens",        "video_tokens",        "reason_ratio",
       "model",        "deadline_us",         "server_input_tokens", "arrival_time_us",
       "send_time_us", "first_chunk_time_us", "last_chunk_time_us",  "num_chunks",
       "status",       "error_message",       "finish_reason"},
      {"vllm_priority", "slo_target_us", "think_time_us"},
      /*foreign_columns=*/true};
  return format;
}

constexpr std::int64_t kMaxCount = 1'000'000'000'000;
constexpr std::int64_t kMaxTimeUs = 4'000'000'000'000'000;  // the year 2096; fits ns
constexpr std::int64_t kEpochUs = 300'000'000'000'000;      // later than this is counted from 1970

Time time_from_us(std::int64_t us) { return Time{} + microseconds(us); }

// Collects the rows; what depends on the whole file is settled in finish().
class Collector {
 public:
  Collector(const std::string& served_model, bool refuse_unknown_classes)
      : served_model_(to_lower(served_model)), refuse_unknown_classes_(refuse_unknown_classes) {}

  void add_row(CsvTable& table);
  Result<TraceV2> finish(const std::string& file);

 private:
  static void check_unused(CsvTable& table);
  SloClass class_of(CsvTable& table);
  std::int64_t prompt_tokens(CsvTable& table);
  void add_times(CsvTable& table);
  void settle_injection_times();
  void settle_prefixes();

  static constexpr std::size_t kNoGroup = static_cast<std::size_t>(-1);

  std::string served_model_;
  bool refuse_unknown_classes_;
  TraceV2 trace_;
  std::unordered_set<std::int64_t> ids_;
  std::vector<std::int64_t> arrival_us_;
  std::vector<std::int64_t> send_us_;
  std::unordered_map<std::string, std::size_t> group_numbers_;
  std::vector<std::int64_t> group_tokens_;  // the first positive length of each prefix group
  std::vector<std::size_t> group_;          // of each row
};

void Collector::add_row(CsvTable& table) {
  Workload& w = trace_.workload;
  w.id.push_back(table.integer(request_id, 0, kMaxCount));
  if (!ids_.insert(w.id.back()).second) {
    table.error(request_id, "the request id " + std::to_string(w.id.back()) + " appears twice");
  }
  w.slo_class.push_back(class_of(table));
  w.input_tokens.push_back(static_cast<std::int32_t>(prompt_tokens(table)));
  const std::int64_t answer = table.integer(output_tokens, 0, kMaxTokens);
  w.output_tokens.push_back(static_cast<std::int32_t>(answer));
  w.max_output_tokens.push_back(static_cast<std::int32_t>(answer));

  const bool other = !table.text(model).empty() && to_lower(table.text(model)) != served_model_;
  w.other_model.push_back(other ? 1 : 0);
  trace_.other_model_requests += other ? 1 : 0;
  trace_.session_requests += table.text(session_id).empty() ? 0 : 1;
  add_times(table);
  check_unused(table);
}

SloClass Collector::class_of(CsvTable& table) {
  SloClass parsed = SloClass::unset;
  if (parse_slo_class(table.text(slo_class), &parsed)) return parsed;
  if (refuse_unknown_classes_) {
    table.error(slo_class, "unknown SLO class",
                suggestion(table.text(slo_class), names_of(slo_classes())));
  }
  trace_.unknown_class_requests += 1;
  return SloClass::standard;
}

// The prompt without a group's prefix, which is added when all rows are known.
std::int64_t Collector::prompt_tokens(CsvTable& table) {
  const std::int64_t counted_by_server = table.integer(server_input_tokens, 0, kMaxTokens);
  const std::int64_t own_prefix = table.integer(prefix_length, 0, kMaxTokens);
  const std::string_view group = table.text(prefix_group);
  const bool prefix_makes_a_prompt = !group.empty() && own_prefix > 0;
  const bool server_makes_a_prompt = group.empty() && counted_by_server > 0;
  const std::int64_t least = prefix_makes_a_prompt || server_makes_a_prompt ? 0 : 1;
  const std::int64_t tokens = table.integer(input_tokens, least, kMaxTokens);
  if (group.empty()) {
    group_.push_back(kNoGroup);
    return counted_by_server > 0 ? counted_by_server : tokens;
  }
  const std::size_t number =
      group_numbers_.emplace(std::string(group), group_numbers_.size()).first->second;
  if (number == group_tokens_.size()) group_tokens_.push_back(0);
  if (group_tokens_[number] == 0) group_tokens_[number] = own_prefix;
  group_.push_back(number);
  return tokens;
}

void Collector::add_times(CsvTable& table) {
  const std::int64_t arrival = table.integer(arrival_time_us, 0, kMaxTimeUs);
  const std::int64_t deadline = table.integer(deadline_us, 0, kMaxTimeUs);
  if (arrival > 0 && deadline > 0 && deadline < arrival) {
    table.error(deadline_us, "the deadline lies before the arrival");
  }
  if (time_from_us(arrival) > Time{} + kLongestTrace) {
    table.error(arrival_time_us,
                "\"arrival_time_us\" lies more than a year after the start of the trace",
                "it counts microseconds from the start; are these nanoseconds or dates?");
  }
  arrival_us_.push_back(arrival);
  send_us_.push_back(table.integer(send_time_us, 0, kMaxTimeUs));
  trace_.workload.deadline.push_back(deadline > 0 ? time_from_us(deadline) : kNever);
}

// Columns that decide nothing here; a value out of place still means a damaged file.
void Collector::check_unused(CsvTable& table) {
  table.integer(round_index, 0, kMaxCount);
  table.boolean(streaming);
  for (const Column count : {text_tokens, image_tokens, audio_tokens, video_tokens}) {
    table.integer(count, 0, kMaxTokens);
  }
  table.number(reason_ratio, 0, 1);
  table.integer(first_chunk_time_us, 0, kMaxTimeUs);
  table.integer(last_chunk_time_us, 0, kMaxTimeUs);
  table.integer(num_chunks, 0, kMaxCount);
  for (const Column count : {vllm_priority, slo_target_us, think_time_us}) {
    if (table.has(count)) table.integer(count, 0, kMaxTimeUs);
  }
}

// Traces of real servers carry send times counted from 1970 beside arrivals counted from the start
// of the run; the earliest request then marks the start.
void Collector::settle_injection_times() {
  std::size_t first_sent = send_us_.size();
  for (std::size_t i = 0; i < send_us_.size(); ++i) {
    if (send_us_[i] == 0) continue;
    if (first_sent == send_us_.size() || send_us_[i] < send_us_[first_sent]) first_sent = i;
  }
  std::int64_t shift = 0;
  if (first_sent < send_us_.size() && send_us_[first_sent] > kEpochUs) {
    shift = send_us_[first_sent] - arrival_us_[first_sent];
  }
  for (std::size_t i = 0; i < send_us_.size(); ++i) {
    const std::int64_t us = send_us_[i] > 0 ? send_us_[i] - shift : arrival_us_[i];
    trace_.workload.arrival.push_back(time_from_us(us));
    trace_.latest_injection = std::max(trace_.latest_injection, time_from_us(us));
  }
}

void Collector::settle_prefixes() {
  if (group_tokens_.empty()) return;
  Workload& w = trace_.workload;
  for (std::size_t g = 0; g < group_tokens_.size(); ++g) {
    w.prefix_segments.push_back({shared_content(g), group_tokens_[g]});
  }
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const std::size_t g = group_[i];
    const std::int64_t tokens = g == kNoGroup ? 0 : group_tokens_[g];
    w.prefix_begin.push_back(tokens > 0 ? static_cast<std::uint32_t>(g) : 0);
    w.prefix_count.push_back(tokens > 0 ? 1 : 0);
    w.input_tokens[i] += static_cast<std::int32_t>(tokens);  // each at most kMaxTokens: it fits
  }
}

Result<TraceV2> Collector::finish(const std::string& file) {
  if (ids_.empty()) {
    return fail(ErrorKind::spec, Diagnostic{file, 0, 0, "the trace holds no requests", {}, {}});
  }
  settle_injection_times();
  settle_prefixes();
  if (trace_.latest_injection > Time{} + kLongestTrace) {
    return fail(ErrorKind::spec,
                Diagnostic{file,
                           0,
                           0,
                           "\"send_time_us\" reaches more than a year after the start of the trace",
                           "send times must count microseconds, all from the same moment",
                           {}});
  }
  trace_.workload.sort_by_arrival();
  return std::move(trace_);
}

}  // namespace

Result<TraceV2> read_trace_v2_data(LineReader lines, const std::string& served_model,
                                   bool refuse_unknown_classes) {
  Result<CsvTable> table = CsvTable::open(std::move(lines), trace_format());
  if (!table) return pass_on(table);
  Collector collector(served_model, refuse_unknown_classes);
  for (;;) {
    Result<bool> more = table->next();
    if (!more) return pass_on(more);
    if (!*more) return collector.finish(table->file());
    collector.add_row(*table);
  }
}

Result<TraceV2> read_trace_v2(const std::string& header_path, const std::string& data_path,
                              const std::string& served_model, bool refuse_unknown_classes) {
  Result<std::string> header_text = read_file(header_path);
  if (!header_text) return pass_on(header_text);
  Result<TraceV2Header> header = parse_trace_v2_header(*header_text, header_path);
  if (!header) return pass_on(header);
  Result<LineReader> lines = LineReader::open(data_path);
  if (!lines) return pass_on(lines);
  Result<TraceV2> trace =
      read_trace_v2_data(std::move(*lines), served_model, refuse_unknown_classes);
  if (trace) trace->header = std::move(*header);
  return trace;
}

}  // namespace plimsoll
