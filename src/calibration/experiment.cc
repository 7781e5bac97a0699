#include "calibration/experiment.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/lists.h"
#include "base/text.h"
#include "cluster/simulation.h"

namespace plimsoll {
namespace {

constexpr std::size_t kRequestsPerCell = 15;
constexpr std::size_t kMostCells = 25;

// Of the prompts that came while each decoded, its own not among them.
std::vector<double> prompts_per_second(const std::vector<Seen>& requests) {
  std::vector<std::pair<double, double>> arrivals;
  for (const Seen& r : requests) {
    arrivals.emplace_back(r.begin_s, static_cast<double>(r.prompt_tokens));
  }
  std::sort(arrivals.begin(), arrivals.end());
  std::vector<double> tokens{0};
  for (const auto& [at_s, prompt] : arrivals) tokens.push_back(tokens.back() + prompt);
  const auto until = [&](double t) {
    const auto at = std::lower_bound(arrivals.begin(), arrivals.end(), std::pair(t, 0.0));
    return tokens[static_cast<std::size_t>(at - arrivals.begin())];
  };
  std::vector<double> out;
  for (const Seen& r : requests) {
    const double length_s = r.end_s - r.first_s;
    out.push_back(length_s > 0 ? (until(r.end_s) - until(r.first_s)) / length_s : 0);
  }
  return out;
}

constexpr double kNotPredicted = std::numeric_limits<double>::quiet_NaN();

/// Which figure of which simulated request an observation is.
struct Place {
  std::size_t row = 0;
  Measure what = Measure::ttft;
};

double predicted_at(const RequestTable& rows, const Place& place) {
  if (place.row >= rows.size() || !is_completed(rows.outcome[place.row])) return kNotPredicted;
  if (place.what == Measure::ttft) return to_ms(rows.ttft[place.row]);
  if (rows.itl_count[place.row] == 0) return kNotPredicted;
  return to_ms(rows.itl_sum[place.row]) / rows.itl_count[place.row];
}

class Collector {
 public:
  explicit Collector(const TraceV2& trace) : trace_(trace) {
    for (const TraceV2Observation& o : trace.observations) by_id_.emplace(o.request_id, &o);
  }

  // In the order of arrival, which is that of the simulated rows.
  void collect(Experiment* out, std::vector<Place>* places) {
    const Workload& requests = trace_.workload;
    std::vector<std::size_t> rows;
    std::vector<Seen> seen;
    double prompt_tokens = 0;
    for (std::size_t row = 0; row < requests.size(); ++row) {
      prompt_tokens += requests.input_tokens[row];
      if (!is_usable(row)) continue;
      const double begin_s = to_seconds(requests.arrival[row]);
      rows.push_back(row);
      seen.push_back({begin_s, begin_s + to_seconds(of(row).first_chunk),
                      begin_s + to_seconds(of(row).last_chunk), requests.input_tokens[row]});
    }
    out->prompt_tokens = prompt_tokens / static_cast<double>(requests.size());
    const std::vector<std::int64_t> ttft_cells = cells_of(seen, Measure::ttft);
    const std::vector<std::int64_t> tpot_cells = cells_of(seen, Measure::tpot);
    for (const double n : under_way(seen)) out->load += n / static_cast<double>(seen.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const TraceV2Observation& o = of(rows[i]);
      const auto add = [&](Measure what, double ms) {
        out->observations.push_back({what, ms, block_of(i, rows.size()),
                                     (what == Measure::ttft ? ttft_cells : tpot_cells)[i]});
        places->push_back({rows[i], what});
      };
      add(Measure::ttft, to_ms(o.first_chunk));
      const double decode_ms = to_ms(o.last_chunk - o.first_chunk);
      const std::int32_t tokens = requests.output_tokens[rows[i]];
      if (tokens > 1 && decode_ms > 0) add(Measure::tpot, decode_ms / (tokens - 1));
    }
    add_notes(out);
  }

 private:
  const TraceV2Observation& of(std::size_t row) const {
    return *by_id_.at(trace_.workload.id[row]);
  }

  bool is_usable(std::size_t row) {
    if (trace_.workload.id[row] < trace_.header.warm_up_requests) return false;
    const TraceV2Observation& seen = of(row);
    if (!seen.ok || seen.first_chunk <= Duration{} || seen.last_chunk < seen.first_chunk) {
      ++failed_;
      return false;
    }
    const bool in_one_piece = seen.chunks <= 1 && trace_.workload.output_tokens[row] > 1;
    in_one_piece_ += in_one_piece ? 1 : 0;
    return !in_one_piece;
  }

