#include "cli/executor.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/process.h"
#include "base/quoting.h"
#include "base/replacement_file.h"
#include "base/text.h"
#include "cli/kubernetes_job.h"
#include "cli/slurm_executor.h"

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

  std::string end_of(std::int64_t shard) const override {
    const auto code = codes_.find(shard);
    if (code == codes_.end()) return {};
    return code->second < kFirstSignal
               ? fmt::format("ended with exit code {}", code->second)
               : fmt::format("was ended by signal {}", code->second - kFirstSignal + 1);
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

  // What was killed is tried again: the next attempt begins with the results of the last one.
  Result<void> collect() {
    for (auto at = running_.begin(); at != running_.end();) {
      const std::optional<int> code = at->second.ended();
      if (!code) {
        ++at;
        continue;
      }
      const std::int64_t shard = at->first;
      codes_[shard] = *code;
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
  std::map<std::int64_t, int> codes_;  // as Process::ended() has them
};

// Kubernetes runs it where kubectl is allowed to: here it is only written.
class KubernetesExecutor final : public Executor {
 public:
  Result<std::string> submit(const RunFolder& folder) override {
    const std::int64_t missing = std::ssize(folder.missing());
    if (missing == 0) return std::string();
    is_elsewhere_ = true;
    const std::string file = folder.file("job.yaml");
    std::error_code ignored;
    const bool is_again = fs::exists(file, ignored);
    TRY_TO(replace_file(file, kubernetes_job(folder)));
    // The template of a Job cannot be changed, and one that has ended does not begin again.
    const std::string deletes =
        is_again ? "kubectl delete job " + kubernetes_job_name(folder) + " --ignore-not-found && "
                 : "";
    return fmt::format(
        "wrote {}; {} {} missing. Look at its image and volume, then run {}kubectl "
        "apply -f {}",
        file, counted(missing, "shard"), missing == 1 ? "is" : "are", deletes, shell_quoted(file));
  }
  Result<bool> is_busy() override { return false; }
  bool is_elsewhere() const override { return is_elsewhere_; }
  std::string messages_of(const RunFolder&, std::int64_t shard) const override {
    return fmt::format("kubectl logs of the pod with index {}", shard);
  }

 private:
  bool is_elsewhere_ = false;
};

}  // namespace

std::vector<std::string> executors() { return {"local", "slurm", "kubernetes"}; }

Result<std::unique_ptr<Executor>> make_executor(const ExecutorSpec& spec) {
  if (spec.name == "kubernetes") return std::make_unique<KubernetesExecutor>();
  TRY(program, own_program());
  if (fs::path(program).filename().string().starts_with("python")) {
    return fail(ErrorKind::usage,
                "--executor starts worker processes, which the Python module cannot do",
                "ask the command line; resume= reads the answer once all shards are there");
  }
  if (spec.name == "slurm") return slurm_executor(program, spec);
  return std::make_unique<LocalExecutor>(program, spec.threads);
}

}  // namespace plimsoll
