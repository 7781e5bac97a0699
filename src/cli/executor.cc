#include "cli/executor.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process.h"
#include "base/quoting.h"
#include "base/replacement_file.h"
#include "base/text.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

std::string digits_of(std::int64_t shard) { return fmt::format("{:04}", shard); }

class LocalExecutor final : public Executor {
 public:
  LocalExecutor(std::string program, std::size_t processes)
      : program_(std::move(program)), processes_(processes) {}

  Result<std::string> submit(const RunFolder& folder) override {
    folder_ = folder.path();
    waiting_ = folder.missing();
    std::ranges::reverse(waiting_);
    return std::string();
  }

  Result<bool> is_busy() override {
    TRY_TO(collect());
    while (!waiting_.empty() && running_.size() < processes_) {
      const std::int64_t shard = waiting_.back();
      waiting_.pop_back();
      TRY_TO(start(shard));
    }
    return !running_.empty();
  }

  std::string messages_of(const RunFolder& folder, std::int64_t shard) const override {
    return folder.file("worker-" + digits_of(shard) + ".log");
  }

 private:
  static constexpr int kMostTries = 3;
  static constexpr int kFirstSignal = 129;

  Result<void> start(std::int64_t shard) {
    const std::string log = (fs::path(folder_) / ("worker-" + digits_of(shard) + ".log")).string();
    TRY(process,
        Process::start({program_, "worker", folder_, std::to_string(shard), "--threads=1"}, log));
    running_.emplace(shard, std::move(process));
    tries_[shard] += 1;
    return {};
  }

  // What was killed is tried again: the next attempt begins with the tests of the last one.
  Result<void> collect() {
    for (auto at = running_.begin(); at != running_.end();) {
      const std::optional<int> code = at->second.ended();
      if (!code) {
        ++at;
        continue;
      }
      const std::int64_t shard = at->first;
      if (*code >= kFirstSignal && tries_[shard] < kMostTries) waiting_.push_back(shard);
      at = running_.erase(at);
    }
    return {};
  }

  std::string program_;
  std::size_t processes_;
  std::string folder_;
  std::vector<std::int64_t> waiting_;  // the next one last
  std::map<std::int64_t, Process> running_;
  std::map<std::int64_t, int> tries_;
};

class SlurmExecutor final : public Executor {
 public:
  SlurmExecutor(std::string program, const std::string& sbatch_args)
      : program_(std::move(program)) {
    std::istringstream words(sbatch_args);
    for (std::string word; words >> word;) sbatch_args_.push_back(word);
  }

  Result<std::string> submit(const RunFolder& folder) override {
    folder_ = &folder;
    TRY(jobs, folder.jobs());
    std::vector<std::int64_t> missing = folder.missing();
    for (const SubmittedJob& job : jobs) {
      TRY(queued, queued_of(job.id));
      if (queued.empty()) continue;
      ids_.push_back(job.id);
      std::erase_if(missing,
                    [&](std::int64_t shard) { return std::ranges::count(queued, shard) > 0; });
    }
    if (missing.empty()) return std::string();
    TRY_TO(submit_shards(missing));
    return fmt::format("Slurm has {} as job {}", counted(std::ssize(missing), "shard"),
                       ids_.back());
  }

