#include "calibration/recording.h"

#include <limits>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "cluster/simulation.h"

namespace plimsoll {
namespace {

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

Result<Experiment> experiment_of(std::shared_ptr<const TraceV2> trace, const Deployment& deployment,
                                 const Semantics& semantics, const std::string& source) {
  Experiment out;
  out.source = source;
  out.base = deployment.step_time;
  out.seen_by_client = true;
  std::vector<Place> places;
  Collector(*trace).collect(&out, &places);
  if (out.observations.empty()) {
    return fail(ErrorKind::spec,
                Diagnostic{source,
                           0,
                           0,
                           "no request has times of its first and last chunk",
                           "a recording of `plimsoll observe` or of a run with --trace-output has "
                           "them; a trace that was only converted has not",
                           {}});
  }
  out.predict = [trace = std::move(trace), deployment, semantics,
                 places = std::move(places)](std::shared_ptr<const StepTimeModel> step_time) {
    Deployment corrected = deployment;
    corrected.step_time = std::move(step_time);
    SimulationOptions options;
    options.semantics = semantics;
    WorkloadSource requests(trace->workload);
    Simulation simulation(corrected, requests, options);
    simulation.advance();
    const RunRecord record = simulation.take_record();
    std::vector<double> ms;
    for (const Place& place : places) ms.push_back(predicted_at(record.requests, place));
    return ms;
  };
  return out;
}

Experiment experiment_of(std::vector<MeasuredSteps> steps,
                         std::shared_ptr<const StepTimeModel> base, std::string source) {
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
  out.predict = [steps = std::move(steps)](const std::shared_ptr<const StepTimeModel>& model) {
    std::vector<double> ms;
    for (const MeasuredSteps& step : steps) ms.push_back(predicted_ms(step, *model));
    return ms;
  };
  return out;
}

}  // namespace plimsoll
