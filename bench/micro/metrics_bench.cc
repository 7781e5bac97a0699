// What does it cost to record the gaps between tokens, and to turn a record into its figures?
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/simulation.h"
#include "deployments.h"
#include "engine/itl_histogram.h"
#include "metrics/summary.h"
#include "random/distributions.h"
#include "stats/percentile.h"
#include "workload/synthetic.h"

namespace plimsoll::bench {
namespace {

// Step times as they occur: around 22 ms, a few milliseconds apart.
std::vector<Duration> step_times(std::size_t n) {
  std::vector<Duration> gaps;
  for (std::size_t i = 0; i < n; ++i) {
    RandomStream stream(1, Purpose::arrival, i);
    gaps.push_back(duration_from_us(22'000 + 1500 * draw_normal(stream)));
  }
  return gaps;
}

void itl_add(benchmark::State& state) {
  const std::vector<Duration> gaps = step_times(4096);
  ItlHistogram histogram;
  std::size_t i = 0;
  for (auto _ : state) histogram.add(gaps[i++ % gaps.size()], 112);
  benchmark::DoNotOptimize(histogram.count());
  state.SetItemsProcessed(state.iterations());
  state.SetLabel("ns/step");
}
BENCHMARK(itl_add);

void itl_merge_and_percentile(benchmark::State& state) {
  ItlHistogram one;
  for (const Duration gap : step_times(100'000)) one.add(gap, 112);
  for (auto _ : state) {
    ItlHistogram all;
    all.merge(one);
    benchmark::DoNotOptimize(all.percentile_us(99));
  }
  state.SetItemsProcessed(state.iterations());
  state.SetLabel("ns/instance");
}
BENCHMARK(itl_merge_and_percentile);

void percentiles_of_a_column(benchmark::State& state) {
  constexpr std::size_t kValues = 1'000'000;
  std::vector<std::int64_t> column;
  for (const Duration gap : step_times(kValues)) column.push_back(gap.ns / 1000);
  for (auto _ : state) {
    Percentiles<std::int64_t> of(column);
    for (const double p : {50.0, 90.0, 95.0, 99.0}) benchmark::DoNotOptimize(of.at(p));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kValues));
  state.SetLabel("ns/value");
}
BENCHMARK(percentiles_of_a_column);

void summary(benchmark::State& state) {
  SyntheticSpec spec;
  spec.rate_rps = 200;
  spec.num_requests = 200'000;
  SyntheticSource source(spec);
  Simulation simulation(tutorial_cluster(16), source, {});
  simulation.advance();
  const RunRecord record = simulation.take_record();
  for (auto _ : state) benchmark::DoNotOptimize(summarize(record));
  state.SetItemsProcessed(state.iterations() * spec.num_requests);
  state.SetLabel("ns/request");
}
BENCHMARK(summary);

}  // namespace
}  // namespace plimsoll::bench
