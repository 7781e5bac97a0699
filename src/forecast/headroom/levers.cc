#include "forecast/headroom/levers.h"

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/text.h"
#include "engine/batching_rule.h"
#include "forecast/headroom/money.h"
#include "forecast/headroom/pressures.h"
#include "forecast/headroom/situation.h"
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

// Is every limit kept for those that were served?
bool keeps_limits(const LoadProbe& probe, const std::vector<Slo>& slos) {
  if (probe.slos.size() != slos.size()) return false;
  for (std::size_t i = 0; i < slos.size(); ++i) {
    if (probe.slos[i].value_ms > to_ms(slos[i].limit)) return false;
  }
  return true;
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
    const bool is_other = changed.gpu != served_.gpu || result->lever.kind == LeverKind::migration;
    if (is_other) result->more_interval = more_within_errors(changed, *result);
    return {};
  }

 private:
  // Errors of steps are log-normal about 1; those of a ratio add up as squares.
  std::optional<Interval> more_within_errors(const Served& changed,
                                             const LeverResult& result) const {
    if (!served_.model_error || !changed.model_error) return std::nullopt;
    const double error = std::hypot(served_.model_error->step, changed.model_error->step);
    const double ratio = portable_exp(error);
    const double now = now_.line.factor;
    return Interval{result.line.factor / ratio - now, result.line.factor * ratio - now};
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
    line.is_known = keeps_limits(probe, request_.slos);
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

std::string flag(const char* name, std::int64_t value) {
  return fmt::format("--{}={}", name, value);
}

class LeverChoices {
 public:
  LeverChoices(const ForecastRequest& request, const Served& served, const Line& now_held,
               std::int64_t enough)
      : request_(request),
        served_(served),
        now_held_(now_held),
        enough_(enough),
        replicas_(served.replicas()),
        engine_(served.system.deployment.main().engine) {}

  std::vector<Lever> all() {
    add_replicas();
    if (served_.has_pools()) {
      add_to_one_of_pools();
    } else {
      add_to_only_pool();
    }
    add_routing();
    add("KV cache in 8 bits", {"--kv-cache-dtype=fp8"}, LeverKind::smaller_cache);
    levers_.back().changes_answers = true;
    for (const std::string& gpu : served_.cheaper_gpus) {
      add(gpu + " instead of " + served_.gpu, {"--hardware=" + gpu});
      levers_.back().is_other_gpu = true;
    }
    add_admission();
    return std::move(levers_);
  }

 private:
  void add(std::string name, std::vector<std::string> flags, LeverKind kind = LeverKind::gains) {
    levers_.push_back({std::move(name), std::move(flags), kind});
  }

  void add_replicas() {
    const std::int64_t more = std::max<std::int64_t>(1, replicas_ / 4);
    add_resized(counted(more, served_.has_pools() ? "more group" : "more instance"),
                replicas_ + more, LeverKind::gains);
    if (enough_ < 1 || enough_ >= replicas_) return;
    add_resized(
        counted(replicas_ - enough_, served_.has_pools() ? "fewer group" : "fewer instance"),
        enough_, LeverKind::saves);
  }

  // Which of them is short, if they cost the same: the price is that of a GPU in the mean.
  void add_to_one_of_pools() {
    const std::vector<Pool>& pools = served_.system.deployment.pools;
    if (!std::ranges::all_of(pools, [&](const Pool& p) { return p.gpu == pools.front().gpu; }))
      return;
    for (std::size_t i = 0; i < pools.size(); ++i) {
      add(fmt::format("1 more {} instance", pools[i].name), {});
      levers_.back().pools = sizes_of(served_.system.deployment);
      levers_.back().pools[i].instances += 1;
    }
  }

  void add_resized(std::string name, std::int64_t replicas, LeverKind kind) {
    if (served_.has_pools()) {
      add(std::move(name), {}, kind);
      levers_.back().pools = sizes_of(served_.with_replicas(replicas).system.deployment);
    } else {
      add(std::move(name), {flag("num-instances", replicas)}, kind);
    }
  }

  // What flags say of all pools may not be what one of them is short of.
  void add_to_only_pool() {
    add_tp();
    const std::int64_t fewer_seqs = std::max<std::int64_t>(1, engine_.max_num_seqs / 2);
    add("batches of at most " + grouped(fewer_seqs), {flag("max-num-seqs", fewer_seqs)});
    add_chunks();
  }

  void add_tp() {
    const std::int64_t tp = 2 * served_.tp;
    if (replicas_ % 2 == 0) {
      add(fmt::format("TP {} on the same GPUs", tp),
          {flag("tp", tp), flag("num-instances", replicas_ / 2)});
    } else {
      add(fmt::format("TP {} on twice the GPUs", tp), {flag("tp", tp)});
    }
  }

  void add_chunks() {
    const BatchingRuleRow& rule = batching_rule(engine_.batching_rule);
    if (!rule.chunks_prompts) {
      const std::string& other = batching_rules().front().name;
      add("prompts in chunks, as " + other, {"--batching-rule=" + other});
    } else if (!engine_.chunked_prefill) {
      add("prompts in chunks", {"--no-chunked-prefill=false"});
    } else {
      const std::int64_t now = engine_.max_num_batched_tokens;
      for (const std::int64_t tokens : {std::max<std::int64_t>(16, now / 2), 4 * now})
        add(fmt::format("chunks of {} tokens", grouped(tokens)),
            {flag("max-num-batched-tokens", tokens)});
    }
  }

  void add_routing() {
    const std::string& now = served_.system.deployment.router;
    const bool caches = std::ranges::any_of(
        request_.forecast, [](const Route& route) { return route.cached_share > 0; });
    if (served_.system.deployment.num_instances() < 2) return;
    if (now != "least-loaded") {
      add("routing to the least loaded", {"--routing-policy=least-loaded"});
    }
    if (now != "weighted" && caches) add("routing by prefix", {"--routing-policy=weighted"});
  }

  // Who is let in beyond what is held only makes all others late: prompt tokens are let in as fast
  // as they come with the largest load that was seen to hold.
  void add_admission() {
    if (!now_held_.is_known || now_held_.factor >= 1 || !now_held_.at_line) return;
    constexpr double kPrompts = 8;  // that fit the bucket, which has room for a second in any case
    double tokens = 0;
    double requests = 0;
    double room = 0;
    for (const Flow& flow : served_flows(flows_of(request_.forecast))) {
      tokens += flow.requests_per_s * flow.prompt_tokens;
      requests += flow.requests_per_s;
      room = std::max(room, kPrompts * flow.prompt_tokens);
    }
    const double per_s = tokens / requests * now_held_.at_line->rate_rps;
    add("reject the excess load",
        {"--admission-policy=token-bucket", flag("token-bucket-refill-rate", std::llround(per_s)),
         flag("token-bucket-capacity", std::llround(std::max(room, per_s)))},
        LeverKind::turns_away);
  }

  const ForecastRequest& request_;
  const Served& served_;
  const Line& now_held_;
  std::int64_t enough_;
  std::int64_t replicas_;
  const EngineConfig& engine_;
  std::vector<Lever> levers_;
};

}  // namespace

