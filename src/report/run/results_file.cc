#include "report/run/results_file.h"

#include <iterator>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "base/quoting.h"
#include "base/replacement_file.h"
#include "metrics/breakdown.h"
#include "report/form/field_text.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

bool is_json(std::string_view path) { return path.ends_with(".json"); }

// The fields of a row, one after the other: the keys are written in JSON only.
class RowWriter {
 public:
  RowWriter(bool json, fmt::memory_buffer* out) : json_(json), out_(out) {}

  void integer(std::string_view key, std::int64_t value) {
    start(key);
    append_integer(value, out_);
  }
  /// A name that ends in a number and needs no quotes in CSV.
  void numbered(std::string_view key, std::string_view name, std::int64_t number) {
    start(key);
    if (json_) out_->push_back('"');
    append_text(name, out_);
    append_integer(number, out_);
    if (json_) out_->push_back('"');
  }
  void number(std::string_view key, double value) {
    start(key);
    fmt::format_to(std::back_inserter(*out_), FMT_COMPILE("{}"), value);
  }
  /// In milliseconds; 0 if it was not measured.
  void ms(std::string_view key, Duration value) {
    start(key);
    if (value.ns == 0) return out_->push_back('0');
    append_decimal(value == kNoDuration ? 0 : value.ns, 6, out_);
  }
  void text(std::string_view key, std::string_view value) {
    start(key);
    append_text(json_ ? json_text(value) : csv_text(value), out_);
  }
  void end() { append_text(json_ ? "}" : "\n", out_); }

 private:
  void start(std::string_view key) {
    if (json_) {
      append_text(first_ ? "{\"" : ", \"", out_);
      append_text(key, out_);
      append_text("\": ", out_);
    } else if (!first_) {
      out_->push_back(',');
    }
    first_ = false;
  }

  const bool json_;
  fmt::memory_buffer* const out_;
  bool first_ = true;
};

std::string tenant_name(std::int32_t tenant, const Labels& labels) {
  return tenant < 0 ? std::string() : labels.tenants.at(static_cast<std::size_t>(tenant));
}

std::string session_name(std::int32_t session, const Labels& labels) {
  if (session < 0) return {};
  const auto index = static_cast<std::size_t>(session);
  return index < labels.sessions.size() ? labels.sessions[index]
                                        : "session_" + std::to_string(session);
}

std::string_view client_name(std::int32_t client, const Labels& labels) {
  return client < 0 ? std::string_view("") : labels.clients.at(static_cast<std::size_t>(client)).id;
}

constexpr std::string_view kHeader =
    "request_id,arrival_ms,input_tokens,output_tokens,ttft_ms,e2e_ms,itl_ms,scheduling_delay_ms,"
    "handled_by,status,gateway_ms,queue_ms,prefill_ms,prefill_stall_ms,decode_ms,preemption_ms,"
    "slo_class,tenant,session,round,cached_tokens,generated_tokens,preemptions,client,reason";
constexpr std::string_view kHeaderOfSplit = ",decode_wait_ms,transfer_ms,decode_queue_ms";

// The mean gap between the tokens of a completed request as result files have it, else 0: sum of
// the gaps by the tokens after the first; of a capped request by the gaps after the first, as the
// reference has it.
double mean_gap_ms(const RequestTable& t, std::size_t i) {
  const bool capped = t.outcome[i] == Outcome::length_capped;
  if (!capped && t.outcome[i] != Outcome::completed) return 0;
  const std::int32_t tokens = capped ? t.itl_count[i] : t.output_tokens[i];
  if (tokens <= 0) return 0;
  return to_ms(t.itl_sum[i]) / (tokens > 1 ? tokens - 1 : 1);
}

// The reference's columns in its order, then ours.
void append_result(const RequestTable& t, std::size_t i, const Labels& labels, RowWriter row) {
  row.numbered("request_id", "request_", t.id[i]);
  row.ms("arrival_ms", t.arrival[i] - Time{});
  row.integer("input_tokens", t.input_tokens[i]);
  row.integer("output_tokens", t.output_tokens[i]);
  row.ms("ttft_ms", t.ttft[i]);
  row.ms("e2e_ms", t.e2e[i]);
  row.number("itl_ms", mean_gap_ms(t, i));
  row.ms("scheduling_delay_ms", t.scheduling_delay[i]);
  if (t.instance[i] < 0) {
    row.text("handled_by", "");
  } else {
    row.numbered("handled_by", "instance_", t.instance[i]);
  }
  row.text("status", name_of(t.outcome[i]));
  const Breakdown b = breakdown_of(t, i);
  row.ms("gateway_ms", b.gateway);
  row.ms("queue_ms", b.queue);
  row.ms("prefill_ms", b.prefill);
  row.ms("prefill_stall_ms", b.prefill_stall);
  row.ms("decode_ms", b.decode);
  row.ms("preemption_ms", b.preemption);
  row.text("slo_class", name_of(slo_classes(), t.slo_class[i]));
  row.text("tenant", tenant_name(t.tenant[i], labels));
  row.text("session", session_name(t.session[i], labels));
  row.integer("round", t.round[i]);
  row.integer("cached_tokens", t.cached_tokens[i]);
  row.integer("generated_tokens", t.generated_tokens[i]);
  row.integer("preemptions", t.preemptions[i]);
  row.text("client", client_name(t.client[i], labels));
  row.text("reason", name_of(t.reason[i]));
  if (!t.handoff.values().empty()) {
    row.ms("decode_wait_ms", b.decode_wait);
    row.ms("transfer_ms", b.transfer);
    row.ms("decode_queue_ms", b.decode_queue);
  }
  row.end();
}

