// Which levers a deployment has.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/batching_rule.h"
#include "forecast/headroom/levers.h"

namespace plimsoll {
namespace {

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
    if (now != "session-affinity" && only_sessions_share())
      add("routing by session", {"--routing-policy=session-affinity"});
  }

  // Else all requests of a route would go to one instance.
  bool only_sessions_share() const {
    bool any = false;
    for (const Route& route : request_.forecast) {
      if (route.from_provider || route.cached_share <= 0) continue;
      if (!route.sessions) return false;
      any = true;
    }
    return any;
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

std::vector<Lever> levers_for(const ForecastRequest& request, const Served& served,
                              const Line& now_held, std::int64_t enough) {
  return LeverChoices(request, served, now_held, enough).all();
}

}  // namespace plimsoll
