#include "cli/plan_session.h"

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

}  // namespace

Result<std::optional<RequestFile>> read_request_file(const Command& command) {
  if (command.arguments.empty()) return std::nullopt;
  if (command.task != nullptr && command.task->input) {
    return RequestFile{std::string(kStandardInput), *command.task->input};
  }
  const bool from_input = is_from_input(command);
  const std::string& path = command.arguments.front();
  TRY(text, from_input ? read_input() : read_file(path));
  TRY_TO(check_is_for("plan", path, text));
  return RequestFile{from_input ? std::string(kStandardInput) : path, std::move(text)};
}

PlanSession::PlanSession(const Command& command, const std::optional<RequestFile>& file)
    : command_(command),
      options_(command.options),
      file_(file),
      work_(command, "test", "planning",
            is_from_input(command) ? std::optional(file->text) : std::nullopt) {}

Result<void> PlanSession::begin(bool of_fleet) {
  TRY_TO(work_.check_flags());
  if (options_.plan_files.diff.empty()) return {};
  TRY_SET(old_report_, read_file(options_.plan_files.diff, kLargestReport));
  return check_plan_json(old_report_, options_.plan_files.diff, of_fleet);
}

Result<std::optional<int>> PlanSession::open_journal(const std::vector<PlanRequest>& requests) {
  if (!work_.is_kept()) return std::nullopt;
  return work_.open(plan_question(command_, requests, file_ ? file_->text : ""));
}

Execution PlanSession::quietly() const {
  Execution e;
  e.threads = threads_for(options_.console.threads);
  e.keep_going = [this] { return work_.keep_going(); };
  e.may_test = [this] { return work_.may_work(); };
  return e;
}

Execution PlanSession::execution(std::function<WorkSoFar(const LoadProbe&)> shown) {
  Execution e = quietly();
  e.tested = [this, shown = std::move(shown)](const ProbeJob&, const LoadProbe& probe) {
    tests_ += 1;
    if (work_.line().is_due()) work_.line().show(shown(probe));
  };
  return e;
}

std::string PlanSession::timestamp() const {
  return options_.plan_files.no_timing ? std::string() : utc_time();
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

int PlanSession::finish(const PlanAnswer& answer, const SideFile& emit, bool interrupted,
                        int exit_code) {
  work_.line().clear();
  std::vector<SideFile> files = work_.side_files(interrupted, [&] {
    return SharedAnswer{answer.json(), answer.verdict()};
  });
  for (SideFile& page : page_files(options_.console, answer.page)) files.push_back(std::move(page));
  if (!options_.plan_files.summary.empty()) {
    files.push_back(side_file(options_.plan_files.summary, answer.summary));
  }
  files.push_back(emit);
  return hand_over(shown(answer), files, interrupted ? interrupted_code() : exit_code);
}

}  // namespace plimsoll
