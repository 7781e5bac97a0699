#include "setup/calibrated.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "profile/profile.h"
#include "setup/measured_steps.h"

namespace plimsoll {
namespace {

Result<void> check_is_measured(const Calibration& calibration, const Profile& profile) {
  const std::string far = why_far_off(calibration);
  if (far.empty()) return {};
  return fail(
      ErrorKind::spec, profile.path + ": " + far,
      "was another GPU or model measured? without \"profile\" the answer rests on the catalog");
}

Result<void> check_other_flags(const RunSpec& run, const Calibration& calibration,
                               const std::string& source) {
  if (run.step_time.latency_model && *run.step_time.latency_model != calibration.base) {
    return fail(ErrorKind::usage,
                "--latency-model " + *run.step_time.latency_model + " does not go with " + source +
                    ", which corrects " + calibration.base,
                "leave out --latency-model: the calibration names its own");
  }
  if (const Engine run_with = run.step_time.engine.value_or(Engine::vllm);
      run_with != calibration.engine) {
    return fail(ErrorKind::usage,
                fmt::format("{} was measured under {}, the deployment has {}", source,
                            name_of(calibration.engine), name_of(run_with)),
                fmt::format("--engine {}, or calibrate with measurements of {}",
                            name_of(calibration.engine), name_of(run_with)));
  }
  if (!run.step_time.alpha_coeffs.empty() || !run.step_time.beta_coeffs.empty()) {
    const bool is_file = !run.step_time.calibration.empty();
    return fail(ErrorKind::usage,
                std::string(is_file ? "--calibration" : "--profile") +
                    " and --alpha-coeffs exclude each other",
                "a calibration corrects a latency model as the catalog has it");
  }
  return {};
}

Result<FittedProfile> fitted_by_flags(const RunSpec& run) {
  if (run.step_time.profile.empty()) {
    return fail(
        ErrorKind::usage, "--telemetry decides together with a profile",
        "give --profile as well, or let `plimsoll calibrate` make a file for --calibration");
  }
  if (!run.step_time.calibration.empty()) {
    return fail(ErrorKind::usage, "--profile and --calibration exclude each other",
                "a calibration has already been fitted to a profile");
  }
  TRY(profile, read_profile(run.step_time.profile));
  return fit_profile(profile, run.step_time.telemetry, run.model.id, run.step_time.engine);
}

}  // namespace

// What no correction of a good model has to bridge: an answer from it would be of something else.
std::string why_far_off(const Calibration& calibration) {
  constexpr double kFarPercent = 60;
  for (const CalibrationErrors& e : calibration.errors) {
    if (e.metric == "ttft_ms" || e.fitted_before < kFarPercent) continue;
    return fmt::format("what the model takes on {} is {} away from what was measured",
                       calibration.gpu, percent(e.fitted_before / 100));
  }
  return {};
}

Result<FittedProfile> fit_profile(const Profile& profile, const std::string& telemetry,
                                  const std::string& model, std::optional<Engine> engine) {
  RunSpec run;
  run.model.id = model;
  run.step_time.engine = engine;
  run.step_time.telemetry = telemetry;
  TRY(measured, measured_steps(run, &profile));
  TRY(fitted, fitted_to(measured, {}, run));
  TRY_TO(check_is_measured(fitted, profile));
  FittedProfile out{{}, fitted.gpu, {}, std::move(measured.setup_notes)};
  append(&out.notes, measured.notes);
  append(&out.notes, measured.remarks);
  if (const std::string why = why_not_better(fitted); !why.empty()) {
    out.why_unused = fmt::format("{} does not correct it ({})", profile.path, why);
  } else {
    out.calibration = std::move(fitted);
  }
  return out;
}

Result<RunSpec> with_what_was_measured(RunSpec run, std::vector<std::string>* notes) {
  const bool has_model = !run.model.id->empty() || !run.model.config.empty();
  if (has_model && !run.hardware.gpu->empty()) return run;
  std::string source = run.step_time.profile;
  std::string model;
  std::string gpu;
  if (!run.step_time.profile.empty()) {
    TRY(profile, read_profile(run.step_time.profile));
    model = profile.model;
    gpu = profile.gpu;
  } else if (!run.step_time.calibration.empty()) {
    TRY(calibration, read_calibration(run.step_time.calibration));
    source = run.step_time.calibration;
    model = calibration.model;
    gpu = calibration.gpu;
  }
  const auto known = find_model(*run.model.id);
  if (has_model && known && known->default_gpu == gpu) return run;  // as without the file
  std::vector<std::string> taken;
  const auto take = [&](std::string_view flag, const std::string& value,
                        Setting<std::string>* setting) {
    if (value.empty() || !(*setting)->empty()) return;
    setting->set(value, Origin::file);
    taken.push_back(fmt::format("{} {}", flag, value));
  };
  if (!has_model) take("--model", model, &run.model.id);
  take("--hardware", gpu, &run.hardware.gpu);
  if (!taken.empty()) notes->push_back(source + " was measured with " + join(taken, " "));
  return run;
}

Result<std::optional<Calibration>> calibration_of(const RunSpec& run,
                                                  std::vector<std::string>* notes) {
  std::optional<Calibration> calibration;
  std::string source =
      run.step_time.profile.empty() ? run.step_time.calibration : run.step_time.profile;
  if (run.step_time.fitted) {
    calibration = *run.step_time.fitted;
  } else if (has_steps(run)) {
    TRY(fitted, fitted_by_flags(run));
    append(notes, fitted.notes);
    if (!fitted.calibration) {
      notes->push_back("step times are those of the catalog: " + fitted.why_unused);
      return std::nullopt;
    }
    calibration = std::move(fitted.calibration);
  } else if (!run.step_time.calibration.empty()) {
    TRY_SET(calibration, read_calibration(run.step_time.calibration));
  }
  if (!calibration) return std::nullopt;
  TRY_TO(check_other_flags(run, *calibration, source));
  return calibration;
}

}  // namespace plimsoll
