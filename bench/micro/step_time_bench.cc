// What does one question to a step-time model cost? It is asked once per step.
#include <benchmark/benchmark.h>

#include "deployments.h"

namespace plimsoll::bench {
namespace {

void step_time(benchmark::State& state, const char* name) {
  const auto model = tutorial_model(name);
  BatchShape shape;
  shape.add_prefill(512, 0, 512);
  shape.decode_requests = 112;
  shape.decode_context = 112 * 768;
  for (auto _ : state) {
    shape.decode_context += shape.decode_requests;
    benchmark::DoNotOptimize(model->step_us(shape));
  }
  state.SetItemsProcessed(state.iterations());
  state.SetLabel("ns/step");
}
BENCHMARK_CAPTURE(step_time, kernel, "kernel");
BENCHMARK_CAPTURE(step_time, trained_physics, "trained-physics");
BENCHMARK_CAPTURE(step_time, roofline, "roofline");
BENCHMARK_CAPTURE(step_time, blackbox, "blackbox");

}  // namespace
}  // namespace plimsoll::bench
