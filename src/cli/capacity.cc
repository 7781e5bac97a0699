// `plimsoll capacity`: how much can this deployment take; how many instances do I need?
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/caller.h"
#include "cli/capacity_progress.h"
#include "cli/idle_flags.h"
#include "cli/parse.h"
#include "cli/policy_bundle.h"
#include "cli/progress.h"
#include "cli/run_functions.h"
#include "cli/style.h"
#include "cli/typed_flags.h"
#include "planner/capacity_search.h"
#include "report/answer/reasons.h"
#include "report/answer/words.h"
#include "report/capacity/capacity.h"
#include "setup/fleet_file.h"
#include "setup/given_flags.h"
#include "setup/gpu_price.h"
#include "setup/load_maker.h"
#include "setup/pools.h"
#include "setup/setup.h"

namespace plimsoll {
namespace {

constexpr int kNotHeld = 1;

class Asking {
 public:
  Asking(const Options& options, const Command& command) : options_(options), command_(command) {}

  Result<int> run(const std::vector<std::string>& notes) {
    TRY_TO(check_flags());
    TRY(setup, setup_of(options_));
    TRY(traffic, scalable_traffic(options_.run, setup.model));
    for (const auto& more : {notes, setup.notes, traffic.notes}) print_notes(options_, more);
    print_notes(options_, notes_on_unused_prices(options_.prices, setup.gpus_of_pools()));
    model_ = setup.model;
    TRY_TO(prepare(setup, &traffic));
    requests_wanted_ = requests_wanted(options_.run, setup.model, traffic, report_.slos);
    print_notes(options_, notes_on_length(options_.run, traffic, requests_wanted_));
    TRY_TO(search(setup.model_error, traffic.whole_requests));
    const std::int64_t priced = std::max<std::int64_t>(1, report_.instances_of_answer());
    report_.prices = report_.bill(priced).prices();
    report_.next = next_steps();
    return answer(interruption_.requested());
  }

 private:
  bool names_instances() const {
    return options_.run.cluster.num_instances.is_asked() || names_pools(options_.run);
  }

  bool asks_for_instances() const {
    return options_.capacity.min_instances || (report_.rate_rps > 0 && !names_instances());
  }

  // What the search decides by itself.
  Result<void> check_flags() const {
    if (options_.capacity.min_instances && options_.run.cluster.num_instances.is_asked()) {
      return fail(ErrorKind::usage, "--min-instances finds the number that --num-instances sets",
                  "leave one of them out");
    }
    const TrafficSpec& traffic = options_.run.traffic;
    for (const auto& [flag, said] : {std::pair("--num-requests", traffic.num_requests),
                                     std::pair("--horizon", traffic.horizon_us)}) {
      if (!traffic.is_drawn() || !said) continue;
      return fail(
          ErrorKind::usage, std::string(flag) + " has no effect on a capacity",
          "each test is as long as its answer needs; --most-requests says how long at most");
    }
    return check_priced_gpus(options_.prices, options_.run.hardware);
  }

  Result<void> prepare(const Setup& setup, ScalableTraffic* traffic) {
    if (!options_.limits.slo.empty()) {
      TRY_SET(report_.slos, parse_slos("--slo", options_.limits.slo));
    }
    std::vector<std::string> notes;
    report_.slos = limits_of(*traffic, std::move(report_.slos), &notes);
    print_notes(options_, notes);
    if (options_.run.traffic.rate_rps.is_asked()) report_.rate_rps = options_.run.traffic.rate_rps;
    if (traffic->users.asked > 0) {
      report_.rate_rps = static_cast<double>(traffic->users.asked);  // until they are counted in it
      TRY_TO(check_users());
    }
    if (options_.capacity.min_instances && report_.rate_rps <= 0)
      report_.rate_rps = traffic->natural_rps;
    if (options_.capacity.min_instances && report_.rate_rps <= 0) {
      return fail(ErrorKind::usage, "--min-instances needs --rate",
                  "how many instances depends on how much arrives");
    }
    if (options_.limits.check && (report_.rate_rps <= 0 || asks_for_instances())) {
      return fail(ErrorKind::usage, "--check needs --rate and --num-instances",
                  "it asks whether N instances hold that rate");
    }
    system_ = {setup.deployment, semantics_of(options_.run), report_.slos, {}};
    system_.model_error = setup.model_error;
    TRY(offers, offers_of(options_.prices, options_.run.hardware, setup.gpu));
    report_.instances = setup.deployment.num_instances();
    report_.gpus_per_instance = setup.layout.gpus();
    if (asks_for_instances()) take_one_group();
    TRY_TO(price(offers));
    report_.headroom = options_.capacity.headroom;
    report_.headroom_is_asked = options_.capacity.headroom.is_asked();
    report_.config.verb = "capacity";
    report_.config.seed = static_cast<std::int64_t>(traffic->seed);
    for (const auto& entries : {setup.config, traffic->config, setup.limits})
      append(&report_.config.entries, entries);
    // Tests are as long as they have to be.
    report_.tests_may_grow = traffic->whole_requests == 0;
    report_.traffic = traffic->finite;
    if (report_.tests_may_grow) {
      std::erase_if(report_.config.entries,
                    [](const ConfigEntry& entry) { return entry.key == "num-requests"; });
    }
    return make_loads(traffic);
  }

