// `calibrate --profile` and `--telemetry`: steps that were timed one by one, or the counters of a
// running engine.
#include <algorithm>
#include <optional>

#include "base/file.h"
#include "base/lists.h"
#include "base/text.h"
#include "calibration/fit.h"
#include "catalog/catalog.h"
#include "catalog/served_as.h"
#include "forecast/history/latency_windows.h"
#include "forecast/history/recorded_counters.h"
#include "profile/physics.h"
#include "profile/telemetry.h"
#include "setup/measured_steps.h"
#include "setup/measured_windows.h"
#include "setup/setup.h"

namespace plimsoll {
namespace {

// Of single steps no cache is simulated: the model need not fit.
constexpr std::int64_t kAnyBlocks = 1'000'000;

// A GPU by the name its driver gives, where the catalog knows it.
std::string catalog_name(const std::string& device) {
  const auto gpu = find_gpu(device, SemanticsMode::vllm);
  return gpu ? gpu->name : device;
}

Result<RunSpec> deployed(RunSpec run, const Profile& profile) {
  if (run.model.id->empty() && run.model.config.empty()) run.model.id = profile.model;
  if (run.hardware.gpu->empty()) {
    run.hardware.gpu = profile.gpu;
  } else if (!profile.gpu.empty() && catalog_name(run.hardware.gpu) != catalog_name(profile.gpu)) {
    return fail(
        ErrorKind::usage,
        profile.path + " was measured on " + profile.gpu + ", --hardware says " + *run.hardware.gpu,
        "a calibration belongs to the GPU that was measured: leave out --hardware");
  }
  if (run.layout.tp && profile.tp > 0 && *run.layout.tp != profile.tp) {
    return fail(ErrorKind::usage,
                profile.path + " was measured at TP " + std::to_string(profile.tp) +
                    ", --tp says " + std::to_string(*run.layout.tp),
                "a calibration belongs to the parallelism that was measured: leave out --tp");
  }
  if (!run.layout.tp) run.layout.tp = std::max<std::int64_t>(profile.tp, 1);
  if (!run.step_time.sampling)
    run.step_time.sampling = Sampling::greedy;  // profilers sample nothing
  return run;
}

Result<void> take(const std::vector<Finding>& findings, const std::string& file, Measured* out) {
  for (const Finding& finding : findings) {
    if (finding.severity == Severity::doubtful) out->remarks.push_back(finding.sentence);
  }
  return refuse_broken(findings, file);
}

Result<void> add_profile(const Profile& profile, const Setup& setup, const InstanceWork& work,
                         Measured* out) {
  TRY_TO(take(profile_findings(profile, setup.architecture, work), profile.path, out));
  if (profile.rows.empty()) {
    return fail_in(ErrorKind::spec, profile.path, "coefficients of operators, not measured steps",
                   "a calibration is fitted to rows of prefill and decode "
                   "(docs/reference/measurements.md)");
  }
  std::int64_t several = 0;
  for (const ProfileRow& row : profile.rows) several += row.new_tokens > 1 ? 1 : 0;
  if (several > 0) {
    out->remarks.push_back(counted(several, "row") +
                           " of several new tokens: that many steps, one after the other");
  }
  out->experiments.push_back(
      experiment_of(steps_of(profile), setup.deployment.main().step_time, profile.path));
  return {};
}

Result<void> add_telemetry(const std::string& path, const Setup& setup, const InstanceWork& work,
                           Measured* out) {
  TRY(telemetry, read_telemetry(path));
  TRY_TO(take(telemetry_findings(telemetry, work), path, out));
  out->experiments.push_back(experiment_of(mapped(telemetry.steps, &TelemetryStep::measured),
                                           setup.deployment.main().step_time, path));
  if (telemetry.unusable > 0) {
    out->notes.push_back(counted(telemetry.unusable, "sample") +
                         " without requests or operator times");
  }
  return {};
}

Result<void> add_counters(const std::string& path, const Setup& setup, const Semantics& semantics,
                          Measured* out) {
  TRY(text, read_file(path, kMostResponseBytes));
  TRY(read, read_latency_windows(text, path));
  TRY(experiment, experiment_of(read, setup.deployment, semantics, path));
  out->experiments.push_back(std::move(experiment));
  append(&out->notes, read.notes);
  const auto name_alone = [](const std::string& id) {
    return to_lower(id.substr(id.rfind('/') + 1));
  };
  if (!read.model.empty() && name_alone(read.model) != name_alone(setup.model))
    out->remarks.push_back("the counters call the model " + read.model + ": is that " +
                           setup.model + "?");
  return {};
}

}  // namespace

bool has_steps(const RunSpec& run) {
  return !run.step_time.profile.empty() || !run.step_time.telemetry.empty();
}

Result<Measured> measured_steps(const RunSpec& run) {
  if (run.step_time.profile.empty()) return measured_steps(run, nullptr);
  TRY(profile, read_profile(run.step_time.profile));
  return measured_steps(run, &profile);
}

Result<Measured> measured_steps(const RunSpec& run, const Profile* profile) {
  const std::string& telemetry = run.step_time.telemetry;
  const bool has_counters = !telemetry.empty() && is_range_response(beginning_of(telemetry));
  if (has_counters && profile != nullptr) {
    return fail(ErrorKind::usage,
                telemetry + " has means of requests, " + profile->path + " has single steps",
                "calibrate with one of them: `plimsoll calibrate --telemetry`, whose file "
                "--calibration takes");
  }
  TRY(chosen, profile == nullptr ? Result<RunSpec>(run) : deployed(run, *profile));
  chosen.step_time.profile.clear();  // it is what is being looked at
  chosen.step_time.telemetry.clear();
  if (!chosen.engine.total_kv_blocks && !has_counters) chosen.engine.total_kv_blocks = kAnyBlocks;
  TRY(setup, make_setup(chosen));
  const std::optional<InstanceWork>& work = setup.deployment.main().work;
  if (!work) {
    return fail(ErrorKind::usage, "the arithmetic of " + setup.model + " is not known",
                "steps are checked against it before anything is fitted to them");
  }
  Measured out;
  out.setup_notes = setup.notes;
  out.model = setup.model;
  out.gpu = setup.gpu;
  out.layout = setup.layout;
  if (profile != nullptr) {
    TRY_TO(add_profile(*profile, setup, *work, &out));
  }
  if (has_counters) {
    TRY_TO(add_counters(telemetry, setup, semantics_of(run), &out));
  } else if (!telemetry.empty()) {
    TRY_TO(add_telemetry(telemetry, setup, *work, &out));
  }
  return out;
}

Result<Calibration> fitted_to(const Measured& measured, const CalibrationSpec& how,
                              const RunSpec& run) {
  TRY(fitted, fit(measured.experiments, !how.no_base));
  fitted.base = how.no_base ? std::string(kNoBase) : latency_model_name(run);
  fitted.model = measured.model;
  fitted.gpu = measured.gpu;
  fitted.layout = measured.layout;
  fitted.engine = run.step_time.engine.value_or(Engine::vllm);
  fitted.quantization = empty_if_stored(run.model.quantization);
  fitted.date = how.measured_on;
  return fitted;
}

}  // namespace plimsoll
