// An answer whose units of work are shared out among processes, as a folder that all of them see:
//
//   question.record     what is asked, and in how many shards
//   input.yaml          what stood on standard input
//   plan.journal        the results of the command itself, named after its verb
//   shard-0003.1.part   those of the first attempt at a shard, which is still under way or was lost
//   shard-0003.2.journal  those of one that came to its end
//   jobs.record         what was submitted to Slurm
//   result.json         the report, and verdict.txt what it comes to (cli/shared_answer.h)
//
// Attempts share no file, so a shard that runs twice, here or on two machines, harms nothing: what
// both have has to be alike (Journal::take_over).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/journal.h"
#include "base/result.h"

namespace plimsoll {

struct SharedQuestion {
  JournalHead head;
  std::string verb;
  std::vector<std::string> words;    ///< after the verb
  std::string folder;                ///< that files are named from
  std::optional<std::string> input;  ///< what stood on standard input
  std::string version;               ///< of the program
  std::string build;                 ///< of its sources
  std::string executor;
  std::int64_t shards = 1;
  std::string sbatch_args;  ///< of the command that began it
};

struct SubmittedJob {
  std::string id;
  std::vector<std::int64_t> shards;
};

class RunFolder {
 public:
  /// Makes the folder. A usage error where something is in it.
  static Result<RunFolder> create(const std::string& path, SharedQuestion question);
  /// Errors: no such folder, a damaged question, one of another version of this format.
  static Result<RunFolder> open(const std::string& path);
  /// A folder that open() may be asked for.
  static bool is_one(const std::string& path);

  /// A spec error where another program began it: results of two must not be mixed.
  Result<void> check_program() const;
  /// A spec error where it was begun with another question.
  Result<void> check_question(const JournalHead& question) const;

  const SharedQuestion& question() const { return question_; }
  const std::string& path() const { return path_; }  ///< absolute
  std::string file(std::string_view name) const;
  std::string journal() const { return file(question_.verb + ".journal"); }
  std::string result() const { return file("result.json"); }
  std::string verdict() const { return file("verdict.txt"); }
  std::string input() const { return file("input.yaml"); }

  bool is_done(std::int64_t shard) const;
  std::vector<std::int64_t> missing() const;  ///< shards, ascending
  /// The files of all attempts, whole or not, by name.
  std::vector<std::string> test_files() const;
  /// Whether that file holds all results of its shard.
  static bool is_whole(const std::string& file);
  /// The files of attempts at this one.
  std::vector<std::string> test_files(std::int64_t shard) const;

  /// An empty file for the results of another attempt at a shard, which nobody else has.
  Result<std::string> begin_attempt(std::int64_t shard) const;
  /// The attempt came to its end: its file gets its last name, and those of earlier ones at this
  /// shard that nobody writes any more go. It has to have their results (Journal::absorb).
  Result<void> deliver(std::int64_t shard, const std::string& attempt) const;

  Result<void> add_job(const SubmittedJob& job) const;
  Result<std::vector<SubmittedJob>> jobs() const;

 private:
  RunFolder(std::string path, SharedQuestion question)
      : path_(std::move(path)), question_(std::move(question)) {}

  std::string path_;
  SharedQuestion question_;
};

/// "3,5-9,12", as sbatch reads it.
std::string ranges_of(const std::vector<std::int64_t>& shards);

}  // namespace plimsoll
