#include "setup/trials.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "base/memory.h"
#include "base/parallel.h"
#include "cluster/simulation.h"
#include "setup/metric_request.h"

namespace plimsoll {
namespace {

// Counts the requests of one run into those of all.
class RunMonitor final : public Monitor {
 public:
  RunMonitor(const TrialWatch& watch, std::atomic<std::int64_t>* finished)
      : watch_(watch), finished_(finished) {}

  bool keep_going(const Progress& progress) override {
    *finished_ += progress.finished - seen_;
    seen_ = progress.finished;
    return watch_.keep_going();
  }

 private:
  const TrialWatch& watch_;
  std::atomic<std::int64_t>* finished_;
  std::int64_t seen_ = 0;
};

// The runs in order: all trials with the first seed, then all with the second, and so on.
class Runner {
 public:
  Runner(const std::vector<Trial>& trials, Traffic traffic, std::size_t seeds,
         const TrialWatch& watch)
      : trials_(trials),
        watch_(watch),
        first_seed_(traffic.seed),
        requests_(traffic.requests),
        first_traffic_(std::move(traffic)),
        runs_(trials.size() * seeds) {}

  Result<TrialRuns> run() {
    const auto at_once = static_cast<double>(std::min(watch_.threads, runs_.size()));
    TRY_TO(check_memory(static_cast<double>(requests_.value_or(0)) * at_once, kBytesOfRequest,
                        "requests of all runs at once", "lower --num-requests or --threads"));
    std::vector<TrialRun> missing;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const TrialRun run{i, i % trials_.size(), first_seed_ + i / trials_.size()};
      runs_[i] = watch_.known(run);
      if (!runs_[i]) missing.push_back(run);
    }
    done_ = runs_.size() - missing.size();
    work_and_watch(
        [&] {
          for_each_in_parallel(
              missing.size(), watch_.threads, [&](std::size_t i) { work(missing[i]); },
              [&] { return watch_.keep_going() && !failed_; });
        },
        [&] { watch_.look(progress()); });
    if (error_) return tl::unexpected<Error>(std::move(*error_));
    return collect();
  }

 private:
  void work(const TrialRun& run) {
    if (!watch_.wanted(run)) return;
    Result<std::optional<Summary>> summary = simulate(run);
    ++done_;
    if (summary) {
      runs_[run.number] = std::move(*summary);
      if (runs_[run.number]) watch_.done(run, *runs_[run.number]);
      return;
    }
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(summary.error());
    failed_ = true;
  }

  Result<Traffic> traffic_of(const TrialRun& run) {
    if (run.number == 0) return std::move(first_traffic_);
    const Trial& trial = trials_[run.trial];
    RunSpec spec = trial.run;
    spec.traffic.seed = static_cast<std::int64_t>(run.seed);
    return any_traffic(spec, trial.setup.model);
  }

  // None if it was interrupted.
  Result<std::optional<Summary>> simulate(const TrialRun& run) {
    const Trial& trial = trials_[run.trial];
    TRY(traffic, traffic_of(run));
    SimulationOptions options{
        .semantics = semantics_of(trial.run), .seed = traffic.seed, .horizon = traffic.horizon};
    Simulation simulation(trial.setup.deployment, *traffic.source, options);
    RunMonitor monitor(watch_, &finished_);
    if (!simulation.advance({}, &monitor) && !watch_.keep_going()) return std::nullopt;
    SummaryOptions wanted = trial.summary;
    wanted.labels = &traffic.source->labels();
    wanted.clients_of_users = traffic.clients_of_users;
    wanted.deployment = &trial.setup.deployment;
    fill_in(goodput_targets(traffic.goodput_slo_targets), &wanted.goodput);
    return summarize(simulation.take_record(), wanted);
  }

  TrialProgress progress() const {
    const auto runs = static_cast<double>(runs_.size());
    double share = static_cast<double>(done_) / runs;
    if (requests_ && *requests_ > 0) {
      const double all = static_cast<double>(*requests_) * runs;
      share = std::clamp(static_cast<double>(finished_) / all, share, 1.0);
    }
    return {done_, runs_.size(), share};
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
  const TrialWatch& watch_;
  const std::uint64_t first_seed_;
  const std::optional<std::int64_t> requests_;  ///< of one run
  Traffic first_traffic_;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> failed_ = false;
  std::atomic<std::int64_t> finished_ = 0;
  std::vector<std::optional<Summary>> runs_;  ///< none: not done
  std::mutex mutex_;
  std::optional<Error> error_;  ///< guarded by the mutex
};

}  // namespace

Result<TrialRuns> run_trials(const std::vector<Trial>& trials, Traffic traffic, std::size_t seeds,
                             const TrialWatch& watch) {
  return Runner(trials, std::move(traffic), seeds, watch).run();
}

}  // namespace plimsoll
