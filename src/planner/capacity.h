// How much can this deployment take, and how many instances does this rate need? Rounds of load
// tests, several at a time, driven by planner/rate_search.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "planner/load_probe.h"
#include "planner/minimum_search.h"
#include "planner/rate_search.h"

namespace plimsoll {

/// One test of many.
struct ProbeJob {
  const ProbedSystem* system = nullptr;
  double rate_rps = 0;
  std::int32_t instances = 1;  ///< of all pools together, which keep their proportions
  ProbeEffort effort;
  std::int64_t tag = 0;    ///< whose it is
  double step_factor = 1;  ///< steps are longer by it
  std::int64_t draw = 0;   ///< as LoadProbe has it
  bool alone = false;      ///< each request by itself (alone())
};

/// A share of what arithmetic expects of an instance: at such a rate nothing waits for long.
inline constexpr double kIdleShare = 1e-3;

/// Of one instance (of a split one of each pool) that serves each request alone, `idle_rps` of
/// them. A finite load stays whole.
ProbeJob idle_job(const ProbedSystem& system, double idle_rps, ProbeEffort effort);

/// How tests are carried out. Results do not depend on it, unless they are interrupted.
struct Execution {
  std::size_t threads = 1;
  /// Called from any thread, every few thousand events; false ends the search early.
  std::function<bool()> keep_going = [] { return true; };
  /// Asked before a test is carried out: false where only tests that are known already count, and
  /// then keep_going() is false from there on, too.
  std::function<bool()> may_test = [] { return true; };
  /// Called from any thread, one call at a time, with each test that is done.
  std::function<void(const ProbeJob&, const LoadProbe&)> tested = [](const ProbeJob&,
                                                                     const LoadProbe&) {};
  /// Called from any thread, with how many of the tasks of a phase are done: of work that has
  /// phases, as a forecast has.
  std::function<void(std::string_view phase, std::size_t done, std::size_t of)> progressed =
      [](std::string_view, std::size_t, std::size_t) {};
};

/// Each with the number of its job.
using NumberedProbes = std::vector<std::pair<std::size_t, LoadProbe>>;
std::vector<LoadProbe> without_numbers(NumberedProbes numbered);

/// All of them, several at a time; in the order of the jobs. Those that were interrupted are left
/// out.
Result<NumberedProbes> run_probes(const std::vector<ProbeJob>& jobs, const Execution& execution);

struct RateAnswer {
  double good_rps = 0;           ///< the largest rate proven to hold; 0 = none
  double bad_rps = 0;            ///< the smallest proven to fail; infinite = none
  std::vector<LoadProbe> tests;  ///< by rate
  std::int64_t simulations = 0;  ///< for them; those that confirm are more for one rate
  bool interrupted = false;

  /// The test at that rate; null if it was not asked.
  const LoadProbe* at(double rate_rps) const;
};

Result<RateAnswer> sustainable_rate(const ProbedSystem& system, const RateSearchOptions& search,
                                    const ProbeEffort& effort, const Execution& execution);

/// Instances that are all alike are counted one by one; those of several pools in groups, the
/// smallest whole number of each: 2 for prefill and 4 for decode are two groups of three.
std::int64_t groups_of(const Deployment& deployment);

struct InstancesAnswer {
  std::int64_t instances = 0;    ///< the fewest proven to hold, or groups; 0 = none
  std::int64_t too_few = 0;      ///< likewise, the most proven to fail
  std::int64_t group = 1;        ///< instances of each of what is counted
  std::vector<LoadProbe> tests;  ///< by number of instances
  std::int64_t simulations = 0;  ///< as RateAnswer has them
  /// Of one instance that serves each request alone; there if the first tests did not hold. If it
  /// does not hold either, no number of instances does.
  std::optional<LoadProbe> idle;
  bool interrupted = false;

  /// The test of so many of what is counted; null if they were not tested.
  const LoadProbe* of(std::int64_t count) const;
};

/// `idle_rps`: alone_rps() of its estimate.
Result<InstancesAnswer> fewest_instances(const ProbedSystem& system, double rate_rps,
                                         double idle_rps, const MinimumSearchOptions& search,
                                         const ProbeEffort& effort, const Execution& execution);

/// Each request by itself, on one instance that has nothing else to do, with all that others may
/// share of its prompt in the cache; of unlike instances that serve side by side, on one that is as
/// fast as any of them (fastest_of() in capacity.cc). No deployment of that instance, of
/// however many, with whatever routing and however warm, serves it faster: where this does not keep
/// a limit, nothing does. It is what rules candidates out, so it holds less work than any real
/// load, never more. The same requests, lengths and deadlines, 1 / rate apart, whatever their
/// arrivals were.
ProbedSystem alone(ProbedSystem system);

// What held in a search is asked again with other requests. A search keeps the highest of several
// rates that held with the same requests; where these were lucky, it is too high (the winner's
// curse), and no interval of that one run says so. Only runs that the search did not choose can.

/// The tests that confirm `held`, which `asked` was answered by: one with each of
/// ProbedSystem::other_loads, as long as that one at first.
std::vector<ProbeJob> confirming_jobs(const ProbeJob& asked, const LoadProbe& held);

/// One test for all: `held` and those that were to confirm it. It holds if all do; then it is the
/// first of the others, which nothing has chosen. Else it is the one that speaks against it, and
/// nobody can tell.
LoadProbe with_others(const LoadProbe& held, std::vector<LoadProbe> others);

/// The next tests of a search (RateSearch, MinimumSearch), given those that it has asked for:
/// `job_of(asked)` makes one of a rate or of a number of instances. Empty when it is over.
template <class Search, class JobOf>
std::vector<ProbeJob> next_jobs(const Search& search, const std::vector<LoadProbe>& tests,
                                const JobOf& job_of) {
  std::vector<ProbeJob> jobs;
  for (const auto asked : search.next()) jobs.push_back(job_of(asked));
  if (const auto asked = search.unconfirmed()) {
    const auto asked_by = [&](const LoadProbe& test) { return search.asked_by(test); };
    jobs = confirming_jobs(job_of(*asked), *std::ranges::find(tests, *asked, asked_by));
  }
  return jobs;
}

/// Tells the search of the tests that next_jobs() asked for, so many, and keeps one for each rate
/// or number. Of confirming tests that were interrupted nothing is kept.
template <class Search>
void take_tests(std::vector<LoadProbe> more, std::size_t asked_for, Search* search,
                std::vector<LoadProbe>* tests) {
  if (const auto asked = search->unconfirmed()) {
    if (more.size() < asked_for) return;
    const auto asked_by = [&](const LoadProbe& test) { return search->asked_by(test); };
    LoadProbe& held = *std::ranges::find(*tests, *asked, asked_by);
    held = with_others(held, std::move(more));
    search->confirm(*asked, held.answer);
    return;
  }
  for (LoadProbe& test : more) {
    search->tell(test);
    tests->push_back(std::move(test));
  }
}

}  // namespace plimsoll
