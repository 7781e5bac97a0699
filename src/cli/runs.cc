// `plimsoll runs ...`: answers whose work was shared out, by their folders (cli/run_folder.h).
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/journal.h"
#include "base/json.h"
#include "base/quoting.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/run_folder.h"
#include "cli/run_functions.h"
#include "cli/shared_answer.h"
#include "cli/style.h"
#include "cli/table.h"
#include "report/form/text_report.h"
#include "report/plan/diff.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

/// What became of one so far.
struct RunState {
  std::string path;  ///< as it was asked for
  SharedQuestion question;
  std::vector<std::int64_t> missing;
  std::vector<SubmittedJob> jobs;
  std::string verdict;  ///< empty: there is none yet
  std::string date;     ///< of the answer; empty: there is none yet
  std::string damage;   ///< what keeps it from being answered; empty: nothing
  std::string command;  ///< that asks the question, to be typed here
  std::string go_on;    ///< that goes on with it

  std::string state() const {
    if (!verdict.empty()) return "done";
    if (!damage.empty()) return "damaged";
    return missing.empty() ? "ready" : "begun";
  }
  std::int64_t there() const { return question.shards - std::ssize(missing); }
};

// "question.record: this file is damaged: its checksum does not match"
std::string where_and_why(const Diagnostic& why) {
  std::string file = fs::path(why.file).filename().string();
  if (why.line > 0) file += fmt::format(":{}", why.line);
  return (file.empty() ? "" : file + ": ") + why.message;
}

// A command names its files from the folder that it was asked in.
std::string command_here(const RunFolder& folder, const std::string& path, bool goes_on) {
  const SharedQuestion& question = folder.question();
  std::error_code ignored;
  const bool is_asked_here = fs::current_path(ignored).string() == question.folder;
  std::string command = is_asked_here ? "" : "cd " + shell_quoted(question.folder) + " && ";
  command += question.head.command;
  if (goes_on) command += " --resume " + shell_quoted(is_asked_here ? path : folder.path());
  return question.input ? command + " <" + shell_quoted(folder.input()) : command;
}

// "shard-0000.1.journal:3: this line is damaged", of the shards that are there.
std::string damage_in(const RunFolder& folder) {
  for (const std::string& file : folder.test_files()) {
    const auto checked = Journal::check(file, folder.question().head);
    if (!checked) return where_and_why(checked.error().diagnostics.front());
  }
  return {};
}

Result<RunState> state_of(const std::string& path) {
  TRY(folder, RunFolder::open(path));
  TRY(jobs, folder.jobs());
  TRY(answer, answer_in(folder));
  RunState run;
  run.path = path;
  run.question = folder.question();
  run.missing = folder.missing();
  run.jobs = std::move(jobs);
  if (answer) {
    run.verdict = answer->verdict;
    run.date = answer->day;
  } else {
    run.damage = damage_in(folder);
  }
  run.command = command_here(folder, path, false);
  run.go_on = command_here(folder, path, true);
  return run;
}

// The pick and what it holds.
std::string first_sentence_of(const std::string& verdict) {
  const std::string line = verdict.substr(0, verdict.find('\n'));
  const std::size_t end = line.find(". ");
  return end == std::string::npos ? line : line.substr(0, end + 1);
}

std::vector<std::string> row_of(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  const auto run = state_of(path);
  if (!run) {
    const std::string why = where_and_why(run.error().diagnostics.front());
    return {name, "damaged", "-", "-", "", why, ""};
  }
  return {name,
          run->state(),
          std::to_string(run->there()),
          std::to_string(run->question.shards),
          run->date,
          run->damage.empty() ? first_sentence_of(run->verdict) : run->damage,
          run->command};
}

Result<std::string> list_of(const std::string& above, const ConsoleSpec& console) {
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::directory_iterator at(above, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (fs::exists(at->path() / "question.record", ignored)) paths.push_back(at->path().string());
  }
  if (error) {
    return fail(ErrorKind::io, "cannot list " + above + ": " + error.message(),
                "give the folder that holds the folders of --executor: plimsoll runs list FOLDER");
  }
  std::ranges::sort(paths);
  Table table{{{"folder"},
               {"state"},
               {"shards_done", true, false, "done"},
               {"shards", true},
               {"answered_on", false, false, "answered on"},
               {"answer"},
               {"command", false, true}},
              {}};
  for (const std::string& path : paths) table.rows.push_back(row_of(path));
  if (console.json) return as_json(table);
  if (paths.empty()) return "No folder in " + above + " is one that --executor filled.\n";
  const Style style =
      console.color == ColorChoice::automatic ? style_of_lists() : style_of_stdout(console.color);
  return as_text(table, style);
}

