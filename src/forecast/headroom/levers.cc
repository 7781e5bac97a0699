#include "forecast/headroom/levers.h"

#include <algorithm>
#include <atomic>

#include "base/parallel.h"
#include "forecast/headroom/money.h"
#include "forecast/headroom/situation.h"
#include "metrics/figures.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

constexpr double kLeverPrecision = 0.06;
constexpr double kLeverAlpha = 0.5;  // to be ranked, not to be signed
constexpr double kPercent = 100;

double gpus_of(const Served& served) { return static_cast<double>(served.gpus()); }

// What gains without costing more comes first, then what gains most for a dollar, then what saves,
// then the rest.
std::pair<int, double> rank_of(const LeverResult& result) {
  const double usd = result.usd_per_month.value_or(0);
  if (result.gains()) return usd <= 0 ? std::pair{3, result.more} : std::pair{2, result.more / usd};
  return result.saves() ? std::pair{1, -usd} : std::pair{0, result.more};
}

// Smaller KV tokens of a cache that is small already are no change.
bool changes_something(const Served& served, const Served& changed, const Lever& lever) {
  return lever.kind != LeverKind::smaller_cache || changed.kv_tokens() > served.kv_tokens();
}

constexpr Figure kFigures[]{figure("ttft_p99_ms"), figure("tpot_p99_ms"), figure("e2e_p99_ms"),
                            figure("kv_utilization")};

std::vector<Pressure> worse_figures(const LoadProbe& tested_before, const LoadProbe& tested_after) {
  std::vector<Pressure> worse;
  if (tested_before.state.grows() || tested_after.state.grows()) {
    const double was = std::max(0.0, tested_before.state.backlog_growth_rps);
    const double is = tested_after.state.backlog_growth_rps;
    if (tested_after.state.grows() && is > was + kFelt * tested_after.rate_rps)
      worse.push_back({"queue growth req/s", was, is});
    return worse;
  }
  const GroupSummary& before = tested_before.summary.cluster;
  const GroupSummary& after = tested_after.summary.cluster;
  for (const Figure& figure : kFigures) {
    const double unit = figure.row->unit == "%" ? 100 : 1;
    const double was = unit * figure.of(before);
    const double is = unit * figure.of(after);
    const std::string title = figure.title() + " " + std::string(figure.row->unit);
    if (is > was * (1 + kFelt)) worse.push_back({title, was, is});
  }
  return worse;
}

class Trying {
 public:
  Trying(const ForecastRequest& request, const Served& served, const HeadroomSheet& headroom,
         const Execution& execution)
      : request_(request),
        served_(served),
        now_(*headroom.forecast),
        flows_(flows_of(request.forecast)),
        alone_(execution) {
    alone_.threads = 1;
  }

  LeverResult priced(Lever lever, const Served& changed) const {
    LeverResult result;
    result.lever = std::move(lever);
    result.gpus = gpus_of(changed);
    const auto now = usd_per_month(served_, gpus_of(served_));
    const auto then = usd_per_month(changed, result.gpus);
    if (now && then) result.usd_per_month = *then - *now;
    return result;
  }

  Result<void> simulate(const Served& changed, LeverResult* result) const {
    TRY(probe, test_flows(changed, flows_, request_.load, alone_));
    result->worse = worse_figures(now_.probe, probe);
    if (result->lever.kind == LeverKind::turns_away) {
      take_let_in(probe, result);
    } else {
      TRY_SET(result->line, find_line(changed, flows_, LoadGrowth::rate, request_.load, alone_,
                                      {kLeverPrecision, now_.line.of_guess, kLeverAlpha}));
    }
    // The search ends a step of its precision apart from what the test shows.
    if (result->lever.kind == LeverKind::saves && probe.answer == Answer::holds)
      result->line.factor = std::max(1.0, result->line.factor);
    result->more = result->line.factor - now_.line.factor;
    if (result->lever.kind == LeverKind::migration) TRY_TO(find_needed(changed, result));
    result->line.interval = now_.judged_as(result->line);
    if (served_.model_error && changed.model_error) find_errors(changed, result);
    return {};
  }

 private:
  // Errors are log-normal about 1. How far they reach for what is deployed was searched, with those
  // of a TTFT (judge_forecast() in forecast/headroom/simulated.cc): where these reach further than
  // steps, they do so for the other one, too. Those of two GPUs or models are independent. On the
  // same ones, what is known less well (an 8-bit cache) adds an error to the one before it.
  void find_errors(const Served& changed, LeverResult* result) const {
    const ModelError& own = *served_.model_error;
    const ModelError& other = *changed.model_error;
    const bool is_other = changed.gpu != served_.gpu || result->lever.kind == LeverKind::migration;
    if (!is_other && other.step <= own.step) return;
    const double now = now_.line.factor;
    const double then = result->line.factor;
    // Those of a ratio add up as squares.
    const auto add = [&](double times, double direction, double Interval::*end) {
      const double reach = times > 0 && now_.judged ? portable_log(times) : 0;
      const bool is_by_ttft = reach > own.step && own.ttft_tail > 0;
      const double of_now = is_by_ttft ? reach : own.step;
      const double of_then =
          is_by_ttft ? std::max(other.step, reach * other.ttft_tail / own.ttft_tail) : other.step;
      (*result->held_within).*end = then * portable_exp(direction * of_then);
      const double apart = is_other ? std::hypot(of_now, of_then)
                                    : std::sqrt(std::max(0.0, of_then * of_then - of_now * of_now));
      (*result->more_interval).*end = then * portable_exp(direction * apart) - now;
    };
    result->held_within.emplace();
    result->more_interval.emplace();
    add(now / now_.held().low, -1, &Interval::low);
    add(now_.held().high / now, 1, &Interval::high);
  }

