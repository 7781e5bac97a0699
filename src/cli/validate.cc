// `plimsoll validate`: how close are predictions to measurements?
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/lists.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/question.h"
#include "cli/run_functions.h"
#include "cli/shared_work.h"
#include "cli/style.h"
#include "report/measured/validation.h"
#include "setup/calibrated.h"
#include "setup/chosen_model.h"
#include "validation/case.h"
#include "validation/case_record.h"

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

// All files of the cases, with the config.json of models that are not built in.
JournalHead question_of_cases(const Command& command, const std::vector<std::string>& folders) {
  std::vector<std::string> files = deciding_files(command);
  for (const std::string& folder : folders) {
    std::vector<std::string> of_case;
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error)) {
      if (at->is_regular_file(error)) of_case.push_back(at->path().string());
    }
    std::ranges::sort(of_case);
    append(&files, of_case);
    const auto measured = read_case(folder);
    if (!measured || find_model(measured->deployment.model)) continue;
    files.push_back(config_beside_cases(measured->deployment.model, folder));
    append(&files, cached_configs({measured->deployment.model}));
  }
  return question_of(command, folders, files);
}

/// Of the folders that the journal has, and of the others (of the shard), as many at a time as
/// asked for. Ctrl-C leaves the rest empty.
Results validate_folders(const std::vector<std::string>& folders, const Options& options,
                         const std::optional<Calibration>& calibration, SharedWork* work) {
  Results results(folders.size());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const auto known = work->known(folders[i]);
    if (known) results[i] = *read_case_result(*known);
    if (!known) missing.push_back(i);
  }
  std::atomic<std::size_t> done = folders.size() - missing.size();
  work_and_watch(
      [&] {
        for_each_in_parallel(
            missing.size(), threads_for(options.console.threads),
            [&](std::size_t n) {
              const std::size_t i = missing[n];
              if (!work->wants(i)) return;
              results[i] = validate_folder(folders[i], options, calibration);
              if (*results[i]) work->keep(folders[i], json_of_case_result(**results[i]));
              ++done;
            },
            [&] { return work->keep_going(); });
      },
      [&] {
        if (!work->line().is_due()) return;
        const double share = static_cast<double>(done) / static_cast<double>(folders.size());
        work->line().show(
            {"simulating", share, fmt::format("{} of {} cases", done.load(), folders.size())});
      });
  return results;
}

}  // namespace

Result<int> validate_verb(const Command& command) {
  const Options& options = command.options;
  SharedWork work(command, "case", "simulating");
  TRY_TO(work.check_flags());
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
  if (work.is_kept()) {
    TRY(ended, work.open(question_of_cases(command, folders)));
    if (ended) return *ended;
  }
  Results results = validate_folders(folders, options, calibration, &work);
  if (work.shard() != nullptr) return work.finish_shard();
  work.line().clear();
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
  const auto json = [&] { return validation_json(validation); };
  const auto verdict = [&] { return validation_verdict(validation); };
  const bool interrupted = !work.keep_going();
  std::vector<SideFile> files = work.side_files(interrupted, [&] {
    return SharedAnswer{json(), verdict()};
  });
  append(&files, page_of(command, title_of(command.arguments), text));
  const int code = interrupted                        ? interrupted_code()
                   : is_anything_compared(validation) ? 0
                                                      : kNothingCompared;
  return hand_over(
      in_form_asked_for(options.console, {json, [&] { return verdict() + "\n"; }, text}), files,
      code);
}

}  // namespace plimsoll