  // Slurm is asked every few seconds; shards are seen in the folder meanwhile. It requeues what a
  // lost node ran, but not what was killed there; and files of other machines are seen late.
  Result<bool> is_busy() override {
    constexpr std::chrono::seconds kBetween{3};
    constexpr int kMostTries = 3;
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < kBetween) return true;
    asked_ = now;
    for (const std::string& id : ids_) {
      TRY(queued, queued_of(id));
      is_gone_ = is_gone_ && queued.empty();
      if (!queued.empty()) return true;
    }
    const std::vector<std::int64_t> missing = folder_->missing();
    if (missing.empty() || !std::exchange(is_gone_, true)) return true;
    if (tries_ >= kMostTries) return false;
    TRY_TO(submit_shards(missing));
    is_gone_ = false;
    return true;
  }

  std::string note_on_leaving() const override {
    return ids_.empty() ? std::string()
                        : fmt::format("job {} goes on without this program; scancel ends it",
                                      join(ids_, ", "));
  }

  std::string messages_of(const RunFolder& folder, std::int64_t shard) const override {
    return folder.file(fmt::format("slurm-{}_{}.out", ids_.empty() ? "JOB" : ids_.back(), shard));
  }

 private:
  Result<void> submit_shards(const std::vector<std::int64_t>& shards) {
    TRY_TO(replace_file(folder_->file("job.sbatch"), script_for(*folder_)));
    std::vector<std::string> words{"sbatch", "--parsable", "--array=" + ranges_of(shards),
                                   "--output=" + output_pattern(*folder_)};
    words.insert(words.end(), sbatch_args_.begin(), sbatch_args_.end());
    words.push_back(folder_->file("job.sbatch"));
    TRY(output, output_of(words));
    if (output.code != 0) {
      return fail(ErrorKind::io, "sbatch refused the job: " + trimmed(output.text),
                  "change --sbatch-args, or take --executor local");
    }
    ids_.push_back(trimmed(output.text.substr(0, output.text.find_first_of(";\n"))));
    tries_ += 1;
    return folder_->add_job({ids_.back(), shards});
  }

  // Slurm replaces what follows a percent sign.
  static std::string output_pattern(const RunFolder& folder) {
    std::string pattern;
    for (const char c : folder.path()) pattern += c == '%' ? "%%" : std::string(1, c);
    return pattern + "/slurm-%A_%a.out";
  }

  std::string script_for(const RunFolder& folder) const {
    return fmt::format(
        "#!/bin/sh\n#SBATCH --job-name=plimsoll\n#SBATCH --requeue\n"
        "exec {} worker {} \"$SLURM_ARRAY_TASK_ID\" --threads=\"${{SLURM_CPUS_PER_TASK:-1}}\"\n",
        shell_quoted(program_), shell_quoted(folder.path()));
  }

  /// Those of a job that run or wait. Where Slurm does not answer, nobody knows: one, which is none
  /// of the shards.
  static Result<std::vector<std::int64_t>> queued_of(const std::string& id) {
    TRY(output, output_of({"squeue", "--noheader", "--array", "--jobs=" + id, "--format=%K"}));
    std::vector<std::int64_t> shards;
    if (output.code != 0) {
      if (output.text.find("Invalid job id") == std::string::npos) shards.push_back(-1);
      return shards;
    }
    std::istringstream lines(output.text);
    for (std::string line; std::getline(lines, line);) {
      long long shard = 0;
      if (parse_int(trimmed(line), &shard)) shards.push_back(shard);
    }
    return shards;
  }

  std::string program_;
  std::vector<std::string> sbatch_args_;
  const RunFolder* folder_ = nullptr;
  std::vector<std::string> ids_;
  int tries_ = 0;
  bool is_gone_ = false;  // when Slurm was last asked, it had none of the jobs any more
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

// Kubernetes runs it where kubectl is allowed to: here it is only written.
class KubernetesExecutor final : public Executor {
 public:
  Result<std::string> submit(const RunFolder& folder) override {
    const std::size_t missing = folder.missing().size();
    if (missing == 0) return std::string();
    is_elsewhere_ = true;
    TRY_TO(replace_file(folder.file("job.yaml"), manifest_for(folder)));
    return fmt::format(
        "wrote {}; {} missing. Look at its image and volume, then run kubectl apply "
        "-f {}",
        folder.file("job.yaml"),
        missing == 1 ? "1 shard is" : fmt::format("{} shards are", missing),
        shell_quoted(folder.file("job.yaml")));
  }
  Result<bool> is_busy() override { return false; }
  bool is_elsewhere() const override { return is_elsewhere_; }
  std::string messages_of(const RunFolder&, std::int64_t shard) const override {
    return fmt::format("kubectl logs of the pod with index {}", shard);
  }

 private:
  // An Indexed Job (batch/v1): each pod learns its shard from JOB_COMPLETION_INDEX. A shard that is
  // there already ends at once.
  static std::string manifest_for(const RunFolder& folder) {
    const SharedQuestion& question = folder.question();
    std::string mounts;
    std::vector<std::string> paths{folder.path()};
    if (!folder.path().starts_with(question.folder + "/")) paths.push_back(question.folder);
    if (paths.size() == 1) paths = {question.folder};
    for (const std::string& path : paths) {
      mounts += fmt::format(
          "            - name: shared\n              mountPath: {}\n"
          "              subPath: {}\n",
          yaml_text(path), yaml_text(path.substr(1)));
    }
    return fmt::format(
        R"(# The tests of a plan. Each pod needs the program (image) and the folders below, which all pods share
# (a volume with access mode ReadWriteMany).
apiVersion: batch/v1
kind: Job
metadata:
  name: plimsoll-{}
spec:
  completionMode: Indexed
  completions: {}
  parallelism: {}
  backoffLimit: {}
  template:
    spec:
      restartPolicy: OnFailure
      containers:
        - name: worker
          image: plimsoll
          command: ["plimsoll", "worker", {}]
          volumeMounts:
{}      volumes:
        - name: shared
          persistentVolumeClaim:
            claimName: plimsoll
)",
        question.head.digest.substr(0, 8), question.shards, question.shards, 6 * question.shards,
        json_text(folder.path()), mounts);
  }

  bool is_elsewhere_ = false;
};

}  // namespace

std::vector<std::string> executors() { return {"local", "slurm", "kubernetes"}; }

Result<std::unique_ptr<Executor>> make_executor(const ExecutorSpec& spec) {
  if (spec.name == "kubernetes") return std::make_unique<KubernetesExecutor>();
  TRY(program, own_program());
  if (fs::path(program).filename().string().starts_with("python")) {
    return fail(ErrorKind::usage, "--executor starts the program plimsoll, which does not run here",
                "ask the command line instead of the Python module");
  }
  if (spec.name == "slurm") return std::make_unique<SlurmExecutor>(program, spec.sbatch_args);
  return std::make_unique<LocalExecutor>(program, spec.threads);
}

}  // namespace plimsoll
