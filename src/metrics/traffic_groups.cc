#include "metrics/traffic_groups.h"

#include <algorithm>
#include <array>

#include "workload/slo_class.h"

namespace plimsoll {
namespace {

constexpr std::array kByUrgency{SloClass::critical, SloClass::standard,  SloClass::unset,
                                SloClass::batch,    SloClass::sheddable, SloClass::background};
using OfEachClass = std::array<std::int32_t, kByUrgency.size()>;

void count(const RequestTable& t, std::size_t row, TrafficGroup* g) {
  ++g->arrived;
  g->input_tokens += t.input_tokens[row];
  switch (t.outcome[row]) {
    case Outcome::length_capped:
      ++g->length_capped;
      [[fallthrough]];
    case Outcome::completed:
      ++g->completed;
      g->output_tokens += t.generated_tokens[row];
      break;
    case Outcome::timed_out:
      ++g->timed_out;
      break;
    case Outcome::dropped:
      ++g->dropped;
      break;
    case Outcome::rejected:
      ++g->rejected;
      break;
    case Outcome::shed:
      ++g->shed;
      break;
    case Outcome::unfinished:
      ++g->unfinished;
      break;
  }
}

double pooled_gap_ms(const RequestTable& t, std::span<const std::uint32_t> rows) {
  double sum_ms = 0;
  double gaps = 0;
  for (const std::uint32_t row : rows) {
    if (!is_completed(t.outcome[row])) continue;
    sum_ms += to_ms(t.itl_sum[row]);
    gaps += t.itl_count[row];
  }
  return ratio_or_zero(sum_ms, gaps);
}

void set_latencies(const RequestTable& t, std::span<const std::uint32_t> rows,
                   const MetricDefinitions& definitions, TrafficGroup* g) {
  const auto of_us = [&](const std::vector<Duration>& column) {
    return latency_of(values_of(rows, [&](std::uint32_t i) { return whole_us_of(column[i]); }),
                      kUsPerMs);
  };
  g->e2e = of_us(t.e2e);
  g->scheduling_delay = of_us(t.scheduling_delay);
  g->ttft = latency_of(values_of(rows, [&](std::uint32_t i) { return ttft_us(t, i, definitions); }),
                       kUsPerMs);
  g->tpot = latency_of(values_of(rows, [&](std::uint32_t i) { return tpot_ns(t, i, definitions); }),
                       kNsPerMs);
  g->itl_mean_ms = pooled_gap_ms(t, rows);
}

}  // namespace

std::int64_t ttft_us(const RequestTable& table, std::size_t row,
                     const MetricDefinitions& definitions) {
  if (definitions.ttft_of_completed && !is_completed(table.outcome[row])) return kNoValue;
  return whole_us_of(table.ttft[row]);
}

std::int64_t tpot_ns(const RequestTable& table, std::size_t row,
                     const MetricDefinitions& definitions) {
  if (!definitions.tpot_counts_first_token) return mean_gap_ns(table, row);
  if (!is_completed(table.outcome[row]) || table.generated_tokens[row] <= 0) return kNoValue;
  return table.e2e[row].ns / table.generated_tokens[row];
}

std::vector<TrafficGroup> traffic_groups(const RequestTable& table,
                                         std::span<const std::int32_t> group,
                                         const std::vector<std::string>& names,
                                         const GroupMeasure& measure) {
  std::vector<TrafficGroup> groups(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) groups[i].name = names[i];
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (group[row] >= 0) count(table, row, &groups[static_cast<std::size_t>(group[row])]);
  }
  for (TrafficGroup& g : groups) {
    g.responses_per_sec = ratio_or_zero(static_cast<double>(g.completed), measure.duration_s);
    g.tokens_per_sec = ratio_or_zero(static_cast<double>(g.output_tokens), measure.duration_s);
  }
  const GroupedRows rows(group, names.size(), measure.first_row);
  for (std::size_t i = 0; i < names.size(); ++i) {
    set_latencies(table, rows.of(i), measure.definitions, &groups[i]);
  }
  return groups;
}

std::span<const SloClass> classes_by_urgency() { return kByUrgency; }

std::string class_label(SloClass slo_class) {
  return slo_class == SloClass::unset ? "default" : name_of(slo_classes(), slo_class);
}

std::vector<TrafficGroup> groups_by_class(const RequestTable& table, const GroupMeasure& measure) {
  const std::vector<SloClass>& classes = table.slo_class.values();
  if (classes.empty()) return {};
  OfEachClass arrived{};
  for (const SloClass c : classes) ++arrived[static_cast<std::size_t>(c)];
  OfEachClass index{};
  std::vector<std::string> names;
  for (const SloClass c : kByUrgency) {
    if (arrived[static_cast<std::size_t>(c)] == 0) continue;
    index[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(names.size());
    names.push_back(class_label(c));
  }
  std::vector<std::int32_t> group(classes.size());
  std::ranges::transform(classes, group.begin(),
                         [&](SloClass c) { return index[static_cast<std::size_t>(c)]; });
  return traffic_groups(table, group, names, measure);
}

std::vector<TrafficGroup> groups_by_tenant(const RequestTable& table, const Labels& labels,
                                           const GroupMeasure& measure) {
  const std::vector<std::int32_t>& tenants = table.tenant.values();
  if (tenants.empty()) return {};
  const std::int32_t last = *std::ranges::max_element(tenants);
  std::vector<std::string> names = labels.tenants;
  while (std::ssize(names) <= last) names.push_back("tenant_" + std::to_string(names.size()));
  return traffic_groups(table, tenants, names, measure);
}

}  // namespace plimsoll