  // And the estimate of what serves them.
  Result<void> make_loads(ScalableTraffic* traffic) {
    const bool counts_users = traffic->users.asked > 0;
    TRY(shape, token_shape(traffic->load));
    report_.estimate = estimate_replica(system_.deployment, shape, strictest_gap(report_.slos));
    if (counts_users) {
      report_.unit.round_s = traffic->users.think_s + stay_s(report_.estimate);
      report_.rate_rps = report_.unit.rate_rps(traffic->users.asked);
      count_in(report_.unit, traffic);
    }
    system_.load = traffic->load;
    system_.other_loads = traffic->other_loads;
    return {};
  }

  // Who waits is served by any number of instances, sooner or later.
  Result<void> check_users() const {
    if (report_.slos.empty()) {
      return fail(ErrorKind::usage, "how many users are served depends on how long they may wait",
                  "give limits, as --slo \"ttft_p99 < 1s\"");
    }
    return {};
  }

  // What is counted where the number is the question; of several pools in their proportions.
  void take_one_group() {
    Deployment& deployment = system_.deployment;
    const std::int64_t groups = groups_of(deployment);
    const auto group = static_cast<std::int32_t>(deployment.num_instances() / groups);
    deployment = resized(std::move(deployment), group);
    if (group == 1) return;
    print_notes(options_, {fmt::format("a group is {}: instances are counted in whole groups",
                                       deployed_text(sizes_of(deployment)))});
  }

  // Instances that are all alike, or pools: then those of the deployment, or of groups like it.
  Result<void> price(const std::vector<Price>& offers) {
    const Deployment& deployment = system_.deployment;
    report_.pools = sizes_of(deployment);
    if (report_.pools.empty()) {
      report_.bill = [offers, gpus = report_.gpus_per_instance](std::int64_t count) {
        return on_demand_bill(offers, gpus, count);
      };
      return {};
    }
    report_.gpus_per_instance = 0;
    for (const Pool& pool : deployment.pools)
      report_.gpus_per_instance += pool.gpus * pool.num_instances;
    TRY(priced, deployment_bill(options_.prices, options_.run.hardware, deployment));
    report_.bill = [this, whole = std::move(priced.bill)](std::int64_t count) {
      const Deployment& one = system_.deployment;
      if (!asks_for_instances() || count == 1) return whole;
      const auto instances = static_cast<std::int32_t>(count * one.num_instances());
      auto bill = deployment_bill(options_.prices, options_.run.hardware, resized(one, instances));
      return bill ? bill->bill : Bill();
    };
    return {};
  }

  Result<void> search(const std::optional<ModelError>& error, std::int64_t whole_requests) {
    CapacitySearchOptions search;
    search.for_instances = asks_for_instances();
    search.precision = options_.capacity.precision / 100;
    const Setting<std::int64_t>& most = options_.capacity.most_requests;
    if (most.is_asked()) search.most_requests = most;
    search.whole_requests = whole_requests;
    const Caller* caller = current_caller();
    const bool is_drawn_on_the_way = caller != nullptr && caller->draws;
    search.draws_curve = is_drawn_on_the_way || wants_page(options_.console);
    if (!options_.metrics.no_model_error) search.error = error;
    search.threads = threads_for(options_.console.threads);
    ProgressLine line;
    CapacityWatch watch;
    watch.keep_going = [this] { return !interruption_.requested(); };
    watch.begins = [this](std::int64_t instances, std::int64_t to_settle, const ProbeEffort& of) {
      const std::string note = note_on_length(instances, to_settle, of);
      if (!note.empty()) print_notes(options_, {note});
    };
    watch.tested = [&](const CapacityProgress& so_far, const LoadProbe& test,
                       const std::vector<Slo>& slos) {
      if (line.is_due())
        line.show(work_so_far(so_far, test, slos, report_.unit, asks_for_instances()));
    };
    if (is_drawn_on_the_way) {
      watch.drawn = [&](const CapacityAnswer& so_far) {
        if (!line.is_wanted()) return;
        WorkSoFar work{.phase = "drawing latency against load"};
        work.figures["charts"] = capacity_curves(so_far);
        line.show(work);
      };
    }
    TRY_TO(CapacitySearch(system_, search, watch, &report_).run());
    if (report_.interrupted || !report_.pools.empty()) return {};
    TRY_SET(report_.without_flag,
            capacity_without_flag(options_.run, system_, report_, search, watch));
    return {};
  }

