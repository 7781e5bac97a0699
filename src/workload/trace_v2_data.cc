#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "spec/spec_file.h"
#include "workload/csv.h"
#include "workload/slo_class.h"
#include "workload/synthetic.h"
#include "workload/trace_formats.h"
#include "workload/trace_v2.h"
#include "workload/trace_v2_columns.h"
#include "workload/trace_v2_prefixes.h"
#include "workload/workload.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kMaxCount = 1'000'000'000'000;
constexpr std::int64_t kMaxTimeUs = 4'000'000'000'000'000;  // the year 2096; fits ns
constexpr std::int64_t kEpochNs = 300'000'000'000'000'000;  // later than this is counted from 1970

// Collects the rows; what depends on the whole file is settled in finish().
class Collector {
 public:
  explicit Collector(const TraceV2Reading& reading)
      : reading_(reading), served_model_(to_lower(reading.served_model)) {}

  void add_row(CsvTable& table) {
    Workload& w = trace_.workload;
    w.id.push_back(table.integer(trace_v2::request_id, 0, kMaxCount));
    if (!ids_.insert(w.id.back()).second) {
      table.error(trace_v2::request_id,
                  "the request id " + std::to_string(w.id.back()) + " appears twice");
    }
    w.slo_class.push_back(class_of(table));
    add_prompt(table);
    const std::int64_t answer = table.integer(trace_v2::output_tokens, 0, kMaxTokens);
    const std::int64_t budget = table.has(trace_v2::max_output_tokens)
                                    ? table.integer(trace_v2::max_output_tokens, 0, kMaxTokens)
                                    : answer;
    w.output_tokens.push_back(static_cast<std::int32_t>(answer));
    w.max_output_tokens.push_back(static_cast<std::int32_t>(budget));

    const bool other = !table.name(trace_v2::model).empty() &&
                       to_lower(table.name(trace_v2::model)) != served_model_;
    w.other_model.push_back(other ? 1 : 0);
    trace_.other_model_requests += other ? 1 : 0;
    add_tags(table);
    add_times(table);
    check_unused(table);
  }

  Result<TraceV2> finish(const std::string& file) {
    if (ids_.empty()) {
      return fail_in(ErrorKind::spec, file, "the trace holds no requests");
    }
    settle_injection_times();
    settle_think_times();
    groups_.settle(&trace_.workload);
    if (trace_.latest_injection > Time{} + kLongestTrace) {
      return fail_in(ErrorKind::spec, file,
                     "\"send_time_us\" reaches more than a year after the start of the trace",
                     "send times must count microseconds, all from the same moment");
    }
    trace_.workload.sort_by_arrival();
    paths_.settle(&trace_.workload);
    return std::move(trace_);
  }

 private:
  // Columns that decide nothing here; a value out of place still means a damaged file.
  static void check_unused(CsvTable& table) {
    table.integer(trace_v2::text_tokens, 0, kMaxTokens);
    if (table.has(trace_v2::vllm_priority)) table.integer(trace_v2::vllm_priority, 0, kMaxTimeUs);
  }

  SloClass class_of(CsvTable& table) {
    SloClass parsed = SloClass::unset;
    if (parse_slo_class(table.text(trace_v2::slo_class), &parsed)) return parsed;
    if (reading_.refuse_unknown_slo_classes) {
      table.error(trace_v2::slo_class, "unknown SLO class",
                  suggestion(table.text(trace_v2::slo_class), names_of(slo_classes())));
    }
    trace_.unknown_class_requests += 1;
    return SloClass::standard;
  }

