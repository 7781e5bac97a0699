// The common part of plans of one model and of several: the files that they read and write, the
// journal, progress and Ctrl-C, the clock.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/plan_sharing.h"
#include "cli/progress.h"
#include "cli/run_folder.h"
#include "planner/capacity.h"
#include "planner/plan_journal.h"
#include "planner/plan_request.h"
#include "planner/plan_search.h"

namespace plimsoll {

struct RequestFile {
  std::string name;
  std::string text;
};

/// None: flags say it all.
Result<std::optional<RequestFile>> read_request_file(const Command& command);

/// One shard of a plan, for a process that tests nothing else (worker.cc).
struct ShardTask {
  Shard shard;
  /// The journal of that shard, once the question is known.
  std::function<Result<PlanJournal>(const JournalHead& question)> journal;
};

/// An answer in the forms it can have; each is made where it is wanted.
struct PlanAnswer {
  std::function<std::string()> text;
  std::function<std::string()> verdict;
  std::function<std::string()> json;
  std::function<std::string()> page;
  std::function<std::string()> summary;
};

class PlanSession {
 public:
  /// All have to outlive it. `task` may be null.
  PlanSession(const Command& command, const std::optional<RequestFile>& file, const ShardTask* task)
      : command_(command), options_(command.options), file_(file), task_(task) {}

  /// Errors of files before any work. Reads the report of --diff; `of_fleet`: of several models.
  Result<void> begin(bool of_fleet);
  /// And has it filled by an executor, if one is asked for. An exit code where there is nothing to
  /// answer yet: others go on with that, or somebody no longer wants to wait.
  Result<std::optional<int>> open_journal(const std::vector<PlanRequest>& requests);
  /// Null: none is wanted.
  PlanJournal* journal() { return journal_ ? &*journal_ : nullptr; }

  /// `shown`: the progress after a test, made when it is time to show it.
  Execution execution(std::function<WorkSoFar(const LoadProbe&)> shown);
  /// The same for what no count of tests and no progress tells of.
  Execution quietly() const;
  double elapsed_s() const { return line_.elapsed_s(); }
  std::int64_t tests() const { return tests_; }  ///< done so far

  /// Null: the whole plan is asked for.
  const Shard* shard() const { return task_ == nullptr ? nullptr : &task_->shard; }
  /// The exit code, once all tests of the shard are done.
  Result<int> finish_shard();

  /// The command that repeats the plan.
  std::string command() const { return command_with(""); }
  /// Now, or what SOURCE_DATE_EPOCH says; empty with --no-timing.
  std::string timestamp() const;

  /// Prints what is asked for, then writes the files of --html and --summary and what `emit` does,
  /// and says how to go on with what was cut short. Returns the exit code: `exit_code` unless there
  /// is reason for another.
  int finish(const PlanAnswer& answer, const SideFile& emit, bool interrupted, int exit_code);

 private:
  Result<std::optional<int>> open_folder(const JournalHead& question);
  /// Has the missing shards carried out.
  Result<Sharing> share();
  Result<std::optional<int>> fill_journal(const JournalHead& question);
  const std::string& folder_name() const;
  void print_tests(const std::string& path) const;
  std::string command_with(const std::string& more) const;
  std::string shown(const PlanAnswer& answer) const;
  Result<void> say_how_to_go_on() const;

  const Command& command_;
  const Options& options_;
  const std::optional<RequestFile>& file_;
  const ShardTask* task_;
  std::string old_report_;
  std::optional<RunFolder> folder_;
  std::optional<PlanJournal> journal_;
  Interruption interruption_;
  bool replays_ = false;  // nobody waits for the other shards: what was tested is all there is
  mutable std::atomic<bool> is_out_ = false;  // and more of it is needed
  ProgressLine line_;
  std::int64_t tests_ = 0;
};

}  // namespace plimsoll
