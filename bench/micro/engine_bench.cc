// What does an engine step cost, and does it depend on the size of the batch?
#include <benchmark/benchmark.h>

#include <cstdint>

#include "cluster/simulation.h"
#include "deployments.h"
#include "workload/synthetic.h"

namespace plimsoll::bench {
namespace {

constexpr std::int64_t kDecodeSteps = 2000;

std::int64_t steps_of(const RunRecord& record) {
  std::int64_t steps = 0;
  for (const InstanceRecord& instance : record.instances) steps += instance.steps;
  return steps;
}

// Batches of one size that decode side by side from beginning to end: nothing joins, nothing
// leaves.
void decode_steps(benchmark::State& state, std::int64_t batch) {
  Deployment deployment = tutorial_cluster(1);
  deployment.engine.total_kv_blocks = 1'000'000;
  SyntheticSpec spec;
  spec.rate_rps = kMaxRate;
  spec.num_requests = batch;
  spec.prompt = LengthSpec::constant(8);  // all prompts fit into the first step's token budget
  spec.output = LengthSpec::constant(kDecodeSteps);
  std::int64_t steps = 0;
  for (auto _ : state) {
    SyntheticSource source(spec);
    Simulation simulation(deployment, source, {});
    simulation.advance();
    steps += steps_of(simulation.take_record());
  }
  state.SetItemsProcessed(steps);
  state.SetLabel("ns/step");
}
BENCHMARK_CAPTURE(decode_steps, batch_of_1, 1);
BENCHMARK_CAPTURE(decode_steps, batch_of_16, 16);
BENCHMARK_CAPTURE(decode_steps, batch_of_256, 256);

// The tutorial's traffic at the load that one instance can just hold: all that a request costs
// inside engine and cluster, its generation included, but neither summary nor report.
void requests(benchmark::State& state, std::int32_t instances) {
  const Deployment deployment = tutorial_cluster(instances);
  SyntheticSpec spec;
  spec.rate_rps = 12.5 * instances;
  spec.num_requests = std::int64_t{2000} * instances;  // as long a run for each
  for (auto _ : state) {
    SyntheticSource source(spec);
    Simulation simulation(deployment, source, {});
    simulation.advance();
    benchmark::DoNotOptimize(simulation.take_record());
  }
  state.SetItemsProcessed(state.iterations() * spec.num_requests);
  state.SetLabel("ns/request");
}
BENCHMARK_CAPTURE(requests, on_1_instance, 1);
BENCHMARK_CAPTURE(requests, on_16_instances, 16);
BENCHMARK_CAPTURE(requests, on_256_instances, 256);

}  // namespace
}  // namespace plimsoll::bench
