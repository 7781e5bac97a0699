#include "calibration/experiment.h"

#include <algorithm>

#include "catalog/catalog.h"
#include "validation/case_layout.h"
#include "validation/case_simulation.h"

namespace plimsoll {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kSeed = 42;  // as `validate`

using Figures = std::vector<std::pair<std::string, Measure>>;

CaseSetup with(CaseSetup setup, StepTimePtr step_time) {
  setup.deployment.main().step_time = std::move(step_time);
  return setup;
}

std::vector<double> values_at(const CaseFigures& predicted, const Figures& figures) {
  std::vector<double> ms;
  for (const auto& [path, what] : figures) {
    const auto at = predicted.find(path);
    ms.push_back(at == predicted.end() ? kNothing : at->second);
  }
  return ms;
}

double or_nothing(double ms) { return ms > 0 ? ms : kNothing; }

double predicted_ms(const RequestTable& rows, std::size_t row, Measure what) {
  if (!is_completed(rows.outcome[row])) return kNothing;
  if (what == Measure::ttft) return to_ms(rows.ttft[row]);
  const std::int32_t gaps = rows.generated_tokens[row] - 1;
  return gaps > 0 ? or_nothing(to_ms(rows.e2e[row] - rows.ttft[row]) / gaps) : kNothing;
}

void add_rows(const Case& measured, const CaseSetup& setup, Experiment* out) {
  const Workload& requests = measured.workload.requests;
  std::vector<std::size_t> used;
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const CaseRow& row = measured.workload.rows[i];
    if (row.ttft_ms <= 0) continue;
    const double begin_s = to_seconds(requests.arrival[i]);
    used.push_back(i);
    seen.push_back({begin_s, begin_s + row.ttft_ms / 1000,
                    begin_s + std::max(row.ttft_ms, row.e2e_ms) / 1000, requests.input_tokens[i]});
    out->prompt_tokens += static_cast<double>(requests.input_tokens[i]);
  }
  const auto n = static_cast<double>(std::max<std::size_t>(1, used.size()));
  out->prompt_tokens /= n;
  for (const double others : under_way(seen)) out->load += others / n;
  const std::vector<std::int64_t> ttft_cells = cells_of(seen, Measure::ttft);
  const std::vector<std::int64_t> tpot_cells = cells_of(seen, Measure::tpot);
  std::vector<std::pair<std::size_t, Measure>> places;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const CaseRow& row = measured.workload.rows[used[i]];
    const std::int64_t block = block_of(i, used.size());
    out->observations.push_back({Measure::ttft, row.ttft_ms, block, ttft_cells[i]});
    places.emplace_back(used[i], Measure::ttft);
    if (row.tpot_ms <= 0) continue;
    out->observations.push_back({Measure::tpot, row.tpot_ms, block, tpot_cells[i]});
    places.emplace_back(used[i], Measure::tpot);
  }
  out->predict = [&measured, setup, places](StepTimePtr step_time) {
    const RequestTable rows = simulate_rows(measured, with(setup, std::move(step_time)));
    std::vector<double> ms;
    for (const auto& [row, what] : places) ms.push_back(predicted_ms(rows, row, what));
    return ms;
  };
}

// The mean, or the figure of which the source does not say what it is.
std::optional<std::string> path_of(const Case& measured, const std::string& path) {
  for (const std::string& name : {path + ".mean", path}) {
    const auto at = measured.measured.find(name);
    if (at != measured.measured.end() && at->second > 0) return name;
  }
  return std::nullopt;
}

// Of one stage, point or run: all of it is fitted or held out.
void add_figures_of(const Case& measured, const std::string& prefix, std::int64_t block,
                    Figures* figures, Experiment* out) {
  const std::pair<const char*, Measure> both[]{{"ttft_ms", Measure::ttft},
                                               {"tpot_ms", Measure::tpot}};
  for (const auto& [name, what] : both) {
    const auto path = path_of(measured, prefix + name);
    if (!path) continue;
    out->observations.push_back({what, measured.measured.at(*path), block, block});
    figures->emplace_back(*path, what);
  }
}

bool is_overloaded(const Case& measured, const std::string& prefix) {
  const auto at = measured.measured.find(prefix + "saturated");
  return at != measured.measured.end() && at->second != 0;
}

