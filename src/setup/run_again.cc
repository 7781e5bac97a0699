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

std::optional<Summary> run_again(const RunSpec& run, const Setup& setup, TrafficMaker make_traffic,
                                 SummaryOptions wanted, const Deployment& deployment,
                                 const std::function<bool()>& keep_going) {
  Result<Traffic> traffic = make_traffic(run, setup.model);
  if (!traffic) return std::nullopt;
  SimulationOptions simulated{
      .semantics = semantics_of(run), .seed = traffic->seed, .horizon = traffic->horizon};
  Simulation simulation(deployment, *traffic->source, simulated);
  StopMonitor monitor(keep_going);
  if (!simulation.advance({}, &monitor) && !keep_going()) return std::nullopt;
  wanted.labels = &traffic->source->labels();
  wanted.deployment = &deployment;
  wanted.verdict_sink = {};
  return summarize(simulation.take_record(), wanted);
}

std::optional<TriedDivision> try_better_division(const RunSpec& run, const Setup& setup,
                                                 TrafficMaker make_traffic,
                                                 const SummaryOptions& wanted,
                                                 const Summary& central,
                                                 const std::function<bool()>& keep_going) {
  const std::optional<Division> better = better_division(central.pools);
  if (!better || is_too_long_for_band(central)) return std::nullopt;
  const auto tried =
      run_again(run, setup, make_traffic, wanted, divided(setup.deployment, *better), keep_going);
  if (!tried) return std::nullopt;
  return TriedDivision{*better, tried->steady_state.verdict, tried->cluster.ttft.p99_ms};
}

}  // namespace plimsoll
