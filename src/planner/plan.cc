#include "planner/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "planner/frontier.h"
#include "planner/plan_journal.h"

namespace plimsoll {
namespace {

constexpr std::size_t kAskedAtATime = 8;  // candidates of a round
constexpr double kPrecision = 0.02;       // of maximum rates
constexpr double kHeadroomPrecision = 0.05;
constexpr double kBoundMargin = 1.15;  // arithmetic is off by less
constexpr std::int64_t kLongestFactor = 10;

/// A candidate on its way.
struct Open {
  std::size_t index = 0;  // in the plan
  const Deployed* deployed = nullptr;
  std::optional<RateSearch> rates;
  std::optional<MinimumSearch> replicas;
  std::vector<LoadProbe> probes;
  bool done = false;
  std::size_t beaten_by = 0;  // of one that is dominated: index in the plan

  // With a target rate, what it costs by the objective: at least, and as it was shown.
  double possible_cost = 0;
  double proven_cost = std::numeric_limits<double>::infinity();
  std::int64_t possible_gpus = 0;
  std::int64_t proven_gpus = 0;
};

class Planning {
 public:
  Planning(const PlanRequest& request, const Deploy& deploy, const Execution& execution,
           PlanJournal* journal)
      : request_(request), deploy_(deploy), execution_(execution), journal_(journal) {}

  Result<Plan> run() {
    for (const Candidate& candidate : candidates_of(request_)) {
      CandidateResult& result = plan_.candidates.emplace_back();
      result.id = std::ssize(plan_.candidates);
      result.candidate = candidate;
    }
    if (auto deployed = deploy_all(); !deployed) return pass_on(deployed);
    open_all();
    while (execution_.keep_going()) {
      close_beaten();
      const std::vector<Open*> asked = next_round();
      if (asked.empty()) break;
      if (auto done = ask(asked); !done) return pass_on(done);
      plan_.rounds += 1;
    }
    for (Open& open : open_) conclude(open);
    name_the_better();
    choose_best();
    if (auto done = measure_headroom(); !done) return pass_on(done);
    plan_.interrupted = !execution_.keep_going();
    return std::move(plan_);
  }

 private:
  bool has_target() const { return request_.rate_rps.has_value(); }

  // ---- deployment, and what arithmetic prunes

  Result<void> deploy_all() {
    std::vector<Candidate> seen;
    std::optional<Error> first_error;
    for (CandidateResult& result : plan_.candidates) {
      const Candidate c = result.candidate;
      if (c.gpus_per_replica != c.tp * c.pp) {
        result.reason = "num_gpus is not tensor_parallel x pipeline_parallel";
        deployed_of_.push_back(kNone);
        continue;
      }
      const auto like =
          std::ranges::find_if(seen, [&](const Candidate& other) { return other.is_like(c); });
      if (like == seen.end()) {
        seen.push_back(c);
        deployed_.push_back(deploy_(c));
        deployed_of_.push_back(deployed_.size() - 1);
      } else {
        deployed_of_.push_back(static_cast<std::size_t>(like - seen.begin()));
      }
      const Result<Deployed>& deployed = deployed_[deployed_of_.back()];
      if (!deployed) {
        if (!first_error) first_error = deployed.error();
        result.reason = deployed.error().diagnostics.front().message;
        deployed_of_.back() = kNone;
        continue;
      }
      result.estimate = deployed->estimate;
      if (const Price* price = cheapest_offer(deployed->offers, kOnDemand)) result.price = *price;
      result.cold_start_s = deployed->cold_start_s;
      result.model_error = deployed->model_error;
      result.tdp_w = deployed->tdp_w;
      result.flags = deployed->flags;
      const EngineConfig& engine = deployed->system.deployment.engine;
      result.candidate.batching_rule = engine.batching_rule;
      result.candidate.max_num_seqs = engine.max_num_seqs;
    }
    const bool any = std::ranges::any_of(deployed_, [](const auto& d) { return d.has_value(); });
    if (any || !first_error) return {};
    return tl::unexpected<Error>(std::move(*first_error));
  }

