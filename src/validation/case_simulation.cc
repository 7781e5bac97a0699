#include "validation/case_simulation.h"

#include <cmath>
#include <deque>

#include "cluster/simulation.h"
#include "random/distributions.h"
#include "stats/average.h"
#include "stats/percentile.h"
#include "workload/length_distribution.h"

namespace plimsoll {
namespace {

void add_distribution(const std::string& name, std::vector<double> values, CaseFigures* figures) {
  if (values.empty()) return;
  (*figures)[name + ".mean"] = mean_of(values);
  Percentiles<double> percentiles(std::move(values));
  (*figures)[name + ".p50"] = percentiles.at(50);
  (*figures)[name + ".p90"] = percentiles.at(90);
  (*figures)[name + ".p99"] = percentiles.at(99);
}

double median_ttft_s(const RequestTable& rows, std::size_t first, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = first; i < first + count; ++i) {
    values.push_back(is_completed(rows.outcome[i]) ? to_seconds(rows.ttft[i])
                                                   : std::numeric_limits<double>::infinity());
  }
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count / 2),
                   values.end());
  return values[count / 2];
}

/// Request i takes prompt i of the cycle: what its group shares, then what it has of its own.
class PromptCycle {
 public:
  PromptCycle(const std::optional<SharedPrompts>& shared, std::int64_t input) {
    if (!shared) return;
    const std::int64_t system = std::min(shared->system_tokens, input);
    std::uint64_t contents = 0;
    for (std::int64_t group = 0; group < shared->groups; ++group) {
      const std::uint64_t system_content = shared_content(contents++);
      for (std::int64_t i = 0; i < shared->prompts_per_group; ++i) {
        segments_.push_back({system_content, system});
        segments_.push_back({shared_content(contents++), input - system});
      }
    }
  }

  void add_to(Workload* workload) const {
    const std::size_t i = workload->prefix_begin.size();
    const std::size_t prompts = segments_.size() / 2;
    workload->prefix_begin.push_back(prompts == 0 ? 0
                                                  : static_cast<std::uint32_t>(2 * (i % prompts)));
    workload->prefix_count.push_back(prompts == 0 ? 0 : 2);
  }
  std::vector<PrefixSegment> take_segments() { return std::move(segments_); }

 private:
  std::vector<PrefixSegment> segments_;
};

/// All streams start at once. In step, they would stay so where all requests are alike, in waves of
/// prompts that no steady state has: out of step, the first answer of each is cut to a part.
class ClosedLoop final : public RequestSource {
 public:
  ClosedLoop(const ClosedLoopSpec& spec, std::uint64_t seed) : spec_(spec), seed_(seed) {}

  bool next(Request* request) override {
    if (made_ >= spec_.concurrency) return false;
    return make(Time{}, request);
  }
  bool reacts() const override { return true; }
  bool follow_up(const Departure& departure, Request* request) override {
    return make(departure.at, request);
  }

 private:
  bool make(Time arrival, Request* request) {
    if (made_ >= spec_.num_requests) return false;
    *request = {};
    request->arrival = arrival;
    request->input_tokens = draw_length(spec_.input, Purpose::prompt_length, seed_, made_);
    request->output_tokens = draw_length(spec_.output, Purpose::output_length, seed_, made_);
    if (!spec_.in_step && made_ < spec_.concurrency) {
      const double part = static_cast<double>(made_ + 1) / static_cast<double>(spec_.concurrency);
      request->output_tokens = static_cast<std::int32_t>(std::ceil(part * request->output_tokens));
    }
    request->own_content = unique_content(static_cast<std::uint64_t>(made_));
    request->awaited = true;
    if (spec_.repeats_prompts) {
      known_.push_back({shared_content(static_cast<std::uint64_t>(made_)), request->input_tokens});
      request->prefix = {&known_.back(), 1};
    }
    ++made_;
    return true;
  }

  const ClosedLoopSpec spec_;
  const std::uint64_t seed_;
  std::deque<PrefixSegment> known_;  ///< whole prompts
  std::int64_t made_ = 0;
};

// Where the source does not publish how many requests a point had: enough for a steady state, of
// which what the streams open with is no part.
constexpr std::int64_t kRequestsPerConcurrency = 10;
constexpr std::int64_t kOpeningPerConcurrency = 2;

