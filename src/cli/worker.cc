// `plimsoll worker`: the tests of one shard of a plan, for cli/executor.cc, Slurm and Kubernetes.
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/console.h"
#include "cli/plan.h"
#include "cli/run_folder.h"
#include "cli/run_functions.h"
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

Result<PlanJournal> attempt_journal(const RunFolder& folder, std::int64_t shard,
                                    const std::string& attempt, const JournalHead& question) {
  if (question.digest != folder.question().head.digest) {
    return fail_in(ErrorKind::spec, folder.path(),
                   "a file, a model or the catalog is no longer what this plan began with",
                   "put it back, or begin another plan");
  }
  const std::vector<std::string> before = folder.test_files(shard);
  TRY(journal, PlanJournal::create(attempt, question));
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
                "the plan names its files from there; make that folder visible here, too");
  }
  TRY(asked, parse_command(*find_verb("plan"), question.words));
  asked.options.console.threads = command.options.console.threads;
  std::optional<RequestFile> file;
  if (question.input) {
    file = RequestFile{std::string(kStandardInput), *question.input};
  } else {
    TRY_SET(file, read_request_file(asked));
  }
  TRY(attempt, folder.begin_attempt(number));
  const ShardTask task{{number, question.shards}, [&](const JournalHead& head) {
                         return attempt_journal(folder, number, attempt, head);
                       }};
  TRY(code, answer_plan(asked, file, &task));
  if (code == 0) TRY_TO(folder.deliver(number, attempt));
  return code;
}

}  // namespace

Result<int> worker_verb(const Command& command) {
  print_notes(command.options, command.notes);
  return carry_out(command);
}

}  // namespace plimsoll