  // The length of a group's prefix is added when all rows are known.
  void add_prompt(CsvTable& table) {
    const std::int64_t counted_by_server =
        table.integer(trace_v2::server_input_tokens, 0, kMaxTokens);
    const std::int64_t own_prefix = table.integer(trace_v2::prefix_length, 0, kMaxTokens);
    const std::string_view group = table.name(trace_v2::prefix_group);
    const bool has_prefix = !group.empty() && own_prefix > 0;
    // The parts of a path are in tokens as they were asked for: so must the whole be.
    const bool has_path =
        table.has(trace_v2::prefix_path) && !table.text(trace_v2::prefix_path).empty();
    const bool counted = group.empty() && !has_path && counted_by_server > 0;
    std::int64_t tokens =
        table.integer(trace_v2::input_tokens, has_prefix || counted ? 0 : 1, kMaxTokens);
    if (counted) tokens = counted_by_server;
    Workload& w = trace_.workload;
    if (table.has(trace_v2::prefix_path)) {
      if (has_prefix) tokens += own_prefix;
      paths_.add(table, w.id.back(), tokens, &w);
    } else {
      groups_.add(group, own_prefix);
    }
    w.input_tokens.push_back(static_cast<std::int32_t>(tokens));
  }

  void add_tags(CsvTable& table) {
    Labels& labels = trace_.workload.labels;
    const auto count = [&](trace_v2::Column column, std::int64_t most) {
      return static_cast<std::int32_t>(table.integer(column, 0, most));
    };
    RequestTags tags;
    const Labels::Client client = client_of(table);
    const std::string key =
        join({client.id, client.prefix_group, client.model, client.adapter,
              std::to_string(client.slo_target.ns), client.streaming ? "s" : ""},
             std::string_view("\0", 1));
    const auto [at, is_new] =
        clients_.emplace(key, static_cast<std::int32_t>(labels.clients.size()));
    if (is_new) labels.clients.push_back(client);
    tags.client = at->second;
    tags.tenant = tenants_.of(table.name(trace_v2::tenant_id), &labels.tenants);
    tags.session = sessions_.of(table.name(trace_v2::session_id), &labels.sessions);
    tags.round = count(trace_v2::round_index, std::numeric_limits<std::int32_t>::max());
    tags.image_tokens = count(trace_v2::image_tokens, kMaxTokens);
    tags.audio_tokens = count(trace_v2::audio_tokens, kMaxTokens);
    tags.video_tokens = count(trace_v2::video_tokens, kMaxTokens);
    tags.reason_ratio = static_cast<float>(table.number(trace_v2::reason_ratio, 0, 1));
    has_think_times_ = table.has(trace_v2::think_time_us);
    if (has_think_times_) {
      tags.think_time = nanoseconds(table.thousandths(trace_v2::think_time_us, kMaxTimeUs));
    }
    trace_.workload.tags.push_back(tags);
  }

  Labels::Client client_of(CsvTable& table) {
    Labels::Client client;
    client.id = table.name(trace_v2::client_id);
    client.prefix_group = table.name(trace_v2::prefix_group);
    client.model = table.name(trace_v2::model);
    if (table.has(trace_v2::adapter)) client.adapter = table.name(trace_v2::adapter);
    client.streaming = table.boolean(trace_v2::streaming);
    if (table.has(trace_v2::slo_target_us)) {
      client.slo_target = nanoseconds(table.thousandths(trace_v2::slo_target_us, kMaxTimeUs));
    }
    return client;
  }

  void add_times(CsvTable& table) {
    const std::int64_t arrival = table.thousandths(trace_v2::arrival_time_us, kMaxTimeUs);
    const std::int64_t deadline = table.thousandths(trace_v2::deadline_us, kMaxTimeUs);
    if (arrival > 0 && deadline > 0 && deadline < arrival) {
      table.error(trace_v2::deadline_us, "the deadline lies before the arrival");
    }
    if (Time{arrival} > Time{} + kLongestTrace) {
      table.error(trace_v2::arrival_time_us,
                  "\"arrival_time_us\" is more than a year after the start of the trace",
                  "it counts microseconds from the start; are these nanoseconds or dates?");
    }
    arrival_ns_.push_back(arrival);
    const std::int64_t sent = table.thousandths(trace_v2::send_time_us, kMaxTimeUs);
    const std::int64_t last_chunk = table.thousandths(trace_v2::last_chunk_time_us, kMaxTimeUs);
    send_ns_.push_back(sent);
    const std::int64_t begin = sent > 0 ? sent : arrival;
    service_ns_.push_back(std::max<std::int64_t>(0, last_chunk - begin));
    trace_.workload.deadline.push_back(deadline > 0 ? Time{deadline} : kNever);
    add_observation(table, begin, last_chunk);
  }