RequestTable simulate(const CaseSetup& setup, RequestSource* source) {
  SimulationOptions options{.semantics = setup.semantics,
                            .prefixes_are_cached = setup.prompts_are_cached};
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

// Poisson arrivals stage by stage, prompts in a cycle. Notes in `stages` which requests arrive in
// each.
Workload draw_stages(const CaseWorkload& spec, std::uint64_t seed, std::vector<CaseStage>* stages) {
  Workload workload;
  PromptCycle prompts(spec.shared_prompts, spec.input.least);
  double start_s = 0;
  std::int64_t i = 0;
  for (CaseStage stage : spec.stages) {
    stage.first_request = i;
    double at_s = start_s;
    for (;; ++i) {
      RandomStream stream(seed, Purpose::arrival, static_cast<std::uint64_t>(i));
      at_s += draw_exponential(stream) / stage.rate_rps;
      if (at_s >= start_s + stage.duration_s) break;
      workload.arrival.push_back({std::llround(at_s * 1e9)});
      workload.input_tokens.push_back(draw_length(spec.input, Purpose::prompt_length, seed, i));
      workload.output_tokens.push_back(draw_length(spec.output, Purpose::output_length, seed, i));
      workload.id.push_back(i);
      prompts.add_to(&workload);
    }
    stage.num_requests = i - stage.first_request;
    stages->push_back(stage);
    start_s += stage.duration_s + spec.pause_between_stages_s;
  }
  workload.prefix_segments = prompts.take_segments();
  return workload;
}

// Every first token comes so much later: for the figures of requests under `prefix`.
void delay_first_tokens(double delay_ms, const std::string& prefix, CaseFigures* figures) {
  for (const char* name : {"ttft_ms", "e2e_ms"}) {
    for (const char* statistic : {".mean", ".p50", ".p90", ".p99"}) {
      const auto at = figures->find(prefix + name + statistic);
      if (at != figures->end()) at->second += delay_ms;
    }
  }
}

}  // namespace

std::int32_t draw_length(const LengthRange& range, Purpose purpose, std::uint64_t seed,
                         std::int64_t i) {
  const std::int64_t values = range.most - range.least + 1;
  if (values == 1) return static_cast<std::int32_t>(range.least);
  if (range.stdev > 0) {
    const GaussianLength normal{range.mean, range.stdev, range.least, range.most};
    return LengthSampler(normal).draw({seed, purpose, static_cast<std::uint64_t>(i)});
  }
  const double u = RandomStream(seed, purpose, static_cast<std::uint64_t>(i)).uniform();
  return static_cast<std::int32_t>(range.least +
                                   static_cast<std::int64_t>(u * static_cast<double>(values)));
}

void add_figures(const RequestTable& rows, std::size_t first, std::size_t count,
                 const std::string& prefix, CaseFigures* figures) {
  std::vector<double> ttft;
  std::vector<double> tpot;
  std::vector<double> e2e;
  double tokens = 0;
  Time begin = kNever;
  Time end;
  for (std::size_t i = first; i < first + count; ++i) {
    begin = std::min(begin, rows.arrival[i]);
    if (!is_completed(rows.outcome[i])) continue;
    ttft.push_back(to_ms(rows.ttft[i]));
    e2e.push_back(to_ms(rows.e2e[i]));
    const std::int32_t generated = rows.generated_tokens[i];
    tokens += generated;
    if (generated > 1) tpot.push_back((e2e.back() - ttft.back()) / (generated - 1));
    end = std::max(end, rows.arrival[i] + rows.e2e[i]);
  }
  const auto completed = static_cast<double>(e2e.size());
  (*figures)[prefix + "completed"] = completed;
  (*figures)[prefix + "failed"] = static_cast<double>(count) - completed;
  add_distribution(prefix + "ttft_ms", std::move(ttft), figures);
  add_distribution(prefix + "tpot_ms", std::move(tpot), figures);
  add_distribution(prefix + "e2e_ms", std::move(e2e), figures);
  if (completed == 0) return;
  const double duration = to_seconds(end - begin);
  (*figures)[prefix + "duration_s"] = duration;
  (*figures)[prefix + "requests_per_s"] = completed / duration;
  (*figures)[prefix + "output_tokens_per_s"] = tokens / duration;
}

