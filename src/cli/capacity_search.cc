#include "cli/capacity_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/text.h"
#include "cli/flag_rows.h"
#include "cli/style.h"
#include "planner/rate_search.h"
#include "report/answer/reasons.h"

namespace plimsoll {
namespace {

std::int64_t guessed_instances(double guess) {
  return std::llround(std::clamp(std::ceil(guess), 1.0, static_cast<double>(kMostInstances)));
}

MinimumSearchOptions instance_search(double guess, bool confirms) {
  return {guessed_instances(guess), kMostInstances, 1, confirms};
}

}  // namespace

std::string note_on_length(std::int64_t instances, std::int64_t to_settle,
                           const ProbeEffort& effort) {
  constexpr std::int64_t kLong = 1'000'000;  // seconds of each test
  const std::string settle = fmt::format("{} take about {} requests to settle",
                                         counted(instances, "instance"), grouped(to_settle));
  if (to_settle > effort.most_requests) {
    return fmt::format(
        "{}, and a test has {} at most: the answer may stay open (--most-requests allows more)",
        settle, grouped(effort.most_requests));
  }
  if (effort.first_requests <= kLong) return {};
  return fmt::format(
      "{}: each of about 20 tests has {} to {} requests, at a few seconds per million "
      "(--most-requests says how many at most)",
      settle, grouped(effort.first_requests), grouped(effort.most_requests));
}

Result<void> CapacitySearch::run(const std::optional<ModelError>& error,
                                 std::int64_t whole_requests) {
  whole_requests_ = whole_requests;
  const std::int64_t n = instances_to_test();
  effort_ = effort_for(n);
  if (whole_requests == 0) {
    const std::string note = note_on_length(n, requests_to_settle(report_.estimate, n), effort_);
    if (!note.empty()) print_notes(options_, {note});
  }
  const bool varies_model = error && !options_.metrics.no_model_error;
  parts_ = parts(varies_model);
  auto found = for_instances_ ? search_instances() : search_rate();
  if (!found) return found;
  parts_done_ += 1;
  if (!report_.holds()) {
    found = report_.rate && !interrupted() ? test_idle() : Result<void>{};
  } else if (varies_model && !interrupted()) {
    found = vary_model(*error);
  }
  line_.clear();
  return found;
}

ProbeEffort CapacitySearch::effort_for(std::int64_t instances) const {
  ProbeEffort effort = effort_to_settle(report_.estimate, instances);
  const Setting<std::int64_t>& most = options_.capacity.most_requests;
  if (most.is_asked()) effort.most_requests = most;
  if (whole_requests_ > 0) effort.first_requests = effort.most_requests = whole_requests_;
  return effort;
}

std::int64_t CapacitySearch::instances_to_test() const {
  return for_instances_ ? guessed_instances(report_.rate_rps / report_.estimate.rate_rps)
                        : *options_.run.cluster.num_instances;
}

Execution CapacitySearch::execution() {
  Execution e;
  e.threads = options_.console.threads > 0 ? static_cast<std::size_t>(options_.console.threads)
                                           : processors();
  e.keep_going = [this] { return !interrupted(); };
  e.tested = [this](const ProbeJob& job, const LoadProbe& test) {
    const std::lock_guard lock(one_at_a_time_);  // two searches may run at once
    tested_ += 1;
    if (line_.is_due()) line_.show(work_so_far(test, job.system->slos));
  };
  return e;
}

WorkSoFar CapacitySearch::work_so_far(const LoadProbe& test, const std::vector<Slo>& slos) const {
  return {fmt::format("part {} of {}", std::min(parts_done_ + 1, parts_), parts_),
          static_cast<double>(parts_done_) / parts_,
          fmt::format("{}; {} at {} req/s: {}", counted(tested_, "test"),
                      counted(test.instances, "instance"), three_digits(test.rate_rps),
                      reason_text(test, slos))};
}

// ---- the largest rate

Result<void> CapacitySearch::search_rate() {
  RateSearchOptions search;
  search.guess = report_.estimate.rate_rps * static_cast<double>(system_.deployment.num_instances);
  search.precision = options_.capacity.precision / 100;
  search.lowest = lowest_rps();
  search.confirms = confirms();
  TRY(found, sustainable_rate(system_, search, effort_, execution()));
  report_.rate = std::move(found);
  return test_asked_rate();
}

// A rate that the search left open, between what holds and what fails.
Result<void> CapacitySearch::test_asked_rate() {
  RateAnswer& rate = *report_.rate;
  const double asked = report_.rate_rps;
  if (asked <= rate.good_rps || asked >= rate.bad_rps || rate.at(asked) != nullptr) return {};
  RateSearchOptions search;
  search.lowest = search.highest = search.guess = asked;
  search.confirms = confirms();
  TRY(found, sustainable_rate(system_, search, effort_, execution()));
  rate.good_rps = std::max(rate.good_rps, found.good_rps);
  rate.bad_rps = std::min(rate.bad_rps, found.bad_rps);
  rate.simulations += found.simulations;
  rate.tests.insert(rate.tests.end(), found.tests.begin(), found.tests.end());
  std::ranges::sort(rate.tests, {}, &LoadProbe::rate_rps);
  return {};
}

Result<void> CapacitySearch::test_idle() {
  TRY(tests, run_probes({idle_job(system_, alone_rps(report_.estimate), effort_)}, execution()));
  if (!tests.empty()) report_.idle = std::move(tests.front().second);
  return {};
}

// ---- the fewest instances

Result<void> CapacitySearch::search_instances() {
  auto found =
      fewest_instances(system_, report_.rate_rps, alone_rps(report_.estimate),
                       instance_search(report_.rate_rps / report_.estimate.rate_rps, confirms()),
                       effort_, execution());
  if (!found) return pass_on(found);
  report_.fewest = std::move(*found);
  if (!report_.holds()) report_.idle = report_.fewest->idle;
  if (!report_.holds() || interrupted()) return {};
  parts_done_ += 1;
  if (auto done = measure_headroom(); !done) return done;
  return test_with_headroom();
}

// How much more than the rate the fewest instances take.
Result<void> CapacitySearch::measure_headroom() {
  ProbedSystem fleet = system_;
  fleet.deployment.num_instances = static_cast<std::int32_t>(report_.fewest->instances);
  auto found = sustainable_rate(fleet, headroom_search(report_.rate_rps, confirms()),
                                effort_for(report_.fewest->instances), execution());
  if (!found) return pass_on(found);
  report_.fewest->simulations += found->simulations;
  report_.spare = std::move(*found);
  return {};
}

// Evidence at the rate itself, beside that of the fewest.
Result<void> CapacitySearch::test_with_headroom() {
  InstancesAnswer& fewest = *report_.fewest;
  const std::int64_t n = report_.instances_with_headroom();
  if (fewest.of(n) != nullptr) return {};
  TRY(tests, run_probes({{&system_, report_.rate_rps, static_cast<std::int32_t>(n), effort_}},
                        execution()));
  fewest.simulations += std::ssize(tests);
  for (auto& [job, test] : tests) fewest.tests.push_back(std::move(test));
  std::ranges::sort(fewest.tests, {}, &LoadProbe::instances);
  return {};
}

// ---- the error of the model

// The same question with steps as short and as long as the model may be wrong by.
Result<void> CapacitySearch::vary_model(const ModelError& error) {
  const std::array<double, 2> factors = step_factors(error);
  std::array<std::optional<Result<double>>, 2> ends;
  for_each_in_parallel(ends.size(), execution().threads,
                       [&](std::size_t i) { ends[i] = answer_with(factors[i]); });
  for (auto& end : ends) {
    if (!*end) return pass_on(*end);
  }
  if (interrupted()) return {};
  const auto [low, high] = std::minmax(**ends[0], **ends[1]);
  report_.model = Interval{low, high};
  report_.model_error = error;
  return {};
}

Result<double> CapacitySearch::answer_with(double factor) {
  const ProbedSystem system = with_longer_steps(system_, factor);
  const ProbeEffort effort = look_effort(effort_);
  Execution half = execution();
  half.threads = std::max<std::size_t>(1, half.threads / 2);
  if (report_.rate) {
    TRY(found, sustainable_rate(
                   system, search_with_longer_steps(report_.rate->good_rps, lowest_rps(), factor),
                   effort, half));
    return found.good_rps;
  }
  const double by_arithmetic = report_.rate_rps / report_.estimate.rate_rps;
  const double more = static_cast<double>(report_.fewest->instances) - std::ceil(by_arithmetic);
  auto found =
      fewest_instances(system, report_.rate_rps, alone_rps(report_.estimate),
                       instance_search(by_arithmetic * factor + more, false), effort, half);
  if (!found) return pass_on(found);
  return static_cast<double>(found->instances);
}

}  // namespace plimsoll
