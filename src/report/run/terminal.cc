#include "report/run/terminal.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "metrics/pools.h"
#include "report/answer/next_steps.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/form/text_report.h"

namespace plimsoll {
namespace {

// ---- verdict

// "too short"
std::string label_of(const Summary& s, const Decision& decision) {
  const bool steady = s.steady_state.verdict == SteadyVerdict::steady;
  if (turns_lengths_away(s)) return "too long";
  // Answers take too long for the deadlines, not for want of room.
  const bool overloaded = s.steady_state.verdict == SteadyVerdict::overloaded;
  if (steady && decision.verdict == DecisionVerdict::not_shown) return "unclear";
  if (steady && misses_limits(s)) return "too slow";
  if (overloaded && s.bottleneck.by_deadline_alone) return "too slow";
  if (overloaded && s.steady_state.lost_share > 0) return "unserved";
  std::string label = name_of(s.steady_state.verdict);
  std::ranges::replace(label, '_', ' ');
  return label;
}

// ---- evidence

// Beside the column of the same latency, in its unit.
std::optional<Column> interval_column(const Summary& s, Latency latency) {
  const LatencyUnit unit = unit_for((s.cluster.*latency).p99_ms);
  Column column{"90 % interval", {}, false};
  bool any = false;
  for (const std::string& key : keys_of(row_of(latency))) {
    column.cells.push_back(interval_text(find_interval(s.intervals, key), unit.ms));
    any = any || !column.cells.back().empty();
  }
  return any ? std::optional(column) : std::nullopt;
}

std::vector<Column> all_latencies(const Summary& s) {
  std::vector<Column> columns = latency_columns(s);
  columns.push_back(latency_column("queue", s.cluster.queue_time));
  return columns;
}

std::string requests_text(const Summary& s) {
  const GroupSummary& c = s.cluster;
  constexpr double kRare = 0.01;  // below, three digits after the point say too little
  const auto rate = [](double rps) { return rps < kRare ? four_digits(rps) : three_digits(rps); };
  const auto with_interval = [&](double value, const char* metric) {
    if (value < kRare) return four_digits(value);
    const std::string interval = interval_text(find_interval(s.intervals, metric), 1);
    return three_digits(value) + (interval.empty() ? "" : " " + interval);
  };
  std::string text =
      fmt::format("arrived at {} req/s; {} completed in {} s, {} req/s, {} tokens/s",
                  rate(s.offered_rps), grouped(c.completed), three_digits(c.duration_s),
                  with_interval(c.responses_per_sec, "responses_per_sec"),
                  with_interval(c.tokens_per_sec, "tokens_per_sec"));
  const std::pair<std::int64_t, const char*> losses[] = {
      {c.still_queued, "still queued"},
      {c.still_running, "still running"},
      {s.still_arriving, "not yet in a wait queue"},
      {c.timed_out, "timed out"},
      {c.dropped_unservable, "too long to be served"},
      {c.length_capped, "cut at the maximum length"},
      {s.rejected_admission + s.rejected_routing + s.gateway.rejected, "turned away"},
      {s.gateway.shed + s.gateway.expired + s.gateway.evicted, "given up by the gateway"},
      {s.gateway.deferred, "deferred by the gateway"}};
  for (const auto& [n, what] : losses) {
    if (n > 0) text += fmt::format("; {} {}", grouped(n), what);
  }
  if (s.first_tokens_alone > 0 && has_latencies(s)) {
    text += fmt::format("; TTFT counts {} that got a first token but never completed; E2E does not",
                        grouped(s.first_tokens_alone));
  }
  return text;
}

// An instance is busy with one request as with 256: only the batch shows how much room is left.
std::string load_text(const Summary& summary, const RunConfig& config) {
  const GroupSummary& c = summary.cluster;
  // Unlike pools have unlike limits.
  const bool alike = summary.pools.pools.empty() || summary.pools.has_flags();
  const ConfigEntry* most = alike ? find_entry(config, "max-num-seqs") : nullptr;
  const ConfigEntry* ranks = find_entry(config, "dp");
  std::string of_most;
  if (const auto* of_rank = most ? std::get_if<std::int64_t>(&most->value) : nullptr) {
    const auto* dp = ranks ? std::get_if<std::int64_t>(&ranks->value) : nullptr;
    of_most = " of " + grouped(*of_rank * (dp ? *dp : 1));
  }
  return fmt::format("busy {}, KV cache {} (peak {}), {}{} requests per batch, prefix hits {}, {}",
                     percent(c.utilization), percent(c.kv_utilization),
                     percent(c.kv_peak_utilization), three_digits(c.mean_batch_size), of_most,
                     percent(c.prefix_hit_rate), counted(c.preemptions, "preemption"));
}

// The lowest, the median and the highest of the instances that answer, figure by figure.
std::vector<Column> instances_table(const Summary& summary) {
  const bool is_split = summary.pools.split;
  const auto prompts = is_split ? division_of(summary.pools).prefill : 0;
  const std::span<const GroupSummary> all =
      std::span(summary.instances).subspan(static_cast<std::size_t>(prompts));
  if (all.size() < 2) return {};
  const auto spread = [&](const std::string& header, auto figure) {
    std::vector<std::optional<double>> values;  // none is the least
    for (const GroupSummary& g : all) values.push_back(figure(g));
    std::ranges::sort(values);
    const auto cell = [](const std::optional<double>& v) { return v ? three_digits(*v) : "-"; };
    const std::optional<double>& above = values[values.size() / 2];
    const std::optional<double>& below = values[(values.size() - 1) / 2];
    const auto middle = below && above ? std::optional((*below + *above) / 2) : above;
    return Column{header, {cell(values.front()), cell(middle), cell(values.back())}};
  };
  return {
      {counted(std::ssize(all), is_split ? "decode instance" : "instance"),
       {"lowest", "median", "highest"},
       false},
      spread("TTFT p99 ms",
             [](const GroupSummary& g) {
               return g.completed > 0 ? std::optional(g.ttft.p99_ms) : std::nullopt;
             }),
      spread("completed", [](const GroupSummary& g) { return static_cast<double>(g.completed); }),
      spread("busy %", [](const GroupSummary& g) { return 100 * g.utilization; }),
      spread("KV peak %", [](const GroupSummary& g) { return 100 * g.kv_peak_utilization; }),
      spread("batch", [](const GroupSummary& g) { return g.mean_batch_size; })};
}

// ---- assumptions, next

// Facts looked up or worked out first, then plain defaults, as many as are worth reading.
std::string assumed_text(const RunConfig& config) {
  constexpr std::size_t kMostShown = 10;
  std::vector<std::string> groups;
  std::size_t shown = 0;
  std::size_t left_out = 0;
  const std::pair<std::string_view, std::string_view> origins[] = {
      {"calibration", "from the calibration"},
      {"catalog", "from the catalog"},
      {"computed", "computed"},
      {"assumed", "assumed"},
      {"default", "default"}};
  for (const auto& [origin, title] : origins) {
    std::vector<std::string> values;
    for (const ConfigEntry& entry : config.entries) {
      if (entry.origin != origin) continue;
      if (shown < kMostShown) {
        values.push_back(entry.interval ? entry_text(entry)
                                        : fmt::format("{}={}", entry.key, typed(entry.value)));
        ++shown;
      } else {
        ++left_out;
      }
    }
    if (!values.empty()) groups.push_back(fmt::format("{}: {}", title, join(values, ", ")));
  }
  std::string text = join(groups, "; ");
  if (left_out > 0) text += fmt::format(", and {} more (--json shows all)", left_out);
  return text;
}

}  // namespace

Column latency_column(const std::string& name, const LatencySummary& l) {
  const LatencyUnit unit = unit_for(l.p99_ms);
  Column column{name + " " + unit.name, {}};
  for (const Statistic& s : kStatistics) {
    column.cells.push_back(three_digits(l.*s.member / unit.ms));
  }
  return column;
}

std::vector<Column> latency_columns(const Summary& s, bool streamed) {
  std::vector<Column> columns = {{"", {}, false}};
  for (const Statistic& statistic : kStatistics) columns[0].cells.emplace_back(statistic.name);
  const auto add = [&](Latency latency) {
    columns.push_back(latency_column(std::string(row_of(latency).title), s.cluster.*latency));
    if (const auto interval = interval_column(s, latency)) columns.push_back(*interval);
  };
  if (streamed) add(&GroupSummary::ttft);
  if (streamed) columns.push_back(latency_column("TPOT", s.cluster.tpot));
  if (streamed) columns.push_back(latency_column("ITL", s.cluster.itl));
  add(&GroupSummary::e2e);
  return columns;
}

std::string verdict_text(const Summary& summary, const RunConfig& config) {
  const Decision decision = decision_of(summary, config);
  std::string text = decision_text(decision);
  text.front() = decision.answer.front();  // it goes on after a colon
  return label_of(summary, decision) + ": " + text + "\n";
}

std::string summary_text(const Summary& summary, const RunConfig& config, const Style& style) {
  TextReport out(style);
  const Decision decision = decision_of(summary, config);
  out.verdict(verdict_text(summary, config), label_of(summary, decision).size(), mood_of(decision));
  if (has_latencies(summary)) {
    out.table(all_latencies(summary));
    out.table(instances_table(summary));
    add_groups(summary, &out);
  }
  add_over_time(summary, &out);
  out.line("requests", requests_text(summary));
  out.line("load", load_text(summary, config));
  if (summary.balance.concentrated) {
    out.line("routing", concentration_text(summary.balance, summary.instances.size()));
  }
  add_sections(summary, &out);
  add_why(summary, &out);
  out.line("assumed", assumed_text(config));
  for (const NextStep& step : next_steps(summary, config)) out.next(step.command, step.purpose);
  return out.text();
}

}  // namespace plimsoll
