#include "report/results_file.h"

#include <string_view>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "base/replacement_file.h"

namespace plimsoll {
namespace {

bool is_json(std::string_view path) { return path.ends_with(".json"); }

std::string_view status_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::unfinished:
      return "unfinished";
    case Outcome::completed:
      return "completed";
    case Outcome::length_capped:
      return "length_capped";
    case Outcome::timed_out:
      return "timed_out";
    case Outcome::dropped:
      return "dropped";
    case Outcome::rejected:
      return "rejected";
  }
  return "unfinished";
}

struct Row {
  std::int64_t id;
  double arrival_ms;
  std::int32_t input_tokens;
  std::int32_t output_tokens;
  double ttft_ms;
  double e2e_ms;
  double itl_ms;
  double scheduling_delay_ms;
  std::int32_t instance;
  std::string_view status;
};

double ms_or_zero(Duration d) { return d == kNoDuration ? 0 : to_ms(d); }

Row row_of(const RequestTable& t, std::size_t i) {
  return {t.id[i],
          to_ms(t.arrival[i] - Time{}),
          t.input_tokens[i],
          t.output_tokens[i],
          ms_or_zero(t.ttft[i]),
          ms_or_zero(t.e2e[i]),
          mean_gap_ms(t, i),
          ms_or_zero(t.scheduling_delay[i]),
          t.instance[i],
          status_of(t.outcome[i])};
}

std::string handled_by(std::int32_t instance) {
  return instance < 0 ? std::string() : "instance_" + std::to_string(instance);
}

void append_csv(const Row& r, fmt::memory_buffer* out) {
  fmt::format_to(std::back_inserter(*out), FMT_COMPILE("request_{},{},{},{},{},{},{},{},{},{}\n"),
                 r.id, r.arrival_ms, r.input_tokens, r.output_tokens, r.ttft_ms, r.e2e_ms, r.itl_ms,
                 r.scheduling_delay_ms, handled_by(r.instance), r.status);
}

void append_json(const Row& r, fmt::memory_buffer* out) {
  fmt::format_to(std::back_inserter(*out),
                 FMT_COMPILE("{{\"request_id\": \"request_{}\", \"arrival_ms\": {}, "
                             "\"input_tokens\": {}, \"output_tokens\": {}, \"ttft_ms\": {}, "
                             "\"e2e_ms\": {}, \"itl_ms\": {}, \"scheduling_delay_ms\": {}, "
                             "\"handled_by\": \"{}\", \"status\": \"{}\"}}"),
                 r.id, r.arrival_ms, r.input_tokens, r.output_tokens, r.ttft_ms, r.e2e_ms, r.itl_ms,
                 r.scheduling_delay_ms, handled_by(r.instance), r.status);
}

// At the end of the run no instance had received it yet.
bool is_on_its_way(const RequestTable& t, std::size_t i) {
  return t.outcome[i] == Outcome::unfinished && t.instance[i] < 0;
}

}  // namespace

double mean_gap_ms(const RequestTable& t, std::size_t i) {
  const bool capped = t.outcome[i] == Outcome::length_capped;
  if (!capped && t.outcome[i] != Outcome::completed) return 0;
  const std::int32_t tokens = capped ? t.itl_count[i] : t.output_tokens[i];
  if (tokens <= 0) return 0;
  return to_ms(t.itl_sum[i]) / (tokens > 1 ? tokens - 1 : 1);
}

Result<void> check_results_path(const std::string& path) {
  if (!is_json(path) && !path.ends_with(".csv")) {
    return fail(ErrorKind::usage,
                "the results file \"" + path + "\" ends in neither .csv nor .json",
                "the ending chooses the format, e.g. --results-path results.csv");
  }
  return check_replaceable(path);
}

Result<void> write_results(const std::string& path, const RunRecord& record,
                           bool rows_on_their_way) {
  if (auto known = check_results_path(path); !known) return pass_on(known);
  ReplacementFile file(path);
  const bool json = is_json(path);
  file.write(json ? "[\n"
                  : "request_id,arrival_ms,input_tokens,output_tokens,ttft_ms,e2e_ms,itl_ms,"
                    "scheduling_delay_ms,handled_by,status\n");
  constexpr std::size_t kChunk = 1 << 20;
  fmt::memory_buffer buffer;
  std::string_view between_rows;
  const RequestTable& requests = record.requests;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!rows_on_their_way && is_on_its_way(requests, i)) continue;
    buffer.append(between_rows);
    if (json) {
      append_json(row_of(requests, i), &buffer);
      between_rows = ",\n";
    } else {
      append_csv(row_of(requests, i), &buffer);
    }
    if (buffer.size() < kChunk) continue;
    file.write({buffer.data(), buffer.size()});
    buffer.clear();
  }
  file.write({buffer.data(), buffer.size()});
  if (json) file.write(between_rows.empty() ? "]\n" : "\n]\n");
  return file.finish();
}

}  // namespace plimsoll
