#include "cli/run_folder.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/record.h"
#include "base/replacement_file.h"
#include "base/text.h"
#include "cli/verbs.h"
#include "cli/version.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kQuestion = "question.record";
constexpr std::string_view kJobs = "jobs.record";
constexpr std::string_view kShard = "shard-";
constexpr std::string_view kUnderWay = ".part";
constexpr std::string_view kWhole = ".journal";
constexpr int kFolderVersion = 3;
constexpr mode_t kAsAllowed = 0666;  // less the umask

std::string prefix_of(std::int64_t shard) { return fmt::format("{}{:04}.", kShard, shard); }

// Of a file of results, by its name.
std::optional<std::int64_t> shard_of(const std::string& file) {
  std::string_view digits = std::string_view(file).substr(file.rfind('/') + 1);
  digits.remove_prefix(std::min(digits.size(), kShard.size()));
  long long shard = 0;
  if (!parse_int(digits.substr(0, digits.find('.')), &shard) || shard < 0) return {};
  return shard;
}

Json as_json(const SharedQuestion& q) {
  Json json{{"plimsoll_run", kFolderVersion},
            {"version", q.version},
            {"build", q.build},
            {"digest", q.head.digest},
            {"command", q.head.command},
            {"verb", q.verb},
            {"words", Json(q.words)},
            {"folder", q.folder},
            {"executor", q.executor},
            {"shards", q.shards},
            {"sbatch_args", q.sbatch_args}};
  if (q.input) json["input"] = *q.input;
  return json;
}

SharedQuestion question_of(const Json& json) {
  SharedQuestion q;
  q.verb = json["verb"].as_string();
  const Verb* verb = find_verb(q.verb);
  q.head = {json["digest"].as_string(), json["command"].as_string(),
            verb == nullptr ? nullptr : verb->is_result};
  for (const Json& word : json["words"]) q.words.push_back(word.as_string());
  q.folder = json["folder"].as_string();
  if (const Json* input = json.find("input")) q.input = input->as_string();
  q.version = json["version"].as_string();
  q.build = json["build"].as_string();
  q.executor = json["executor"].as_string();
  q.shards = json["shards"].as_integer();
  q.sbatch_args = json["sbatch_args"].as_string();
  return q;
}

std::vector<std::string> files_that_begin_with(const std::string& folder, std::string_view start) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool is_attempt = name.ends_with(kUnderWay) || name.ends_with(kWhole);
    if (name.starts_with(start) && is_attempt) files.push_back(at->path().string());
  }
  std::ranges::sort(files);
  return files;
}

// Who writes a journal holds its lock. Where a file system has no locks, the file stays.
void remove_unless_written(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) unlink(path.c_str());
  close(fd);
}

int synced_folder(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return 0;
  fsync(fd);
  return close(fd);
}

}  // namespace

