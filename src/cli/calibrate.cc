// `plimsoll calibrate`: what do my own measurements say of the step times?
#include <memory>

#include "base/replacement_file.h"
#include "base/text.h"
#include "calibration/fit.h"
#include "calibration/recording.h"
#include "cli/console.h"
#include "cli/file_clashes.h"
#include "cli/parse.h"
#include "cli/run_functions.h"
#include "cli/setup.h"
#include "cli/style.h"
#include "report/calibration.h"

namespace plimsoll {
namespace {

Result<Experiment> recorded_experiment(const Options& options, const Setup& setup) {
  TraceV2Reading reading;
  reading.served_model = setup.model;
  reading.refuse_unknown_slo_classes = false;
  reading.keep_observations = true;
  auto trace = read_trace_v2(options.trace_header, options.trace_data, reading);
  if (!trace) return pass_on(trace);
  return experiment_of(std::make_shared<const TraceV2>(std::move(*trace)), setup.deployment,
                       semantics_of(options), options.trace_data);
}

Result<void> check_flags(const Options& options) {
  if (options.is_given("--alpha-coeffs") || options.is_given("--beta-coeffs")) {
    return fail(ErrorKind::usage, "calibrate fits its own: --alpha-coeffs has no place here",
                "a calibration corrects a latency model as the catalog has it, or stands alone: "
                "--no-base");
  }
  if (options.trace_header.empty() != options.trace_data.empty()) {
    return fail(ErrorKind::usage, "a recording is two files: --trace-header and --trace-data");
  }
  if (!options.trace_data.empty()) return {};
  return fail(ErrorKind::usage, "calibrate from what? give --trace-header and --trace-data",
              "`plimsoll observe` records them from a server");
}

Result<void> write_calibration(const std::string& path, const Calibration& calibration) {
  ReplacementFile file(path);
  file.write(calibration_text(calibration));
  return file.finish();
}

std::string next_step(const Options& options, const Calibration& calibration) {
  if (calibration.base != kNoBase && improvement(calibration) < kLeastImprovement) return {};
  if (options.output.empty()) return "the same with --output calibration.yaml keeps it";
  return "plimsoll run --model " + shell_quoted(calibration.model) + " --calibration " +
         shell_quoted(options.output);
}

Result<CalibrationReport> calibrate(const Options& options) {
  if (auto checked = check_flags(options); !checked) return pass_on(checked);
  auto setup = make_setup(options);
  if (!setup) return pass_on(setup);
  print_notes(options, setup->notes);
  auto experiment = recorded_experiment(options, *setup);
  if (!experiment) return pass_on(experiment);
  const std::vector<Experiment> experiments{std::move(*experiment)};
  auto fitted = fit(experiments, !options.no_base);
  if (!fitted) return pass_on(fitted);
  CalibrationReport report;
  report.calibration = std::move(*fitted);
  Calibration& c = report.calibration;
  c.base = options.no_base ? std::string(kNoBase)
                           : options.latency_model.value_or(semantics_of(options).latency_model);
  c.model = setup->model;
  c.gpu = setup->gpu;
  c.layout = setup->layout;
  c.date = options.measured_on;
  for (const Experiment& e : experiments) {
    report.notes.insert(report.notes.end(), e.notes.begin(), e.notes.end());
  }
  report.next = next_step(options, c);
  return report;
}

std::string text_of(const CalibrationReport& report, const Options& options) {
  if (options.json) return calibration_report_json(report);
  return options.quiet ? calibration_verdict(report.calibration) : calibration_report_text(report);
}

}  // namespace

int calibrate_verb(const Command& command) {
  if (auto checked = check_file_clashes(command); !checked) return report(checked.error());
  const Options& options = command.options;
  if (!options.output.empty()) {
    if (auto checked = check_replaceable(options.output); !checked) return report(checked.error());
  }
  auto found = calibrate(options);
  if (!found) return report(found.error());
  if (!options.output.empty()) {
    if (auto written = write_calibration(options.output, found->calibration); !written) {
      return report(written.error());
    }
  }
  return print_result(text_of(*found, options));
}

}  // namespace plimsoll