  void add_observation(CsvTable& table, std::int64_t sent_ns, std::int64_t last_chunk_ns) {
    const std::int64_t first_chunk_ns =
        table.thousandths(trace_v2::first_chunk_time_us, kMaxTimeUs);
    const std::int64_t chunks = table.integer(trace_v2::num_chunks, 0, kMaxCount);
    if (!reading_.keep_observations) return;
    const auto since_sent = [&](std::int64_t at_ns) {
      return at_ns > 0 ? nanoseconds(at_ns - sent_ns) : kNoDuration;
    };
    trace_.observations.push_back({trace_.workload.id.back(), table.text(trace_v2::status) == "ok",
                                   since_sent(first_chunk_ns), since_sent(last_chunk_ns), chunks});
  }

  // Traces of real servers carry send times counted from 1970 beside arrivals counted from the
  // start of the run; the earliest request then marks the start.
  void settle_injection_times() {
    std::size_t first_sent = send_ns_.size();
    for (std::size_t i = 0; i < send_ns_.size(); ++i) {
      if (send_ns_[i] == 0) continue;
      if (first_sent == send_ns_.size() || send_ns_[i] < send_ns_[first_sent]) first_sent = i;
    }
    std::int64_t shift = 0;
    if (first_sent < send_ns_.size() && send_ns_[first_sent] > kEpochNs) {
      shift = send_ns_[first_sent] - arrival_ns_[first_sent];
    }
    for (std::size_t i = 0; i < send_ns_.size(); ++i) {
      const Time at{send_ns_[i] > 0 ? send_ns_[i] - shift : arrival_ns_[i]};
      trace_.workload.arrival.push_back(at);
      trace_.latest_injection = std::max(trace_.latest_injection, at);
    }
  }

  bool think_times_are_recorded() const {
    if (reading_.think_times_exclude_service) return has_think_times_;
    const auto& tags = trace_.workload.tags;
    return std::any_of(tags.begin(), tags.end(), [](const RequestTags& t) {
      return t.session >= 0 && t.round > 0 && t.think_time > Duration{};
    });
  }

  // What was not recorded is estimated from the times of this round and the one before.
  void settle_think_times() {
    if (!reading_.closed_loop || think_times_are_recorded()) return;
    std::vector<RequestTags>& tags = trace_.workload.tags;
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> rounds;
    for (std::size_t i = 0; i < tags.size(); ++i) {
      if (tags[i].session >= 0) rounds.emplace(std::pair(tags[i].session, tags[i].round), i);
    }
    for (std::size_t i = 0; i < tags.size(); ++i) {
      const auto before = rounds.find({tags[i].session, tags[i].round - 1});
      if (tags[i].session < 0 || before == rounds.end()) continue;
      std::int64_t think_ns = arrival_ns_[i] - arrival_ns_[before->second];
      if (reading_.think_times_exclude_service) think_ns -= service_ns_[before->second];
      tags[i].think_time = nanoseconds(std::max<std::int64_t>(0, think_ns));
    }
  }

  const TraceV2Reading reading_;
  const std::string served_model_;
  TraceV2 trace_;
  std::unordered_set<std::int64_t> ids_;
  std::vector<std::int64_t> arrival_ns_;
  std::vector<std::int64_t> send_ns_;
  std::vector<std::int64_t> service_ns_;  // from sending to the last chunk
  bool has_think_times_ = false;
  trace_v2::PrefixGroups groups_;
  trace_v2::PrefixPaths paths_;
  std::unordered_map<std::string, std::int32_t> clients_;
  LabelNumbers tenants_;
  LabelNumbers sessions_;
};

