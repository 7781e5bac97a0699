#include "setup/run_again.h"

#include "cluster/simulation.h"
#include "metrics/bottleneck.h"
#include "setup/given_flags.h"
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
  for (GivenFlag& flag : flags_far_from_defaults(made.run)) {
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
