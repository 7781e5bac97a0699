#include "planner/plan_journal.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLargestJournal = std::int64_t{1} << 30;

tl::unexpected<Error> cannot_write_journal(const std::string& path, int error) {
  return fail(ErrorKind::io, "cannot write " + path + ": " + std::strerror(error),
              "check that the folder exists, may be written to and has space left");
}

tl::unexpected<Error> at_line(const std::string& path, int line, std::string message,
                              std::string hint) {
  return fail(ErrorKind::spec, {path, line, 0, std::move(message), std::move(hint), {}});
}

}  // namespace

Result<void> PlanJournal::open(const char* mode) {
  file_.reset(std::fopen(path_.c_str(), mode));
  if (!file_) return cannot_write_journal(path_, errno);
  return {};
}

Result<PlanJournal> PlanJournal::begin(const std::string& path, const JournalHead& head) {
  PlanJournal journal(path);
  if (auto opened = journal.open("wb"); !opened) return pass_on(opened);
  journal.append(journal_line(head));
  if (auto state = journal.state(); !state) return pass_on(state);
  return journal;
}

Result<PlanJournal> PlanJournal::create(const std::string& path, const JournalHead& head) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) > 0) {
    return fail(ErrorKind::usage, "--journal would overwrite " + path,
                "--resume goes on with a journal; else give another name");
  }
  return begin(path, head);
}

Result<PlanJournal> PlanJournal::resume(const std::string& path, const JournalHead& head) {
  auto text = read_file(path, kLargestJournal);
  if (!text) return pass_on(text);
  const std::size_t first = text->find('\n');
  // Ended before it had said what it is of.
  if (first == std::string::npos && journal_line(head).starts_with(*text)) return begin(path, head);
  const auto found = parse_journal_head(std::string_view(*text).substr(0, first));
  if (!found || first == std::string::npos) {
    return at_line(path, 1, "this is no journal of a plan", "--journal FILE begins one");
  }
  if (found->digest != head.digest) {
    return at_line(path, 1, "this journal is of another question",
                   "it was \"" + found->command +
                       "\"; its flags, files, catalog and version have to be the same");
  }
  PlanJournal journal(path);
  auto whole = journal.read_tests(*text, first + 1);
  if (!whole) return pass_on(whole);
  std::error_code failure;
  if (*whole < text->size()) fs::resize_file(path, *whole, failure);
  if (failure) return cannot_write_journal(path, failure.value());
  if (auto opened = journal.open("ab"); !opened) return pass_on(opened);
  return journal;
}

Result<std::size_t> PlanJournal::read_tests(std::string_view text, std::size_t begin) {
  int number = 2;
  for (std::size_t end = text.find('\n', begin); end != std::string_view::npos;
       begin = end + 1, end = text.find('\n', begin), ++number) {
    auto entry = parse_journal_line(text.substr(begin, end - begin));
    if (!entry) {
      return at_line(path_, number, "this is no test of a plan",
                     "remove the line: what it said will be tested again");
    }
    const Key key(entry->model, entry->candidate, entry->step_factor, entry->probe.rate_rps,
                  entry->probe.instances, entry->probe.draw);
    known_.insert_or_assign(key, std::move(entry->probe));
  }
  return begin;
}

const LoadProbe* PlanJournal::find(std::int64_t model, std::int64_t candidate,
                                   const ProbeJob& job) const {
  const auto at =
      known_.find(Key(model, candidate, job.step_factor, job.rate_rps, job.instances, job.draw));
  return at == known_.end() ? nullptr : &at->second;
}

void PlanJournal::add(JournalEntry entry) { append(journal_line(entry)); }

void PlanJournal::append(const std::string& line) {
  if (error_ != 0) return;
  // To the system at once: what it has outlives this program.
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size();
  if (!written || std::fflush(file_.get()) != 0) error_ = errno;
}

Result<void> PlanJournal::state() const {
  if (error_ != 0) return cannot_write_journal(path_, error_);
  return {};
}

}  // namespace plimsoll