void add_stages(const Case& measured, const CaseSetup& setup, Experiment* out) {
  Figures figures;
  std::int64_t block = 0;
  for (std::size_t i = 0; i < measured.workload.stages.size(); ++i) {
    const std::string prefix = "stages[" + std::to_string(i) + "].";
    if (!is_overloaded(measured, prefix)) {
      add_figures_of(measured, prefix, block++, &figures, out);
    }
  }
  if (figures.empty()) add_figures_of(measured, "", 0, &figures, out);
  out->predict = [&measured, setup, figures](StepTimePtr step_time) {
    return values_at(simulate_open_loop(measured, with(setup, std::move(step_time)), kSeed),
                     figures);
  };
}

void add_points(const Case& measured, const std::vector<CaseSetup>& setups, Experiment* out) {
  std::vector<Figures> by_point;
  std::int64_t block = 0;
  for (std::size_t i = 0; i < measured.points.size(); ++i) {
    Figures figures;
    if (!measured.points[i].excluded) {
      add_figures_of(measured, "points[" + std::to_string(i) + "].", block++, &figures, out);
    }
    by_point.push_back(std::move(figures));
  }
  out->predict = [&measured, setups, by_point](StepTimePtr step_time) {
    std::vector<double> ms;
    for (std::size_t i = 0; i < by_point.size(); ++i) {
      if (by_point[i].empty()) continue;
      const auto values =
          values_at(simulate_point(measured, i, with(setups[i], step_time), kSeed), by_point[i]);
      ms.insert(ms.end(), values.begin(), values.end());
    }
    return ms;
  };
}

double mean_of(const LengthRange& range) {
  return 0.5 * static_cast<double>(range.least + range.most);
}

}  // namespace

Result<CaseExperiment> experiment_of(const Case& measured, const ModelConfig& model,
                                     Sampling sampling, const std::string& latency_model) {
  if (measured.kind == CaseKind::closed_loop_pd) {
    return fail(ErrorKind::usage,
                measured.name +
                    " has separate prefill and decode workers: its latencies do not "
                    "say how long a step of one engine is");
  }
  if (measured.kind == CaseKind::closed_loop_sessions) {
    return fail(ErrorKind::usage,
                measured.name +
                    " has conversations behind a router: its figures depend on what was cached "
                    "as much as on how long a step is",
                "calibrate with runs of prompts that share nothing");
  }
  if (is_overloaded(measured, "")) {
    return fail(ErrorKind::usage,
                measured.name +
                    " was overloaded: its latencies say how long the overload lasted, "
                    "not how long a step does",
                "calibrate with runs that hold their load");
  }
  for (const CaseStage& stage : measured.workload.stages) {
    if (measured.kind == CaseKind::stages && !(stage.duration_s > 0)) {
      return fail(ErrorKind::usage,
                  "how long the stages of " + measured.name + " lasted is not published");
    }
  }
  const bool closed = measured.kind == CaseKind::closed_loop;
  std::vector<CaseSetup> setups;
  for (std::size_t i = 0; i < (closed ? measured.points.size() : 1); ++i) {
    TRY(setup, deploy(measured, model, sampling_of(measured, sampling), latency_model, nullptr,
                      closed ? measured.points[i].concurrency : 0));
    setups.push_back(std::move(setup));
  }
  CaseExperiment out;
  out.gpu = find_gpu(measured.deployment.gpu, SemanticsMode::vllm)->name;
  std::vector<CaseAssumption> told;  // by deploy(), already
  TRY(layout, layout_of(measured.deployment.layout, model, &told));
  out.layout = layout;
  Experiment& e = out.experiment;
  e.source = measured.name;
  e.seen_by_client = measured.observed_by_client;
  e.prompt_tokens = mean_of(measured.workload.input);
  if (closed) {
    add_points(measured, setups, &e);
  } else if (measured.workload.rows.empty()) {
    add_stages(measured, setups.front(), &e);
  } else {
    add_rows(measured, setups.front(), &e);
  }
  if (e.observations.empty()) {
    return fail(ErrorKind::usage, measured.name + " has no measured TTFT or TPOT to fit");
  }
  e.base = setups.front().deployment.main().step_time;
  return out;
}

}  // namespace plimsoll