bool RunFolder::is_one(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

Result<RunFolder> RunFolder::create(const std::string& path, SharedQuestion question) {
  std::error_code error;
  if (fs::exists(path, error) && !(fs::is_directory(path, error) && fs::is_empty(path, error))) {
    return fail(ErrorKind::usage, "--journal would overwrite " + path,
                "use --resume to continue what was begun there, or give another name");
  }
  fs::create_directories(path, error);
  if (error) return cannot_write(path, error.value());
  RunFolder folder(fs::canonical(path, error).string(), std::move(question));
  if (folder.question_.input) TRY_TO(replace_file(folder.input(), *folder.question_.input));
  TRY_TO(replace_file(folder.file(kQuestion), journal_record(as_json(folder.question_).dump())));
  return folder;
}

Result<RunFolder> RunFolder::open(const std::string& path) {
  std::error_code error;
  const std::string whole = fs::canonical(path, error).string();
  if (!error && !fs::is_directory(whole, error)) {
    return fail(ErrorKind::usage, path + " is a file, not the folder of a shared run",
                "leave --executor out to continue a journal; --executor NAME --journal FOLDER "
                "begins a shared run");
  }
  if (error) {
    return fail(ErrorKind::io, "no such folder: " + path,
                "--executor NAME --journal FOLDER makes one");
  }
  const std::string file = (fs::path(whole) / kQuestion).string();
  if (!fs::exists(file, error)) {
    return fail_in(ErrorKind::spec, path, "this folder has no shared run in it",
                   "--executor NAME --journal FOLDER makes one");
  }
  TRY(text, read_file(file));
  if (text.ends_with('\n')) text.pop_back();
  const auto record = text_of_record(text);
  const Json json = record ? Json::parse(*record) : Json();
  if (json.is_null()) {
    return fail_in(ErrorKind::spec, file, "this file is damaged: its checksum does not match",
                   "begin another run: what was worked out there cannot be used");
  }
  if (json["plimsoll_run"] != Json(kFolderVersion)) {
    return fail_in(
        ErrorKind::spec, file, "this run was begun by another version of the program",
        "continue with that version, " + json["version"].as_string() + ", or begin another run");
  }
  SharedQuestion question = question_of(json);
  if (question.head.is_result == nullptr) {
    return fail_in(ErrorKind::spec, file, "processes cannot share `" + question.verb + "`");
  }
  return RunFolder(whole, std::move(question));
}

Result<void> RunFolder::check_program() const {
  if (question_.version == version() && question_.build == build_id()) return {};
  return fail_in(ErrorKind::spec, path_,
                 fmt::format("this run was begun by plimsoll {} (build {}); this is {} (build {})",
                             question_.version, question_.build, version(), build_id()),
                 "continue with the program that began it, or begin another run");
}

Result<void> RunFolder::check_question(const JournalHead& question) const {
  if (question.digest == question_.head.digest) return {};
  if (question.command != question_.head.command) {
    return fail_in(ErrorKind::spec, path_,
                   "this run answers another question: " + question_.head.command,
                   "ask that one, or begin another run");
  }
  return fail_in(ErrorKind::spec, path_,
                 "a file, a model or the catalog is no longer what this run began with",
                 "put it back, or begin another run");
}

std::string RunFolder::file(std::string_view name) const {
  return (fs::path(path_) / name).string();
}

std::vector<std::string> RunFolder::test_files() const {
  return files_that_begin_with(path_, kShard);
}

std::vector<std::string> RunFolder::test_files(std::int64_t shard) const {
  return files_that_begin_with(path_, prefix_of(shard));
}

bool RunFolder::is_whole(const std::string& file) { return file.ends_with(kWhole); }

bool RunFolder::is_done(std::int64_t shard) const {
  return std::ranges::any_of(test_files(shard), is_whole);
}

std::vector<std::int64_t> RunFolder::missing() const {
  std::vector<bool> is_there(static_cast<std::size_t>(question_.shards));
  for (const std::string& file : test_files()) {
    const auto shard = is_whole(file) ? shard_of(file) : std::nullopt;
    if (shard && *shard < question_.shards) is_there[static_cast<std::size_t>(*shard)] = true;
  }
  std::vector<std::int64_t> shards;
  for (std::int64_t shard = 0; shard < question_.shards; ++shard) {
    if (!is_there[static_cast<std::size_t>(shard)]) shards.push_back(shard);
  }
  return shards;
}

Result<std::string> RunFolder::begin_attempt(std::int64_t shard) const {
  constexpr int kMostAttempts = 1000;
  for (int attempt = 1; attempt <= kMostAttempts; ++attempt) {
    const std::string name = file(fmt::format("{}{}", prefix_of(shard), attempt));
    std::error_code ignored;
    if (fs::exists(name + std::string(kWhole), ignored)) continue;
    const std::string path = name + std::string(kUnderWay);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kAsAllowed);
    if (fd >= 0) {
      close(fd);
      return path;
    }
    if (errno != EEXIST) return cannot_write(path, errno);
  }
  return fail(ErrorKind::io, fmt::format("shard {} was started {} times and never finished", shard,
                                         kMostAttempts));
}

Result<void> RunFolder::deliver(std::int64_t shard, const std::string& attempt) const {
  const std::string whole = attempt.substr(0, attempt.size() - kUnderWay.size());
  if (std::rename(attempt.c_str(), (whole + std::string(kWhole)).c_str()) != 0) {
    const int error = errno;
    if (is_done(shard)) return {};  // by somebody who took this attempt for a lost one
    return cannot_write(attempt, error);
  }
  synced_folder(path_);
  for (const std::string& file : test_files(shard)) {
    if (file.ends_with(kUnderWay)) remove_unless_written(file);
  }
  return {};
}

// After what a crash cut short, on a line of its own, and on the disk before Slurm is waited for.
Result<void> RunFolder::add_job(const SubmittedJob& job) const {
  const Json json{{"job", job.id}, {"shards", Json(job.shards)}};
  const auto before = read_file(file(kJobs));
  const bool is_torn = before && !before->empty() && !before->ends_with('\n');
  const std::string line = (is_torn ? "\n" : "") + journal_record(json.dump());
  const int fd = ::open(file(kJobs).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kAsAllowed);
  if (fd < 0) return cannot_write(file(kJobs), errno);
  const bool is_written = ::write(fd, line.data(), line.size()) == std::ssize(line);
  const int error = is_written && fsync(fd) == 0 ? 0 : errno;
  close(fd);
  synced_folder(path_);
  if (error != 0) return cannot_write(file(kJobs), error);
  return {};
}

Result<std::vector<SubmittedJob>> RunFolder::jobs() const {
  std::vector<SubmittedJob> jobs;
  std::error_code ignored;
  if (!fs::exists(file(kJobs), ignored)) return jobs;
  TRY(text, read_file(file(kJobs)));
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos;
       begin = end + 1, end = text.find('\n', begin)) {
    const auto record = text_of_record(std::string_view(text).substr(begin, end - begin));
    if (!record) continue;  // its shards are submitted once more, which harms nothing
    const Json json = Json::parse(*record);
    SubmittedJob& job = jobs.emplace_back();
    job.id = json["job"].as_string();
    for (const Json& shard : json["shards"]) job.shards.push_back(shard.as_integer());
  }
  return jobs;
}

std::string ranges_of(const std::vector<std::int64_t>& shards) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < shards.size();) {
    std::size_t last = i;
    while (last + 1 < shards.size() && shards[last + 1] == shards[last] + 1) ++last;
    parts.push_back(i == last ? std::to_string(shards[i])
                              : fmt::format("{}-{}", shards[i], shards[last]));
    i = last + 1;
  }
  return join(parts, ",");
}

}  // namespace plimsoll