// Whether no instance had received it yet at the end of the run.
bool is_on_its_way(const RequestTable& t, std::size_t i) {
  return t.outcome[i] == Outcome::unfinished && t.instance[i] < 0;
}

double ms_or_zero(Duration d) { return d == kNoDuration ? 0 : to_ms(d); }

// The name at an index of the labels, or one made from the index.
std::string label(const std::vector<std::string>& names, std::int32_t index, const char* kind) {
  const auto place = static_cast<std::size_t>(index);
  return place < names.size() ? names[place] : fmt::format("{}_{}", kind, index);
}

void append_row(const RequestTable& t, std::size_t i, const Labels& labels,
                fmt::memory_buffer* out) {
  const auto put = [&]<class... T>(fmt::format_string<T...> form, T&&... values) {
    fmt::format_to(std::back_inserter(*out), form, std::forward<T>(values)...);
  };
  put("    {{\"arrived_at\": {}, \"requestID\": \"request_{}\", \"num_prefill_tokens\": {}, "
      "\"num_decode_tokens\": {}, \"ttft_ms\": {}, \"itl_ms\": {}, \"e2e_ms\": {}, "
      "\"scheduling_delay_ms\": {}",
      to_seconds(t.arrival[i]), t.id[i], t.input_tokens[i], t.output_tokens[i],
      ms_or_zero(t.ttft[i]), mean_gap_ms(t, i), ms_or_zero(t.e2e[i]),
      ms_or_zero(t.scheduling_delay[i]));
  if (t.slo_class[i] != SloClass::unset) {
    put(", \"slo_class\": \"{}\"", name_of(slo_classes(), t.slo_class[i]));
  }
  if (t.tenant[i] >= 0) {
    put(", \"tenant_id\": {}", json_text(label(labels.tenants, t.tenant[i], "tenant")));
  }
  if (t.instance[i] >= 0) put(", \"handled_by\": \"instance_{}\"", t.instance[i]);
  if (t.outcome[i] == Outcome::length_capped) put(", \"length_capped\": true");
  if (t.session[i] >= 0) {
    put(", \"session_id\": {}", json_text(label(labels.sessions, t.session[i], "session")));
  }
  put(", \"round_index\": {}}}", t.round[i]);
}

}  // namespace

Result<void> check_results_path(const std::string& path) {
  if (!is_json(path) && !path.ends_with(".csv")) {
    return fail(ErrorKind::usage,
                "the results file \"" + path + "\" ends in neither .csv nor .json",
                "the ending chooses the format, e.g. --results-path results.csv");
  }
  return check_replaceable(path);
}

Result<void> write_results(const std::string& path, const RunRecord& record, const Labels& labels,
                           bool rows_on_their_way) {
  TRY_TO(check_results_path(path));
  ReplacementFile file(path);
  const bool json = is_json(path);
  const RequestTable& requests = record.requests;
  file.write(json ? "[\n" : kHeader);
  if (!json && !requests.handoff.values().empty()) file.write(kHeaderOfSplit);
  if (!json) file.write("\n");
  fmt::memory_buffer buffer;
  std::string_view between_rows;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!rows_on_their_way && is_on_its_way(requests, i)) continue;
    buffer.append(between_rows);
    append_result(requests, i, labels, RowWriter(json, &buffer));
    if (json) between_rows = ",\n";
    file.write_if_long(&buffer);
  }
  file.write({buffer.data(), buffer.size()});
  if (json) file.write(between_rows.empty() ? "]\n" : "\n]\n");
  return file.finish();
}

Result<void> write_metrics(const std::string& path, const std::string& report,
                           const RunRecord& record, const Labels& labels, bool rows_on_their_way) {
  ReplacementFile file(path);
  // The report ends in "\n}\n".
  file.write(std::string_view(report).substr(0, report.rfind('\n', report.size() - 2)));
  fmt::memory_buffer buffer;
  std::string_view before = ",\n  \"requests\": [\n";
  const RequestTable& t = record.requests;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!rows_on_their_way && is_on_its_way(t, i)) continue;
    buffer.append(before);
    append_row(t, i, labels, &buffer);
    before = ",\n";
    file.write_if_long(&buffer);
  }
  file.write({buffer.data(), buffer.size()});
  file.write(before == ",\n" ? "\n  ]\n}\n" : "\n}\n");
  return file.finish();
}

}  // namespace plimsoll
