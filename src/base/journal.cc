#include "base/journal.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/command_files.h"
#include "base/record.h"
#include "base/replacement_file.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kLargestJournal = std::int64_t{1} << 30;

// The marks that first lines have, whatever their version and however damaged the rest of them; up
// to version 14 plans alone had journals.
constexpr std::string_view kMark = "plimsoll_journal";
constexpr std::string_view kFormerMark = "plimsoll_plan_journal";

tl::unexpected<Error> at_line(const std::string& path, int line, std::string message,
                              std::string hint) {
  return fail(ErrorKind::spec, {path, line, 0, std::move(message), std::move(hint), {}});
}

tl::unexpected<Error> no_journal(const std::string& path) {
  return at_line(path, 1, "this is no journal", "--journal FILE begins one");
}

// Damaged as it may be: one flip does not hide both.
bool begins_a_journal(std::string_view text) {
  constexpr std::size_t kStart = 100;
  const std::string_view start = text.substr(0, kStart);
  return looks_like_record(start) || start.find(kMark) != std::string_view::npos ||
         start.find(kFormerMark) != std::string_view::npos;
}

// Pipes and devices keep nothing.
int data_synced(int fd) {
  return fdatasync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

std::string line_of(const Json& json) { return journal_record(json.dump()); }

}  // namespace

std::string journal_line(const JournalEntry& entry) {
  return line_of({{"unit", entry.unit}, {"result", entry.result}});
}

std::optional<JournalEntry> parse_journal_entry(std::string_view text) {
  const Json json = Json::parse(text);
  if (!json["unit"].is_string() || !json.contains("result")) return {};
  return JournalEntry{json["unit"].as_string(), json["result"]};
}

std::string journal_line(const JournalHead& head) {
  return line_of({{kMark, kJournalVersion}, {"digest", head.digest}, {"command", head.command}});
}

std::optional<JournalHead> parse_journal_head(std::string_view text) {
  const Json json = Json::parse(text);
  if (!json["digest"].is_string() || !json["command"].is_string()) return {};
  return JournalHead{json["digest"].as_string(), json["command"].as_string()};
}

std::optional<int> journal_version(std::string_view text) {
  const Json json = Json::parse(text);
  const Json& version = json[json.contains(kMark) ? kMark : kFormerMark];
  if (!version.is_number_integer()) return {};
  return static_cast<int>(version.as_integer());
}

