#include "validation/case_simulation.h"

#include <string>
#include <vector>

#include "cluster/simulation.h"
#include "validation/case_traffic.h"

namespace plimsoll {
namespace {

// Where the source does not publish how many requests a point had.
constexpr std::int64_t kRequestsPerConcurrency = 10;

RequestTable simulate(const CaseSetup& setup, RequestSource* source) {
  SimulationOptions options;
  options.semantics = setup.semantics;
  Simulation simulation(setup.deployment, *source, options);
  simulation.advance();
  return simulation.take_record().requests;
}

void add_stages(const RequestTable& rows, const std::vector<CaseStage>& stages,
                CaseFigures* figures) {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto first = static_cast<std::size_t>(stages[i].first_request);
    const auto count = static_cast<std::size_t>(stages[i].num_requests);
    const std::string prefix = "stages[" + std::to_string(i) + "].";
    add_figures(rows, first, count, prefix, figures);
    (*figures)[prefix + "saturated"] = is_saturated(rows, first, count) ? 1 : 0;
  }
}

CaseFigures open_loop_figures(const Case& measured, const RequestTable& rows,
                              const std::vector<CaseStage>& stages) {
  CaseFigures figures;
  add_figures(rows, 0, rows.size(), "", &figures);
  add_stages(rows, stages, &figures);
  bool saturated = stages.empty() && is_saturated(rows, 0, rows.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    saturated |= figures["stages[" + std::to_string(i) + "].saturated"] != 0;
  }
  figures["saturated"] = saturated ? 1 : 0;
  if (measured.window) add_window(rows, *measured.window, &figures);
  return figures;
}

}  // namespace

Sampling sampling_of(const Case& measured, Sampling usual) {
  if (measured.workload.sampling.empty()) return usual;
  return measured.workload.sampling == "top_p" ? Sampling::top_p : Sampling::greedy;
}

RequestTable simulate_rows(const Case& measured, const CaseSetup& setup) {
  WorkloadSource source(measured.workload.requests);
  return simulate(setup, &source);
}

CaseFigures simulate_open_loop(const Case& measured, const CaseSetup& setup, std::uint64_t seed) {
  if (measured.kind == CaseKind::trace) {
    return open_loop_figures(measured, simulate_rows(measured, setup), measured.workload.stages);
  }
  std::vector<CaseStage> stages;
  const Workload drawn = draw_stages(measured.workload, seed, &stages);
  WorkloadSource source(drawn);
  return open_loop_figures(measured, simulate(setup, &source), stages);
}

CaseFigures simulate_point(const Case& measured, std::size_t number, const CaseSetup& setup,
                           std::uint64_t seed) {
  const CasePoint& point = measured.points[number];
  const std::string prefix = "points[" + std::to_string(number) + "].";
  const CaseWorkload& w = measured.workload;
  const std::int64_t counted = point.num_requests.value_or(
      w.requests_per_concurrency.value_or(kRequestsPerConcurrency) * point.concurrency);
  const auto source = closed_loop(w, point.concurrency, counted, seed);
  const RequestTable rows = simulate(setup, source.get());
  CaseFigures figures;
  add_figures(rows, 0, rows.size(), prefix, &figures);
  const double step_ms = figures[prefix + "tpot_ms.mean"];
  delay_first_tokens(setup.client_steps * step_ms +
                         setup.client_ms_per_stream * static_cast<double>(point.concurrency),
                     prefix, &figures);
  // A figure whose statistic the source does not state: docs/explanation/latency-models.md says why
  // it is a mean.
  for (const char* name : {"ttft_ms", "tpot_ms", "e2e_ms"}) {
    const auto mean = figures.find(prefix + name + ".mean");
    if (mean != figures.end()) figures[prefix + name] = mean->second;
  }
  return figures;
}

}  // namespace plimsoll
