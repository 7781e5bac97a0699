// `plimsoll calibrate`: what do my measurements say about step times?
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/lists.h"
#include "base/parallel.h"
#include "base/quoting.h"
#include "base/text.h"
#include "calibration/experiment.h"
#include "cli/console.h"
#include "cli/flags.h"
#include "cli/idle_flags.h"
#include "cli/parse.h"
#include "cli/progress.h"
#include "cli/run_functions.h"
#include "cli/style.h"
#include "cli/typed_flags.h"
#include "report/measured/calibration.h"
#include "setup/calibrated.h"
#include "setup/chosen_model.h"
#include "setup/measured_steps.h"
#include "setup/setup.h"
#include "validation/case.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

// The two files of a recording.
struct Recording {
  std::string header;
  std::string data;
};

// An argument that is the header of a recording, whose data are beside it under the same name, and
// not the file of a case.
bool is_header(const std::string& path) {
  const fs::path file = path;
  const std::string ending = file.extension();
  return file.filename() != kCaseFile && (ending == ".yaml" || ending == ".yml") &&
         !is_folder(path);
}

std::vector<Recording> recordings_of(const Options& options,
                                     const std::vector<std::string>& arguments) {
  if (arguments.empty())
    return {{options.run.traffic.trace.header, options.run.traffic.trace.data}};
  return mapped(arguments, [](const std::string& path) {
    return Recording{path, fs::path(path).replace_extension(".csv")};
  });
}

Result<Measured> measured_in_recordings(const Options& options,
                                        const std::vector<Recording>& recordings) {
  TRY(setup, setup_of(options));
  print_notes(options, setup.notes);
  const TraceV2Reading reading{
      .served_model = setup.model, .refuse_unknown_slo_classes = false, .keep_observations = true};
  Measured out;
  for (const Recording& recording : recordings) {
    TRY(trace, read_trace_v2(recording.header, recording.data, reading));
    TRY(experiment, experiment_of(std::make_shared<const TraceV2>(std::move(trace)),
                                  setup.deployment, semantics_of(options.run), recording.data));
    out.experiments.push_back(std::move(experiment));
  }
  out.model = setup.model;
  out.gpu = setup.gpu;
  out.layout = setup.layout;
  return out;
}

bool is_same_deployment(const Measured& all, const Case& one, const CaseExperiment& experiment) {
  return all.model == one.deployment.model && all.gpu == experiment.gpu &&
         is_same(all.layout, experiment.layout);
}

// One of several that says nothing of step times is left out.
Result<void> add_case(const std::string& folder, const Options& options, bool alone,
                      Measured* out) {
  TRY(read, read_case(folder));
  out->cases.push_back(std::make_unique<Case>(std::move(read)));
  const Case& one = *out->cases.back();
  TRY(model, find_case_model(one.deployment.model, folder));
  auto found = experiment_of(one, model.config, sampling_of(one, model, options.run.step_time),
                             latency_model_name(options.run));
  if (!found && alone) return pass_on(found);
  if (!found) {
    out->notes.push_back(found.error().diagnostics.front().message);
    return {};
  }
  if (out->experiments.empty()) {
    out->first = one.name;
    out->model = one.deployment.model;
    out->gpu = found->gpu;
    out->layout = found->layout;
  } else if (!is_same_deployment(*out, one, *found)) {
    return fail(ErrorKind::usage,
                one.name + " is not of the same model, GPU and parallelism as " + out->first,
                "a calibration is for one deployment: calibrate each separately");
  }
  out->experiments.push_back(std::move(found->experiment));
  return {};
}

Result<Measured> measured_in_cases(const std::vector<std::string>& paths, const Options& options) {
  std::vector<std::string> folders;
  for (const std::string& path : paths) {
    TRY(found, find_cases(path));
    append(&folders, found);
  }
  Measured out;
  for (const std::string& folder : folders) {
    TRY_TO(add_case(folder, options, folders.size() == 1, &out));
  }
  if (out.experiments.empty()) {
    return fail(ErrorKind::usage, "none of the cases can be fitted: " + out.notes.front());
  }
  return out;
}

Result<void> check_flags(const Options& options, const std::vector<std::string>& arguments) {
  if (is_given(options, "--alpha-coeffs") || is_given(options, "--beta-coeffs")) {
    return fail(ErrorKind::usage, "calibrate fits its own coefficients: leave out --alpha-coeffs",
                "a calibration corrects a latency model as the catalog has it, or stands alone: "
                "--no-base");
  }
  const auto headers = std::ranges::count_if(arguments, is_header);
  const bool recording = headers > 0 || !options.run.traffic.trace.header.empty() ||
                         !options.run.traffic.trace.data.empty();
  const bool cases = headers < std::ssize(arguments);
  const bool steps = has_steps(options.run);
  if (recording + cases + steps > 1) {
    return fail(ErrorKind::usage,
                "recordings, cases and measured steps are calibrated with one by one",
                "give recordings, or folders of cases, or --profile and --telemetry");
  }
  if (cases && !options.run.model.id->empty()) {
    return fail(
        ErrorKind::usage,
        fmt::format("{} is neither the header of a recording (.yaml, as observe writes it) nor a "
                    "folder with a case, which names its own --model",
                    *std::ranges::find_if_not(arguments, is_header)));
  }
  const TraceSpec& trace = options.run.traffic.trace;
  if (trace.header.empty() != trace.data.empty()) {
    return fail(ErrorKind::usage, "a recording is two files: --trace-header and --trace-data");
  }
  std::vector<std::string> sorted = arguments;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    return fail(ErrorKind::usage, *twice + " is given twice", "leave one of them out");
  if (headers > 0 && !trace.header.empty()) {
    return fail(ErrorKind::usage, "recordings are given as arguments and as --trace-header",
                "give all of them as arguments: the headers, with each .csv beside its .yaml");
  }
  if (recording || cases || steps) return {};
  return fail(
      ErrorKind::usage,
      "nothing to calibrate from: give --trace-header and --trace-data, the headers of several "
      "recordings, --profile, --telemetry, or folders of cases",
      "`plimsoll observe` records a server; docs/reference/measurements.md describes the others");
}

