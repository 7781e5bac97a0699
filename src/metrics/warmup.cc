#include "metrics/warmup.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/duration_text.h"
#include "base/text.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

// The place of the first request that arrives at that time or later.
std::size_t first_from(const RequestTable& table, Duration since_first) {
  const Time from = table.arrival.front() + since_first;
  const auto at = std::ranges::lower_bound(table.arrival, from);
  return static_cast<std::size_t>(at - table.arrival.begin());
}

Stay stay_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed:
    case Outcome::length_capped:
      return Stay::finished;
    case Outcome::unfinished:
      return Stay::inside;
    case Outcome::timed_out:
      return Stay::gave_up;
    case Outcome::rejected:
    case Outcome::shed:
      return Stay::turned_away;
    case Outcome::dropped:
      return Stay::no_demand;
  }
  return Stay::inside;
}

// Where observation ended: at the horizon, or when everything was over.
Time end_of(const RunRecord& record) {
  Time end;
  for (const InstanceRecord& r : record.instances) end = std::max(end, r.end);
  if (!record.requests.arrival.empty()) end = std::max(end, record.requests.arrival.back());
  return std::min(end, record.horizon);
}

}  // namespace

std::vector<std::string> warmup_words() { return {"none", "auto"}; }

Result<WarmupChoice> parse_warmup(std::string_view text) {
  using Kind = WarmupChoice::Kind;
  if (text == "none") return WarmupChoice{};
  if (text == "auto") return WarmupChoice{Kind::automatic, {}, 0};
  for (const std::string_view unit : {"requests", "request"}) {
    long long requests = 0;
    if (!text.ends_with(unit)) continue;
    if (!parse_int(text.substr(0, text.size() - unit.size()), &requests) || requests < 0) break;
    return WarmupChoice{Kind::requests, {}, requests};
  }
  Duration time;
  if (parse_duration(text, &time)) return WarmupChoice{Kind::time, time, 0};
  long long number = 0;
  const std::string bare(text);
  return fail(ErrorKind::usage,
              "--warmup must be auto, none, a time such as 30s or a number such as 500requests, "
              "not \"" +
                  bare + "\"",
              parse_int(text, &number) ? "write " + bare + "s or " + bare + "requests"
                                       : "auto leaves out what comes before the steady state");
}

Warmup find_warmup(const RequestTable& table, const WarmupChoice& choice,
                   const SteadyState& state) {
  using Kind = WarmupChoice::Kind;
  Warmup warmup;
  if (choice.kind == Kind::none || table.arrival.empty()) return warmup;
  const bool is_auto = choice.kind == Kind::automatic;
  if (is_auto && state.verdict != SteadyVerdict::steady) {
    warmup.outcome = WarmupOutcome::no_steady_state;
    return warmup;
  }
  warmup.excluded =
      choice.kind == Kind::requests
          ? std::min(static_cast<std::size_t>(choice.requests), table.size())
          : first_from(table, is_auto ? duration_from_us(state.warmup_s * 1e6) : choice.time);
  const std::size_t first = std::min(warmup.excluded, table.size() - 1);
  warmup.until_s = to_seconds(table.arrival[first] - table.arrival.front());
  warmup.outcome = WarmupOutcome::cut;
  return warmup;
}

SteadyState judge_what_is_left(const RequestTable& table, const Warmup& warmup, SteadyState state) {
  constexpr std::size_t kFewest = 100;
  const std::size_t left = table.size() - warmup.excluded;
  if (state.verdict != SteadyVerdict::steady || left >= kFewest) return state;
  state.verdict = SteadyVerdict::too_short;
  state.reason = {SteadyCause::warmup_leaves_few, left, table.size(), kFewest};
  return state;
}

SteadyState judge_record(const RunRecord& record) {
  const RequestTable& table = record.requests;
  const auto all = static_cast<std::int64_t>(table.size());
  if (all > 0 && record.rejected_routing == all) {
    SteadyState none;
    none.verdict = SteadyVerdict::no_load;
    none.reason = {SteadyCause::model_is_missing, all};
    return none;
  }
  std::vector<Stay> stay(table.size());
  std::transform(table.outcome.begin(), table.outcome.end(), stay.begin(), stay_of);
  const Duration filling = record.begins_sessions ? filling_of(table) : Duration{};
  return judge({table.arrival, stay, table.e2e, table.ttft, end_of(record), filling});
}

Duration filling_of(const RequestTable& table) {
  constexpr double kNearlyAll = 90;
  if (table.session.values().empty()) return {};
  std::unordered_map<std::int32_t, Time> begun;
  std::vector<double> after_us;  // microseconds after the first request of its session
  after_us.reserve(table.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    const Time now = table.arrival[row];
    const bool is_alone = table.session[row] < 0;
    const Time first = is_alone ? now : begun.try_emplace(table.session[row], now).first->second;
    after_us.push_back(to_us(now - first));
  }
  return duration_from_us(Percentiles<double>(std::move(after_us)).at(kNearlyAll));
}

}  // namespace plimsoll
