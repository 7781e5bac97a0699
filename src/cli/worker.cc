// `plimsoll worker`: the results of one shard of an answer, for cli/executor.cc, Slurm and
// Kubernetes.
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/console.h"
#include "cli/run_folder.h"
#include "cli/run_functions.h"
#include "cli/shared_work.h"
#include "cli/style.h"
#include "cli/verbs.h"

namespace plimsoll {
namespace {

// By the second argument, or as Slurm and Kubernetes number their tasks.
Result<std::int64_t> asked_shard(const Command& command, std::int64_t shards) {
  std::string text = command.arguments.size() > 1 ? command.arguments[1] : "";
  std::string by = "the shard";
  for (const char* name : {"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}) {
    const char* value = std::getenv(name);
    if (!text.empty() || value == nullptr) continue;
    text = value;
    by = name;
  }
  long long shard = 0;
  if (text.empty()) {
    return fail(ErrorKind::usage, "no shard is given",
                "plimsoll worker FOLDER SHARD, or set SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX");
  }
  if (parse_int(text, &shard) && shard >= 0 && shard < shards) return shard;
  return fail(ErrorKind::usage,
              fmt::format("{} must be from 0 to {}, not \"{}\"", by, shards - 1, text));
}

Result<Journal> attempt_journal(const RunFolder& folder, std::int64_t shard,
                                const std::string& attempt, const JournalHead& question) {
  TRY_TO(folder.check_question(question));
  const std::vector<std::string> before = folder.test_files(shard);
  TRY(journal, Journal::create(attempt, question));
  for (const std::string& file : before) {
    if (file != attempt) TRY_TO(journal.absorb(file, question));
  }
  return journal;
}

Result<int> carry_out(const Command& command) {
  TRY(folder, RunFolder::open(command.arguments.front()));
  const SharedQuestion& question = folder.question();
  TRY_TO(folder.check_program());
  TRY(number, asked_shard(command, question.shards));
  if (folder.is_done(number)) {
    print_notes(command.options, {fmt::format("shard {} is there already", number)});
    return 0;
  }
  std::error_code error;
  std::filesystem::current_path(question.folder, error);
  if (error) {
    return fail(ErrorKind::io, "cannot enter " + question.folder + ": " + error.message(),
                "the command names its files from there; make that folder visible here, too");
  }
  TRY(asked, parse_command(*find_verb(question.verb), question.words));
  asked.options.console.threads = command.options.console.threads;
  TRY(attempt, folder.begin_attempt(number));
  const ShardTask task{{number, question.shards}, question.input, [&](const JournalHead& head) {
                         return attempt_journal(folder, number, attempt, head);
                       }};
  asked.task = &task;
  TRY(code, asked.verb.run(asked));
  if (code == 0) TRY_TO(folder.deliver(number, attempt));
  return code;
}

}  // namespace

Result<int> worker_verb(const Command& command) {
  print_notes(command.options, command.notes);
  return carry_out(command);
}

}  // namespace plimsoll