  void open_all() {
    for (std::size_t i = 0; i < plan_.candidates.size(); ++i) {
      if (deployed_of_[i] == kNone) continue;
      Open open;
      open.index = i;
      open.deployed = &*deployed_[deployed_of_[i]];
      const bool opened = has_target() ? open_for_target(&open) : open_for_range(&open);
      if (!opened) continue;
      set_costs(&open);
      open_.push_back(std::move(open));
    }
  }

  FleetSize fleet_of(const CandidateResult& result, std::int64_t needed) const {
    return fleet_size(request_.economics, needed, request_.spare, result.cold_start_s);
  }

  const std::vector<Price>& offers_of(const CandidateResult& result) const {
    return deployed_[deployed_of_[static_cast<std::size_t>(result.id - 1)]]->offers;
  }

  Bill bill_for(const CandidateResult& result, std::int64_t needed) const {
    return bill_of(offers_of(result), request_.economics.purchase,
                   result.candidate.gpus_per_replica, fleet_of(result, needed));
  }

  double usd_of(const CandidateResult& result, std::int64_t needed) const {
    return bill_for(result, needed).usd_per_hour();
  }

  std::string missing_price(const CandidateResult& result) const {
    const FleetSize fleet = fleet_of(result, 1);
    return missing_offer(offers_of(result), request_.economics.purchase,
                         fleet.failures + fleet.warm > 0);
  }

  // With the number of replicas that the load needs known.
  void set_bill(CandidateResult* result) const {
    result->fleet = fleet_of(*result, result->candidate.replicas);
    result->candidate.spare = result->fleet.spare();
    result->bill = bill_for(*result, result->candidate.replicas);
    result->usd_per_hour = result->bill.usd_per_hour();
    const auto most = std::ranges::max_element(result->bill.lines, {}, &BillLine::replicas);
    if (most != result->bill.lines.end()) result->price = most->price;
  }

  bool asks_for_money() const {
    return request_.max_usd_per_hour || request_.objective == Objective::least_cost ||
           request_.objective == Objective::qps_per_dollar;
  }

  bool within_limits(CandidateResult& result, std::int64_t needed) {
    const std::int64_t gpus = gpus_of(result, needed);
    if (const std::string missing = missing_price(result); asks_for_money() && !missing.empty()) {
      result.reason =
          missing == kOnDemand
              ? "no price is known for " + result.candidate.gpu + " (--gpu-price gives one)"
              : fmt::format("no {} price is known for {} (--price-file gives one)", missing,
                            result.candidate.gpu);
    } else if (request_.max_usd_per_hour && usd_of(result, needed) > *request_.max_usd_per_hour) {
      result.reason = fmt::format("costs ${:.2f}/h, more than ${:.2f}", usd_of(result, needed),
                                  *request_.max_usd_per_hour);
    } else if (request_.max_gpus && gpus > *request_.max_gpus) {
      result.reason = fmt::format("takes {} GPUs, more than {}", gpus, *request_.max_gpus);
    } else {
      return true;
    }
    return false;
  }

  std::int64_t gpus_of(const CandidateResult& result, std::int64_t needed) const {
    return result.candidate.gpus_per_replica * fleet_of(result, needed).all();
  }

  bool open_for_range(Open* open) {
    CandidateResult& result = plan_.candidates[open->index];
    set_bill(&result);
    if (!within_limits(result, result.candidate.replicas)) return false;
    const double bound = most_by_arithmetic(result);
    if (bound < least_rate()) {
      result.reason = fmt::format("serves {} req/s at most, less than {}", three_digits(bound),
                                  three_digits(least_rate()));
      return false;
    }
    RateSearchOptions search;
    search.precision = kPrecision;
    search.lowest = request_.lowest_rps > 0 ? request_.lowest_rps : bound * 1e-3;
    if (request_.highest_rps > 0) search.highest = request_.highest_rps;
    search.guess = std::clamp(bound / kBoundMargin, search.lowest, search.highest);
    open->rates.emplace(search);
    return true;
  }

