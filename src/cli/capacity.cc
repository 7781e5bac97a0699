// `plimsoll capacity`: how much can this deployment take; how many instances do I need?
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/flag_rows.h"
#include "cli/gpu_price.h"
#include "cli/load_maker.h"
#include "cli/parse.h"
#include "cli/policy_bundle.h"
#include "cli/progress.h"
#include "cli/run_functions.h"
#include "cli/setup.h"
#include "cli/style.h"
#include "cli/traffic.h"
#include "planner/model_range.h"
#include "report/capacity.h"

namespace plimsoll {
namespace {

constexpr int kInterrupted = 130;
constexpr int kNotHeld = 1;
// What a large cluster needs beyond this, --most-requests must say.
constexpr std::int64_t kLongestFirst = 2'000'000;

class Asking {
 public:
  explicit Asking(const Options& options) : options_(options) {}

  Result<int> run(const std::vector<std::string>& notes) {
    if (auto checked = check_flags(); !checked) return pass_on(checked);
    auto setup = make_setup(options_);
    if (!setup) return pass_on(setup);
    auto traffic = scalable_traffic(options_, setup->model);
    if (!traffic) return pass_on(traffic);
    for (const auto& more : {notes, setup->notes, traffic->notes}) print_notes(options_, more);
    if (auto prepared = prepare(*setup, *traffic); !prepared) return pass_on(prepared);
    if (auto searched = search(setup->model_error); !searched) return pass_on(searched);
    report_.next = next_steps();
    return answer();
  }

 private:
  bool asks_for_instances() const {
    return options_.min_instances ||
           (report_.rate_rps > 0 && !options_.is_given("--num-instances"));
  }

  // What the search decides by itself.
  Result<void> check_flags() const {
    if (options_.min_instances && options_.is_given("--num-instances")) {
      return fail(ErrorKind::usage, "--min-instances finds what --num-instances says",
                  "leave one of them out");
    }
    const bool drawn = options_.workload_spec.empty() && !asks_for_recorded(options_);
    if (drawn && options_.is_given("--num-requests")) {
      return fail(
          ErrorKind::usage, "--num-requests decides nothing of a capacity",
          "each test is as long as its answer needs; --most-requests says how long at most");
    }
    return check_priced_gpus(options_);
  }

  Result<void> prepare(const Setup& setup, const ScalableTraffic& traffic) {
    if (!options_.slo.empty()) {
      auto slos = parse_slos("--slo", options_.slo);
      if (!slos) return pass_on(slos);
      report_.slos = std::move(*slos);
    }
    if (options_.is_given("--rate")) report_.rate_rps = options_.rate_rps;
    if (options_.min_instances && report_.rate_rps <= 0) report_.rate_rps = traffic.natural_rps;
    if (options_.min_instances && report_.rate_rps <= 0) {
      return fail(ErrorKind::usage, "--min-instances needs --rate",
                  "how many instances depends on how much arrives");
    }
    if (options_.check && (report_.rate_rps <= 0 || asks_for_instances())) {
      return fail(ErrorKind::usage, "--check needs --rate and --num-instances",
                  "it asks whether so many instances hold that rate");
    }
    system_ = {setup.deployment, semantics_of(options_), report_.slos, traffic.load, setup.work};
    auto price = price_of(options_, setup.gpu);
    if (!price) return pass_on(price);
    report_.price = std::move(*price);
    report_.gpus_per_instance = setup.gpus / options_.num_instances;
    report_.instances = options_.num_instances;
    report_.headroom = options_.headroom;
    report_.config.verb = "capacity";
    report_.config.seed = options_.seed;
    for (const auto& entries : {setup.config, traffic.config, setup.limits}) {
      report_.config.entries.insert(report_.config.entries.end(), entries.begin(), entries.end());
    }
    // Tests are as long as they have to be.
    report_.tests_may_grow = traffic.whole_requests == 0;
    if (report_.tests_may_grow) {
      std::erase_if(report_.config.entries,
                    [](const ConfigEntry& entry) { return entry.key == "num-requests"; });
    }
    auto shape = token_shape(traffic.load);
    if (!shape) return pass_on(shape);
    report_.estimate = estimate_capacity(*system_.deployment.step_time, system_.deployment.engine,
                                         *shape, strictest_gap(report_.slos));
    effort_ = effort(traffic.whole_requests);
    return {};
  }

  ProbeEffort effort(std::int64_t whole_requests) const {
    ProbeEffort effort;
    effort.most_requests = options_.most_requests;
    if (whole_requests > 0) {
      effort.first_requests = whole_requests;
      effort.most_requests = whole_requests;
      return effort;
    }
    const std::int64_t instances =
        asks_for_instances() ? guessed_instances(report_.rate_rps / report_.estimate.rate_rps)
                             : options_.num_instances;
    effort.first_requests =
        std::min(requests_to_settle(report_.estimate, instances), kLongestFirst);
    if (!options_.is_given("--most-requests")) {
      effort.most_requests = std::max(effort.most_requests, 2 * effort.first_requests);
    }
    return effort;
  }

