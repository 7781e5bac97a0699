// The common part of plans of one model and of several: the files that they read and write, their
// journal (cli/shared_work.h), the clock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/progress.h"
#include "cli/shared_work.h"
#include "planner/capacity.h"
#include "planner/plan_request.h"
#include "planner/plan_search.h"

namespace plimsoll {

struct RequestFile {
  std::string name;
  std::string text;
};

/// None: flags say it all.
Result<std::optional<RequestFile>> read_request_file(const Command& command);

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
  /// Both have to outlive it.
  PlanSession(const Command& command, const std::optional<RequestFile>& file);

  /// Errors of files before any work. Reads the report of --diff; `of_fleet`: of several models.
  Result<void> begin(bool of_fleet);
  /// If one is wanted (SharedWork::open).
  Result<std::optional<int>> open_journal(const std::vector<PlanRequest>& requests);
  /// Null: none is wanted.
  Journal* journal() { return work_.journal(); }

  /// `shown`: the progress after a test, made when it is time to show it.
  Execution execution(std::function<WorkSoFar(const LoadProbe&)> shown);
  /// The same for what no count of tests and no progress tells of.
  Execution quietly() const;
  double elapsed_s() { return work_.line().elapsed_s(); }
  std::int64_t tests() const { return tests_; }  ///< done so far

  /// Null: the whole plan is asked for.
  const Shard* shard() const { return work_.shard(); }
  /// The exit code, once all tests of the shard are done.
  Result<int> finish_shard() { return work_.finish_shard(); }

  /// The command that repeats the plan.
  std::string command() const { return work_.command_with(); }
  /// Now, or what SOURCE_DATE_EPOCH says; empty with --no-timing.
  std::string timestamp() const;

  /// Prints what is asked for, then writes the files of --html and --summary and what `emit` does,
  /// and says how to go on with what was cut short. Returns the exit code: `exit_code` unless there
  /// is reason for another.
  int finish(const PlanAnswer& answer, const SideFile& emit, bool interrupted, int exit_code);

 private:
  std::string shown(const PlanAnswer& answer) const;

  const Command& command_;
  const Options& options_;
  const std::optional<RequestFile>& file_;
  std::string old_report_;
  SharedWork work_;
  std::int64_t tests_ = 0;
};

}  // namespace plimsoll