std::optional<double> LeverResult::more_per_1k_usd() const {
  if (!gains() || usd_per_month.value_or(0) <= 0) return std::nullopt;
  return more / (*usd_per_month / 1000);
}

bool LeverResult::gains() const { return (more_interval ? more_interval->low : more) > kToldApart; }

bool LeverResult::changes_nothing() const { return !more_interval && std::abs(more) <= kToldApart; }

bool LeverResult::loses() const {
  return (more_interval ? more_interval->high : more) < -kToldApart;
}

bool LeverResult::saves() const {
  return lever.kind == LeverKind::saves && usd_per_month && *usd_per_month < 0;
}

bool LeverResult::gains_for_nothing() const {
  return gains() && usd_per_month && *usd_per_month <= 0;
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
  for_each_in_parallel(
      tried.size(), execution.threads,
      [&](std::size_t i) { ends[i] = trying.simulate(tried[i].second, &tried[i].first); },
      execution.keep_going);
  std::vector<LeverResult> results;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (!ends[i]) continue;  // its instances hold none of the requests
    if (is_of_use(tried[i].first)) results.push_back(std::move(tried[i].first));
  }
  std::ranges::stable_sort(results, std::greater{}, rank_of);
  return results;
}

std::vector<Lever> levers_for(const ForecastRequest& request, const Served& served,
                              const Line& now_held, std::int64_t enough) {
  return LeverChoices(request, served, now_held, enough).all();
}

}  // namespace plimsoll