  Execution execution() {
    Execution e;
    e.threads = options_.threads > 0 ? static_cast<std::size_t>(options_.threads) : processors();
    e.keep_going = [this] { return !interruption_.requested(); };
    e.tested = [this](const ProbeJob&, const LoadProbe& test) {
      const std::lock_guard lock(one_at_a_time_);  // two searches may run at once
      tested_ += 1;
      if (line_.is_due()) line_.show(progress_text(test));
    };
    return e;
  }

  // The answer, what is to spare beyond it, what the model's error means for it.
  int parts(const std::optional<ModelError>& error) const {
    return 1 + (asks_for_instances() ? 1 : 0) + (error && !options_.no_model_error ? 1 : 0);
  }

  void finish_part() {
    parts_done_ += 1;
    left_.set_done(static_cast<double>(parts_done_) / parts_, line_.elapsed_s());
  }

  std::string progress_text(const LoadProbe& test) const {
    const double elapsed = line_.elapsed_s();
    return fmt::format("part {} of {}, {} in {:.0f} s{}; {} at {} req/s: {}",
                       std::min(parts_done_ + 1, parts_), parts_, counted(tested_, "test"), elapsed,
                       left_.text(elapsed), counted(test.instances, "instance"),
                       three_digits(test.rate_rps), test.reason);
  }

  Result<void> search(const std::optional<ModelError>& error) {
    parts_ = parts(error);
    if (asks_for_instances()) {
      if (auto found = search_instances(); !found) return found;
    } else {
      RateSearchOptions search;
      search.guess =
          report_.estimate.rate_rps * static_cast<double>(system_.deployment.num_instances);
      search.precision = options_.precision / 100;
      search.lowest = idle_rps();
      auto found = sustainable_rate(system_, search, effort_, execution());
      if (!found) return pass_on(found);
      report_.rate = std::move(*found);
      if (auto done = test_asked_rate(); !done) return done;
    }
    finish_part();
    if (!report_.holds()) {
      return report_.rate && !interruption_.requested() ? test_idle() : Result<void>{};
    }
    if (error && !options_.no_model_error && !interruption_.requested()) return vary_model(*error);
    return {};
  }

  static std::int64_t guessed_instances(double guess) {
    return std::llround(std::clamp(std::ceil(guess), 1.0, static_cast<double>(kMostInstances)));
  }

  static MinimumSearchOptions instance_search(double guess) {
    return {guessed_instances(guess), kMostInstances};
  }

  Result<void> search_instances() {
    auto found = fewest_instances(system_, report_.rate_rps, idle_rps(),
                                  instance_search(report_.rate_rps / report_.estimate.rate_rps),
                                  effort_, execution());
    if (!found) return pass_on(found);
    report_.fewest = std::move(*found);
    if (!report_.holds()) report_.idle = report_.fewest->idle;
    if (!report_.holds() || interruption_.requested()) return {};
    finish_part();
    if (auto done = measure_headroom(); !done) return done;
    return test_with_headroom();
  }

  // How much more than the rate the fewest instances take, up to a factor.
  Result<void> measure_headroom() {
    constexpr double kPrecision = 0.1;
    constexpr double kLargest = 2;
    ProbedSystem fleet = system_;
    fleet.deployment.num_instances = static_cast<std::int32_t>(report_.fewest->instances);
    RateSearchOptions search;
    search.precision = kPrecision;
    search.lowest = search.known_good = report_.rate_rps;
    search.highest = report_.rate_rps * std::fmax(kLargest, 1 + report_.headroom / 100);
    auto found = sustainable_rate(fleet, search, effort_, execution());
    if (!found) return pass_on(found);
    report_.spare = std::move(*found);
    return {};
  }

  // Evidence at the rate itself, beside that of the fewest.
  Result<void> test_with_headroom() {
    InstancesAnswer& fewest = *report_.fewest;
    const std::int64_t n = report_.instances_with_headroom();
    if (fewest.of(n) != nullptr) return {};
    auto tests = run_probes({{&system_, report_.rate_rps, static_cast<std::int32_t>(n), effort_}},
                            execution());
    if (!tests) return pass_on(tests);
    for (auto& [job, test] : *tests) fewest.tests.push_back(std::move(test));
    std::ranges::sort(fewest.tests, {}, &LoadProbe::instances);
    return {};
  }

