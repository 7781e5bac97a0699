#include "cli/slurm_executor.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/process.h"
#include "base/quoting.h"
#include "base/replacement_file.h"
#include "base/text.h"

namespace plimsoll {
namespace {

// What a program of Slurm said, in one line.
std::string joined_lines(const std::string& text) {
  std::vector<std::string> messages;
  for (const std::string_view line : split_at(text, '\n')) {
    if (!trimmed(line).empty()) messages.push_back(trimmed(line));
  }
  return join(messages, "; ");
}

// "7" or "7;cluster", which is all that sbatch prints with --parsable.
Result<std::string> job_in(const ProgramOutput& output) {
  std::string id = trimmed(output.out.substr(0, output.out.find(';')));
  long long number = 0;
  if (parse_int(id, &number) && number > 0) return id;
  return fail(ErrorKind::io,
              "sbatch printed no job id: " +
                  (id.empty() ? std::string("nothing on stdout")
                              : "\"" + joined_lines(trimmed(output.out)) + "\" on stdout"),
              "the job may run all the same (squeue -u $USER); end it with scancel before "
              "--resume, and let nothing but sbatch itself print on its stdout");
}

class SlurmExecutor final : public Executor {
 public:
  SlurmExecutor(std::string program, const ExecutorSpec& spec)
      : program_(std::move(program)),
        sbatch_args_(spec.sbatch_args),
        between_looks_(spec.between_looks) {}

  Result<std::string> submit(const RunFolder& folder) override {
    folder_ = &folder;
    TRY(jobs, folder.jobs());
    std::vector<std::int64_t> missing = folder.missing();
    for (const SubmittedJob& job : jobs) {
      TRY(look, look_at(job.id));
      if (!look.fault.empty()) return no_answer(look.fault);
      const std::vector<std::int64_t>& queued = look.queued;
      if (queued.empty()) continue;
      ids_.push_back(job.id);
      std::erase_if(missing, [&](std::int64_t shard) { return contains(queued, shard); });
    }
    if (missing.empty()) return std::string();
    TRY_TO(submit_shards(missing));
    return fmt::format("Slurm has {} as job {}", counted(std::ssize(missing), "shard"),
                       ids_.back());
  }

  // Slurm is asked every few seconds; shards are seen in the folder meanwhile. It requeues what a
  // lost node ran, but not what was killed there; and files of other machines are seen late.
  Result<bool> is_busy() override {
    constexpr int kMostTries = 3;
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < between_looks_) return true;
    asked_ = now;
    for (const std::string& id : ids_) {
      TRY(look, look_at(id));
      if (!look.fault.empty()) return goes_on_without(look.fault);
      is_gone_ = is_gone_ && look.queued.empty();
      if (!look.queued.empty()) return true;
    }
    const std::vector<std::int64_t> missing = folder_->missing();
    if (missing.empty() || !std::exchange(is_gone_, true)) return true;
    if (tries_ >= kMostTries) return false;
    TRY_TO(submit_shards(missing));
    is_gone_ = false;
    return true;
  }

  std::string news() override { return std::exchange(news_, {}); }

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
    append(&words, sbatch_args_);
    words.push_back(folder_->file("job.sbatch"));
    TRY(output, output_of(words));
    if (output.code != 0) {
      return fail(ErrorKind::io,
                  "sbatch refused the job: " + joined_lines(output.err + "\n" + output.out),
                  "change --sbatch-args, or take --executor local");
    }
    TRY(id, job_in(output));
    ids_.push_back(id);
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

  struct Look {
    std::vector<std::int64_t> queued;  ///< shards of a job that run or wait
    std::string fault;                 ///< what squeue said instead; empty: it answered
  };

  Result<Look> look_at(const std::string& id) {
    TRY(output, output_of({"squeue", "--noheader", "--array", "--jobs=" + id, "--format=%K"}));
    Look look;
    if (output.code != 0) {
      const std::string said = joined_lines(output.err + "\n" + output.out);
      if (said.find("Invalid job id") != std::string::npos) return look;
      look.fault = said.empty() ? fmt::format("it ended with {}", output.code) : said;
      return look;
    }
    failed_looks_ = 0;
    for (const std::string_view line : split_at(output.out, '\n')) {
      long long shard = 0;
      if (parse_int(trimmed(line), &shard)) look.queued.push_back(shard);
    }
    return look;
  }

  // Controllers are restarted now and then: nothing is lost by waiting a while.
  Result<bool> goes_on_without(const std::string& fault) {
    if (++failed_looks_ >= kMostFailedLooks) return no_answer(fault);
    if (failed_looks_ == 1)
      news_ = "squeue fails: " + fault + "; waiting for Slurm to answer again";
    return true;
  }

  static tl::unexpected<Error> no_answer(const std::string& fault) {
    return fail(ErrorKind::io, "squeue fails: " + fault,
                "see whether Slurm runs (scontrol ping); --resume goes on with what it did");
  }

  std::string program_;
  std::vector<std::string> sbatch_args_;
  std::chrono::milliseconds between_looks_;
  const RunFolder* folder_ = nullptr;
  std::vector<std::string> ids_;
  int tries_ = 0;
  int failed_looks_ = 0;  // one after the other
  std::string news_;
  bool is_gone_ = false;  // when Slurm was last asked, it had none of the jobs any more
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

}  // namespace

std::unique_ptr<Executor> slurm_executor(const std::string& program, const ExecutorSpec& spec) {
  return std::make_unique<SlurmExecutor>(program, spec);
}

}  // namespace plimsoll
