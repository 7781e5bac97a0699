#include "cli/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "base/parallel.h"
#include "cli/metric_flags.h"
#include "cli/progress.h"
#include "cluster/simulation.h"

namespace plimsoll {
namespace {

// Counts the requests of one run into those of all.
class RunMonitor final : public Monitor {
 public:
  RunMonitor(const Interruption& interruption, std::atomic<std::int64_t>* finished)
      : interruption_(interruption), finished_(finished) {}

  bool keep_going(const Progress& progress) override {
    *finished_ += progress.finished - seen_;
    seen_ = progress.finished;
    return !interruption_.requested();
  }

 private:
  const Interruption& interruption_;
  std::atomic<std::int64_t>* finished_;
  std::int64_t seen_ = 0;
};

// The runs in order: all trials with the first seed, then all with the second, and so on.
class Runner {
 public:
  Runner(const std::vector<Trial>& trials, Traffic traffic, std::size_t seeds)
      : trials_(trials),
        first_seed_(traffic.seed),
        requests_(traffic.requests),
        first_traffic_(std::move(traffic)),
        runs_(trials.size() * seeds) {}

  Result<TrialRuns> run(std::size_t threads) {
    ProgressLine line;
    work_and_watch(
        [&] {
          for_each_in_parallel(
              runs_.size(), threads, [&](std::size_t i) { work(i); },
              [&] { return !interruption_.requested() && !failed_; });
        },
        [&] {
          if (line.is_due()) line.show(progress_text(line.elapsed_s()));
        });
    if (error_) return tl::unexpected<Error>(std::move(*error_));
    return collect();
  }

 private:
  void work(std::size_t index) {
    Result<std::optional<Summary>> summary = simulate(index);
    ++done_;
    if (summary) {
      runs_[index] = std::move(*summary);
      return;
    }
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(summary.error());
    failed_ = true;
  }

  Result<Traffic> traffic_of(std::size_t index) {
    if (index == 0) return std::move(first_traffic_);
    const Trial& trial = trials_[index % trials_.size()];
    Options options = trial.options;
    const std::uint64_t seed = first_seed_ + index / trials_.size();
    options.seed = static_cast<std::int64_t>(seed);
    options.given.insert_or_assign("--seed", std::to_string(options.seed));
    return any_traffic(options, trial.setup.model);
  }

  // None if it was interrupted.
  Result<std::optional<Summary>> simulate(std::size_t index) {
    const Trial& trial = trials_[index % trials_.size()];
    Result<Traffic> traffic = traffic_of(index);
    if (!traffic) return pass_on(traffic);
    SimulationOptions options;
    options.semantics = semantics_of(trial.options);
    options.seed = traffic->seed;
    options.horizon = traffic->horizon;
    Simulation simulation(trial.setup.deployment, *traffic->source, options);
    RunMonitor monitor(interruption_, &finished_);
    if (!simulation.advance({}, &monitor) && interruption_.requested()) return std::nullopt;
    SummaryOptions wanted = trial.summary;
    wanted.labels = &traffic->source->labels();
    wanted.clients_of_users = traffic->clients_of_users;
    wanted.work = trial.setup.work;
    wanted.deployment = &trial.setup.deployment;
    fill_in(goodput_targets(traffic->goodput_slo_targets), &wanted.goodput);
    return summarize(simulation.take_record(), wanted);
  }

  std::string progress_text(double elapsed_s) const {
    const auto runs = static_cast<double>(runs_.size());
    double share = static_cast<double>(done_) / runs;
    if (requests_ && *requests_ > 0) {
      const double all = static_cast<double>(*requests_) * runs;
      share = std::clamp(static_cast<double>(finished_) / all, share, 1.0);
    }
    std::string text =
        fmt::format("{} of {} runs done ({:.0f} %)", done_.load(), runs_.size(), 100 * share);
    if (share > 0) text += fmt::format(", {:.0f} s left", elapsed_s * (1 - share) / share);
    return text;
  }

  TrialRuns collect() {
    TrialRuns out;
    out.by_trial.resize(trials_.size());
    const auto undone = std::ranges::find_if(runs_, [](const auto& run) { return !run; });
    out.seeds = static_cast<std::size_t>(undone - runs_.begin()) / trials_.size();
    out.interrupted = undone != runs_.end();
    for (std::size_t i = 0; i < out.seeds * trials_.size(); ++i) {
      out.by_trial[i % trials_.size()].push_back(std::move(*runs_[i]));
    }
    return out;
  }

  const std::vector<Trial>& trials_;
  const std::uint64_t first_seed_;
  const std::optional<std::int64_t> requests_;  ///< of one run
  Traffic first_traffic_;
  Interruption interruption_;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> failed_ = false;
  std::atomic<std::int64_t> finished_ = 0;
  std::vector<std::optional<Summary>> runs_;  ///< none: not done
  std::mutex mutex_;
  std::optional<Error> error_;  ///< guarded by the mutex
};

}  // namespace

Result<TrialRuns> run_trials(const std::vector<Trial>& trials, Traffic traffic, std::size_t seeds,
                             std::size_t threads) {
  return Runner(trials, std::move(traffic), seeds).run(threads);
}

}  // namespace plimsoll
