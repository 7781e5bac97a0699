#include "planner/capacity_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>

#include "base/parallel.h"
#include "planner/answer_error.h"
#include "planner/load_curve.h"
#include "planner/rate_search.h"

namespace plimsoll {
namespace {

std::int64_t guessed_instances(double guess) {
  return std::llround(std::clamp(std::ceil(guess), 1.0, static_cast<double>(kMostInstances)));
}

// Likewise, as CapacityAnswer::model has them; 0: no number was shown to hold.
Interval instances_with_model_error(double instances, double with_long, double with_short) {
  if (with_long <= 0) return {0, instances};
  return {with_short > 0 ? std::fmin(with_short, instances) : instances,
          std::fmax(with_long, instances)};
}

}  // namespace

Result<void> CapacitySearch::run() {
  // All of a trace would be more than a sketch.
  if (watch_.drawn && options_.whole_requests == 0) TRY_TO(test_curve());
  TRY_TO(ask());
  answer_.interrupted = interrupted();
  const bool is_drawn = options_.draws_curve && answer_.holds() && !answer_.interrupted;
  return is_drawn ? test_curve() : Result<void>{};
}

Result<void> CapacitySearch::ask() {
  const std::int64_t n = instances_to_test();
  effort_ = effort_for(n);
  if (options_.whole_requests == 0 && watch_.begins) {
    watch_.begins(options_.for_instances ? n * group() : n, requests_to_settle(answer_.estimate, n),
                  effort_);
  }
  TRY_TO(options_.for_instances ? search_instances() : search_rate());
  parts_done_ += 1;
  if (!answer_.holds()) return answer_.rate && !interrupted() ? test_idle() : Result<void>{};
  if (watch_.drawn && !interrupted()) TRY_TO(test_curve());
  if (options_.error && !interrupted()) TRY_TO(vary_model(*options_.error));
  if (interrupted()) return {};
  return answer_.fewest ? test_numbers_named() : test_promised_rate();
}

ProbeEffort CapacitySearch::effort_for(std::int64_t instances) const {
  ProbeEffort effort = effort_to_settle(answer_.estimate, instances);
  if (options_.most_requests) effort.most_requests = *options_.most_requests;
  if (options_.whole_requests > 0) {
    effort.share = 1;
    effort.first_requests = effort.most_requests = options_.whole_requests;
  }
  return effort;
}

std::int64_t CapacitySearch::instances_to_test() const {
  return options_.for_instances ? guessed_instances(answer_.rate_rps / answer_.estimate.rate_rps)
                                : answer_.instances;
}

MinimumSearchOptions CapacitySearch::instance_search(double guess, bool confirms) const {
  return {.guess = guessed_instances(guess),
          .most = kMostInstances / group(),
          .confirms = confirms,
          .instances = group()};
}

Execution CapacitySearch::execution(std::size_t threads) {
  Execution e{.threads = threads, .keep_going = watch_.keep_going};
  e.tested = [this](const ProbeJob& job, const LoadProbe& test) {
    const std::lock_guard lock(one_at_a_time_);  // two searches may run at once
    tests_ += 1;
    if (part() == CapacityPart::load && !job.alone) take_note(test);
    if (!watch_.tested) return;
    watch_.tested(progress(), test, job.system->slos);
  };
  return e;
}

// Where another seed fails, nobody can tell (with_others()).
void CapacitySearch::take_note(const LoadProbe& test) {
  const double load = options_.for_instances ? static_cast<double>(test.instances) : test.rate_rps;
  const bool is_other_seed = test.draw > 0 && test.answer == Answer::fails;
  noted_.emplace_back(load, is_other_seed ? Answer::unclear : test.answer);
}

// Fewer instances, and higher rates, are the harder ones. What fails overrules what held there.
CapacityProgress CapacitySearch::progress() const {
  CapacityProgress now{part(), std::min(parts_done_ + 1, parts()), parts(), tests_, {}, {}};
  const auto is_harder = [&](double load, double other) {
    return options_.for_instances ? load < other : load > other;
  };
  for (const auto& [load, answer] : noted_) {
    if (answer == Answer::fails && (!now.fails || is_harder(*now.fails, load))) now.fails = load;
  }
  for (const auto& [load, answer] : noted_) {
    const auto is_doubted = [load = load](const auto& note) {
      return note.first == load && note.second != Answer::holds;
    };
    if (std::ranges::any_of(noted_, is_doubted) || (now.fails && !is_harder(*now.fails, load)))
      continue;
    if (!now.holds || is_harder(load, *now.holds)) now.holds = load;
  }
  return now;
}

// ---- the largest rate

Result<void> CapacitySearch::search_rate() {
  RateSearchOptions search;
  search.guess = arithmetic_rps();
  search.precision = options_.precision;
  search.lowest = lowest_rps();
  search.confirms = confirms();
  TRY_SET(answer_.rate, sustainable_rate(system_, search, effort_, execution(options_.threads)));
  return test_asked_rate();
}

// A rate that the search left open, between what holds and what fails; or one of which it knows the
// answer, for what is to be seen there.
Result<void> CapacitySearch::test_asked_rate() {
  RateAnswer& rate = *answer_.rate;
  const double asked = answer_.rate_rps;
  if (asked <= 0 || rate.at(asked) != nullptr || interrupted()) return {};
  if (asked < rate.good_rps || asked >= rate.bad_rps) return look_at(asked);
  RateSearchOptions search;
  search.lowest = search.highest = search.guess = asked;
  search.confirms = confirms();
  TRY(found, sustainable_rate(system_, search, effort_, execution(options_.threads)));
  rate.good_rps = std::max(rate.good_rps, found.good_rps);
  rate.bad_rps = std::min(rate.bad_rps, found.bad_rps);
  rate.simulations += found.simulations;
  rate.tests.insert(rate.tests.end(), found.tests.begin(), found.tests.end());
  std::ranges::sort(rate.tests, {}, &LoadProbe::rate_rps);
  return {};
}

// What is held even with slow steps is the answer, and shown like the rates beside it.
Result<void> CapacitySearch::test_promised_rate() {
  const double promised = answer_.promised_rps();
  const bool is_tested = promised <= 0 || answer_.rate->at(promised) != nullptr;
  return is_tested ? Result<void>{} : look_at(promised);
}

Result<void> CapacitySearch::look_at(double rate_rps) {
  RateAnswer& rate = *answer_.rate;
  const ProbeJob job{&system_, rate_rps, system_.deployment.num_instances(), effort_};
  TRY(tests, run_probes({job}, execution(options_.threads)));
  rate.simulations += std::ssize(tests);
  for (LoadProbe& test : without_numbers(std::move(tests))) rate.tests.push_back(std::move(test));
  std::ranges::sort(rate.tests, {}, &LoadProbe::rate_rps);
  return {};
}

Result<void> CapacitySearch::test_idle() {
  TRY(tests, run_probes({idle_job(system_, alone_rps(answer_.estimate), effort_)},
                        execution(options_.threads)));
  if (!tests.empty()) answer_.idle = std::move(tests.front().second);
  return {};
}

// ---- the fewest instances

Result<void> CapacitySearch::search_instances() {
  TRY_SET(
      answer_.fewest,
      fewest_instances(system_, answer_.rate_rps, alone_rps(answer_.estimate),
                       instance_search(answer_.rate_rps / answer_.estimate.rate_rps, confirms()),
                       effort_, execution(options_.threads)));
  if (!answer_.holds()) answer_.idle = answer_.fewest->idle;
  if (!answer_.holds() || interrupted()) return {};
  parts_done_ += 1;
  return measure_headroom();
}

// How much more than the rate the fewest instances take.
Result<void> CapacitySearch::measure_headroom() {
  ProbedSystem fleet = system_;
  fleet.deployment = resized(std::move(fleet.deployment),
                             static_cast<std::int32_t>(answer_.fewest->instances * group()));
  TRY(found, sustainable_rate(fleet, headroom_search(answer_.rate_rps, confirms()),
                              effort_for(answer_.fewest->instances), execution(options_.threads)));
  answer_.fewest->simulations += found.simulations;
  answer_.spare = std::move(found);
  return {};
}

// Evidence at the rate itself of what is needed with slow steps and of what to deploy, beside that
// of the fewest.
Result<void> CapacitySearch::test_numbers_named() {
  InstancesAnswer& fewest = *answer_.fewest;
  std::vector<ProbeJob> jobs;
  for (const std::int64_t n :
       std::set{answer_.instances_with_slow_steps(), answer_.instances_to_deploy()}) {
    if (n > 0 && fewest.of(n) == nullptr)
      jobs.push_back({&system_, answer_.rate_rps, static_cast<std::int32_t>(n * group()), effort_});
  }
  TRY(tests, run_probes(jobs, execution(options_.threads)));
  fewest.simulations += std::ssize(tests);
  for (auto& [job, test] : tests) fewest.tests.push_back(std::move(test));
  std::ranges::sort(fewest.tests, {}, &LoadProbe::instances);
  return test_headroom();
}

// Arithmetic has each instance serve as much as those of the answer do. Where the router leaves
// some idle, that is not so.
Result<void> CapacitySearch::test_headroom() {
  const std::int64_t n = answer_.instances_with_headroom();
  const LoadProbe* at_rate = answer_.fewest->of(n);
  const bool may_be_idle = n > answer_.fewest->instances && at_rate != nullptr &&
                           at_rate->summary.bottleneck.lever.cause == Remedy::spread_requests;
  if (!may_be_idle || interrupted()) return {};
  const ProbeJob job{&system_, answer_.rate_rps * (1 + answer_.wanted_headroom()),
                     static_cast<std::int32_t>(n * group()), effort_};
  TRY(tests, run_probes({job}, execution(options_.threads)));
  answer_.fewest->simulations += std::ssize(tests);
  if (!tests.empty()) answer_.with_headroom = std::move(tests.front().second);
  return {};
}

// Of several pools, the estimate is of all of them.
double CapacitySearch::arithmetic_rps() const {
  if (options_.for_instances) return answer_.rate_rps;
  const bool has_pools = system_.deployment.pools.size() > 1;
  return answer_.estimate.rate_rps *
         (has_pools ? 1 : static_cast<double>(system_.deployment.main().num_instances));
}

// For a chart alone. What was tested before the answer was known is kept as far as it fits.
Result<void> CapacitySearch::test_curve() {
  const bool holds = answer_.holds();
  const double rate = holds ? answer_.as_asked().rate_rps : arithmetic_rps();
  const auto instances = static_cast<std::int32_t>(
      holds ? answer_.as_asked().instances
            : instances_to_test() * (options_.for_instances ? group() : 1));
  std::vector<LoadProbe> known = holds ? curve_tests(answer_) : std::vector<LoadProbe>();
  std::vector<LoadProbe>& brief = answer_.brief;
  std::erase_if(brief, [&](const LoadProbe& test) {
    return test.instances != instances || test.rate_rps > rate ||
           is_near_any(known, test.rate_rps, rate);
  });
  known.insert(known.end(), brief.begin(), brief.end());
  TRY(more, brief_tests(system_, instances, rate, answer_.estimate, known,
                        {options_.threads, watch_.keep_going}));
  brief.insert(brief.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  std::ranges::sort(brief, {}, &LoadProbe::rate_rps);
  if (watch_.drawn) watch_.drawn(answer_);
  return {};
}

// ---- the error of the model

// The same question with steps as short and as long as the model may be wrong by.
Result<void> CapacitySearch::vary_model(const ModelError& error) {
  const std::array<double, 2> factors = step_factors(error);
  std::array<std::optional<Result<double>>, 2> ends;
  for_each_in_parallel(ends.size(), options_.threads,
                       [&](std::size_t i) { ends[i] = answer_with(factors[i]); });
  for (auto& end : ends) {
    if (!*end) return pass_on(*end);
  }
  if (interrupted()) return {};
  answer_.model = answer_.rate
                      ? rates_with_model_error(answer_.rate->good_rps, **ends[1], **ends[0])
                      : instances_with_model_error(static_cast<double>(answer_.fewest->instances),
                                                   **ends[1], **ends[0]);
  answer_.model_error = error;
  return {};
}

Result<double> CapacitySearch::answer_with(double factor) {
  const ProbedSystem system = with_longer_steps(system_, factor);
  const ProbeEffort effort = effort_with_longer_steps(effort_, factor, system.slos);
  const Execution half = execution(std::max<std::size_t>(1, options_.threads / 2));
  if (answer_.rate) {
    TRY(found, sustainable_rate(system,
                                search_with_longer_steps(answer_.rate->good_rps, lowest_rps(),
                                                         factor, confirms()),
                                effort, half));
    return found.good_rps;
  }
  const double by_arithmetic = answer_.rate_rps / answer_.estimate.rate_rps;
  const double more = static_cast<double>(answer_.fewest->instances) - std::ceil(by_arithmetic);
  MinimumSearchOptions search =
      instance_search(by_arithmetic * factor + more, confirms() && factor > 1);
  search.most = std::min(search.most, kMostWithLongerSteps * answer_.fewest->instances);
  TRY(found, fewest_instances(system, answer_.rate_rps, alone_rps(answer_.estimate), search, effort,
                              half));
  return static_cast<double>(found.instances);
}

}  // namespace plimsoll
