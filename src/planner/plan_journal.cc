#include "planner/plan_journal.h"

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command_files.h"
#include "base/hash.h"
#include "base/replacement_file.h"
#include "planner/answer_error.h"
#include "planner/estimate.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kLargestJournal = std::int64_t{1} << 30;

tl::unexpected<Error> at_line(const std::string& path, int line, std::string message,
                              std::string hint) {
  return fail(ErrorKind::spec, {path, line, 0, std::move(message), std::move(hint), {}});
}

// Damaged as it may be: one flip does not hide both.
bool begins_a_journal(std::string_view text) {
  constexpr std::size_t kStart = 100;
  const std::string_view start = text.substr(0, kStart);
  return looks_like_record(start) || start.find(kJournalMark) != std::string_view::npos;
}

// Pipes and devices keep nothing.
int synced(int fd) { return fdatasync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno; }

constexpr std::size_t kChecksumDigits = 8;
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kDigits = "0123456789";

constexpr std::int64_t kLongestFactor = 4;

// More instances than the load fills have no more requests under way.
std::int64_t busy_instances(const OpenCandidate& open, double rate_rps, std::int64_t replicas) {
  const Candidate& c = open.result->candidate;
  const CapacityEstimate estimate = open.deployed->estimate_of(c, replicas);
  if (c.mixes()) {
    const auto all = static_cast<double>(c.instances(replicas));
    return std::llround(std::ceil(all * std::min(1.0, rate_rps / estimate.rate_rps)));
  }
  const double full = std::ceil(rate_rps / estimate.rate_rps);
  return c.instances(std::llround(std::min(full, static_cast<double>(replicas))));
}

// From 1, in the order of the space.
std::int64_t id_of(const ProbeJob& job) { return job.tag + 1; }

}  // namespace

Result<void> PlanJournal::open(int flags) {
  constexpr mode_t kAsAllowed = 0666;  // less the umask
  const int fd = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | flags, kAsAllowed);
  if (fd < 0) return cannot_write(path_, errno);
  file_.reset(fdopen(fd, "a+b"));
  if (!file_) return cannot_write(path_, errno);
  // Where a file system has no locks, journals are still written.
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return held_elsewhere(path_);
  return {};
}

// The first line, and the name of the file in its folder.
Result<void> PlanJournal::begin(const JournalHead& head) {
  append(journal_line(head));
  if (error_ != 0) return state();
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return {};
  fsync(fd);
  close(fd);
  return {};
}

Result<PlanJournal> PlanJournal::create(const std::string& path, const JournalHead& head) {
  PlanJournal journal(path);
  TRY_TO(journal.open(O_CREAT));
  struct stat file = {};
  if (fstat(fileno(journal.file_.get()), &file) == 0 && file.st_size > 0) {
    return fail(ErrorKind::usage, "--journal would overwrite " + path,
                "use --resume to continue a journal, or give another name");
  }
  TRY_TO(journal.begin(head));
  return journal;
}

Result<PlanJournal> PlanJournal::resume(const std::string& path, const JournalHead& head) {
  PlanJournal journal(path);
  TRY_TO(open_file(path));
  TRY_TO(journal.open(0));
  auto text = read_file(path, kLargestJournal);  // locked: nobody changes it now
  if (!text) return pass_on(text);
  const std::size_t first = text->find('\n');
  // Ended before it had said what it is of.
  const bool is_torn = first == std::string::npos && journal_line(head).starts_with(*text);
  if (!is_torn) {
    TRY_TO(check_head(path, *text, head));
    TRY_TO(journal.read_tests(path, *text));
  }
  // What came after the last newline was not written whole.
  const std::size_t whole = is_torn ? 0 : text->rfind('\n') + 1;
  if (whole < text->size()) {
    if (ftruncate(fileno(journal.file_.get()), static_cast<off_t>(whole)) != 0)
      return cannot_write(path, errno);
    journal.cut_line_ = static_cast<int>(std::ranges::count(*text, '\n')) + 1;
  }
  if (is_torn) TRY_TO(journal.begin(head));
  return journal;
}

Result<PlanJournal::Others> PlanJournal::read_others(const std::string& path,
                                                     const JournalHead& head) {
  TRY(text, read_file(path, kLargestJournal));
  Others others;
  if (!text.ends_with('\n')) others.cut_line = static_cast<int>(std::ranges::count(text, '\n')) + 1;
  if (text.find('\n') == std::string::npos) return others;  // hardly begun
  TRY_TO(check_head(path, text, head));
  TRY_SET(others.fresh, read_tests(path, text));
  return others;
}