Result<void> Journal::open(int flags) {
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
Result<void> Journal::begin(const JournalHead& head) {
  append(journal_line(head));
  if (error_ != 0) return state();
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return {};
  fsync(fd);
  close(fd);
  return {};
}

Result<Journal> Journal::create(const std::string& path, const JournalHead& head) {
  Journal journal(path);
  TRY_TO(journal.open(O_CREAT));
  struct stat file = {};
  if (fstat(fileno(journal.file_.get()), &file) == 0 && file.st_size > 0) {
    return fail(ErrorKind::usage, "--journal would overwrite " + path,
                "use --resume to continue a journal, or give another name");
  }
  TRY_TO(journal.begin(head));
  return journal;
}

Result<Journal> Journal::resume(const std::string& path, const JournalHead& head) {
  Journal journal(path);
  TRY_TO(open_file(path));
  TRY_TO(journal.open(0));
  auto text = read_file(path, kLargestJournal);  // locked: nobody changes it now
  if (!text) return pass_on(text);
  const std::size_t first = text->find('\n');
  // Ended before it had said what it is of.
  const bool is_torn = first == std::string::npos && journal_line(head).starts_with(*text);
  if (!is_torn) {
    TRY_TO(check_head(path, *text, head));
    TRY_TO(journal.read_lines(path, *text, head));
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

Result<Journal::Others> Journal::read_others(const std::string& path, const JournalHead& head) {
  TRY(text, read_file(path, kLargestJournal));
  Others others;
  if (!text.ends_with('\n')) others.cut_line = static_cast<int>(std::ranges::count(text, '\n')) + 1;
  if (text.find('\n') == std::string::npos) return others;  // hardly begun
  TRY_TO(check_head(path, text, head));
  TRY_SET(others.fresh, read_lines(path, text, head));
  return others;
}

Result<int> Journal::take_over(const std::string& path, const JournalHead& head) {
  TRY(others, read_others(path, head));
  return others.cut_line;
}

Result<void> Journal::check(const std::string& path, const JournalHead& head) {
  Journal alone(path);
  TRY_TO(alone.read_others(path, head));
  return {};
}

Result<void> Journal::absorb(const std::string& path, const JournalHead& head) {
  TRY(others, read_others(path, head));
  if (!others.fresh.empty()) append(others.fresh);
  return state();
}

Result<void> Journal::check_head(const std::string& path, std::string_view text,
                                 const JournalHead& head) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const auto record = text_of_record(line);
  const auto version = journal_version(record.value_or(line));
  const bool has_no_checksum = version && line.starts_with('{');
  if (!record && !has_no_checksum) {
    if (!begins_a_journal(text)) return no_journal(path);
    return at_line(
        path, 1, "this line is damaged: its checksum does not match",
        "the question it belongs to cannot be read; --journal FILE begins another journal");
  }
  if (!version) return no_journal(path);
  if (version != kJournalVersion || !record) {
    return at_line(path, 1,
                   "this journal has version " + std::to_string(*version) +
                       "; this program reads and writes version " + std::to_string(kJournalVersion),
                   "continue with the version that started it, or start another with --journal");
  }
  const auto found = parse_journal_head(*record);
  if (!found) return no_journal(path);
  if (found->digest == head.digest) return {};
  return at_line(path, 1, "this journal answers another question",
                 "it was \"" + found->command +
                     "\"; its flags, files, models, catalog and program have to be the same");
}

// Of one program all results of a unit are the same bytes.
Result<std::string> Journal::read_lines(const std::string& path, std::string_view text,
                                        const JournalHead& head) {
  Error wrong{ErrorKind::spec, {}};
  std::string fresh;
  int number = 2;
  std::size_t begin = text.find('\n') + 1;
  for (std::size_t end = text.find('\n', begin); end != std::string_view::npos;
       begin = end + 1, end = text.find('\n', begin), ++number) {
    const auto record = text_of_record(text.substr(begin, end - begin));
    const auto entry = record ? parse_journal_entry(*record) : std::nullopt;
    std::string message;
    std::string hint = "remove the line: its result will be worked out again";
    if (!record) {
      message = "this line is damaged: its checksum does not match";
    } else if (!entry || (head.is_result != nullptr && !head.is_result(entry->result))) {
      message = "this line has no result of this question";
    } else if (const auto [known, is_new] = known_.try_emplace(entry->unit, *record); is_new) {
      fresh += text.substr(begin, end + 1 - begin);
    } else if (known->second != *record) {
      message = "two workers got different results for this unit; the same program never does";
      hint = "find out which machine has another build; remove the files that it wrote";
    }
    if (message.empty()) continue;
    wrong.diagnostics.push_back({path, number, 0, std::move(message), std::move(hint), {}});
  }
  if (wrong.diagnostics.empty()) return fresh;
  return tl::unexpected<Error>(std::move(wrong));
}

std::optional<Json> Journal::find(const std::string& unit) const {
  const auto at = known_.find(unit);
  if (at == known_.end()) return {};
  return parse_journal_entry(at->second)->result;
}

void Journal::add(const JournalEntry& entry) { append(journal_line(entry)); }

void Journal::append(const std::string& line) {
  const std::lock_guard lock(*mutex_);
  if (error_ != 0) return;
  // To the disk at once: what it has outlives this program, and the machine's power.
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size();
  error_ = written && std::fflush(file_.get()) == 0 ? data_synced(fileno(file_.get())) : errno;
}

Result<void> Journal::state() const {
  const std::lock_guard lock(*mutex_);
  if (error_ != 0) return cannot_write(path_, error_);
  return {};
}

}  // namespace plimsoll
