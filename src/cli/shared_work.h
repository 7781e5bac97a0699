// The part of an answer that is worked out in units (the tests of a plan, the cases of a
// validation), which a journal keeps or processes share (cli/run_folder.h): the journal or folder
// and who fills it, progress, Ctrl-C, and how to go on.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/journal.h"
#include "base/result.h"
#include "base/shard.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/progress.h"
#include "cli/run_folder.h"
#include "cli/shard_waiting.h"
#include "cli/shared_answer.h"

namespace plimsoll {

/// One shard of an answer, for a process that works out nothing else (worker.cc).
struct ShardTask {
  Shard shard;
  std::optional<std::string> input;  ///< what the command would read from standard input
  /// The journal of that shard, once the question is known.
  std::function<Result<Journal>(const JournalHead& question)> journal;
};

class SharedWork {
 public:
  /// The command has to outlive it. `unit`: what a line of the journal is a result of; `phase`:
  /// what is done, for progress; `input`: what stood on standard input.
  SharedWork(const Command& command, std::string_view unit, std::string_view phase,
             std::optional<std::string> input = {})
      : command_(command),
        sharing_(command.options.sharing),
        unit_(unit),
        phase_(phase),
        input_(std::move(input)) {}

  /// Errors of its flags, before any work.
  Result<void> check_flags() const;
  /// A journal is wanted: open() it.
  bool is_kept() const;
  /// And has it filled by an executor, if one is asked for. An exit code where there is nothing to
  /// answer yet: others go on with that, or somebody no longer wants to wait.
  Result<std::optional<int>> open(const JournalHead& question);
  /// Null: none is wanted.
  Journal* journal() { return journal_ ? &*journal_ : nullptr; }

  /// Null: the whole answer is asked for.
  const Shard* shard() const { return command_.task == nullptr ? nullptr : &command_.task->shard; }
  /// The exit code, once all units of the shard are done.
  Result<int> finish_shard();

  /// The result of a unit that the journal has.
  std::optional<Json> known(const std::string& unit) const {
    return journal_ ? journal_->find(unit) : std::nullopt;
  }

  // All may be called from any thread.
  /// Asked before a unit is worked out that the journal lacks. False where nobody waits for the
  /// other shards: what they found is all there is, and the answer is an interrupted one.
  bool may_work() const;
  /// The same of a unit by its number: false of those of other shards, too.
  bool wants(std::size_t number) const {
    return (shard() == nullptr || shard()->has(number)) && may_work();
  }
  bool keep_going() const { return !is_out_ && (replays_ || !interruption_.requested()); }
  /// In the journal, if there is one.
  void keep(const std::string& unit, const Json& result) {
    if (journal_) journal_->add({unit, result});
  }

  ProgressLine& line() { return line_; }
  /// The command that repeats the question, `more` behind it.
  std::string command_with(const std::string& more = "") const;
  /// What is to be done once the answer is printed: an interrupted one says how to go on, another
  /// one is kept in the folder, if there is one.
  std::vector<SideFile> side_files(bool interrupted, std::function<SharedAnswer()> answer);

 private:
  Result<void> open_folder(const JournalHead& question);
  /// Has the missing shards carried out.
  Result<Sharing> share();
  Result<ExecutorSpec> executor_spec() const;
  Result<std::optional<int>> fill_journal(const JournalHead& question);
  /// As the user calls it.
  const std::string& name() const;
  void print_units(const std::string& path) const;
  Result<void> say_how_to_go_on() const;

  const Command& command_;
  const SharingSpec& sharing_;
  std::string unit_;
  std::string phase_;
  std::optional<std::string> input_;
  std::optional<RunFolder> folder_;
  std::optional<Journal> journal_;
  Interruption interruption_;
  bool replays_ = false;                      // nobody waits for the other shards
  mutable std::atomic<bool> is_out_ = false;  // and more than they found is needed
  ProgressLine line_;
};

}  // namespace plimsoll