// As the flags of `run` say it; defaults are those of the model, not of what was measured.
std::string deployment_flags(const Calibration& calibration) {
  const Parallelism& layout = calibration.layout;
  std::string text = " --hardware " + shell_quoted(calibration.gpu);
  text += " --tp " + std::to_string(layout.tp);
  if (layout.pp > 1) text += " --pp " + std::to_string(layout.pp);
  if (layout.dp > 1) text += " --dp " + std::to_string(layout.dp);
  if (layout.ep > 1) text += " --enable-expert-parallel";
  return text;
}

// What else was said of the engine.
std::string engine_flags(const Options& options) {
  constexpr std::string_view kSaid[]{"--model",        "--hardware", "--tp",
                                     "--pp",           "--dp",       "--enable-expert-parallel",
                                     "--latency-model"};
  constexpr FlagGroup kGroups[]{FlagGroup::model, FlagGroup::step_time, FlagGroup::cluster,
                                FlagGroup::engine};
  return typed_flags(options, [&](const Flag& flag) {
    return contains(kGroups, flag.group) && !contains(kSaid, flag.name);
  });
}

// The same command, whose result is kept.
std::string kept(const Options& options, const std::vector<std::string>& arguments) {
  std::string command = "plimsoll calibrate";
  for (const std::string& path : arguments) command += " " + shell_quoted(path);
  return command +
         typed_flags(options, [](const Flag& flag) { return !decides_nothing(flag.group); }) +
         " --output calibration.yaml";
}

std::string next_step(const Options& options, const std::vector<std::string>& arguments,
                      const Calibration& calibration) {
  if (!why_not_better(calibration).empty()) return {};
  if (options.conversion.output.empty()) return kept(options, arguments);
  return "plimsoll run --model " + shell_quoted(calibration.model) + deployment_flags(calibration) +
         engine_flags(options) + " --calibration " + shell_quoted(options.conversion.output);
}

Result<Measured> measure(const Options& options, const std::vector<std::string>& arguments) {
  const bool cases = !arguments.empty() && !is_header(arguments.front());
  if (cases) return measured_in_cases(arguments, options);
  if (!has_steps(options.run))
    return measured_in_recordings(options, recordings_of(options, arguments));
  TRY(measured, measured_steps(options.run));
  print_notes(options, notes_on_idle_flags(options));
  print_notes(options, measured.setup_notes);
  return measured;
}

// How many rounds a fit takes, nobody knows before.
Result<Calibration> fitted_in_view(const Measured& measured, const Options& options) {
  std::int64_t measurements = 0;
  for (const Experiment& e : measured.experiments) measurements += std::ssize(e.observations);
  std::optional<Result<Calibration>> fitted;
  ProgressLine line;
  work_and_watch([&] { fitted = fitted_to(measured, options.calibration, options.run); },
                 [&] {
                   if (line.is_due())
                     line.show({"fitting", {}, counted(measurements, "measurement")});
                 });
  return std::move(*fitted);
}

Result<CalibrationReport> calibrate(const Options& options,
                                    const std::vector<std::string>& arguments) {
  TRY_TO(check_flags(options, arguments));
  TRY(measured, measure(options, arguments));
  TRY(fitted, fitted_in_view(measured, options));
  CalibrationReport report;
  report.calibration = std::move(fitted);
  report.notes = measured.notes;
  report.remarks = measured.remarks;
  if (std::string far = why_far_off(report.calibration); !far.empty())
    report.remarks.push_back(far + ": was it another GPU or model, or another unit of time?");
  for (const Experiment& e : measured.experiments) {
    append(&report.notes, e.notes);
  }
  report.next = next_step(options, arguments, report.calibration);
  report.is_written = !options.conversion.output.empty();
  return report;
}

std::string text_of(const CalibrationReport& report, const Options& options) {
  return in_form_asked_for(
      options.console,
      {[&] { return calibration_report_json(report); },
       [&] { return calibration_verdict(report.calibration); },
       [&](const Style& style) { return calibration_report_text(report, style); }});
}

}  // namespace

Result<int> calibrate_verb(const Command& command) {
  const Options& options = command.options;
  TRY(found, calibrate(options, command.arguments));
  std::vector<SideFile> files;
  if (!options.conversion.output.empty()) {
    files.push_back(
        side_file(options.conversion.output, [&] { return calibration_text(found.calibration); }));
  }
  return hand_over(text_of(found, options), files);
}

}  // namespace plimsoll
