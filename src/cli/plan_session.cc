#include "cli/plan_session.h"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/command_files.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/quoting.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/executor.h"
#include "cli/plan_question.h"
#include "cli/shared_answer.h"
#include "cli/style.h"
#include "cli/typed_flags.h"
#include "cli/version.h"
#include "report/plan/diff.h"
#include "setup/input_file.h"

namespace plimsoll {
namespace {

bool is_from_input(const Command& command) {
  return !command.arguments.empty() && command.arguments.front() == "-";
}

// Before any work, and before the folder keeps them.
Result<std::vector<std::string>> sbatch_words(const std::string& text) {
  if (auto words = shell_words(text)) return std::move(*words);
  return fail(ErrorKind::usage, "--sbatch-args " + text + ": a quote or a backslash is not closed",
              "quote as in a shell: --sbatch-args=\"--comment='two words'\"");
}

Result<void> check_files(const Command& command) {
  const PlanFiles& files = command.options.plan_files;
  const SharingSpec& sharing = command.options.sharing;
  if (!files.journal.empty() && !files.resume.empty()) {
    return fail(ErrorKind::usage, "--journal starts a journal and --resume continues one",
                "give one of them");
  }
  if (!sharing.executor.empty() && files.journal.empty() && files.resume.empty()) {
    return fail(ErrorKind::usage, "--executor needs a folder that all processes see",
                "add --journal FOLDER");
  }
  TRY_TO(sbatch_words(sharing.sbatch_args));
  const bool shares = !sharing.executor.empty() || RunFolder::is_one(files.resume);
  for (const std::string_view flag : {"--shards", "--sbatch-args", "--no-wait"}) {
    if (shares || !is_given(command.options, flag)) continue;
    return fail(ErrorKind::usage, std::string(flag) + " is for --executor",
                "add --executor NAME --journal FOLDER, or leave the flag out");
  }
  return {};
}

}  // namespace

Result<std::optional<RequestFile>> read_request_file(const Command& command) {
  if (command.arguments.empty()) return std::nullopt;
  const bool from_input = is_from_input(command);
  const std::string& path = command.arguments.front();
  TRY(text, from_input ? read_input() : read_file(path));
  TRY_TO(check_is_for("plan", path, text));
  return RequestFile{from_input ? std::string(kStandardInput) : path, std::move(text)};
}

Result<void> PlanSession::begin(bool of_fleet) {
  TRY_TO(check_files(command_));
  if (options_.plan_files.diff.empty()) return {};
  TRY_SET(old_report_, read_file(options_.plan_files.diff, kLargestReport));
  return check_plan_json(old_report_, options_.plan_files.diff, of_fleet);
}

Result<std::optional<int>> PlanSession::open_journal(const std::vector<PlanRequest>& requests) {
  const PlanFiles& files = options_.plan_files;
  const bool is_new = files.resume.empty();
  if (task_ == nullptr && is_new && files.journal.empty()) return std::nullopt;
  const JournalHead question = plan_question(command_, requests, file_ ? file_->text : "");
  if (task_ != nullptr) {
    TRY(journal, task_->journal(question));
    journal_.emplace(std::move(journal));
    return std::nullopt;
  }
  if (!options_.sharing.executor.empty() || RunFolder::is_one(files.resume))
    return open_folder(question);
  TRY(journal, is_new ? PlanJournal::create(files.journal, question)
                      : PlanJournal::resume(files.resume, question));
  journal_.emplace(std::move(journal));
  if (!is_new) print_tests(journal_->path());
  return std::nullopt;
}

void PlanSession::print_tests(const std::string& path) const {
  if (journal_->cut_line() > 0) {
    print_notes(options_, {fmt::format("{}:{}: this line was not written whole and is cut off",
                                       journal_->path(), journal_->cut_line())});
  }
  print_notes(options_,
              {fmt::format("{} has {}", path, counted(std::int64_t(journal_->tests()), "test"))});
}

// As the user calls it.
const std::string& PlanSession::folder_name() const {
  const PlanFiles& files = options_.plan_files;
  return files.resume.empty() ? files.journal : files.resume;
}

Result<std::optional<int>> PlanSession::open_folder(const JournalHead& question) {
  const PlanFiles& files = options_.plan_files;
  if (files.resume.empty()) {
    SharedQuestion shared{question,
                          repeating_words(command_),
                          std::filesystem::current_path().string(),
                          {},
                          std::string(version()),
                          std::string(build_id()),
                          options_.sharing.executor,
                          options_.sharing.shards,
                          options_.sharing.sbatch_args};
    if (is_from_input(command_)) shared.input = file_->text;
    TRY(made, RunFolder::create(files.journal, std::move(shared)));
    folder_.emplace(std::move(made));
  } else {
    TRY(found, RunFolder::open(files.resume));
    TRY_TO(found.check_program());
    folder_.emplace(std::move(found));
    if (options_.sharing.shards.is_asked() &&
        options_.sharing.shards != folder_->question().shards) {
      return fail(ErrorKind::usage,
                  fmt::format("{} was begun with {}", files.resume,
                              counted(folder_->question().shards, "shard")),
                  "leave --shards out");
    }
  }
  const bool is_begun = std::filesystem::exists(folder_->journal());
  TRY(journal, is_begun ? PlanJournal::resume(folder_->journal(), question)
                        : PlanJournal::create(folder_->journal(), question));
  journal_.emplace(std::move(journal));
  return fill_journal(question);
}

Result<Sharing> PlanSession::share() {
  const SharingSpec& sharing = options_.sharing;
  ExecutorSpec spec;
  spec.name = sharing.executor.empty() ? folder_->question().executor : sharing.executor;
  spec.threads = threads_for(options_.console.threads);
  const bool says_args = is_given(options_, "--sbatch-args");
  TRY_SET(spec.sbatch_args,
          sbatch_words(says_args ? sharing.sbatch_args : folder_->question().sbatch_args));
  for (const std::string_view flag : {"--sbatch-args", "--no-wait"}) {
    if (spec.name == "slurm" || !is_given(options_, flag)) continue;
    return fail(ErrorKind::usage, std::string(flag) + " is for --executor slurm",
                "leave the flag out");
  }
  if (folder_->missing().empty()) return Sharing::done;
  TRY(executor, make_executor(spec));
  Waiting waiting;
  waiting.waits = !sharing.no_wait;
  waiting.keep_going = [this] { return !interruption_.requested(); };
  waiting.note = [this](const std::string& note) {
    line_.clear();
    print_notes(options_, {note});
  };
  waiting.show = [this](std::size_t missing) {
    const auto all = static_cast<double>(folder_->question().shards);
    const double done = all - static_cast<double>(missing);
    if (!line_.is_due()) return;
    line_.show({"planning", done / all, fmt::format("{} of {} shards", done, all)});
  };
  return carry_out_shards(*folder_, executor.get(), waiting);
}

Result<std::optional<int>> PlanSession::fill_journal(const JournalHead& question) {
  TRY(shared, share());
  line_.clear();
  if (shared == Sharing::elsewhere) {
    print_notes(options_, {"then: " + command_with(" --resume " + shell_quoted(folder_name()))});
    return print_result(unfinished_text(*folder_, folder_name(), options_.console));
  }
  for (const std::string& file : folder_->test_files()) {
    TRY(cut, journal_->take_over(file, question));
    if (cut == 0 || !RunFolder::is_whole(file)) continue;
    print_notes(options_,
                {fmt::format("{}:{}: this line was not written whole: its test is carried "
                             "out again",
                             file, cut)});
  }
  replays_ = shared == Sharing::interrupted;
  if (replays_ && journal_->tests() == 0) {
    TRY_TO(say_how_to_go_on());
    return interrupted_code();
  }
  print_tests(folder_name());
  return std::nullopt;
}

Result<int> PlanSession::finish_shard() {
  line_.clear();
  TRY_TO(journal_->state());
  return interruption_.requested() ? interrupted_code() : 0;
}

Execution PlanSession::quietly() const {
  Execution e;
  e.threads = threads_for(options_.console.threads);
  e.keep_going = [this] { return !is_out_ && (replays_ || !interruption_.requested()); };
  e.may_test = [this] {
    if (replays_) is_out_ = true;
    return !replays_;
  };
  return e;
}

Execution PlanSession::execution(std::function<WorkSoFar(const LoadProbe&)> shown) {
  Execution e = quietly();
  e.tested = [this, shown = std::move(shown)](const ProbeJob&, const LoadProbe& probe) {
    tests_ += 1;
    if (line_.is_due()) line_.show(shown(probe));
  };
  return e;
}

std::string PlanSession::command_with(const std::string& more) const {
  const std::string command = repeating_command(command_) + more;
  return is_from_input(command_) ? with_input(command, file_->text) : command;
}

std::string PlanSession::timestamp() const {
  if (options_.plan_files.no_timing) return {};
  std::time_t now = std::time(nullptr);
  long long epoch = 0;  // of reproducible builds (reproducible-builds.org, SOURCE_DATE_EPOCH)
  const char* given = std::getenv("SOURCE_DATE_EPOCH");
  if (given != nullptr && parse_int(given, &epoch)) now = static_cast<std::time_t>(epoch);
  std::tm utc = {};
  if (gmtime_r(&now, &utc) == nullptr) return {};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string PlanSession::shown(const PlanAnswer& answer) const {
  const std::string& old_path = options_.plan_files.diff;
  const bool compared = !old_path.empty();
  const auto difference = [&](const char* before) {
    if (!compared) return std::string();
    return before + plan_diff_text(old_report_, old_path, answer.json(),
                                   style_of_stdout(options_.console.color));
  };
  return in_form_asked_for(options_.console,
                           {[&] {
                              const std::string json = answer.json();
                              return compared ? plan_diff_json(old_report_, old_path, json) : json;
                            },
                            [&] { return answer.verdict() + difference(""); },
                            [&](const Style&) { return answer.text() + difference("\n"); }});
}

// How nothing is lost.
Result<void> PlanSession::say_how_to_go_on() const {
  if (journal_) {
    const std::string command =
        command_with(" --resume " + shell_quoted(folder_ ? folder_name() : journal_->path()));
    print_notes(options_, {"to go on: " + command});
  } else if (!CommandFiles::are_sealed()) {
    print_notes(options_, {"with --journal FILE, --resume FILE could continue from here"});
  }
  return {};
}

int PlanSession::finish(const PlanAnswer& answer, const SideFile& emit, bool interrupted,
                        int exit_code) {
  line_.clear();
  std::vector<SideFile> files;
  if (interrupted) files.push_back([this] { return say_how_to_go_on(); });
  if (journal_) files.push_back([this] { return journal_->state(); });
  if (folder_ && !interrupted) {
    files.push_back([&] { return keep_answer(*folder_, {answer.json(), answer.verdict()}); });
  }
  for (SideFile& page : page_files(options_.console, answer.page)) files.push_back(std::move(page));
  if (!options_.plan_files.summary.empty()) {
    files.push_back(side_file(options_.plan_files.summary, answer.summary));
  }
  files.push_back(emit);
  return hand_over(shown(answer), files, interrupted ? interrupted_code() : exit_code);
}

}  // namespace plimsoll
