#include "forecast/levers.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/text.h"
#include "forecast/money.h"

namespace plimsoll {
namespace {

constexpr double kFelt = 0.03;  // a smaller change of a figure is none
constexpr double kLeverPrecision = 0.06;
constexpr double kLeverAlpha = 0.5;  // to be ranked, not to be signed
constexpr double kPercent = 100;

constexpr const char* kSmallCache = "--kv-cache-dtype=fp8";

std::string flag(const char* name, std::int64_t value) {
  return fmt::format("--{}={}", name, value);
}

struct Figure {
  const char* what;
  double (*of)(const GroupSummary&);
};

constexpr Figure kFigures[]{
    {"TTFT p99 ms", [](const GroupSummary& s) { return s.ttft.p99_ms; }},
    {"TPOT p99 ms", [](const GroupSummary& s) { return s.tpot.p99_ms; }},
    {"E2E p99 ms", [](const GroupSummary& s) { return s.e2e.p99_ms; }},
    {"KV cache %", [](const GroupSummary& s) { return kPercent * s.kv_utilization; }}};

std::vector<Pressure> worse_figures(const GroupSummary& before, const GroupSummary& after) {
  std::vector<Pressure> worse;
  for (const Figure& figure : kFigures) {
    const double was = figure.of(before);
    const double is = figure.of(after);
    if (is > was * (1 + kFelt)) worse.push_back({figure.what, was, is});
  }
  return worse;
}

double gpus_of(const Served& served) {
  return served.instances() * static_cast<double>(served.gpus_per_instance);
}

// What gains without costing more comes first, then what gains most for a dollar, then the rest.
std::pair<int, double> rank_of(const LeverResult& result) {
  const double usd = result.usd_per_month.value_or(0);
  if (result.more <= kFelt) return {0, result.more};
  return usd <= 0 ? std::pair{2, result.more} : std::pair{1, result.more / usd};
}

// Smaller KV tokens of a cache that is small already are no change.
bool changes_something(const Served& served, const Served& changed, const Lever& lever) {
  return lever.flags.front() != kSmallCache || changed.kv_tokens() > served.kv_tokens();
}

// Who is let in beyond what is held only makes all others late.
std::optional<LeverResult> admission_limit(const Served& served, const std::vector<Flow>& flows,
                                           const Line& line) {
  if (!line.is_known || line.factor <= 0 || line.factor >= 1) return std::nullopt;
  double prompts = 0;
  for (const Flow& flow : flows) {
    if (!flow.from_provider) prompts += flow.requests_per_s * flow.prompt_tokens;
  }
  const auto rate = static_cast<std::int64_t>(prompts * line.factor);
  constexpr std::int64_t kSeconds = 10;  // of burst that the bucket lets in
  LeverResult result;
  result.lever = {
      "turn away what is not held",
      {"--admission-policy=token-bucket", fmt::format("--token-bucket-refill-rate={}", rate),
       fmt::format("--token-bucket-capacity={}", kSeconds * rate)}};
  result.line = line;
  result.gpus = gpus_of(served);
  if (served.usd_per_gpu_hour) result.usd_per_month = 0;
  result.worse = {{"turned away %", 0, kPercent * (1 - line.factor)}};
  return result;
}

}  // namespace

bool is_tight(const HeadroomSheet& headroom) {
  constexpr double kTightShare = 0.8;
  if (headroom.forecast->line.factor * kTightShare <= 1) return true;
  return std::ranges::any_of(headroom.rows, [](const SheetRow& row) {
    const bool can_change = row.resource == Resource::gpus || row.resource == Resource::budget;
    return can_change && row.risk().value_or(Risk::ok) != Risk::ok;
  });
}

std::vector<Lever> levers_for(const ForecastRequest& request, const Served& served) {
  const std::int64_t n = served.system.deployment.num_instances;
  const EngineConfig& engine = served.system.deployment.engine;
  std::vector<Lever> levers;
  const std::int64_t more = std::max<std::int64_t>(1, n / 4);
  levers.push_back({counted(more, "instance") + " more", {flag("num-instances", n + more)}});
  if (n % 2 == 0) {
    levers.push_back({fmt::format("TP {} on the same GPUs", 2 * served.tp),
                      {flag("tp", 2 * served.tp), flag("num-instances", n / 2)}});
  }
  levers.push_back({"half as many places per batch",
                    {flag("max-num-seqs", std::max<std::int64_t>(1, engine.max_num_seqs / 2))}});
  if (engine.chunked_prefill) {
    levers.push_back({"chunks of half the size",
                      {flag("max-num-batched-tokens",
                            std::max<std::int64_t>(16, engine.max_num_batched_tokens / 2))}});
    levers.push_back({"chunks of four times the size",
                      {flag("max-num-batched-tokens", 4 * engine.max_num_batched_tokens)}});
  }
  const bool caches = std::ranges::any_of(
      request.forecast, [](const Route& route) { return route.cached_share > 0; });
  for (const char* router : {"least-loaded", "weighted"}) {
    const bool by_prefix = router == std::string_view("weighted");
    if (n < 2 || served.system.deployment.router == router || (by_prefix && !caches)) continue;
    levers.push_back({std::string("routing ") + (by_prefix ? "by prefix" : "to the least loaded"),
                      {std::string("--routing-policy=") + router}});
  }
  levers.push_back({"KV cache in 8 bits", {kSmallCache}});
  for (const std::string& gpu : served.cheaper_gpus) {
    levers.push_back({gpu + " instead of " + served.gpu, {"--hardware=" + gpu}});
  }
  return levers;
}

Result<std::vector<LeverResult>> try_levers(const ForecastRequest& request, const Served& served,
                                            const HeadroomSheet& headroom, const Serve& serve,
                                            const Execution& execution) {
  const std::vector<Flow> flows = flows_of(request.forecast);
  const Line& now_held = headroom.forecast->line;
  std::vector<std::pair<LeverResult, Served>> tried;
  for (Lever& lever : levers_for(request, served)) {
    auto changed = serve(lever.flags);
    if (!changed) continue;  // does not fit, or heads do not divide
    if (!changes_something(served, *changed, lever)) continue;
    LeverResult result;
    result.lever = std::move(lever);
    result.gpus = gpus_of(*changed);
    if (const auto now = usd_per_month(served, gpus_of(served)),
        then = usd_per_month(*changed, result.gpus);
        now && then) {
      result.usd_per_month = *then - *now;
    }
    tried.emplace_back(std::move(result), std::move(*changed));
  }
  Execution alone = execution;
  alone.threads = 1;
  std::vector<Result<void>> ends(tried.size());
  const auto work = [&](std::size_t i) -> Result<void> {
    auto& [result, changed] = tried[i];
    auto line = find_line(changed, flows, LoadGrowth::rate, request.load, alone,
                          {kLeverPrecision, now_held.of_guess, kLeverAlpha});
    if (!line) return pass_on(line);
    auto probe = test_flows(changed, flows, request.load, alone);
    if (!probe) return pass_on(probe);
    result.line = std::move(*line);
    result.more = result.line.factor - now_held.factor;
    result.worse = worse_figures(headroom.forecast->probe.summary.cluster, probe->summary.cluster);
    return {};
  };
  for_each_in_parallel(
      tried.size(), execution.threads, [&](std::size_t i) { ends[i] = work(i); },
      execution.keep_going);
  std::vector<LeverResult> results;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (!ends[i]) continue;  // its instances hold none of the requests
    const Line& line = tried[i].first.line;
    if (!line.is_searched || line.interrupted || !line.is_known) continue;
    results.push_back(std::move(tried[i].first));
  }
  if (auto limit = admission_limit(served, flows, now_held)) results.push_back(std::move(*limit));
  std::ranges::stable_sort(results, std::greater{}, rank_of);
  return results;
}

}  // namespace plimsoll