std::string shown_json(const RunState& run) {
  Json jobs = Json::array_of(run.jobs, [](const SubmittedJob& job) {
    return Json{{"job", job.id}, {"shards", ranges_of(job.shards)}};
  });
  return Json{{"folder", run.path},
              {"state", run.state()},
              {"answer", run.verdict.empty() ? run.damage : run.verdict},
              {"answered_on", run.date.empty() ? Json() : Json(run.date)},
              {"shards", run.question.shards},
              {"missing", ranges_of(run.missing)},
              {"jobs", jobs},
              {"executor", run.question.executor},
              {"command", run.command},
              {"version", run.question.version}}
             .dump() +
         "\n";
}

std::string shards_text(const RunState& run) {
  return fmt::format("{} of {}", run.there(), counted(run.question.shards, "shard"));
}

std::string verdict_on(const RunState& run) {
  if (!run.verdict.empty()) return run.verdict + "\n";
  if (!run.damage.empty()) return "It cannot go on: " + run.damage + ".\n";
  return run.missing.empty() ? "All shards are there; the answer has not been computed yet.\n"
                             : "It is not done: " + shards_text(run) + " are there.\n";
}

std::string shown_text(const RunState& run, const Style& style) {
  TextReport out(style);
  const std::string shards = shards_text(run);
  out.verdict(trimmed(verdict_on(run)), 0, Mood::none);
  out.line("shards", run.missing.empty() ? shards : shards + "; missing " + ranges_of(run.missing));
  for (const SubmittedJob& job : run.jobs) {
    out.line("job", fmt::format("{}: shards {}", job.id, ranges_of(job.shards)));
  }
  out.line("day", run.date);
  out.line("executor", run.question.executor);
  out.line("version", run.question.version);
  out.line("command", run.command);
  if (run.verdict.empty()) out.next(run.go_on, "go on, and print the answer");
  return out.text();
}

Result<std::string> report_in(const std::string& path) {
  TRY(folder, RunFolder::open(path));
  TRY(answer, answer_in(folder));
  if (answer) return std::move(answer->report);
  return fail_in(ErrorKind::usage, path, "this run has no result yet",
                 command_here(folder, path, true));
}

Result<void> check_is_plan(const std::string& path) {
  TRY(folder, RunFolder::open(path));
  const std::string& verb = folder.question().verb;
  if (verb == "plan") return {};
  return fail(ErrorKind::usage,
              fmt::format("{} answers `{}`, and only plans can be compared", path, verb),
              "plimsoll runs show FOLDER shows the answer of each");
}

std::string_view models_in(bool of_fleet) { return of_fleet ? "several models" : "one model"; }

Result<std::string> comparison_of(const std::string& old_path, const std::string& new_path,
                                  const ConsoleSpec& console) {
  TRY_TO(check_is_plan(old_path));
  TRY_TO(check_is_plan(new_path));
  TRY(old_report, report_in(old_path));
  TRY(new_report, report_in(new_path));
  const bool was_fleet = is_fleet_report(Json::parse(old_report));
  const bool is_fleet = is_fleet_report(Json::parse(new_report));
  if (was_fleet != is_fleet) {
    return fail(ErrorKind::usage,
                fmt::format("{} has a plan of {}, {} one of {}", old_path, models_in(was_fleet),
                            new_path, models_in(is_fleet)),
                "compare two plans of the same kind");
  }
  if (console.json) return plan_diff_json(old_report, old_path, new_report);
  return plan_diff_text(old_report, old_path, new_report, style_of_stdout(console.color));
}

Result<int> printed(const Result<std::string>& text) { return text.map(print_result); }

}  // namespace

Result<int> runs_list_verb(const Command& command) {
  print_notes(command.options, command.notes);
  return printed(list_of(command.arguments.empty() ? "." : command.arguments.front(),
                         command.options.console));
}

Result<int> runs_show_verb(const Command& command) {
  print_notes(command.options, command.notes);
  TRY(run, state_of(command.arguments.front()));
  return print_result(in_form_asked_for(
      command.options.console, {[&] { return shown_json(run); }, [&] { return verdict_on(run); },
                                [&](const Style& style) { return shown_text(run, style); }}));
}

Result<int> runs_compare_verb(const Command& command) {
  print_notes(command.options, command.notes);
  return printed(
      comparison_of(command.arguments[0], command.arguments[1], command.options.console));
}

}  // namespace plimsoll