  bool open_for_target(Open* open) {
    CandidateResult& result = plan_.candidates[open->index];
    const double per_replica = result.estimate.rate_rps;
    const auto at_least = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(*request_.rate_rps / (per_replica * kBoundMargin))));
    const std::int64_t listed = result.candidate.replicas;  // 0: as many as it takes
    if (listed > 0 && listed < at_least) {
      set_bill(&result);
      result.reason = fmt::format("needs {} at least, more than {}", counted(at_least, "replica"),
                                  grouped(listed));
      return false;
    }
    result.candidate.replicas = listed > 0 ? listed : at_least;
    if (!within_limits(result, result.candidate.replicas)) {
      set_bill(&result);
      if (result.bill.lines.empty() && asks_for_money()) return false;
      result.reason = fmt::format("needs {} at least and {}",
                                  counted(result.candidate.replicas, "replica"), result.reason);
      return false;
    }
    MinimumSearchOptions search;
    if (listed > 0) {
      search = {listed, listed, listed};
    } else {
      search.guess = static_cast<std::int64_t>(std::ceil(*request_.rate_rps / per_replica));
      search.most = most_within_limits(result, 4 * search.guess + 8);
    }
    result.reason.clear();
    open->replicas.emplace(search);
    return true;
  }

  // Between one that is and `most`, which may be: what a fleet costs never falls with its size.
  std::int64_t most_within_limits(CandidateResult& result, std::int64_t most) {
    if (within_limits(result, most)) return most;
    std::int64_t within = 1;
    while (most - within > 1) {
      const std::int64_t middle = within + (most - within) / 2;
      (within_limits(result, middle) ? within : most) = middle;
    }
    return within;
  }

  double most_by_arithmetic(const CandidateResult& result) const {
    return kBoundMargin * result.estimate.rate_rps * static_cast<double>(result.candidate.replicas);
  }

  double least_rate() const { return std::max(request_.min_rps, request_.lowest_rps); }

  // ---- rounds

  // What it could still turn out to be; less is better.
  double optimistic_cost(const Open& open) const {
    const CandidateResult& r = plan_.candidates[open.index];
    if (open.replicas) return open.possible_cost;
    return r.usd_per_hour / std::max(optimistic_rate(open), 1e-9);
  }

  void set_costs(Open* open) const {
    if (!open->replicas) return;
    const CandidateResult& r = plan_.candidates[open->index];
    const std::int64_t least = std::max(r.candidate.replicas, open->replicas->bad() + 1);
    open->possible_cost = objective_cost(r, least);
    open->possible_gpus = gpus_of(r, least);
    if (open->replicas->good() == 0) return;
    open->proven_cost = objective_cost(r, open->replicas->good());
    open->proven_gpus = gpus_of(r, open->replicas->good());
  }

  double objective_cost(const CandidateResult& r, std::int64_t needed) const {
    if (request_.objective == Objective::least_gpus || !missing_price(r).empty()) {
      return static_cast<double>(gpus_of(r, needed));
    }
    return usd_of(r, needed);
  }

  double optimistic_rate(const Open& open) const {
    double most = std::min(open.rates->bad(), most_by_arithmetic(plan_.candidates[open.index]));
    if (request_.highest_rps > 0) most = std::min(most, request_.highest_rps);
    return std::max(most, open.rates->good());
  }

  void close_beaten() {
    // A dearer one may be faster.
    if (has_target() && request_.objective == Objective::lowest_latency) return;
    for (Open& open : open_) {
      if (open.done) continue;
      const Open* better = has_target() ? cheaper_than(open) : dominates(open);
      if (better == nullptr) continue;
      open.done = true;
      open.beaten_by = better->index;
      plan_.candidates[open.index].fate = Fate::dominated;
    }
  }

  const Open* cheaper_than(const Open& open) const {
    for (const Open& other : open_) {
      if (&other == &open || other.replicas->good() == 0) continue;
      if (request_.keeps_tradeoffs && other.proven_gpus > open.possible_gpus) continue;
      const double proven = other.proven_cost * doubt(other, open);
      const double possible = open.possible_cost;
      if (proven < possible || (proven <= possible && other.index < open.index)) return &other;
    }
    return nullptr;
  }

  // What a GPU that nobody measured seems to win may be the error of its model: one that is known
  // gives way to it only beyond that.
  double doubt(const Open& better, const Open& open) const {
    const bool guessed =
        is_unknown(plan_.candidates[better.index]) && !is_unknown(plan_.candidates[open.index]);
    return guessed ? std::exp(plan_.candidates[better.index].model_error->step) : 1;
  }

  static bool is_unknown(const CandidateResult& r) {
    return r.model_error && r.model_error->regime == Regime::unknown;
  }

