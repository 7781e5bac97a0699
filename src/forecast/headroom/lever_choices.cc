// Which levers a deployment has: each a change by flags of `plimsoll run`, tried in
// forecast/headroom/levers.cc.
#include <algorithm>
#include <cmath>
#include <utility>

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
  LeverChoices(const ForecastRequest& request, const Served& served, const Line& now_held)
      : request_(request),
        served_(served),
        now_held_(now_held),
        instances_(served.system.deployment.num_instances),
        engine_(served.system.deployment.engine) {}

  std::vector<Lever> all() {
    add_instances();
    add_tp();
    add("half as many places per batch",
        {flag("max-num-seqs", std::max<std::int64_t>(1, engine_.max_num_seqs / 2))});
    add_chunks();
    add_routing();
    add("KV cache in 8 bits", {"--kv-cache-dtype=fp8"}, LeverKind::smaller_cache);
    for (const std::string& gpu : served_.cheaper_gpus) {
      add(gpu + " instead of " + served_.gpu, {"--hardware=" + gpu});
    }
    add_admission();
    return std::move(levers_);
  }

 private:
  void add(std::string name, std::vector<std::string> flags, LeverKind kind = LeverKind::gains) {
    levers_.push_back({std::move(name), std::move(flags), kind});
  }

  // One fewer only where there is something to spare.
  void add_instances() {
    const std::int64_t more = std::max<std::int64_t>(1, instances_ / 4);
    add(counted(more, "instance") + " more", {flag("num-instances", instances_ + more)});
    if (instances_ < 2 || now_held_.factor < 1) return;
    add("1 instance fewer", {flag("num-instances", instances_ - 1)}, LeverKind::saves);
  }

  void add_tp() {
    const std::int64_t tp = 2 * served_.tp;
    if (instances_ % 2 == 0) {
      add(fmt::format("TP {} on the same GPUs", tp),
          {flag("tp", tp), flag("num-instances", instances_ / 2)});
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
      const std::int64_t tokens = engine_.max_num_batched_tokens;
      add("chunks of half the size",
          {flag("max-num-batched-tokens", std::max<std::int64_t>(16, tokens / 2))});
      add("chunks of four times the size", {flag("max-num-batched-tokens", 4 * tokens)});
    }
  }

  void add_routing() {
    const std::string& now = served_.system.deployment.router;
    const bool caches = std::ranges::any_of(
        request_.forecast, [](const Route& route) { return route.cached_share > 0; });
    if (instances_ < 2) return;
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
    add("turn away what is not held",
        {"--admission-policy=token-bucket", flag("token-bucket-refill-rate", std::llround(per_s)),
         flag("token-bucket-capacity", std::llround(std::max(room, per_s)))},
        LeverKind::turns_away);
  }

  const ForecastRequest& request_;
  const Served& served_;
  const Line& now_held_;
  std::int64_t instances_;
  const EngineConfig& engine_;
  std::vector<Lever> levers_;
};

}  // namespace

std::vector<Lever> levers_for(const ForecastRequest& request, const Served& served,
                              const Line& now_held) {
  return LeverChoices(request, served, now_held).all();
}

}  // namespace plimsoll
