// `plimsoll plan`: which deployment is cheapest for my limits?
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/parallel.h"
#include "base/replacement_file.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/file_clashes.h"
#include "cli/plan_emit.h"
#include "cli/plan_fleet.h"
#include "cli/plan_question.h"
#include "cli/plan_space.h"
#include "cli/planned.h"
#include "cli/progress.h"
#include "cli/run_functions.h"
#include "cli/style.h"
#include "planner/plan_journal.h"
#include "report/plan.h"
#include "report/plan_diff.h"

namespace plimsoll {
namespace {

constexpr int kInterrupted = 130;
constexpr int kNothingFeasible = 1;

// Now, or what reproducible builds ask for (reproducible-builds.org, SOURCE_DATE_EPOCH).
std::string timestamp() {
  std::time_t now = std::time(nullptr);
  long long epoch = 0;
  const char* given = std::getenv("SOURCE_DATE_EPOCH");
  if (given != nullptr && parse_int(given, &epoch)) now = static_cast<std::time_t>(epoch);
  std::tm utc = {};
  if (gmtime_r(&now, &utc) == nullptr) return {};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

Result<void> check_files(const Command& command) {
  if (!command.options.journal_path.empty() && !command.options.resume_path.empty()) {
    return fail(ErrorKind::usage, "--journal begins a journal and --resume goes on with one",
                "give one of them");
  }
  if (auto checked = check_file_clashes(command); !checked) return checked;
  for (const std::string& path : {command.options.html_path, command.options.summary_path}) {
    if (path.empty()) continue;
    if (auto checked = check_replaceable(path); !checked) return checked;
  }
  return check_emission(command.options);
}

struct RequestFile {
  std::string name;
  std::string text;
};

bool is_from_input(const Command& command) {
  return !command.arguments.empty() && command.arguments.front() == "-";
}

// None: flags say it all.
Result<std::optional<RequestFile>> read_request_file(const Command& command) {
  if (command.arguments.empty()) return std::nullopt;
  const bool from_input = is_from_input(command);
  const std::string& path = command.arguments.front();
  auto text = from_input ? read_input() : read_file(path);
  if (!text) return pass_on(text);
  return RequestFile{from_input ? std::string(kStandardInput) : path, std::move(*text)};
}

class PlanVerb {
 public:
  PlanVerb(const Command& command, const std::optional<RequestFile>& file)
      : command_(command), options_(command.options), file_(file) {}

  Result<int> run() {
    if (auto checked = check_files(command_); !checked) return pass_on(checked);
    if (auto read = read_old_report(); !read) return pass_on(read);
    if (auto made = make_request(); !made) return pass_on(made);
    auto planned = Planned::prepare(command_, request());
    if (!planned) return pass_on(planned);
    print_notes(options_, command_.notes);
    const auto deploy = [&](const Candidate& candidate) { return planned->deploy(candidate); };
    if (auto opened = open_journal(); !opened) return pass_on(opened);
    const auto watch = [this](const PlanProgress& progress) {
      progress_ = progress;
      left_.set_done(settled_share(), line_.elapsed_s());
    };
    auto plan = make_plan(request(), deploy, execution(), journal_ ? &*journal_ : nullptr, watch);
    if (!plan) return pass_on(plan);
    report_.plan = std::move(*plan);
    for (const CandidateResult& r : report_.plan.candidates) {
      report_.extrapolations.push_back(planned->extrapolation(r.candidate));
    }
    for (const auto& [from, to] : {std::pair(&planned->assumed(), &report_.assumed),
                                   std::pair(&planned->provenance(), &report_.provenance)}) {
      to->insert(to->end(), from->begin(), from->end());
    }
    if (const CandidateResult* best = report_.best()) {
      const std::vector<std::string> more = planned->assumed_of(best->flags);
      report_.assumed.insert(report_.assumed.end(), more.begin(), more.end());
    }
    report_.model = planned->model();
    report_.command = command_with("");
    if (!options_.no_timing) {
      report_.timestamp = timestamp();
      report_.elapsed_s = line_.elapsed_s();
    }
    line_.clear();
    if (auto written = write_files(); !written) return pass_on(written);
    if (auto emitted = emit(*planned); !emitted) return pass_on(emitted);
    return answer();
  }

 private:
  PlanRequest& request() { return report_.request; }

  Result<void> make_request() {
    if (file_) {
      auto read = parse_plan_request(file_->text, file_->name);
      if (!read) return pass_on(read);
      request() = std::move(*read);
    }
    return complete_request(options_, &request(), &report_.assumed);
  }

  Result<void> open_journal() {
    if (options_.journal_path.empty() && options_.resume_path.empty()) return {};
    const bool is_new = options_.resume_path.empty();
    const JournalHead question = plan_question(command_, request(), file_ ? file_->text : "");
    auto journal = is_new ? PlanJournal::create(options_.journal_path, question)
                          : PlanJournal::resume(options_.resume_path, question);
    if (!journal) return pass_on(journal);
    journal_.emplace(std::move(*journal));
    if (!is_new) {
      print_notes(options_, {fmt::format("{} has {}", journal_->path(),
                                         counted(std::int64_t(journal_->tests()), "test"))});
    }
    return {};
  }

  // What repeats the plan, with more flags.
  std::string command_with(const std::string& more) const {
    const std::string command = repeating_command(command_) + more;
    return is_from_input(command_) ? with_input(command, file_->text) : command;
  }

  // How nothing is lost.
  void say_how_to_go_on() const {
    if (journal_ && report_.plan.interrupted) {
      print_notes(options_,
                  {"to go on: " + command_with(" --resume " + shell_quoted(journal_->path()))});
    } else if (report_.plan.interrupted) {
      print_notes(options_, {"with --journal FILE, --resume FILE could go on from here"});
    }
  }

  Execution execution() {
    Execution e;
    e.threads = options_.threads > 0 ? static_cast<std::size_t>(options_.threads) : processors();
    e.keep_going = [this] { return !interruption_.requested(); };
    e.tested = [this](const ProbeJob&, const LoadProbe& probe) {
      probes_ += 1;
      if (line_.is_due()) line_.show(progress_text(probe));
    };
    return e;
  }

  // The best is tried with other rates once all candidates are settled: as one more of them.
  double settled_share() const {
    return static_cast<double>(progress_.settled) / static_cast<double>(progress_.candidates + 1);
  }

  std::string progress_text(const LoadProbe& probe) const {
    const double elapsed = line_.elapsed_s();
    std::string text = counted(probes_, "test");
    if (progress_.candidates > 0) {
      text = fmt::format("{} of {} settled, {}", progress_.settled,
                         counted(std::int64_t(progress_.candidates), "candidate"), text);
    }
    // Most of those that are left are beaten without a test.
    text += fmt::format(" in {:.0f} s{}", elapsed, left_.text(elapsed, "at most"));
    if (!progress_.best.empty()) text += "; best so far " + progress_.best;
    return text + fmt::format("; {} at {} req/s", counted(probe.instances, "replica"),
                              three_digits(probe.rate_rps));
  }

  Result<void> write_files() const {
    if (!options_.html_path.empty()) {
      if (auto written = write(options_.html_path, plan_html(report_)); !written) return written;
    }
    if (options_.summary_path.empty()) return {};
    return write(options_.summary_path, plan_summary(report_));
  }

  Result<void> emit(const Planned& planned) {
    if (options_.emit.empty() || report_.best() == nullptr) return {};
    auto paths = emit_deployment(options_, planned, report_);
    if (!paths) return pass_on(paths);
    print_notes(options_, {"wrote " + join(*paths, ", ")});
    return {};
  }

  static Result<void> write(const std::string& path, const std::string& text) {
    ReplacementFile file(path);
    file.write(text);
    return file.finish();
  }

  Result<int> answer() {
    const int printed = print_result(text());
    if (printed != 0) return printed;
    say_how_to_go_on();
    if (journal_) {
      if (auto state = journal_->state(); !state) return pass_on(state);
    }
    if (report_.plan.interrupted) return kInterrupted;
    return report_.best() == nullptr ? kNothingFeasible : 0;
  }

  Result<void> read_old_report() {
    if (options_.diff_path.empty()) return {};
    constexpr std::int64_t kLargestReport = std::int64_t{1} << 28;
    auto text = read_file(options_.diff_path, kLargestReport);
    if (!text) return pass_on(text);
    old_report_ = std::move(*text);
    return check_plan_json(old_report_, options_.diff_path);
  }

  std::string text() const {
    const bool compared = !options_.diff_path.empty();
    if (options_.json) {
      const std::string json = plan_json(report_);
      return compared ? plan_diff_json(old_report_, options_.diff_path, json) : json;
    }
    const std::string text = options_.quiet ? plan_verdict(report_)
                                            : plan_text(report_, style_of_stdout(options_.color));
    if (!compared) return text;
    return text + (options_.quiet ? "" : "\n") +
           plan_diff_text(old_report_, options_.diff_path, plan_json(report_));
  }

  const Command& command_;
  const Options& options_;
  const std::optional<RequestFile>& file_;
  PlanReport report_;
  std::string old_report_;
  std::optional<PlanJournal> journal_;
  Interruption interruption_;
  ProgressLine line_;
  PlanProgress progress_;
  TimeLeft left_;
  std::int64_t probes_ = 0;
};

}  // namespace

int plan_verb(const Command& command) {
  auto file = read_request_file(command);
  if (!file) return report(file.error());
  if (*file) {
    auto fleet = parse_fleet_request((*file)->text, (*file)->name);
    if (!fleet) return report(fleet.error());
    if (*fleet) {
      auto planned = plan_fleet(command, std::move(**fleet));
      return planned ? *planned : report(planned.error());
    }
  }
  auto status = PlanVerb(command, *file).run();
  return status ? *status : report(status.error());
}

}  // namespace plimsoll