  void add_notes(Experiment* out) const {
    if (failed_ > 0) {
      out->notes.push_back(counted(failed_, "request") +
                           " without a whole answer: simulated, not compared");
    }
    if (in_one_piece_ > 0) {
      out->notes.push_back(counted(in_one_piece_, "request") +
                           " answered in one piece, not streamed: simulated, not compared");
    }
  }

  const TraceV2& trace_;
  std::unordered_map<std::int64_t, const TraceV2Observation*> by_id_;
  std::int64_t failed_ = 0;
  std::int64_t in_one_piece_ = 0;
};

}  // namespace

std::string_view name_of(Measure measure) {
  static constexpr std::string_view kNames[]{"ttft_ms", "tpot_ms", "step_ms"};
  return kNames[static_cast<std::size_t>(measure)];
}

std::vector<double> under_way(const std::vector<Seen>& requests) {
  std::vector<double> begins;
  std::vector<double> ends;
  for (const Seen& r : requests) {
    begins.push_back(r.begin_s);
    ends.push_back(r.end_s);
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  const auto before = [](const std::vector<double>& times, double t) {
    return static_cast<double>(std::lower_bound(times.begin(), times.end(), t) - times.begin());
  };
  return mapped(requests,
                [&](const Seen& r) { return before(begins, r.begin_s) - before(ends, r.begin_s); });
}

std::vector<std::int64_t> cells_of(const std::vector<Seen>& requests, Measure what) {
  const std::vector<double> load = under_way(requests);
  std::vector<double> cause;
  if (what == Measure::tpot) {
    cause = prompts_per_second(requests);
  } else {
    for (const Seen& r : requests) cause.push_back(static_cast<double>(r.prompt_tokens));
  }
  const std::size_t n = requests.size();
  const std::size_t cells = std::clamp<std::size_t>(n / kRequestsPerCell, 1, kMostCells);
  const std::size_t by_cause = std::clamp<std::size_t>(cells / 4, 1, 5);
  const std::size_t by_load = cells / by_cause;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cause[a] < cause[b]; });
  std::vector<std::int64_t> out(n);
  for (std::size_t part = 0; part < by_cause; ++part) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(part * n / by_cause);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>((part + 1) * n / by_cause);
    std::stable_sort(begin, end, [&](std::size_t a, std::size_t b) { return load[a] < load[b]; });
    const auto size = static_cast<std::size_t>(end - begin);
    for (std::size_t i = 0; i < size; ++i) {
      out[*(begin + static_cast<std::ptrdiff_t>(i))] =
          static_cast<std::int64_t>(part * by_load + i * by_load / size);
    }
  }
  return out;
}

std::int64_t block_of(std::size_t i, std::size_t n) {
  const std::size_t blocks = std::clamp<std::size_t>(n / 20, 3, 30);
  return static_cast<std::int64_t>(i * blocks / n);
}

Result<Experiment> experiment_of(std::shared_ptr<const TraceV2> trace, const Deployment& deployment,
                                 const Semantics& semantics, const std::string& source) {
  Experiment out;
  out.source = source;
  out.base = deployment.main().step_time;
  out.seen_by_client = true;
  std::vector<Place> places;
  Collector(*trace).collect(&out, &places);
  if (out.observations.empty()) {
    return fail_in(ErrorKind::spec, source, "no request has times of its first and last chunk",
                   "a recording of `plimsoll observe` or of a run with --trace-output has "
                   "them; a trace that was only converted has not");
  }
  out.predict = [trace = std::move(trace), deployment, semantics,
                 places = std::move(places)](StepTimePtr step_time) {
    Deployment corrected = deployment;
    corrected.main().step_time = std::move(step_time);
    SimulationOptions options;
    options.semantics = semantics;
    WorkloadSource requests(trace->workload);
    Simulation simulation(corrected, requests, options);
    simulation.advance();
    const RunRecord record = simulation.take_record();
    return mapped(places, [&](const Place& place) { return predicted_at(record.requests, place); });
  };
  return out;
}

Experiment experiment_of(std::vector<MeasuredSteps> steps, StepTimePtr base, std::string source) {
  Experiment out;
  out.source = std::move(source);
  out.base = std::move(base);
  const auto n = static_cast<double>(steps.size());
  for (const MeasuredSteps& step : steps) {
    const auto number = static_cast<std::int64_t>(out.observations.size());
    out.observations.push_back({Measure::step, step.ms, number, number});
    out.prompt_tokens += static_cast<double>(step.batch.prefill_tokens) / n;
    out.load += static_cast<double>(step.batch.decode_requests) / n;
  }
  out.predict = [steps = std::move(steps)](const StepTimePtr& model) {
    return mapped(steps, [&](const MeasuredSteps& step) { return predicted_ms(step, *model); });
  };
  return out;
}

}  // namespace plimsoll