TraceV2Server read_server(SpecMap map) {
  TraceV2Server server{.type = map.optional_text("type").value_or(""),
                       .model = map.optional_text("model").value_or("")};
  server.tensor_parallel = map.optional_integer("tensor_parallel", {0}).value_or(0);
  server.max_num_seqs = map.optional_integer("max_num_seqs", {0}).value_or(0);
  server.block_size = map.optional_integer("block_size", {0}).value_or(0);
  server.gpu_memory_utilization = map.optional_number("gpu_memory_utilization", {0, 1}).value_or(0);
  server.max_model_len = map.optional_integer("max_model_len", {0}).value_or(0);
  return server;
}

void check_observed_kv(SpecMap observed, bool offload_config) {
  const auto source = observed.optional_choice("source", {"tiered", "gpu-prefix-cache-fallback"});
  if (source == "tiered" && !offload_config) {
    observed.error("source", "a tiered hit rate was observed, but the header has no kv_offload",
                   "add the offload configuration of the observed server");
  }
  observed.optional_number("hit_rate", {0, 1});
  for (const char* count : {"block_hits", "block_queries", "read_time_total", "write_time_total"}) {
    observed.optional_number(count, kNonNegative);
  }
  observed.optional_text("vllm_commit");
}

TraceV2Header read_header(SpecMap top) {
  TraceV2Header header;
  top.optional_integer("trace_version");  // any: columns are found by name
  top.optional_choice("time_unit", {"microseconds", "us"});
  top.optional_text("created_at");
  header.mode = top.optional_choice("mode", {"real", "generated", "replayed"}).value_or("");
  header.warm_up_requests = top.optional_integer("warm_up_requests", {0}).value_or(0);
  header.workload_seed = top.optional_integer("workload_seed");
  header.workload_spec = top.optional_text("workload_spec").value_or("");
  header.context_accumulates =
      top.optional_choice("session_context_growth", {"", "accumulate"}) == "accumulate";
  header.sessions_begin = top.optional_flag("sessions_begin").value_or(false);
  const bool offload_config = top.has("kv_offload");
  if (top.has_map("server")) header.server = read_server(top.map("server"));
  if (auto network = top.optional_map("network")) {
    network->optional_number("measured_rtt_ms", kNonNegative);
  }
  if (auto targets = top.optional_map("goodput_slo_targets")) {
    header.goodput_slo_targets = read_slo_targets(*targets);
  }
  if (auto observed = top.optional_map("observed_kv_metrics")) {
    check_observed_kv(*observed, offload_config);
  }
  return header;
}

}  // namespace

Result<TraceV2> read_trace_v2_data(LineReader lines, const TraceV2Reading& reading) {
  TRY(table, CsvTable::open(std::move(lines), trace_v2::format()));
  Collector collector(reading);
  for (;;) {
    TRY(more, table.next());
    if (!more) return collector.finish(table.file());
    collector.add_row(table);
  }
}

Result<TraceV2> read_trace_v2(const std::string& header_path, const std::string& data_path,
                              const TraceV2Reading& reading) {
  TRY(header_text, read_file(header_path));
  TRY(header, parse_trace_v2_header(header_text, header_path));
  TRY(lines, LineReader::open(data_path));
  Result<TraceV2> trace = read_trace_v2_data(std::move(lines), reading);
  if (trace) trace->header = std::move(header);
  return trace;
}

Result<TraceV2Header> parse_trace_v2_header(const std::string& text, const std::string& file) {
  TRY(spec, SpecFile::parse(text, file));
  TraceV2Header header = read_header(spec.top());
  return spec.finish(std::move(header));
}

}  // namespace plimsoll
