#include "perf/calibration.h"

#include <algorithm>

#include "base/text.h"
#include "random/portable_math.h"

namespace plimsoll {
namespace {

std::string text_of(const Parallelism& layout) {
  std::string text = "TP " + std::to_string(layout.tp);
  const auto add = [&](const char* name, std::int64_t degree) {
    if (degree > 1) text += std::string(", ") + name + " " + std::to_string(degree);
  };
  add("PP", layout.pp);
  add("DP", layout.dp);
  add("EP", layout.ep);
  return text;
}

tl::unexpected<Error> mismatch(const char* what, const std::string& calibrated,
                               const std::string& run) {
  return fail(ErrorKind::usage,
              "the calibration is of " + std::string(what) + " " + calibrated +
                  ", the deployment has " + run,
              "what was measured of one says nothing of the other: leave out --calibration or "
              "--profile, or "
              "calibrate with runs of " +
                  run);
}

// Batches that every deployment has: one decode, several, a prompt.
std::vector<BatchShape> usual_batches() {
  std::vector<BatchShape> out(3);
  out[0].decode_requests = 1;
  out[0].decode_context = 1000;
  out[1].decode_requests = 8;
  out[1].decode_context = 8000;
  out[2].add_prefill(512, 0, 512);
  return out;
}

Result<void> check_steps(const StepTimeModel& calibrated) {
  for (const BatchShape& batch : usual_batches()) {
    if (calibrated.step_us(batch) > 0) continue;
    const std::string what = batch.decode_requests > 0
                                 ? "of " + counted(batch.decode_requests, "decoding request")
                                 : "of a prompt of 512 tokens";
    return fail(ErrorKind::usage, "with this calibration a step " + what + " takes no time",
                "its parameters take off more than such a step lasts: are they in microseconds?");
  }
  return {};
}

}  // namespace

bool is_same(const Parallelism& a, const Parallelism& b) {
  return a.tp == b.tp && a.pp == b.pp && a.dp == b.dp && a.ep == b.ep;
}

double improvement(const Calibration& calibration) {
  double before = 0;
  double after = 0;
  for (const CalibrationErrors& e : calibration.errors) {
    const bool held_out = e.held_out > 0;
    before += held_out ? e.held_out_before : e.fitted_before;
    after += held_out ? e.held_out_after : e.fitted_after;
  }
  if (calibration.base == kNoBase || !(before > 0)) return 0;
  return 1 - after / before;
}

std::int64_t count_held_out(const Calibration& calibration) {
  std::int64_t count = 0;
  for (const CalibrationErrors& e : calibration.errors) count += e.held_out;
  return count;
}

std::string why_not_better(const Calibration& calibration) {
  if (calibration.base == kNoBase) return {};
  const std::int64_t held_out = count_held_out(calibration);
  if (held_out < kEnoughToTell) {
    return counted(held_out, "measurement") + " held out, " + std::to_string(kEnoughToTell) +
           " are the least that tell whether a correction helps";
  }
  if (improvement(calibration) >= kLeastImprovement) return {};
  return "the model as it is fits what was held out as well";
}

ModelError error_of_law(const Calibration& calibration) {
  const bool tells = count_held_out(calibration) >= kEnoughToTell;
  ModelError error = usual_error(tells ? Regime::calibrated : Regime::unknown);
  error.regime = Regime::calibrated;
  if (!tells) return error;
  // Of normal errors: the half width of 90 % over the median distance.
  constexpr double kHalfWidthOfMedian = 1.6449 / 0.6745;
  for (const CalibrationErrors& e : calibration.errors) {
    if (e.held_out == 0) continue;
    const double z = kHalfWidthOfMedian * portable_log(1 + e.held_out_after / 100);
    const bool first_tokens = e.metric == "ttft_ms";
    double& of_metric = first_tokens ? error.ttft : error.step;
    of_metric = std::max(of_metric, z);
  }
  error.ttft = std::max(error.ttft, error.step);
  error.ttft_tail = std::max(error.ttft_tail, error.ttft);
  return error;
}

std::string describe(const Calibration& calibration) {
  const std::string what = calibration.base == kNoBase
                               ? "a law of its own"
                               : "steps times " + three_digits(calibration.correction.scale);
  return what + ", fitted to " + join(calibration.sources, " and ");
}

Result<std::shared_ptr<const StepTimeModel>> make_calibrated(const Calibration& calibration,
                                                             const LatencyInputs& inputs) {
  if (to_lower(calibration.model) != to_lower(inputs.model.id)) {
    return mismatch("model", calibration.model, inputs.model.id);
  }
  if (to_lower(calibration.gpu) != to_lower(inputs.gpu.name)) {
    return mismatch("GPU", calibration.gpu, inputs.gpu.name);
  }
  std::shared_ptr<const StepTimeModel> base = std::make_shared<NoStepTime>();
  if (calibration.base != kNoBase) {
    TRY(made, make_latency_model(calibration.base, inputs));
    base = std::move(made);
  } else if (!is_same(calibration.layout, inputs.parallelism)) {
    return mismatch("a deployment with", text_of(calibration.layout), text_of(inputs.parallelism));
  }
  Correction correction = calibration.correction;
  if (inputs.observer == Observer::engine) correction = without_client(correction);
  auto calibrated = std::make_shared<CalibratedStepTime>(std::move(base), correction);
  TRY_TO(check_steps(*calibrated));
  return calibrated;
}

std::string extrapolation_note(const Calibration& calibration, const Parallelism& layout) {
  if (is_same(calibration.layout, layout)) return {};
  return "calibrated at " + text_of(calibration.layout) + ", run at " + text_of(layout) +
         ": the correction is taken over, which nobody has measured";
}

}  // namespace plimsoll