  const Open* dominates(const Open& open) const {
    const CandidateResult& r = plan_.candidates[open.index];
    for (const Open& other : open_) {
      const double proven = other.rates->good() / doubt(other, open);
      if (&other == &open || proven <= 0 || proven < least_rate()) continue;
      const CandidateResult& o = plan_.candidates[other.index];
      const double possible = optimistic_rate(open);
      if (o.usd_per_hour > r.usd_per_hour || proven < possible) continue;
      if (o.usd_per_hour < r.usd_per_hour || proven > possible || other.index < open.index) {
        return &other;
      }
    }
    return nullptr;
  }

  bool has_more(const Open& open) const {
    return open.rates ? !open.rates->next().empty() : !open.replicas->next().empty();
  }

  // The most promising ones.
  std::vector<Open*> next_round() {
    std::vector<Open*> open;
    for (Open& o : open_) {
      if (!o.done && has_more(o)) open.push_back(&o);
    }
    std::ranges::stable_sort(open, {}, [this](const Open* o) { return optimistic_cost(*o); });
    if (open.size() > kAskedAtATime) open.resize(kAskedAtATime);
    return open;
  }

  Result<void> ask(const std::vector<Open*>& asked) {
    std::vector<ProbeJob> jobs;
    for (Open* open : asked) {
      const auto number = open->index;
      if (open->rates) {
        const std::int64_t replicas = plan_.candidates[number].candidate.replicas;
        for (const double rate : open->rates->next()) jobs.push_back(job(*open, rate, replicas));
      } else {
        for (const std::int64_t n : open->replicas->next()) {
          jobs.push_back(job(*open, *request_.rate_rps, n));
        }
      }
    }
    auto probes = test(jobs);
    if (!probes) return pass_on(probes);
    for (auto& [job_index, probe] : *probes) {
      const auto whose = static_cast<std::size_t>(jobs[job_index].tag);
      Open& open = **std::ranges::find(asked, whose, &Open::index);
      if (open.rates) open.rates->tell(probe.rate_rps, probe.answer);
      if (open.replicas) open.replicas->tell(probe.instances, probe.answer);
      open.probes.push_back(std::move(probe));
    }
    for (Open* open : asked) set_costs(open);
    return {};
  }

