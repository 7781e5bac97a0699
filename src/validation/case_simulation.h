// A measured case simulated as it was measured, which `validate` compares and `calibrate` fits:
// from what the case says of its deployment to what a simulation needs, the requests that arrive as
// in its measurement, and the figures under the names that its measurements have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/semantics.h"
#include "catalog/model.h"
#include "cluster/deployment.h"
#include "engine/run_record.h"
#include "perf/calibration.h"
#include "perf/model_error.h"
#include "random/stream.h"
#include "validation/case.h"
#include "workload/request.h"

namespace plimsoll {

struct CaseSetup {
  Deployment deployment;
  Semantics semantics;
  ModelError error;
  /// The steps that the client of a closed loop adds to each first token
  /// (catalog/step-overheads.yaml).
  double client_steps = 0;
  double client_ms_per_stream = 0;
  bool prompts_are_cached = false;  ///< from a run before
  /// Before all decodes: streams that begin together then stay so.
  bool prompts_go_first = false;
  /// Without a warm-up among them, though the case does not state how many requests a point had.
  bool streams_begin_together = false;
  std::vector<CaseAssumption> assumptions;
};

/// `model` as its configuration states it; what the case says of its weights is applied here.
/// `sampling` is the model's default. For closed loops without a limit of their own,
/// `concurrency` is the limit. A `calibration` replaces the latency model; null: none.
/// `slower`: that part of all steps takes kSlower times as long.
Result<CaseSetup> deploy(const Case& measured, const ModelConfig& model, Sampling sampling,
                         const std::string& latency_model, const Calibration* calibration,
                         std::int64_t concurrency, std::optional<StepPart> slower = {});

/// Figures by their path below `measured`, as Case::measured.
using CaseFigures = std::map<std::string, double>;

/// Means and percentiles of the rows first .. first + count: ttft_ms, tpot_ms, e2e_ms, each with
/// .mean, .p50, .p90, .p99, over completed requests; completed, failed, duration_s, requests_per_s,
/// output_tokens_per_s. Paths begin with `prefix`.
void add_figures(const RequestTable& rows, std::size_t first, std::size_t count,
                 const std::string& prefix, CaseFigures* figures);

/// Adds the figures of requests that complete in the window.
void add_window(const RequestTable& rows, const CaseWindow& window, CaseFigures* figures);

/// Whether the median TTFT of the last fifth of these rows exceeds both one second and five times
/// that of the first fifth, failed requests counting as infinite; or more than 5 % fail.
bool is_saturated(const RequestTable& rows, std::size_t first, std::size_t count);

/// The length of request `i`; `purpose` tells prompts from answers.
std::int32_t draw_length(const LengthRange& range, Purpose purpose, std::uint64_t seed,
                         std::int64_t i);

/// As many as a point had; where that is not published, enough for a steady state.
std::int64_t requests_of(const Case& measured, const CasePoint& point);

/// The lengths of the requests of a point: as they were measured where that is known.
LengthRange input_of(const Case& measured, const CasePoint& point);
LengthRange output_of(const Case& measured, const CasePoint& point);

/// So many requests at a time, each slot sending the next when it has an answer.
struct ClosedLoopSpec {
  LengthRange input;
  LengthRange output;
  std::int64_t concurrency = 1;
  std::int64_t num_requests = 1;
  bool in_step = true;
  bool repeats_prompts = false;  ///< of a run before: they can be found in caches
};
std::unique_ptr<RequestSource> closed_loop(const ClosedLoopSpec& spec, std::uint64_t seed);

/// Its answers end before the length they were asked for, after a mean that was measured alone:
/// then they are drawn as far below as above it.
bool stops_by_itself(const Case& measured, const CasePoint& point);

/// As the case says, else as usual for its model.
Sampling sampling_of(const Case& measured, Sampling usual);

/// The requests of a trace, in the order of its rows.
RequestTable simulate_rows(const Case& measured, const CaseSetup& setup);

/// The figures of a trace or of stages, by path.
CaseFigures simulate_open_loop(const Case& measured, const CaseSetup& setup, std::uint64_t seed);

/// Adds the figures of the rows first .. first + count, under "points[number].", with what its
/// clients add.
void add_point_figures(const Case& measured, std::size_t number, const CaseSetup& setup,
                       const RequestTable& rows, std::size_t first, std::size_t count,
                       CaseFigures* figures);

/// The figures of all points of a case of conversations.
CaseFigures simulate_sessions(const Case& measured, const CaseSetup& setup, std::uint64_t seed);

/// Those of one point of a closed loop, under "points[number].".
CaseFigures simulate_point(const Case& measured, std::size_t number, const CaseSetup& setup,
                           std::uint64_t seed);

}  // namespace plimsoll