  // The deployment and the traffic as they were given, at the rate and with the instances found; or
  // nearly idle, where not even that holds.
  std::vector<NextStep> next_steps() const {
    if (!report_.holds() && requests_wanted_ > 0) {
      return ask_again_without({"--num-requests"},
                               fmt::format(" --num-requests {}", requests_wanted_));
    }
    if (!report_.holds() && options_.capacity.most_requests.is_asked() && lacked_requests()) {
      return ask_again_without({"--most-requests"}, "");
    }
    if (report_.rate && report_.holds() && report_.rate_rps > 0 && !names_pools(options_.run) &&
        report_.of_asked_rate() == Answer::fails) {
      return ask_again_without({"--num-instances", "--check"}, "", "how many instances hold it");
    }
    const bool is_idle = !report_.holds() && report_.idle;
    if (is_idle && report_.idle->turns_lengths_away()) return {};
    const LoadProbe* best = is_idle ? &*report_.idle : report_.holds() ? shown_test() : nullptr;
    if (best == nullptr || options_.run.traffic.trace.is_asked()) return {};
    std::string command = "plimsoll run" + typed_flags(as_found(), is_about_the_run);
    if (const LoadUnit& unit = report_.unit; unit.counts_users()) {
      command += fmt::format(" --concurrency {}", unit.users(best->rate_rps));
    } else {
      command += " --rate " + (is_idle ? four_digits(best->rate_rps) : shortest(best->rate_rps));
    }
    if (!names_pools(options_.run)) command += fmt::format(" --num-instances {}", best->instances);
    command += fmt::format(" --num-requests {} --seed {}", best->requests, best->seed);
    if (best->state.verdict == SteadyVerdict::steady) command += " --warmup auto";
    return {
        {command, is_idle ? "the nearly idle instance" : purpose_of_run(!report_.slos.empty())}};
  }

  // With the pools that were found.
  Options as_found() const {
    Options found = options_;
    if (!report_.counts_groups() || !report_.holds()) return found;
    const std::int64_t all = report_.best()->instances;
    const std::int64_t given = instances_of(options_.run);
    const auto scale = [&](Setting<std::int64_t>* instances) {
      *instances = *instances * all / given;
    };
    FleetSpec& fleet = found.run.fleet;
    for (PoolSpec& pool : fleet.pools) scale(&pool.instances);
    if (!fleet.pools.empty()) {
      fleet.file = fleet_in_line(fleet.pools);
    } else {
      scale(&found.run.split.prefill.instances);
      scale(&found.run.split.decode.instances);
    }
    return found;
  }

  static constexpr const char* kEnoughRequests = "the same question with enough requests";

  // At the rate that was asked for, where that holds, or that is the answer.
  const LoadProbe* shown_test() const {
    return report_.rate ? &report_.as_promised() : report_.best();
  }

  std::vector<NextStep> ask_again_without(const std::vector<std::string_view>& dropped,
                                          const std::string& added,
                                          const char* purpose = kEnoughRequests) const {
    const auto is_kept = [&](const Flag& flag) {
      return !decides_nothing(flag.group) && !contains(dropped, flag.name);
    };
    return {{"plimsoll capacity" + typed_flags(options_, is_kept) + added, purpose}};
  }

  bool lacked_requests() const {
    return std::ranges::any_of(tests_of(report_), [](const LoadProbe& test) {
      return test.reason.cause == ProbeCause::few_requests;
    });
  }

  static bool is_about_the_run(const Flag& flag) {
    constexpr std::string_view kSetHere[]{"--rate", "--concurrency", "--num-instances",
                                          "--num-requests", "--seed"};
    return find_verb("run")->has(flag.group) && !decides_nothing(flag.group) &&
           !contains(kSetHere, flag.name);
  }

  Result<int> answer(bool interrupted) const {
    const auto written = [this](const Style& style) { return capacity_text(report_, style); };
    const int printed = hand_over(text(), page_of(command_, "Capacity of " + model_, written));
    if (printed != 0) return printed;
    if (interrupted) return interrupted_code();
    if (!report_.holds()) return kNotHeld;
    const bool is_kept = report_.of_asked_rate() == Answer::holds && report_.keeps_headroom();
    return options_.limits.check && !is_kept ? kNotHeld : 0;
  }

  std::string text() const {
    return in_form_asked_for(
        options_.console,
        {[this] { return capacity_json(report_); }, [this] { return capacity_verdict(report_); },
         [this](const Style& style) { return capacity_text(report_, style); },
         [this] { return capacity_curves(report_); }});
  }

  const Options& options_;
  const Command& command_;
  std::string model_;
  std::int64_t requests_wanted_ = 0;  ///< where a specification makes too few; 0: it does not
  ProbedSystem system_;
  CapacityReport report_;
  Interruption interruption_;
};

}  // namespace

Result<int> capacity_verb(const Command& command) {
  Options options = command.options;
  std::vector<std::string> notes = command.notes;
  TRY(from_files, apply_files(&options));
  append(&notes, from_files);
  return Asking(options, command).run(notes);
}

}  // namespace plimsoll
