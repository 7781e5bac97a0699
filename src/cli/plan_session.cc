#include "cli/plan_session.h"

#include <cstdlib>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/parallel.h"
#include "base/quoting.h"
#include "base/replacement_file.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/plan_question.h"
#include "cli/style.h"
#include "report/plan/diff.h"
#include "setup/input_file.h"

namespace plimsoll {
namespace {

bool is_from_input(const Command& command) {
  return !command.arguments.empty() && command.arguments.front() == "-";
}

Result<void> check_files(const Command& command) {
  if (!command.options.plan_files.journal.empty() && !command.options.plan_files.resume.empty()) {
    return fail(ErrorKind::usage, "--journal starts a journal and --resume continues one",
                "give one of them");
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
  if (auto checked = check_files(command_); !checked) return checked;
  if (options_.plan_files.diff.empty()) return {};
  constexpr std::int64_t kLargestReport = std::int64_t{1} << 28;
  TRY(text, read_file(options_.plan_files.diff, kLargestReport));
  old_report_ = std::move(text);
  return check_plan_json(old_report_, options_.plan_files.diff, of_fleet);
}

Result<void> PlanSession::open_journal(const std::vector<PlanRequest>& requests) {
  if (options_.plan_files.journal.empty() && options_.plan_files.resume.empty()) return {};
  const bool is_new = options_.plan_files.resume.empty();
  const JournalHead question = plan_question(command_, requests, file_ ? file_->text : "");
  TRY(journal, is_new ? PlanJournal::create(options_.plan_files.journal, question)
                      : PlanJournal::resume(options_.plan_files.resume, question));
  journal_.emplace(std::move(journal));
  if (is_new) return {};
  if (journal_->cut_line() > 0) {
    print_notes(options_, {fmt::format("{}:{}: this line was not written whole and is cut off",
                                       journal_->path(), journal_->cut_line())});
  }
  print_notes(options_, {fmt::format("{} has {}", journal_->path(),
                                     counted(std::int64_t(journal_->tests()), "test"))});
  return {};
}

Execution PlanSession::execution(std::function<WorkSoFar(const LoadProbe&)> shown) {
  Execution e;
  e.threads = options_.console.threads > 0 ? static_cast<std::size_t>(options_.console.threads)
                                           : processors();
  e.keep_going = [this] { return !interruption_.requested(); };
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
    const std::string command = command_with(" --resume " + shell_quoted(journal_->path()));
    print_notes(options_, {"to go on: " + command});
  } else {
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
  if (!options_.console.page.empty())
    files.push_back(side_file(options_.console.page, answer.page));
  if (!options_.plan_files.summary.empty()) {
    files.push_back(side_file(options_.plan_files.summary, answer.summary));
  }
  files.push_back(emit);
  return hand_over(shown(answer), files, interrupted ? interrupted_code() : exit_code);
}

}  // namespace plimsoll
