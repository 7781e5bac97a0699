#include "cli/shared_work.h"

#include <cstdint>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/command_files.h"
#include "base/parallel.h"
#include "base/quoting.h"
#include "base/text.h"
#include "cli/executor.h"
#include "cli/question.h"
#include "cli/signals.h"
#include "cli/style.h"
#include "cli/typed_flags.h"
#include "cli/version.h"

namespace plimsoll {
namespace {

// Before any work, and before the folder keeps them.
Result<std::vector<std::string>> sbatch_words(const std::string& text) {
  if (auto words = shell_words(text)) return std::move(*words);
  return fail(ErrorKind::usage, "--sbatch-args " + text + ": a quote or a backslash is not closed",
              "quote as in a shell: --sbatch-args=\"--comment='two words'\"");
}

}  // namespace

Result<void> SharedWork::check_flags() const {
  const Options& options = command_.options;
  if (!sharing_.journal.empty() && !sharing_.resume.empty()) {
    return fail(ErrorKind::usage, "--journal starts a journal and --resume continues one",
                "give one of them");
  }
  if (!sharing_.executor.empty() && name().empty()) {
    return fail(ErrorKind::usage, "--executor needs a folder that all processes see",
                "add --journal FOLDER");
  }
  TRY_TO(sbatch_words(sharing_.sbatch_args));
  const bool shares = !sharing_.executor.empty() || RunFolder::is_one(sharing_.resume);
  for (const std::string_view flag : {"--shards", "--sbatch-args", "--no-wait"}) {
    if (shares || !is_given(options, flag)) continue;
    return fail(ErrorKind::usage, std::string(flag) + " is for --executor",
                "add --executor NAME --journal FOLDER, or leave the flag out");
  }
  return {};
}

bool SharedWork::is_kept() const { return command_.task != nullptr || !name().empty(); }

const std::string& SharedWork::name() const {
  return sharing_.resume.empty() ? sharing_.journal : sharing_.resume;
}

Result<std::optional<int>> SharedWork::open(const JournalHead& question) {
  const bool is_new = sharing_.resume.empty();
  if (command_.task != nullptr) {
    TRY(journal, command_.task->journal(question));
    journal_.emplace(std::move(journal));
    return std::nullopt;
  }
  if (!sharing_.executor.empty() || RunFolder::is_one(sharing_.resume)) {
    TRY_TO(open_folder(question));
    return fill_journal(question);
  }
  TRY(journal, is_new ? Journal::create(sharing_.journal, question)
                      : Journal::resume(sharing_.resume, question));
  journal_.emplace(std::move(journal));
  if (!is_new) print_units(journal_->path());
  return std::nullopt;
}

void SharedWork::print_units(const std::string& path) const {
  if (journal_->cut_line() > 0) {
    print_notes(command_.options,
                {fmt::format("{}:{}: this line was not written whole and is cut off",
                             journal_->path(), journal_->cut_line())});
  }
  print_notes(command_.options,
              {fmt::format("{} has {}", path, counted(std::int64_t(journal_->size()), unit_))});
}

Result<void> SharedWork::open_folder(const JournalHead& question) {
  if (sharing_.resume.empty()) {
    SharedQuestion shared{question,
                          std::string(command_.verb.name),
                          repeating_words(command_),
                          std::filesystem::current_path().string(),
                          input_,
                          std::string(version()),
                          std::string(build_id()),
                          sharing_.executor,
                          sharing_.shards,
                          sharing_.sbatch_args};
    TRY(made, RunFolder::create(sharing_.journal, std::move(shared)));
    folder_.emplace(std::move(made));
  } else {
    TRY(found, RunFolder::open(sharing_.resume));
    TRY_TO(found.check_program());
    folder_.emplace(std::move(found));
    if (sharing_.shards.is_asked() && sharing_.shards != folder_->question().shards) {
      return fail(ErrorKind::usage,
                  fmt::format("{} was begun with {}", sharing_.resume,
                              counted(folder_->question().shards, "shard")),
                  "leave --shards out");
    }
  }
  const bool is_begun = std::filesystem::exists(folder_->journal());
  if (!is_begun) TRY_TO(folder_->check_question(question));
  TRY(journal, is_begun ? Journal::resume(folder_->journal(), question)
                        : Journal::create(folder_->journal(), question));
  journal_.emplace(std::move(journal));
  return {};
}

Result<ExecutorSpec> SharedWork::executor_spec() const {
  ExecutorSpec spec;
  spec.name = sharing_.executor.empty() ? folder_->question().executor : sharing_.executor;
  spec.threads = threads_for(command_.options.console.threads);
  const bool says_args = is_given(command_.options, "--sbatch-args");
  TRY_SET(spec.sbatch_args,
          sbatch_words(says_args ? sharing_.sbatch_args : folder_->question().sbatch_args));
  for (const std::string_view flag : {"--sbatch-args", "--no-wait"}) {
    if (spec.name == "slurm" || !is_given(command_.options, flag)) continue;
    return fail(ErrorKind::usage, std::string(flag) + " is for --executor slurm",
                "leave the flag out");
  }
  return spec;
}

Result<Sharing> SharedWork::share() {
  TRY(spec, executor_spec());
  if (folder_->missing().empty()) return Sharing::done;
  TRY(executor, make_executor(spec));
  Waiting waiting;
  waiting.waits = !sharing_.no_wait;
  waiting.keep_going = [this] { return !interruption_.requested(); };
  waiting.note = [this](const std::string& note) {
    line_.clear();
    print_notes(command_.options, {note});
  };
  waiting.show = [this](std::size_t missing) {
    const auto all = static_cast<double>(folder_->question().shards);
    const double done = all - static_cast<double>(missing);
    if (!line_.is_due()) return;
    line_.show({phase_, done / all, fmt::format("{} of {} shards", done, all)});
  };
  return carry_out_shards(*folder_, executor.get(), waiting);
}

Result<std::optional<int>> SharedWork::fill_journal(const JournalHead& question) {
  TRY(shared, share());
  line_.clear();
  if (shared == Sharing::elsewhere) {
    print_notes(command_.options, {"then: " + command_with(" --resume " + shell_quoted(name()))});
    return print_result(unfinished_text(*folder_, name(), command_.options.console));
  }
  for (const std::string& file : folder_->test_files()) {
    TRY(cut, journal_->take_over(file, question));
    if (cut == 0 || !RunFolder::is_whole(file)) continue;
    print_notes(command_.options,
                {fmt::format("{}:{}: this line was not written whole: its {} is carried out again",
                             file, cut, unit_)});
  }
  replays_ = shared == Sharing::interrupted;
  if (replays_ && journal_->size() == 0) {
    TRY_TO(say_how_to_go_on());
    return interrupted_code();
  }
  print_units(name());
  return std::nullopt;
}

Result<int> SharedWork::finish_shard() {
  line_.clear();
  TRY_TO(journal_->state());
  return interruption_.requested() ? interrupted_code() : 0;
}

bool SharedWork::may_work() const {
  if (replays_) is_out_ = true;
  return !replays_;
}

std::string SharedWork::command_with(const std::string& more) const {
  const std::string command = repeating_command(command_) + more;
  return input_ ? with_input(command, *input_) : command;
}

// How nothing is lost.
Result<void> SharedWork::say_how_to_go_on() const {
  if (journal_) {
    const std::string command =
        command_with(" --resume " + shell_quoted(folder_ ? name() : journal_->path()));
    print_notes(command_.options, {"to go on: " + command});
  } else if (!CommandFiles::are_sealed()) {
    print_notes(command_.options, {"with --journal FILE, --resume FILE could continue from here"});
  }
  return {};
}

std::vector<SideFile> SharedWork::side_files(bool interrupted,
                                             std::function<SharedAnswer()> answer) {
  std::vector<SideFile> files;
  if (interrupted) files.push_back([this] { return say_how_to_go_on(); });
  if (journal_) files.push_back([this] { return journal_->state(); });
  if (folder_ && !interrupted) {
    files.push_back([this, answer = std::move(answer)] { return keep_answer(*folder_, answer()); });
  }
  return files;
}

}  // namespace plimsoll
