// A calibration: what was fitted to measurements of one deployment, from what, and how well it
// predicts what was not fitted. Kept as YAML (docs/reference/measurements.md, "Calibrations").
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "perf/latency_models.h"
#include "perf/model_error.h"
#include "perf/parallelism.h"
#include "perf/step_time_model.h"

namespace plimsoll {

/// The terms that calibration adds to a latency model: a factor on its steps, a time per step, per
/// decoding request and per prompt token, and the client's overhead of a request. step = scale *
/// base(batch) + step_us + decode_us * decoding requests + prefill_us * prompt tokens; a request
/// waits request_us + prompt_token_us * prompt tokens more before it is queued.
struct Correction {
  double scale = 1;
  double step_us = 0;
  double decode_us = 0;
  double prefill_us = 0;
  double request_us = 0;
  double prompt_token_us = 0;
};

struct CorrectionTerm {
  std::string_view name;
  double Correction::*field;
  std::string_view meaning;
  bool of_client = false;  ///< only a client's clock sees it
};

/// In the order in which files and reports have them; the first is the scale.
const std::vector<CorrectionTerm>& correction_terms();

/// The correction of the same engine seen from within.
Correction without_client(Correction correction);

class CalibratedStepTime final : public StepTimeModel {
 public:
  CalibratedStepTime(StepTimePtr base, const Correction& correction)
      : base_(std::move(base)), correction_(correction) {}

  double step_us(const BatchShape& batch) const override {
    return corrected(base_->step_us(batch), added_us(batch.decode_requests, batch.prefill_tokens));
  }
  void decode_steps_us(std::int64_t requests, std::int64_t context,
                       std::span<double> us) const override {
    base_->decode_steps_us(requests, context, us);
    const double added = added_us(requests, 0);
    for (double& step : us) step = corrected(step, added);
  }
  double ranks_us(std::span<const BatchShape> ranks) const override {
    return corrected(base_->ranks_us(ranks), added_us(ranks));
  }
  void decode_ranks_us(std::span<const BatchShape> ranks, std::span<double> us) const override {
    base_->decode_ranks_us(ranks, us);
    const double added = added_us(ranks);
    for (double& step : us) step = corrected(step, added);
  }
  double all_reduces_us(const BatchShape& batch) const override {
    return correction_.scale * base_->all_reduces_us(batch);
  }
  double queueing_us(std::int64_t input_tokens) const override {
    const double client =
        correction_.request_us + correction_.prompt_token_us * static_cast<double>(input_tokens);
    return std::max(0.0, base_->queueing_us(input_tokens) + client);
  }
  double output_token_us() const override { return base_->output_token_us(); }
  double post_decode_us() const override { return base_->post_decode_us(); }

 private:
  double added_us(std::int64_t decode_requests, std::int64_t prefill_tokens) const {
    return correction_.step_us + correction_.decode_us * static_cast<double>(decode_requests) +
           correction_.prefill_us * static_cast<double>(prefill_tokens);
  }
  double added_us(std::span<const BatchShape> ranks) const {
    std::int64_t decodes = 0;
    std::int64_t tokens = 0;
    for (const BatchShape& rank : ranks) {
      decodes += rank.decode_requests;
      tokens += rank.prefill_tokens;
    }
    return added_us(decodes, tokens);
  }
  double corrected(double base_us, double added) const {
    return std::max(0.0, correction_.scale * base_us + added);
  }

  StepTimePtr base_;
  Correction correction_;
};

/// The base of a law of its own: for engines of which nothing is known but what was measured.
class NoStepTime final : public StepTimeModel {
 public:
  double step_us(const BatchShape&) const override { return 0; }
};

/// The base of a law that corrects no model.
inline constexpr std::string_view kNoBase = "none";

struct CalibratedTerm {
  double low = 0;  ///< 90 % interval
  double high = 0;
  /// The measurements decide it rather than what was assumed of it before.
  bool identified = false;
};

/// The errors of one kind of measurement: how many, and the median of |predicted / measured - 1| in
/// percent, before and after. Before: of the base model; -1 where there is none.
struct CalibrationErrors {
  std::string metric;  ///< ttft_ms, tpot_ms or step_ms
  std::int64_t fitted = 0;
  std::int64_t held_out = 0;
  double fitted_before = 0;
  double fitted_after = 0;
  double held_out_before = 0;
  double held_out_after = 0;
};

struct Calibration {
  std::string base;   ///< a latency model, or kNoBase
  std::string model;  ///< id
  std::string gpu;
  Parallelism layout;        ///< degrees alone
  std::string quantization;  ///< of the weights, by the server; empty: as stored
  Engine engine = Engine::vllm;
  std::string date;  ///< of the measurements, as the user gave it; may be empty
  std::vector<std::string> sources;
  Correction correction;
  std::vector<CalibratedTerm> terms;  ///< in the order of correction_terms()
  std::vector<CalibrationErrors> errors;
};

/// The errors of a metric before and after: of what was held out, or all where nothing was.
struct ErrorChange {
  std::string metric;
  double before = 0;
  double after = 0;

  double gain() const { return before > 0 ? 1 - after / before : 0; }
};
std::vector<ErrorChange> changes_of(const Calibration& calibration);

/// How much the calibration lowers the error on what it was not fitted to (on all, where nothing
/// was held out), averaged over the metrics: 0.25 = a quarter less. 0 without a base.
double improvement(const Calibration& calibration);

/// Measurements that were not fitted, of all metrics.
std::int64_t count_held_out(const Calibration& calibration);

/// Fewer than these agree by chance.
inline constexpr std::int64_t kEnoughToTell = 10;

/// The error of steps by the calibration: what it missed of the measurements held out, metric by
/// metric, and at least as much as the kernel model may miss where it knows most. `otherwise`: of
/// what was not measured, or too little to tell, and at least that where the deployment is not as
/// measured; of a law of its own usual_error(Regime::unknown).
ModelError error_shown(const Calibration& calibration, const ModelError& otherwise,
                       bool is_as_measured);

/// Less than this is chance.
inline constexpr double kLeastImprovement = 0.02;

/// Why steps by this calibration would be no better than those of its base; empty: they are better.
/// The rule of all verbs: what `calibrate` advises against, no other verb takes for measured.
std::string why_not_better(const Calibration& calibration);

/// All errors of the file at once.
Result<Calibration> read_calibration(const std::string& path);
Result<Calibration> parse_calibration(const std::string& text, const std::string& file);

std::string calibration_text(const Calibration& calibration);

/// "steps times 1.08 plus 1.42 ms and terms of requests and prompts, fitted to runs.csv"
std::string describe(const Calibration& calibration);

/// The calibrated model of a deployment. Another model or GPU than was measured is an error; so is
/// another layout if there is no base that knows what that means.
Result<StepTimePtr> make_calibrated(const Calibration& calibration, const LatencyInputs& inputs);

/// The same degrees.
bool is_same(const Parallelism& a, const Parallelism& b);

/// The layout and the weights are those that were measured. `quantization`: kAsStored or empty for
/// the weights of the checkpoint.
bool is_as_measured(const Calibration& calibration, const Parallelism& layout,
                    std::string_view quantization);

/// The note for a user who runs another layout, or other weights, than were measured; empty if they
/// are the same.
std::string extrapolation_note(const Calibration& calibration, const Parallelism& layout,
                               std::string_view quantization);

}  // namespace plimsoll
