#include "setup/run_again.h"

#include "cluster/simulation.h"
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

}  // namespace plimsoll
