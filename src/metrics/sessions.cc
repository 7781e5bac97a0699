#include "metrics/sessions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "metrics/traffic_groups.h"

namespace plimsoll {
namespace {

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

}  // namespace

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

SessionFigures session_figures(const RequestTable& table, const MetricDefinitions& definitions,
                               std::size_t first_row) {
  SessionFigures s;
  const std::vector<std::int32_t>& sessions = table.session.values();
  if (sessions.empty()) return s;
  const std::int32_t last = *std::ranges::max_element(sessions);
  set_durations(spans_of(table, static_cast<std::size_t>(last) + 1), &s);

  std::vector<std::int64_t> cold_us;
  std::vector<std::int64_t> warm_us;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.session[row] < 0) continue;
    ++s.rounds;
    const std::int64_t us = row < first_row ? kNoValue : ttft_us(table, row, definitions);
    if (us != kNoValue) (table.round[row] == 0 ? cold_us : warm_us).push_back(us);
  }
  s.cold_rounds = std::ssize(cold_us);
  s.warm_rounds = std::ssize(warm_us);
  s.ttft_cold = latency_of(std::move(cold_us), kUsPerMs);
  s.ttft_warm = latency_of(std::move(warm_us), kUsPerMs);
  return s;
}

}  // namespace plimsoll