  // As run_probes(), but for what the journal has.
  Result<std::vector<std::pair<std::size_t, LoadProbe>>> test(const std::vector<ProbeJob>& jobs) {
    std::vector<std::pair<std::size_t, LoadProbe>> probes;
    std::vector<ProbeJob> missing;
    std::vector<std::size_t> numbers;  // in `jobs`
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const LoadProbe* known = journal_ == nullptr ? nullptr : known_in_journal(jobs[i]);
      if (known != nullptr) {
        probes.emplace_back(i, *known);
      } else {
        missing.push_back(jobs[i]);
        numbers.push_back(i);
      }
    }
    Execution execution = execution_;
    execution.tested = [this](const ProbeJob& job, const LoadProbe& probe) {
      if (journal_ != nullptr) journal_->add({id_of(job), probe});
      execution_.tested(job, probe);
    };
    auto tested = run_probes(missing, execution);
    if (!tested) return pass_on(tested);
    for (auto& [job, probe] : *tested) probes.emplace_back(numbers[job], std::move(probe));
    std::ranges::sort(probes, {}, &std::pair<std::size_t, LoadProbe>::first);
    plan_.probes += std::ssize(probes);
    return probes;
  }

  std::int64_t id_of(const ProbeJob& job) const {
    return plan_.candidates[static_cast<std::size_t>(job.tag)].id;
  }
  const LoadProbe* known_in_journal(const ProbeJob& job) const {
    return journal_->find(id_of(job), job.rate_rps, job.instances);
  }

  ProbeJob job(const Open& open, double rate_rps, std::int64_t replicas) const {
    ProbeJob job;
    job.system = &open.deployed->system;
    job.rate_rps = rate_rps;
    job.instances = static_cast<std::int32_t>(replicas);
    job.tag = static_cast<std::int64_t>(open.index);
    const double asked = rate_rps * (request_.duration_s + request_.warmup_s);
    job.effort.first_requests =
        std::max(std::llround(std::min(asked, 1e8)),
                 static_cast<long long>(requests_to_settle(open.deployed->estimate, replicas)));
    job.effort.most_requests =
        kLongestFactor *
        std::max(job.effort.first_requests, fewest_requests(open.deployed->system.slos));
    return job;
  }

  // ---- results

  void conclude(Open& open) {
    CandidateResult& result = plan_.candidates[open.index];
    if (open.replicas) {
      if (const std::int64_t n = open.replicas->good(); n > 0) {
        result.candidate.replicas = n;
        result.good_rps = *request_.rate_rps;
        keep(open, &CandidateResult::at_good, &LoadProbe::instances, static_cast<std::int32_t>(n));
      }
      keep(open, &CandidateResult::at_bad, &LoadProbe::instances,
           static_cast<std::int32_t>(open.replicas->bad()));
      set_bill(&result);
    } else {
      result.good_rps = open.rates->good();
      result.bad_rps = open.rates->bad();
      keep(open, &CandidateResult::at_good, &LoadProbe::rate_rps, result.good_rps);
      keep(open, &CandidateResult::at_bad, &LoadProbe::rate_rps, result.bad_rps);
    }
    if (result.fate == Fate::dominated) return;
    set_fate(open, &result);
  }

  template <class Field>
  static void keep_in(std::optional<LoadProbe>* to, const std::vector<LoadProbe>& probes,
                      Field LoadProbe::*field, Field value) {
    const auto at = std::ranges::find(probes, value, field);
    if (at != probes.end()) *to = *at;
  }
  template <class Field>
  void keep(const Open& open, std::optional<LoadProbe> CandidateResult::*to,
            Field LoadProbe::*field, Field value) {
    keep_in(&(plan_.candidates[open.index].*to), open.probes, field, value);
  }

  // Of those that were beaten: by whom that was not beaten itself. Each of such a chain costs no
  // more than the one before.
  void name_the_better() {
    for (const Open& open : open_) {
      if (plan_.candidates[open.index].fate != Fate::dominated) continue;
      std::size_t better = open.beaten_by;
      while (plan_.candidates[better].fate == Fate::dominated) {
        better = std::ranges::find(open_, better, &Open::index)->beaten_by;
      }
      plan_.candidates[open.index].reason =
          fmt::format("cannot beat number {}", plan_.candidates[better].id);
    }
  }

  bool is_shown(const CandidateResult& r) const {
    return r.at_good && r.good_rps > 0 && r.good_rps >= least_rate();
  }

  void set_fate(const Open& open, CandidateResult* result) const {
    const bool holds = is_shown(*result);
    const bool any_unclear = std::ranges::any_of(
        open.probes, [](const LoadProbe& p) { return p.answer == Answer::unclear; });
    if (holds) {
      result->fate = Fate::feasible;
      return;
    }
    const bool fails = result->at_bad && (!any_unclear || result->bad_rps <= least_rate());
    result->fate = fails ? Fate::infeasible : Fate::unclear;
    if (open.probes.empty()) result->reason = "was not tested before the plan was interrupted";
    if (result->at_good) {
      result->reason = fmt::format("holds {} req/s, less than {}", three_digits(result->good_rps),
                                   three_digits(least_rate()));
    } else if (!open.probes.empty()) {
      const LoadProbe& worst = result->at_bad ? *result->at_bad : open.probes.back();
      result->reason = fmt::format("at {} req/s with {} {}", three_digits(worst.rate_rps),
                                   counted(worst.instances, "replica"), worst.reason);
    }
  }

  // Less is better.
  double final_cost(const CandidateResult& r) const {
    switch (request_.objective) {
      case Objective::qps_per_dollar:
        return r.usd_per_hour > 0 ? r.usd_per_hour / r.good_rps
                                  : static_cast<double>(r.candidate.total_gpus()) / r.good_rps;
      case Objective::lowest_latency:
        return compared_latency_ms(r);
      case Objective::least_cost:
      case Objective::least_gpus:
        break;
    }
    return objective_cost(r, r.candidate.replicas);
  }

  void choose_best() {
    std::vector<std::size_t> feasible;
    for (std::size_t i = 0; i < plan_.candidates.size(); ++i) {
      if (plan_.candidates[i].fate == Fate::feasible) feasible.push_back(i);
    }
    if (feasible.empty()) return;
    const auto cost = [this](std::size_t i) { return final_cost(plan_.candidates[i]); };
    const std::size_t best = *std::ranges::min_element(feasible, {}, cost);
    plan_.best = best;
    plan_.model_error = deployed_[deployed_of_[best]]->model_error;
    plan_.best_probes = std::move(std::ranges::find(open_, best, &Open::index)->probes);
    std::ranges::sort(plan_.best_probes, {},
                      [](const LoadProbe& p) { return std::pair(p.rate_rps, p.instances); });
    for (const std::size_t i : feasible) {
      if (i == best) continue;
      const double ratio = cost(i) / cost(best);
      if (ratio <= 1 + kPrecision) plan_.ties.push_back(i);
      plan_.candidates[i].reason =
          ratio <= 1 + kPrecision ? fmt::format("cannot be told from number {} at {}",
                                                plan_.candidates[best].id, percent(kPrecision))
                                  : fmt::format("{} more {} than number {}", percent(ratio - 1),
                                                cost_word(), plan_.candidates[best].id);
    }
    choose_known(feasible);
    // What is dearer than the best may still serve more, or faster.
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < plan_.candidates.size(); ++i) {
      if (is_shown(plan_.candidates[i])) shown.push_back(i);
    }
    plan_.frontier = frontier_of(plan_.candidates, shown, has_target());
  }

  // How much more than the target rate the best would take.
  Result<void> measure_headroom() {
    if (!has_target() || !plan_.best) return {};
    const CandidateResult& best = plan_.candidates[*plan_.best];
    const Open& open = *std::ranges::find(open_, *plan_.best, &Open::index);
    RateSearchOptions search;
    search.precision = kHeadroomPrecision;
    search.lowest = *request_.rate_rps;
    RateSearch rates(search);
    rates.tell(*request_.rate_rps, Answer::holds);
    Headroom headroom{*request_.rate_rps, rates.bad(), {}};
    for (auto asked = rates.next(); !asked.empty() && execution_.keep_going();
         asked = rates.next()) {
      std::vector<ProbeJob> jobs;
      for (const double rate : asked) jobs.push_back(job(open, rate, best.candidate.replicas));
      auto probes = test(jobs);
      if (!probes) return pass_on(probes);
      for (auto& [job_index, probe] : *probes) {
        rates.tell(probe.rate_rps, probe.answer);
        if (probe.rate_rps == rates.bad()) headroom.at_bad = std::move(probe);
      }
    }
    headroom.good_rps = rates.good();
    headroom.bad_rps = rates.bad();
    plan_.headroom = std::move(headroom);
    return {};
  }

  void choose_known(const std::vector<std::size_t>& feasible) {
    const CandidateResult& best = plan_.candidates[*plan_.best];
    if (!is_unknown(best)) return;
    double least = final_cost(best) * std::exp(best.model_error->step);
    for (const std::size_t i : feasible) {
      const double cost = final_cost(plan_.candidates[i]);
      if (is_unknown(plan_.candidates[i]) || cost > least) continue;
      least = cost;
      plan_.cheapest_known = i;
    }
  }

  std::string_view cost_word() const {
    switch (request_.objective) {
      case Objective::qps_per_dollar:
        return "for each request";
      case Objective::least_gpus:
        return "GPUs";
      case Objective::lowest_latency:
        return "latency";
      case Objective::least_cost:
        break;
    }
    return "cost";
  }

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  const PlanRequest& request_;
  const Deploy& deploy_;
  const Execution& execution_;
  PlanJournal* journal_;
  Plan plan_;
  std::vector<Result<Deployed>> deployed_;
  std::vector<std::size_t> deployed_of_;  // by candidate
  std::vector<Open> open_;
};

}  // namespace

std::string_view name_of(Fate fate) {
  switch (fate) {
    case Fate::feasible:
      return "feasible";
    case Fate::infeasible:
      return "infeasible";
    case Fate::unclear:
      return "unclear";
    case Fate::dominated:
      return "dominated";
    case Fate::pruned:
      break;
  }
  return "pruned";
}

Result<Plan> make_plan(const PlanRequest& request, const Deploy& deploy, const Execution& execution,
                       PlanJournal* journal) {
  return Planning(request, deploy, execution, journal).run();
}

}  // namespace plimsoll
