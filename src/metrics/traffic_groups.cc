#include "metrics/traffic_groups.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/lists.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

constexpr std::array kByUrgency{SloClass::critical, SloClass::standard,  SloClass::unset,
                                SloClass::batch,    SloClass::sheddable, SloClass::background};
using OfEachClass = std::array<std::int32_t, kByUrgency.size()>;

void count(const RequestTable& t, std::size_t row, TrafficGroup* g) {
  ++g->arrived;
  g->input_tokens += t.input_tokens[row];
  using enum Outcome;
  using G = TrafficGroup;
  constexpr std::pair<Outcome, std::int64_t G::*> kCounts[]{
      {length_capped, &G::length_capped}, {timed_out, &G::timed_out}, {dropped, &G::dropped},
      {rejected, &G::rejected},           {shed, &G::shed},           {unfinished, &G::unfinished}};
  const Outcome outcome = t.outcome[row];
  if (is_completed(outcome)) {
    ++g->completed;
    g->output_tokens += t.generated_tokens[row];
  }
  for (const auto& [of, requests] : kCounts) {
    if (outcome == of) ++(g->*requests);
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

struct Span {
  Time first_arrival = kNever;
  Time last_completion;
  bool any = false;  ///< of its requests arrived
};

std::vector<Span> spans_of(const RequestTable& t, std::size_t sessions) {
  std::vector<Span> spans(sessions);
  for (std::size_t row = 0; row < t.size(); ++row) {
    if (t.session[row] < 0) continue;
    Span& span = spans[static_cast<std::size_t>(t.session[row])];
    span.any = true;
    if (t.round[row] == 0) span.first_arrival = std::min(span.first_arrival, t.arrival[row]);
    if (!is_completed(t.outcome[row])) continue;
    span.last_completion = std::max(span.last_completion, t.arrival[row] + t.e2e[row]);
  }
  return spans;
}

void set_durations(const std::vector<Span>& spans, SessionFigures* s) {
  std::vector<std::int64_t> durations_us;
  for (const Span& span : spans) {
    s->sessions += span.any ? 1 : 0;
    if (span.first_arrival == kNever || span.last_completion <= span.first_arrival) continue;
    durations_us.push_back(whole_us_of(span.last_completion - span.first_arrival));
  }
  s->timed_sessions = std::ssize(durations_us);
  s->duration = latency_of(std::move(durations_us), kUsPerMs);
}

bool failed(Outcome outcome) { return !is_completed(outcome) && outcome != Outcome::unfinished; }

// One entry for each name, also if nothing arrived; `group` has the index of the name for each
// row, or -1.
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

}  // namespace

std::int64_t ttft_us(const RequestTable& table, std::size_t row,
                     const MetricDefinitions& definitions) {
  if (definitions.ttft_of_completed && !is_completed(table.outcome[row])) return kNoValue;
  return whole_us_of(table.ttft[row]);
}

std::int64_t first_tokens_alone(const RequestTable& table, std::size_t first_row,
                                const MetricDefinitions& definitions) {
  std::int64_t requests = 0;
  for (std::size_t row = first_row; row < table.size(); ++row) {
    const bool has_ttft = ttft_us(table, row, definitions) != kNoValue;
    requests += has_ttft && !is_completed(table.outcome[row]) ? 1 : 0;
  }
  return requests;
}

std::int64_t tpot_ns(const RequestTable& table, std::size_t row,
                     const MetricDefinitions& definitions) {
  if (!definitions.tpot_counts_first_token) return mean_gap_ns(table, row);
  if (!is_completed(table.outcome[row]) || table.generated_tokens[row] <= 0) return kNoValue;
  return table.e2e[row].ns / table.generated_tokens[row];
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

Users users_of(const RequestTable& table, const std::vector<std::int32_t>& clients) {
  Users users;
  if (clients.empty()) return users;
  std::vector<std::optional<Outcome>> last;  // by session
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (!std::ranges::binary_search(clients, table.client[row])) continue;
    const auto user = static_cast<std::size_t>(table.session[row]);
    if (user >= last.size()) last.resize(user + 1);
    last[user] = table.outcome[row];
  }
  for (const std::optional<Outcome>& outcome : last) {
    users.users += outcome ? 1 : 0;
    users.gave_up += outcome && failed(*outcome) ? 1 : 0;
  }
  return users;
}

SteadyState judge_users(const Users& users, SteadyState state) {
  constexpr double kTolerated = 0.05;  // as of lost requests
  if (ratio_or_zero(users.gave_up, users.users) <= kTolerated) return state;
  using enum SteadyVerdict;
  if (state.verdict == overloaded || state.verdict == no_load) return state;
  state.verdict = transient;
  state.reason = {SteadyCause::users_gave_up, users.gave_up, users.users};
  state.enough_requests = 0;
  return state;
}

double chance_of_same_instance(const Deployment& deployment) {
  constexpr std::string_view kBlind[]{"round-robin", "weighted-round-robin", "least-loaded",
                                      "power-of-two"};
  const bool is_blind = deployment.pools.size() == 1 && deployment.main().num_instances > 1 &&
                        deployment.main().engine.prefix_caching &&
                        contains(kBlind, deployment.router);
  return is_blind ? 1.0 / static_cast<double>(deployment.main().num_instances) : 0;
}

SessionFigures session_figures(const RequestTable& table, const MetricDefinitions& definitions,
                               std::size_t first_row) {
  SessionFigures s;
  const std::vector<std::int32_t>& sessions = table.session.values();
  if (sessions.empty()) return s;
  const std::int32_t last = *std::ranges::max_element(sessions);
  set_durations(spans_of(table, static_cast<std::size_t>(last) + 1), &s);

  std::vector<std::int64_t> cold_us;
  std::vector<std::int64_t> warm_us;
  std::vector<std::int64_t> left(static_cast<std::size_t>(last) + 1);  // by the round before
  std::int64_t longer = 0;
  std::int64_t found = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.session[row] < 0) continue;
    ++s.rounds;
    std::int64_t& before = left[static_cast<std::size_t>(table.session[row])];
    if (table.round[row] > 0 && before > 0 && table.input_tokens[row] >= before) {
      ++longer;
      if (5 * table.cached_tokens[row] >= 4 * before) ++found;
    }
    before = table.input_tokens[row] + table.output_tokens[row];
    const std::int64_t us = row < first_row ? kNoValue : ttft_us(table, row, definitions);
    if (us != kNoValue) (table.round[row] == 0 ? cold_us : warm_us).push_back(us);
  }
  s.found_before = ratio_or_zero(found, longer);
  s.cold_rounds = std::ssize(cold_us);
  s.warm_rounds = std::ssize(warm_us);
  s.ttft_cold = latency_of(std::move(cold_us), kUsPerMs);
  s.ttft_warm = latency_of(std::move(warm_us), kUsPerMs);
  return s;
}

}  // namespace plimsoll
