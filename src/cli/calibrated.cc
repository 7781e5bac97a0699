#include "cli/calibrated.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/measured.h"
#include "profile/profile.h"

namespace plimsoll {
namespace {

// What no correction of a good model has to bridge: an answer from it would be of something else.
Result<void> check_is_measured(const Calibration& calibration, const Profile& profile) {
  constexpr double kFarPercent = 60;
  const auto steps = std::ranges::find(calibration.errors, "step_ms", &CalibrationErrors::metric);
  if (steps == calibration.errors.end() || steps->fitted_before < kFarPercent) return {};
  return fail(
      ErrorKind::spec,
      fmt::format("{}: what the model takes on {} is {} away from its steps", profile.path,
                  calibration.gpu, percent(steps->fitted_before / 100)),
      "was another GPU or model measured? without \"profile\" the answer rests on the catalog");
}

Result<void> check_other_flags(const Options& options, const Calibration& calibration,
                               const std::string& source) {
  if (options.latency_model && *options.latency_model != calibration.base) {
    return fail(ErrorKind::usage,
                "--latency-model " + *options.latency_model + " does not go with " + source +
                    ", which corrects " + calibration.base,
                "leave out --latency-model: the calibration names its own");
  }
  if (options.is_given("--alpha-coeffs") || options.is_given("--beta-coeffs")) {
    const bool is_file = !options.calibration.empty();
    return fail(ErrorKind::usage,
                std::string(is_file ? "--calibration" : "--profile") +
                    " and --alpha-coeffs exclude each other",
                "a calibration corrects a latency model as the catalog has it");
  }
  return {};
}

Result<FittedProfile> fitted_by_flags(const Options& options) {
  if (options.profile.empty()) {
    return fail(ErrorKind::usage, "--telemetry decides together with a profile",
                "give the --profile beside it");
  }
  if (!options.calibration.empty()) {
    return fail(ErrorKind::usage, "--profile and --calibration exclude each other",
                "a calibration is what was fitted to a profile already");
  }
  const auto profile = read_profile(options.profile);
  if (!profile) return tl::unexpected<Error>(profile.error());
  return fit_profile(*profile, options.telemetry, options.model);
}

}  // namespace

Result<FittedProfile> fit_profile(const Profile& profile, const std::string& telemetry,
                                  const std::string& model) {
  Options options;
  options.model = model;
  options.telemetry = telemetry;
  auto measured = measured_steps(options, &profile);
  if (!measured) return pass_on(measured);
  auto fitted = fitted_to(*measured, options);
  if (!fitted) return pass_on(fitted);
  if (auto checked = check_is_measured(*fitted, profile); !checked) return pass_on(checked);
  FittedProfile out{{}, fitted->gpu, {}, std::move(measured->notes)};
  out.notes.insert(out.notes.end(), measured->remarks.begin(), measured->remarks.end());
  if (const std::string why = why_not_better(*fitted); !why.empty()) {
    out.why_unused = fmt::format("{} does not correct it ({})", profile.path, why);
  } else {
    out.calibration = std::move(*fitted);
  }
  return out;
}

Result<Options> with_what_was_measured(Options options, std::vector<std::string>* notes) {
  const bool has_model = !options.model.empty() || !options.model_config.empty();
  if (has_model && !options.hardware.empty()) return options;
  std::string source = options.profile;
  std::string model;
  std::string gpu;
  if (!options.profile.empty()) {
    const auto profile = read_profile(options.profile);
    if (!profile) return tl::unexpected<Error>(profile.error());
    model = profile->model;
    gpu = profile->gpu;
  } else if (!options.calibration.empty()) {
    const auto calibration = read_calibration(options.calibration);
    if (!calibration) return tl::unexpected<Error>(calibration.error());
    source = options.calibration;
    model = calibration->model;
    gpu = calibration->gpu;
  }
  const auto known = find_model(options.model);
  if (has_model && known && known->default_gpu == gpu) return options;  // as without the file
  std::vector<std::string> taken;
  const auto take = [&](std::string_view flag, const std::string& value, std::string* option) {
    if (value.empty() || !option->empty()) return;
    *option = value;
    options.from_file.emplace(flag);
    taken.push_back(fmt::format("{} {}", flag, value));
  };
  if (!has_model) take("--model", model, &options.model);
  take("--hardware", gpu, &options.hardware);
  if (!taken.empty()) notes->push_back(source + " was measured with " + join(taken, " "));
  return options;
}

Result<std::optional<Calibration>> calibration_of(const Options& options,
                                                  std::vector<std::string>* notes) {
  std::optional<Calibration> calibration;
  std::string source = options.profile;
  if (options.fitted) {
    calibration = *options.fitted;
  } else if (has_steps(options)) {
    auto fitted = fitted_by_flags(options);
    if (!fitted) return pass_on(fitted);
    notes->insert(notes->end(), fitted->notes.begin(), fitted->notes.end());
    if (!fitted->calibration) {
      notes->push_back("step times are those of the catalog: " + fitted->why_unused);
      return std::nullopt;
    }
    calibration = std::move(fitted->calibration);
  } else if (!options.calibration.empty()) {
    auto read = read_calibration(options.calibration);
    if (!read) return pass_on(read);
    calibration = std::move(*read);
    source = options.calibration;
  }
  if (!calibration) return std::nullopt;
  if (auto checked = check_other_flags(options, *calibration, source); !checked) {
    return pass_on(checked);
  }
  return calibration;
}

}  // namespace plimsoll