  // A rate that the search left open, between what holds and what fails.
  Result<void> test_asked_rate() {
    RateAnswer& rate = *report_.rate;
    const double asked = report_.rate_rps;
    if (asked <= rate.good_rps || asked >= rate.bad_rps || rate.at(asked) != nullptr) return {};
    auto tests =
        run_probes({{&system_, asked, system_.deployment.num_instances, effort_}}, execution());
    if (!tests) return pass_on(tests);
    for (auto& [job, test] : *tests) {
      if (test.answer == Answer::holds) rate.good_rps = asked;
      if (test.answer == Answer::fails) rate.bad_rps = asked;
      rate.tests.push_back(std::move(test));
    }
    std::ranges::sort(rate.tests, {}, &LoadProbe::rate_rps);
    return {};
  }

  double idle_rps() const { return kIdleShare * report_.estimate.rate_rps; }

  Result<void> test_idle() {
    auto tests = run_probes({idle_job(system_, idle_rps(), effort_)}, execution());
    if (!tests) return pass_on(tests);
    if (!tests->empty()) report_.idle = std::move(tests->front().second);
    return {};
  }

  // The same question with steps as short and as long as the model may be wrong by.
  Result<void> vary_model(const ModelError& error) {
    const std::array<double, 2> factors = step_factors(error);
    std::array<std::optional<Result<double>>, 2> ends;
    for_each_in_parallel(ends.size(), execution().threads,
                         [&](std::size_t i) { ends[i] = answer_with(factors[i]); });
    for (auto& end : ends) {
      if (!*end) return pass_on(*end);
    }
    if (interruption_.requested()) return {};
    const auto [low, high] = std::minmax(**ends[0], **ends[1]);
    report_.model = Interval{low, high};
    report_.model_error = error;
    return {};
  }

  Result<double> answer_with(double factor) {
    const ProbedSystem system = with_longer_steps(system_, factor);
    const ProbeEffort effort = look_effort(effort_);
    Execution half = execution();
    half.threads = std::max<std::size_t>(1, half.threads / 2);
    if (report_.rate) {
      auto found = sustainable_rate(
          system, search_with_longer_steps(report_.rate->good_rps, idle_rps(), factor), effort,
          half);
      if (!found) return pass_on(found);
      return found->good_rps;
    }
    const double by_arithmetic = report_.rate_rps / report_.estimate.rate_rps;
    const double more = static_cast<double>(report_.fewest->instances) - std::ceil(by_arithmetic);
    auto found = fewest_instances(system, report_.rate_rps, idle_rps(),
                                  instance_search(by_arithmetic * factor + more), effort, half);
    if (!found) return pass_on(found);
    return static_cast<double>(found->instances);
  }

  // The deployment and the traffic as they were given, at the rate and with the instances found.
  std::vector<NextStep> next_steps() const {
    const LoadProbe* best = report_.best();
    if (best == nullptr || asks_for_recorded(options_)) return {};
    std::string command = "plimsoll run";
    for (const Flag& flag : flags()) {
      const auto given = options_.given.find(flag.name);
      if (given == options_.given.end() || !is_about_the_run(flag)) continue;
      command += " " + std::string(flag.name) + " " + shell_quoted(given->second);
    }
    command += fmt::format(" --rate {} --num-instances {} --num-requests {}",
                           shortest(best->rate_rps), best->instances, best->requests);
    if (best->state.verdict == SteadyVerdict::steady) command += " --warmup auto";
    return {{command, "the run behind the answer"}};
  }

  static bool is_about_the_run(const Flag& flag) {
    constexpr std::string_view kSetHere[]{"--rate", "--num-instances", "--num-requests"};
    return find_verb("run")->has(flag.group) && !decides_nothing(flag.group) &&
           std::ranges::count(kSetHere, flag.name) == 0;
  }

  Result<int> answer() {
    line_.clear();
    const int printed = print_result(text());
    if (printed != 0) return printed;
    if (interruption_.requested()) return kInterrupted;
    if (!report_.holds()) return kNotHeld;
    return options_.check && report_.of_asked_rate() != Answer::holds ? kNotHeld : 0;
  }

  std::string text() const {
    if (options_.json) return capacity_json(report_);
    if (options_.quiet) return capacity_verdict(report_);
    return capacity_text(report_, style_of_stdout(options_.color));
  }

  const Options& options_;
  CapacityReport report_;
  ProbedSystem system_;
  ProbeEffort effort_;
  Interruption interruption_;
  ProgressLine line_;
  std::mutex one_at_a_time_;
  std::int64_t tested_ = 0;
  int parts_ = 1;
  int parts_done_ = 0;
  TimeLeft left_;
};

}  // namespace

int capacity_verb(const Command& command) {
  Options options = command.options;
  std::vector<std::string> notes = command.notes;
  if (!options.policy_config.empty()) {
    auto from_file = apply_policy_bundle(options.policy_config, &options);
    if (!from_file) return report(from_file.error());
    notes.insert(notes.end(), from_file->begin(), from_file->end());
  }
  auto status = Asking(options).run(notes);
  return status ? *status : report(status.error());
}

}  // namespace plimsoll
