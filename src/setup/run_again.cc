#include "setup/run_again.h"

#include <vector>

#include "base/numbers.h"
#include "cluster/simulation.h"
#include "engine/batching_rule.h"
#include "metrics/bottleneck.h"
#include "setup/engine_limits.h"
#include "setup/model_band.h"

namespace plimsoll {
namespace {

class StopMonitor final : public Monitor {
 public:
  explicit StopMonitor(const std::function<bool()>& keep_going) : keep_going_(keep_going) {}
  bool keep_going(const Progress&) override { return keep_going_(); }

 private:
  const std::function<bool()>& keep_going_;
};

Deployment divided(Deployment deployment, const Division& division) {
  for (Pool& pool : deployment.pools) {
    pool.num_instances =
        static_cast<std::int32_t>(pool.answers() ? division.decode : division.prefill);
  }
  return deployment;
}

/// A flag of the engine as it was given, and the run without it.
struct GivenFlag {
  Remedy remedy;
  bool is_far = false;  ///< from its default: worth a simulation
  double usual = 0;     ///< that default
  RunSpec without;
};

std::vector<GivenFlag> given_flags(const RunSpec& run) {
  const BatchingRuleRow& rule = batching_rule(batching_rule_of(run));
  const EngineSpec& given = run.engine;
  const EngineSpec usual;
  std::vector<GivenFlag> flags(4, {.remedy = Remedy::default_rule, .without = run});
  flags[0].is_far = given.batching_rule.is_asked();
  flags[0].without.engine.batching_rule = usual.batching_rule;

  const auto is_far = [](const std::optional<std::int64_t>& value, std::int64_t limit) {
    return value && (2 * *value <= limit || *value >= 2 * limit);
  };
  flags[1].remedy = Remedy::default_places;
  flags[1].is_far = is_far(given.max_num_seqs, rule.max_num_seqs);
  flags[1].usual = as_double(rule.max_num_seqs);
  flags[1].without.engine.max_num_seqs.reset();

  flags[2].remedy = Remedy::default_tokens;
  flags[2].is_far = rule.max_num_batched_tokens > 0 &&
                    is_far(given.max_num_batched_tokens, rule.max_num_batched_tokens);
  flags[2].usual = as_double(rule.max_num_batched_tokens);
  flags[2].without.engine.max_num_batched_tokens.reset();

  constexpr double kFar = 0.1;
  flags[3].remedy = Remedy::default_memory;
  flags[3].is_far = given.gpu_memory_utilization < *usual.gpu_memory_utilization - kFar;
  flags[3].usual = usual.gpu_memory_utilization;
  flags[3].without.engine.gpu_memory_utilization = usual.gpu_memory_utilization;
  std::erase_if(flags, [](const GivenFlag& flag) { return !flag.is_far; });
  return flags;
}

}  // namespace

std::optional<Summary> run_again(const RunMade& made, const Deployment& deployment) {
  Result<Traffic> traffic = made.make_traffic(made.run, made.setup.model);
  if (!traffic) return std::nullopt;
  SimulationOptions simulated{.semantics = semantics_of(made.run),
                              .seed = traffic->seed,
                              .horizon = traffic->horizon,
                              .threads = made.threads};
  Simulation simulation(deployment, *traffic->source, simulated);
  StopMonitor monitor(made.keep_going);
  if (!simulation.advance({}, &monitor) && !made.keep_going()) return std::nullopt;
  SummaryOptions wanted = made.wanted;
  wanted.labels = &traffic->source->labels();
  wanted.deployment = &deployment;
  wanted.verdict_sink = {};
  return summarize(simulation.take_record(), wanted);
}

std::optional<TriedDivision> try_better_division(const RunMade& made, const Summary& central) {
  const std::optional<Division> better = better_division(central.pools);
  if (!better || is_too_long_for_band(central)) return std::nullopt;
  const auto tried = run_again(made, divided(made.setup.deployment, *better));
  if (!tried) return std::nullopt;
  return TriedDivision{*better, tried->steady_state.verdict, tried->cluster.ttft.p99_ms};
}

std::optional<Because<Remedy>> try_engine_defaults(const RunMade& made, const Summary& central) {
  if (central.steady_state.verdict != SteadyVerdict::overloaded || !central.pools.pools.empty() ||
      !is_of_instances(central.bottleneck) || is_too_long_for_band(central)) {
    return std::nullopt;
  }
  for (GivenFlag& flag : given_flags(made.run)) {
    const auto setup = make_setup(flag.without);
    if (!setup) continue;
    const auto try_it = [&] {
      const RunMade without{flag.without, *setup,       made.make_traffic,
                            made.wanted,  made.threads, made.keep_going};
      return run_again(without, setup->deployment);
    };
    auto tried = try_it();
    // What overloads at once may take longer to show that it holds.
    const std::int64_t enough = tried ? tried->steady_state.enough_requests : 0;
    if (tried && needs_more_requests(*tried) && 0 < enough && enough <= kMostRequestsOfBand) {
      flag.without.traffic.num_requests = enough;
      tried = try_it();
    }
    if (tried && holds_the_load(*tried)) return Because<Remedy>{flag.remedy, flag.usual};
  }
  return std::nullopt;
}

}  // namespace plimsoll
