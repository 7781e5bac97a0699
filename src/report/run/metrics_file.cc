#include "report/run/metrics_file.h"

#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "base/quoting.h"
#include "base/replacement_file.h"
#include "report/run/results_file.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

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

Result<void> write_metrics(const std::string& path, const std::string& report,
                           const RunRecord& record, const Labels& labels, bool rows_on_their_way) {
  ReplacementFile file(path);
  // The report ends in "\n}\n".
  file.write(std::string_view(report).substr(0, report.rfind('\n', report.size() - 2)));
  fmt::memory_buffer buffer;
  std::string_view before = ",\n  \"requests\": [\n";
  const RequestTable& t = record.requests;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const bool on_its_way = t.outcome[i] == Outcome::unfinished && t.instance[i] < 0;
    if (on_its_way && !rows_on_their_way) continue;
    buffer.append(before);
    append_row(t, i, labels, &buffer);
    before = ",\n";
    constexpr std::size_t kChunk = 1 << 20;
    if (buffer.size() < kChunk) continue;
    file.write({buffer.data(), buffer.size()});
    buffer.clear();
  }
  file.write({buffer.data(), buffer.size()});
  file.write(before == ",\n" ? "\n  ]\n}\n" : "\n}\n");
  return file.finish();
}

}  // namespace plimsoll