Result<int> PlanJournal::take_over(const std::string& path, const JournalHead& head) {
  TRY(others, read_others(path, head));
  return others.cut_line;
}

Result<void> PlanJournal::check(const std::string& path, const JournalHead& head) {
  PlanJournal alone(path);
  TRY_TO(alone.read_others(path, head));
  return {};
}

Result<void> PlanJournal::absorb(const std::string& path, const JournalHead& head) {
  TRY(others, read_others(path, head));
  if (!others.fresh.empty()) append(others.fresh);
  return state();
}

Result<void> PlanJournal::check_head(const std::string& path, std::string_view text,
                                     const JournalHead& head) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const auto record = text_of_record(line);
  const auto version = journal_version(record.value_or(line));
  const bool has_no_checksum = version && line.starts_with('{');
  if (!record && !has_no_checksum) {
    if (!begins_a_journal(text)) {
      return at_line(path, 1, "this is no journal of a plan", "--journal FILE begins one");
    }
    return at_line(
        path, 1, "this line is damaged: its checksum does not match",
        "the question it belongs to cannot be read; --journal FILE begins another journal");
  }
  if (version != kJournalVersion || !record) {
    if (!version) {
      return at_line(path, 1, "this is no journal of a plan", "--journal FILE begins one");
    }
    return at_line(path, 1,
                   "this journal has version " + std::to_string(*version) +
                       "; this program reads and writes version " + std::to_string(kJournalVersion),
                   "continue with the version that started it, or start another with --journal");
  }
  const auto found = parse_journal_head(*record);
  if (found && found->digest == head.digest) return {};
  if (!found) return at_line(path, 1, "this is no journal of a plan", "--journal FILE begins one");
  return at_line(path, 1, "this journal answers another question",
                 "it was \"" + found->command +
                     "\"; its flags, files, models, catalog and program have to be the same");
}

Result<std::string> PlanJournal::read_tests(const std::string& path, std::string_view text) {
  Error wrong{ErrorKind::spec, {}};
  std::string fresh;
  int number = 2;
  std::size_t begin = text.find('\n') + 1;
  for (std::size_t end = text.find('\n', begin); end != std::string_view::npos;
       begin = end + 1, end = text.find('\n', begin), ++number) {
    const std::size_t known = known_.size();
    const auto record = text_of_record(text.substr(begin, end - begin));
    auto entry = record ? parse_journal_entry(*record) : std::nullopt;
    std::string message;
    std::string hint = "remove the line: its test will be run again";
    if (!record) {
      message = "this line is damaged: its checksum does not match";
    } else if (!entry) {
      message = "this is no test of a plan";
    } else if (!learn(std::move(*entry))) {
      message = "two workers got different results for this test; the same program never does";
      hint = "find out which machine has another build; remove the files that it wrote";
    }
    if (known_.size() > known) fresh += text.substr(begin, end + 1 - begin);
    if (message.empty()) continue;
    wrong.diagnostics.push_back({path, number, 0, std::move(message), std::move(hint), {}});
  }
  if (wrong.diagnostics.empty()) return fresh;
  return tl::unexpected<Error>(std::move(wrong));
}

bool PlanJournal::learn(JournalEntry entry) {
  const Key key(entry.model, entry.candidate, entry.step_factor, entry.probe.rate_rps,
                entry.probe.instances, entry.probe.draw);
  const auto known = known_.find(key);
  if (known == known_.end()) {
    known_.emplace(key, std::move(entry.probe));
    return true;
  }
  const std::string line = journal_line(entry);
  entry.probe = known->second;
  return journal_line(entry) == line;
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
  // To the disk at once: what it has outlives this program, and the machine's power.
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size();
  error_ = written && std::fflush(file_.get()) == 0 ? synced(fileno(file_.get())) : errno;
}

Result<void> PlanJournal::state() const {
  if (error_ != 0) return cannot_write(path_, error_);
  return {};
}

std::string journal_record(std::string_view text) {
  const std::string measured = fmt::format("{} {}", text.size(), text);
  return fmt::format("{:08x} {}\n", crc32_of(measured), measured);
}