void add_window(const RequestTable& rows, const CaseWindow& window, CaseFigures* figures) {
  double completed = 0;
  double tokens = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!is_completed(rows.outcome[i])) continue;
    const double end = to_seconds(rows.arrival[i] + rows.e2e[i]);
    if (end < window.from_s || end >= window.to_s) continue;
    completed += 1;
    tokens += rows.generated_tokens[i];
  }
  const double length = window.to_s - window.from_s;
  (*figures)["window.completed"] = completed;
  (*figures)["window.requests_per_s"] = completed / length;
  (*figures)["window.output_tokens_per_s"] = tokens / length;
}

bool is_saturated(const RequestTable& rows, std::size_t first, std::size_t count) {
  std::size_t failed = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    if (!is_completed(rows.outcome[i])) ++failed;
  }
  if (20 * failed > count) return true;
  const std::size_t fifth = count / 5;
  if (fifth == 0) return false;
  const double early = median_ttft_s(rows, first, fifth);
  const double late = median_ttft_s(rows, first + count - fifth, fifth);
  return late > 1 && late > 5 * early;
}

std::unique_ptr<RequestSource> closed_loop(const ClosedLoopSpec& spec, std::uint64_t seed) {
  return std::make_unique<ClosedLoop>(spec, seed);
}

std::int64_t requests_of(const Case& measured, const CasePoint& point) {
  const std::int64_t usual =
      measured.workload.requests_per_concurrency.value_or(kRequestsPerConcurrency);
  return point.num_requests.value_or(usual * point.concurrency);
}

bool stops_by_itself(const Case& measured, const CasePoint& point) {
  const CaseWorkload& w = measured.workload;
  return point.mean_output_tokens && w.output.least == w.output.most &&
         *point.mean_output_tokens < static_cast<double>(w.longest_output.value_or(0));
}

LengthRange input_of(const Case& measured, const CasePoint& point) {
  const LengthRange& input = measured.workload.input;
  if (!point.mean_input_tokens || input.least < input.most) return input;
  const std::int64_t mean = std::llround(*point.mean_input_tokens);
  return {mean, mean};
}

LengthRange output_of(const Case& measured, const CasePoint& point) {
  const LengthRange& output = measured.workload.output;
  if (!point.mean_output_tokens || output.least < output.most) return output;
  const std::int64_t mean = std::llround(*point.mean_output_tokens);
  if (!stops_by_itself(measured, point)) return {mean, mean};
  const std::int64_t spread = std::min(mean - 1, *measured.workload.longest_output - mean);
  return {mean - spread, mean + spread};
}

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

void add_point_figures(const Case& measured, std::size_t number, const CaseSetup& setup,
                       const RequestTable& rows, std::size_t first, std::size_t count,
                       CaseFigures* figures) {
  const std::string prefix = "points[" + std::to_string(number) + "].";
  add_figures(rows, first, count, prefix, figures);
  // None where nothing fits into memory.
  const auto step = figures->find(prefix + "tpot_ms.mean");
  const double step_ms = step == figures->end() ? 0 : step->second;
  const auto streams = static_cast<double>(measured.points[number].concurrency);
  delay_first_tokens(setup.client_steps * step_ms + setup.client_ms_per_stream * streams, prefix,
                     figures);
  // A figure whose statistic the source does not state: docs/explanation/latency-models.md says why
  // it is a mean.
  for (const char* name : {"ttft_ms", "tpot_ms", "e2e_ms"}) {
    const auto mean = figures->find(prefix + name + ".mean");
    if (mean != figures->end()) (*figures)[prefix + name] = mean->second;
  }
}

CaseFigures simulate_point(const Case& measured, std::size_t number, const CaseSetup& setup,
                           std::uint64_t seed) {
  const CasePoint& point = measured.points[number];
  const CaseWorkload& w = measured.workload;
  const bool published =
      point.num_requests || w.requests_per_concurrency || setup.streams_begin_together;
  const std::int64_t opening = published ? 0 : kOpeningPerConcurrency * point.concurrency;
  ClosedLoopSpec loop{input_of(measured, point), output_of(measured, point), point.concurrency,
                      opening + requests_of(measured, point)};
  loop.in_step = published || setup.prompts_go_first;
  loop.repeats_prompts = setup.prompts_are_cached;
  const auto source = closed_loop(loop, seed);
  const RequestTable rows = simulate(setup, source.get());
  CaseFigures figures;
  const auto first = static_cast<std::size_t>(opening);
  add_point_figures(measured, number, setup, rows, first, rows.size() - first, &figures);
  return figures;
}

}  // namespace plimsoll