  // Its own count, whatever number of today's instances it begins with.
  Result<void> find_needed(const Served& changed, LeverResult* result) const {
    if (result->line.factor <= 0) return {};
    const auto guess =
        std::llround(std::ceil(static_cast<double>(changed.replicas()) / result->line.factor));
    TRY(found, fewest_for(changed, flows_, request_.load, guess, alone_));
    if (found <= 0) return {};
    result->gpus_needed = gpus_of(changed.with_replicas(found));
    result->usd_for_needed = usd_per_month(changed, *result->gpus_needed);
    return {};
  }

  // Of a part that is turned away, no more of the same can be held.
  void take_let_in(const LoadProbe& probe, LeverResult* result) const {
    const auto share = [&](double per_s) { return std::min(1.0, per_s / probe.rate_rps); };
    Line& line = result->line;
    line.factor = share(probe.summary.cluster.responses_per_sec);
    line.interval = {line.factor, line.factor};
    if (const auto* interval = find_interval(probe.summary.intervals, "responses_per_sec")) {
      line.interval = {share(interval->low), share(interval->high)};
    }
    line.is_searched = !probe.interrupted;
    const auto& limits = request_.slos;
    line.is_known = probe.slos.size() == limits.size() && !is_over_a_limit(probe, limits);
    result->worse.push_back({"turned away %", 0, kPercent * (1 - line.factor)});
  }

  const ForecastRequest& request_;
  const Served& served_;
  const PeakCheck& now_;
  std::vector<Flow> flows_;
  Execution alone_;
};

// Another model, other weights or another cache; and nobody says what came of an evaluation.
bool may_change_answers(const Migration& migration) {
  constexpr std::string_view kOfAnswers[]{"--model=", "--quantization=", "--kv-cache-dtype="};
  return migration.quality.empty() &&
         std::ranges::any_of(migration.flags, [&](const std::string& flag) {
           return std::ranges::any_of(
               kOfAnswers, [&](std::string_view name) { return flag.starts_with(name); });
         });
}

bool is_of_use(const LeverResult& result) {
  const Line& line = result.line;
  if (!line.is_searched || line.interrupted || !line.is_known) return false;
  return result.lever.kind != LeverKind::saves || line.factor >= 1;
}

// As many as are deployed where there is nothing to spare.
Result<std::int64_t> fewest_that_hold(const ForecastRequest& request, const Served& served,
                                      const Line& now_held, const Execution& execution) {
  const std::int64_t deployed = served.replicas();
  if (deployed < 2 || now_held.factor < 1) return deployed;
  const double each = now_held.factor / static_cast<double>(deployed);
  return fewest_for(served, flows_of(request.forecast), request.load,
                    std::llround(std::ceil(1 / each)), execution);
}

}  // namespace

std::optional<double> LeverResult::more_per_1k_usd() const {
  if (!gains() || usd_per_month.value_or(0) <= 0) return std::nullopt;
  return more / (*usd_per_month / 1000);
}

bool LeverResult::is_free_change() const {
  const bool is_change = lever.kind == LeverKind::gains || lever.kind == LeverKind::smaller_cache;
  return is_change && usd_per_month && *usd_per_month <= 0 && !lever.is_other_gpu &&
         more > kToldApart;
}

Result<std::vector<LeverResult>> try_levers(const ForecastRequest& request, const Served& served,
                                            const HeadroomSheet& headroom, const Serve& serve,
                                            const Execution& execution,
                                            const LeverOptions& options) {
  const Trying trying(request, served, headroom, execution);
  std::vector<std::pair<LeverResult, Served>> tried;
  std::vector<Lever> levers;
  if (!options.only_migrations) {
    const Line& now_held = headroom.forecast->line;
    std::int64_t enough = options.enough.value_or(0);
    if (!options.enough) TRY_SET(enough, fewest_that_hold(request, served, now_held, execution));
    levers = levers_for(request, served, now_held, enough);
  }
  for (const Migration& m : request.migrations) {
    levers.push_back({m.name, m.flags, LeverKind::migration, may_change_answers(m)});
  }
  for (Lever& lever : levers) {
    auto changed = serve(lever.flags);
    if (!changed && lever.kind == LeverKind::migration) return pass_on(changed);
    if (!changed) continue;  // does not fit, or heads do not divide
    for (std::size_t i = 0; i < lever.pools.size(); ++i)
      changed->system.deployment.pools[i].num_instances =
          static_cast<std::int32_t>(lever.pools[i].instances);
    if (!changes_something(served, *changed, lever)) continue;
    LeverResult result = trying.priced(std::move(lever), *changed);
    tried.emplace_back(std::move(result), std::move(*changed));
  }
  std::vector<Result<void>> ends(tried.size());
  std::atomic<std::size_t> done = 0;
  execution.progressed(kTryingLevers, 0, tried.size());
  for_each_in_parallel(
      tried.size(), execution.threads,
      [&](std::size_t i) {
        ends[i] = trying.simulate(tried[i].second, &tried[i].first);
        execution.progressed(kTryingLevers, ++done, tried.size());
      },
      execution.keep_going);
  std::vector<LeverResult> results;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (!ends[i]) continue;  // its instances hold none of the requests
    if (is_of_use(tried[i].first)) results.push_back(std::move(tried[i].first));
  }
  std::ranges::stable_sort(results, std::greater{}, rank_of);
  return results;
}

}  // namespace plimsoll