std::optional<std::string_view> text_of_record(std::string_view line) {
  const std::size_t length = line.find(' ');
  const std::size_t text = line.find(' ', length + 1);
  if (length == std::string_view::npos || text == std::string_view::npos) return {};
  const std::string_view found = line.substr(text + 1);
  const std::string written = journal_record(found);
  return line == std::string_view(written).substr(0, written.size() - 1) ? std::optional(found)
                                                                         : std::nullopt;
}

bool looks_like_record(std::string_view line) {
  const std::size_t checksum = line.find_first_not_of(kHexDigits);
  if (checksum != kChecksumDigits || line[checksum] != ' ') return false;
  const std::size_t length = line.find_first_not_of(kDigits, checksum + 1);
  return length != std::string_view::npos && length > checksum + 1 && line[length] == ' ';
}

ProbeJob PlanTests::job(const OpenCandidate& open, double rate_rps, std::int64_t replicas) const {
  ProbeJob job;
  job.system = &open.deployed->system;
  job.rate_rps = rate_rps;
  job.instances = static_cast<std::int32_t>(open.result->candidate.instances(replicas));
  job.tag = static_cast<std::int64_t>(open.index);
  const double warmup_s = request_.warmup_s.value_or(0);
  const auto not_counted = static_cast<std::int64_t>(std::ceil(rate_rps * warmup_s));
  const double set_aside_s = request_.warmup_s ? 0 : kUsualWarmupS;
  const double asked = std::min(rate_rps * (request_.duration_s + set_aside_s), 1e8);
  const std::int64_t counted = std::max<std::int64_t>(
      std::llround(asked),
      requests_to_settle(open.deployed->estimate_of(open.result->candidate, replicas),
                         busy_instances(open, rate_rps, replicas)));
  const std::int64_t fewest = fewest_requests(open.deployed->system.slos);
  job.effort.warmup_s = warmup_s;
  job.effort.share = share_to_simulate(open.deployed->estimate, counted);
  job.effort.first_requests = not_counted + (not_counted > 0 ? std::max(counted, fewest) : counted);
  job.effort.most_requests = not_counted + kLongestFactor * std::max(counted, fewest);
  return job;
}

ProbeJob PlanTests::settled_job(const OpenCandidate& open, double rate_rps, std::int64_t replicas,
                                double step_factor) const {
  ProbeJob job = this->job(open, rate_rps, replicas);
  job.step_factor = step_factor;
  if (job.effort.warmup_s <= 0)
    job.effort = effort_to_settle(open.deployed->estimate_of(open.result->candidate, replicas),
                                  job.instances);
  if (step_factor != 1)
    job.effort = effort_with_longer_steps(job.effort, step_factor, job.system->slos);
  return job;
}

ProbeJob PlanTests::idle_job_of(const OpenCandidate& open) const {
  const double rate = alone_rps(open.deployed->estimate);
  ProbeJob job = idle_job(open.deployed->system, rate, this->job(open, rate, 1).effort);
  job.tag = static_cast<std::int64_t>(open.index);
  return job;
}

Result<NumberedProbes> PlanTests::run(const std::vector<ProbeJob>& jobs) {
  NumberedProbes probes;
  std::vector<ProbeJob> missing;
  std::vector<std::size_t> numbers;  // in `jobs`
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const ProbeJob& job = jobs[i];
    const auto done = done_.find(key_of(job));
    const LoadProbe* known = done != done_.end()   ? &done->second
                             : journal_ != nullptr ? journal_->find(request_.place, id_of(job), job)
                                                   : nullptr;
    if (known != nullptr) {
      probes.emplace_back(i, *known);
    } else {
      missing.push_back(job);
      numbers.push_back(i);
    }
  }
  Execution execution = execution_;
  execution.tested = [this](const ProbeJob& job, const LoadProbe& probe) {
    if (journal_ != nullptr) journal_->add({id_of(job), job.step_factor, probe, request_.place});
    execution_.tested(job, probe);
  };
  TRY(tested, run_probes(missing, execution));
  for (auto& [job, probe] : tested) probes.emplace_back(numbers[job], std::move(probe));
  std::ranges::sort(probes, {}, &std::pair<std::size_t, LoadProbe>::first);
  for (const auto& [number, probe] : probes) done_.try_emplace(key_of(jobs[number]), probe);
  return probes;
}

}  // namespace plimsoll
