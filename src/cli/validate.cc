// `plimsoll validate`: how close are predictions to measurements?
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/progress.h"
#include "cli/run_functions.h"
#include "cli/style.h"
#include "report/measured/validation.h"
#include "setup/calibrated.h"
#include "setup/chosen_model.h"
#include "validation/case.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

constexpr int kNothingCompared = 2;

Result<CaseResult> validate_folder(const std::string& folder, const Options& options,
                                   const std::optional<Calibration>& calibration) {
  TRY(measured, read_case(folder));
  TRY(model, find_case_model(measured.deployment.model, folder));
  ValidationOptions how;
  how.latency_model = options.run.step_time.latency_model.value_or(Semantics::vllm().latency_model);
  if (calibration) how.calibration = &*calibration;
  how.sampling = sampling_of(measured, model, options.run.step_time);
  how.model_error = !options.metrics.no_model_error;
  how.why = options.metrics.why;
  return validate_case(measured, model.config, how);
}

std::string one_line(const Error& error) {
  const Diagnostic& first = error.diagnostics.front();
  if (first.file.empty()) return first.message;
  const std::string line = first.line > 0 ? ":" + std::to_string(first.line) : "";
  return first.file + line + ": " + first.message;
}

bool is_anything_compared(const Validation& validation) {
  return std::any_of(validation.cases.begin(), validation.cases.end(),
                     [](const CaseResult& c) { return c.has_comparisons(); });
}

std::string title_of(const std::vector<std::string>& cases) {
  return "Predictions against measurements: " +
         (cases.size() == 1 ? cases.front() : counted(std::ssize(cases), "folder"));
}

using Results = std::vector<std::optional<Result<CaseResult>>>;

/// All folders, as many at a time as there are processors. Ctrl-C leaves the rest empty.
Results validate_folders(const std::vector<std::string>& folders, const Options& options,
                         const std::optional<Calibration>& calibration,
                         const Interruption& interruption) {
  Results results(folders.size());
  std::atomic<std::size_t> done = 0;
  ProgressLine line;
  work_and_watch(
      [&] {
        for_each_in_parallel(
            folders.size(), processors(),
            [&](std::size_t i) {
              results[i] = validate_folder(folders[i], options, calibration);
              ++done;
            },
            [&] { return !interruption.requested(); });
      },
      [&] {
        if (line.is_due()) {
          const double share = static_cast<double>(done) / static_cast<double>(folders.size());
          line.show(
              {"simulating", share, fmt::format("{} of {} cases", done.load(), folders.size())});
        }
      });
  return results;
}

}  // namespace

Result<int> validate_verb(const Command& command) {
  const Options& options = command.options;
  std::vector<std::string> folders;
  Validation validation;
  for (const std::string& path : command.arguments) {
    auto found = find_cases(path);
    if (!found && command.arguments.size() == 1) return pass_on(found);
    if (!found) {
      validation.skipped.push_back({path, one_line(found.error())});
      continue;
    }
    folders.insert(folders.end(), found->begin(), found->end());
  }
  std::vector<std::string> notes_on_profile;  // none: cases are no profiles
  TRY(calibration, calibration_of(options.run, &notes_on_profile));
  const Interruption interruption;
  Results results = validate_folders(folders, options, calibration, interruption);
  if (command.arguments.size() == 1 && results.size() == 1 && results[0] && !*results[0]) {
    const std::string file = (fs::path(folders[0]) / kCaseFile).string();
    return tl::unexpected<Error>(located_in(file, results[0]->error()));
  }
  for (std::size_t i = 0; i < folders.size(); ++i) {
    if (results[i] && *results[i]) {
      validation.cases.push_back(std::move(**results[i]));
    } else {
      validation.skipped.push_back({fs::path(folders[i]).filename().string(),
                                    results[i] ? one_line(results[i]->error()) : "interrupted"});
    }
  }
  const auto text = [&](const Style& style) { return validation_text(validation, style); };
  const std::string answer = in_form_asked_for(
      options.console, {[&] { return validation_json(validation); },
                        [&] { return validation_verdict(validation) + "\n"; }, text});
  const int printed = hand_over(answer, page_of(command, title_of(command.arguments), text));
  if (printed != 0) return printed;
  if (interruption.requested()) return interrupted_code();
  return is_anything_compared(validation) ? 0 : kNothingCompared;
}

}  // namespace plimsoll
