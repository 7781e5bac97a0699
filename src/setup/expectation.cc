#include "setup/expectation.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/parallel.h"
#include "cluster/longer_steps.h"
#include "cluster/simulation.h"
#include "metrics/group_summary.h"
#include "metrics/intervals.h"
#include "random/portable_math.h"
#include "setup/traffic.h"

namespace plimsoll {
namespace {

using Curves = std::vector<LatencyCurve>;

Result<Curves> curves_with(double factor, const RunSpec& run, const Setup& setup,
                           const MetricDefinitions& how, std::size_t first_row) {
  TRY(traffic, recorded_traffic(run, setup.model));
  const Deployment deployment = with_longer_steps(setup.deployment, factor);
  Simulation simulation(
      deployment, *traffic.source,
      {.semantics = semantics_of(run), .seed = traffic.seed, .horizon = traffic.horizon});
  simulation.advance();
  return latency_curves(simulation.take_record().requests, how, first_row);
}

// A first token also waits for what no step time explains.
double beside_steps(const ModelError& error, const LatencyCurve& curve, std::size_t p) {
  if (curve.name != "TTFT") return 1;
  return portable_exp(error_beside_steps(error, &GroupSummary::ttft, static_cast<double>(p)));
}

void add_band(const ModelError& error, const LatencyCurve& fast, const LatencyCurve& slow,
              ExpectedLatency* out) {
  for (std::size_t p = 1; p < 100; ++p) {
    const auto [low, high] = std::minmax({out->center.at(p), fast.at(p), slow.at(p)});
    const double beside = beside_steps(error, out->center, p);
    out->low_ms.push_back(low / beside);
    out->high_ms.push_back(high * beside);
  }
}

}  // namespace

Result<Expectation> expectation(const RunSpec& run, const Setup& setup,
                                const MetricDefinitions& how, std::size_t first_row) {
  const double z = setup.model_error ? portable_exp(setup.model_error->step) : 1;
  const std::array<double, 3> factors{1, 1 / z, z};
  const std::size_t runs = setup.model_error ? factors.size() : 1;
  std::array<Result<Curves>, 3> curves;
  for_each_in_parallel(runs, runs, [&](std::size_t i) {
    curves[i] = curves_with(factors[i], run, setup, how, first_row);
  });
  Expectation out;
  out.deployment = fmt::format("{} on {} {}", setup.model, setup.gpus, setup.gpu);
  for (std::size_t i = 0; i < runs; ++i)
    if (!curves[i]) return pass_on(curves[i]);
  for (std::size_t i = 0; i < curves[0]->size(); ++i) {
    ExpectedLatency& latency = out.latencies.emplace_back(ExpectedLatency{(*curves[0])[i], {}, {}});
    const bool has_ends = runs > 1 && i < curves[1]->size() && i < curves[2]->size();
    if (has_ends) add_band(*setup.model_error, (*curves[1])[i], (*curves[2])[i], &latency);
  }
  return out;
}

}  // namespace plimsoll
