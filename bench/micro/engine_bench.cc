// What does an engine step cost, and does it depend on the size of the batch?
#include <benchmark/benchmark.h>

#include <cstdint>

#include "cluster/simulation.h"
#include "deployments.h"
#include "workload/synthetic.h"
#include "workload/workload.h"

namespace plimsoll::bench {
namespace {

constexpr std::int64_t kWaves = 20;
constexpr std::int32_t kDecodeSteps = 1000;

std::int64_t steps_of(const RunRecord& record) {
  std::int64_t steps = 0;
  for (const InstanceRecord& instance : record.instances) steps += instance.steps;
  return steps;
}

// Waves of requests that come together and decode side by side to their end: next to no step has
// anything join or leave.
Workload waves(std::int64_t batch) {
  Workload workload;
  for (std::int64_t i = 0; i < kWaves * batch; ++i) {
    workload.id.push_back(i);
    workload.arrival.push_back(Time{} + seconds(1000) * (i / batch));
    workload.input_tokens.push_back(8);  // all prompts fit into one step's token budget
    workload.output_tokens.push_back(kDecodeSteps);
  }
  return workload;
}

void decode_steps(benchmark::State& state, std::int64_t batch) {
  const Deployment deployment = tutorial_cluster(1);
  const Workload workload = waves(batch);
  std::int64_t steps = 0;
  for (auto _ : state) {
    WorkloadSource source(workload);
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
