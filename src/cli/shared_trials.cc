#include "cli/shared_trials.h"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/lists.h"
#include "cli/question.h"
#include "metrics/summary_record.h"
#include "workload/workload_spec.h"

namespace plimsoll {
namespace {

std::string unit_of_run(const TrialRun& run, const std::vector<Variant>& variants) {
  return fmt::format("seed {} variant {}", run.seed, variants[run.trial].name);
}

}  // namespace

JournalHead question_of_trials(const Command& command, const std::vector<Variant>& variants,
                               const std::vector<Trial>& trials) {
  std::vector<std::string> files;
  for (std::size_t v = 0; v < trials.size(); ++v) {
    append(&files, deciding_files(variants[v].command));
    const RunSpec& run = trials[v].run;
    const std::string& spec = run.traffic.workload_spec;
    if (!spec.empty()) append(&files, files_named_by_workload_spec(spec));
    for (const PoolSpec& pool : run.fleet.pools) {
      if (!pool.calibration.empty()) files.push_back(pool.calibration);
    }
    append(&files, cached_configs({run.model.id, run.speculation.draft_model}));
  }
  return question_of(command, {}, files);
}

TrialWatch watch_for(SharedWork* work, const std::vector<Variant>& variants, std::size_t threads) {
  TrialWatch watch;
  watch.threads = threads;
  watch.keep_going = [work] { return work->keep_going(); };
  watch.look = [work](const TrialProgress& progress) {
    if (!work->line().is_due()) return;
    work->line().show(
        {"simulating", progress.share, fmt::format("{} of {} runs", progress.done, progress.runs)});
  };
  watch.known = [work, &variants](const TrialRun& run) {
    const auto known = work->known(unit_of_run(run, variants));
    return known ? read_summary(*known) : std::nullopt;
  };
  watch.wanted = [work](const TrialRun& run) { return work->wants(run.number); };
  watch.done = [work, &variants](const TrialRun& run, const Summary& summary) {
    work->keep(unit_of_run(run, variants), json_of_summary(summary));
  };
  return watch;
}

}  // namespace plimsoll
