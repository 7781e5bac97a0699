#include "planner/candidate_opening.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/parallel.h"

namespace plimsoll {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
// A test lets 5 % of the requests be lost and takes a backlog for one from 3 % of them on
// (stats/steady_state.h); what arrives is known to 1 %.
constexpr double kTolerated = 1.1;
constexpr double kMostReplicas = 100'000;

FleetSize in_instances(FleetSize fleet, std::int64_t of_a_replica) {
  for (std::int64_t* replicas : {&fleet.needed, &fleet.failures, &fleet.spot, &fleet.warm}) {
    *replicas *= of_a_replica;
  }
  return fleet;
}

const std::vector<Price>& offers_for_prefill(const OpenCandidate& open) {
  const bool is_alike = open.result->candidate.prefill_gpu.empty();
  return is_alike ? open.deployed->offers : open.deployed->prefill_offers;
}

// Of both pools, those that answer first; empty where a price is missing.
Bill joined(Bill decode, Bill prefill) {
  if (prefill.lines.empty() || decode.lines.empty()) return {};
  for (BillLine& line : prefill.lines) decode.lines.push_back(std::move(line));
  return decode;
}

void take_facts(const Deployed& deployed, CandidateResult* result) {
  result->estimate = deployed.estimate;
  result->most_rps = kTolerated * deployed.most_rps;
  if (const Price* price = cheapest_offer(deployed.offers, kOnDemand)) result->price = *price;
  result->cold_start_s = deployed.cold_start_s;
  result->model_error = deployed.model_error;
  result->tdp_w = deployed.tdp_w;
  result->flags = deployed.flags;
  const EngineConfig& engine = deployed.system.deployment.main().engine;
  result->candidate.batching_rule = engine.batching_rule;
  result->candidate.max_num_seqs = deployed.max_num_seqs;
}

// Each message once, of several that differ a few.
void add_error(const Error& error, std::optional<Error>* errors) {
  constexpr std::size_t kMost = 5;
  if (!*errors) *errors = Error{error.kind, {}};
  std::vector<Diagnostic>& all = (*errors)->diagnostics;
  for (const Diagnostic& one : error.diagnostics) {
    const bool known = std::ranges::count(all, one.message, &Diagnostic::message) > 0;
    if (!known && all.size() < kMost) all.push_back(one);
  }
}

/// False comes with the reason, in the result.
class Opening {
 public:
  explicit Opening(const PlanRequest& request) : request_(request), bills_(request) {}

  bool open(OpenCandidate* open) const {
    open->result->warmup_is_asked = request_.warmup_s.value_or(0) > 0;
    return request_.rate_rps ? open_for_target(open) : open_for_range(open);
  }

 private:
  bool open_for_range(OpenCandidate* open) const {
    CandidateResult& result = *open->result;
    const auto replicas = static_cast<double>(result.candidate.replicas);
    bills_.set_bill(*open);
    if (!bills_.within_limits(*open, result.candidate.replicas)) return false;
    open->most_rps = result.most_rps * replicas;
    if (open->most_rps < request_.least_rps()) {
      result.reason = {CandidateCause::serves_too_little, open->most_rps, request_.least_rps()};
      return false;
    }
    RateSearchOptions search;
    search.precision = kRatePrecision;
    const double guess = result.estimate.rate_rps * replicas;
    search.lowest = request_.lowest_rps > 0 ? request_.lowest_rps : guess * kIdleShare;
    if (request_.highest_rps > 0) search.highest = request_.highest_rps;
    search.guess = std::clamp(guess, search.lowest, search.highest);
    search.confirms = !open->deployed->system.other_loads.empty();
    open->rates.emplace(search);
    return true;
  }

  bool open_for_target(OpenCandidate* open) const {
    CandidateResult& result = *open->result;
    const double bound = std::ceil(*request_.rate_rps / result.most_rps);
    const std::int64_t at_least = std::llround(std::clamp(bound, 1.0, kMostReplicas));
    const std::int64_t listed = result.candidate.replicas;  // 0: as many as it takes
    if (listed > 0 && listed < at_least) {
      bills_.set_bill(*open);
      result.reason = {CandidateCause::few_replicas, at_least, listed};
      return false;
    }
    result.candidate.replicas = listed > 0 ? listed : at_least;
    if (!bills_.within_limits(*open, result.candidate.replicas)) {
      bills_.set_bill(*open);
      if (result.bill.lines.empty() && bills_.asks_for_money()) return false;
      result.reason.figures.front() = static_cast<double>(result.candidate.replicas);
      return false;
    }
    MinimumSearchOptions search =
        listed > 0 ? MinimumSearchOptions{listed, listed, listed} : replica_search(*open);
    search.instances = result.candidate.instances_per_replica();
    search.confirms = !open->deployed->system.other_loads.empty();
    open->replicas.emplace(search);
    result.reason = {};
    return true;
  }

  MinimumSearchOptions replica_search(const OpenCandidate& open) const {
    MinimumSearchOptions search;
    const double guess = std::ceil(*request_.rate_rps / open.deployed->estimate.rate_rps);
    search.guess = std::llround(std::clamp(guess, 1.0, kMostReplicas));
    search.most = bills_.most_within_limits(open, static_cast<std::int64_t>(kMostReplicas));
    // Whatever the budget allows makes them faster.
    const bool has_budget = request_.max_gpus || request_.max_usd_per_hour;
    if (request_.objective == Objective::lowest_latency && has_budget) {
      search.guess = search.least = search.most;
    }
    return search;
  }

  const PlanRequest& request_;
  const CandidateBills bills_;
};

}  // namespace

std::vector<Candidate> Deployments::number(const Shard& shard,
                                           std::vector<CandidateResult>* results) {
  const auto by_deployment = [](const Candidate& a, const Candidate& b) {
    return a.deployment() < b.deployment();
  };
  std::map<Candidate, std::size_t, decltype(by_deployment)> numbers;
  std::vector<Candidate> distinct;
  for (CandidateResult& result : *results) {
    const Candidate& c = result.candidate;
    number_of_.push_back(kNone);
    if (!shard.has(number_of_.size() - 1)) continue;
    if (!c.has_num_gpus()) {
      result.reason = CandidateCause::odd_num_gpus;
      continue;
    }
    const auto [like, is_new] = numbers.try_emplace(c, distinct.size());
    if (is_new) distinct.push_back(c);
    number_of_.back() = like->second;
  }
  return distinct;
}

Result<void> Deployments::make(const Deploy& deploy, const Shard& shard, std::size_t threads,
                               std::vector<CandidateResult>* results) {
  const std::vector<Candidate> distinct = number(shard, results);
  std::vector<std::optional<Result<Deployed>>> made(distinct.size());
  // The first one alone: it may fetch the model, for all of them.
  if (!made.empty()) made.front() = deploy(distinct.front());
  for_each_in_parallel(std::max<std::size_t>(made.size(), 1) - 1, threads,
                       [&](std::size_t i) { made[i + 1] = deploy(distinct[i + 1]); });
  for (auto& each : made) deployed_.push_back(std::move(*each));
  std::optional<Error> errors;
  for (std::size_t i = 0; i < results->size(); ++i) {
    if (number_of_[i] == kNone) continue;
    CandidateResult& result = (*results)[i];
    const Result<Deployed>& deployed = deployed_[number_of_[i]];
    if (deployed) {
      take_facts(*deployed, &result);
      continue;
    }
    number_of_[i] = kNone;
    add_error(deployed.error(), &errors);
    result.reason = CandidateCause::refused;
    result.refusal = deployed.error().diagnostics.front();
  }
  const bool any = std::ranges::any_of(deployed_, [](const auto& d) { return d.has_value(); });
  if (any || !errors || shard.count > 1) return {};
  return tl::unexpected<Error>(std::move(*errors));
}

const Deployed* Deployments::of(std::size_t candidate) const {
  return number_of_[candidate] == kNone ? nullptr : &*deployed_[number_of_[candidate]];
}

std::vector<OpenCandidate> open_candidates(const PlanRequest& request,
                                           const Deployments& deployments,
                                           std::vector<CandidateResult>* results) {
  const Opening opening(request);
  std::vector<OpenCandidate> all;
  for (std::size_t i = 0; i < results->size(); ++i) {
    OpenCandidate open;
    open.index = i;
    open.result = &(*results)[i];
    open.deployed = deployments.of(i);
    if (open.deployed != nullptr && opening.open(&open)) all.push_back(std::move(open));
  }
  return all;
}

FleetSize CandidateBills::fleet_of(const OpenCandidate& open, std::int64_t needed) const {
  return fleet_size(request_.economics, needed, request_.spare, open.result->cold_start_s);
}

Bill CandidateBills::bill_for(const OpenCandidate& open, std::int64_t needed) const {
  const Candidate& c = open.result->candidate;
  const FleetSize fleet = fleet_of(open, needed);
  const auto bill = [&](const std::vector<Price>& offers, std::int64_t gpus, std::int64_t each) {
    return bill_of(offers, request_.economics.purchase, gpus, in_instances(fleet, each));
  };
  const std::vector<Price>& offers = open.deployed->offers;
  if (!c.has_unlike_pools()) return bill(offers, c.gpus_per_instance(), c.instances_per_replica());
  return joined(bill(offers, c.gpus_per_instance(), c.decode),
                bill(offers_for_prefill(open), c.gpus_per_prefill_instance(), c.prefill));
}

double CandidateBills::usd_of(const OpenCandidate& open, std::int64_t needed) const {
  return bill_for(open, needed).usd_per_hour();
}

std::int64_t CandidateBills::gpus_of(const OpenCandidate& open, std::int64_t needed) const {
  return open.result->candidate.gpus_per_replica() * fleet_of(open, needed).all();
}

Candidate CandidateBills::sized(const OpenCandidate& open, std::int64_t needed) const {
  Candidate candidate = open.result->candidate;
  candidate.replicas = needed;
  candidate.spare = fleet_of(open, needed).spare();
  return candidate;
}

std::vector<std::string> CandidateBills::missing_prices(const OpenCandidate& open) const {
  const FleetSize fleet = fleet_of(open, 1);
  const auto missing = [&](const std::vector<Price>& offers) {
    return missing_offers(offers, request_.economics.purchase, fleet.failures + fleet.warm > 0);
  };
  std::vector<std::string> all = missing(open.deployed->offers);
  return all.empty() ? missing(offers_for_prefill(open)) : all;
}

double CandidateBills::objective_cost(const OpenCandidate& open, std::int64_t needed) const {
  if (request_.objective == Objective::least_gpus || !missing_prices(open).empty()) {
    return static_cast<double>(gpus_of(open, needed));
  }
  return usd_of(open, needed);
}

void CandidateBills::set_bill(const OpenCandidate& open) const {
  CandidateResult& result = *open.result;
  result.fleet = fleet_of(open, result.candidate.replicas);
  result.candidate.spare = result.fleet.spare();
  result.bill = bill_for(open, result.candidate.replicas);
  result.usd_per_hour = result.bill.usd_per_hour();
  std::int64_t most = 0;
  for (const BillLine& line : result.bill.lines) {
    if (line.replicas <= most || line.price.gpu != result.bill.lines.front().price.gpu) continue;
    most = line.replicas;
    result.price = line.price;
  }
}

bool CandidateBills::asks_for_money() const {
  return request_.max_usd_per_hour || request_.objective == Objective::least_cost ||
         request_.objective == Objective::qps_per_dollar;
}

bool CandidateBills::within_limits(const OpenCandidate& open, std::int64_t needed) const {
  CandidateResult& result = *open.result;
  const std::int64_t gpus = gpus_of(open, needed);
  if (asks_for_money()) result.missing_prices = missing_prices(open);
  if (!result.missing_prices.empty()) {
    result.reason = {CandidateCause::no_price, 0};
  } else if (request_.max_usd_per_hour && usd_of(open, needed) > *request_.max_usd_per_hour) {
    result.reason = {CandidateCause::too_dear, 0, usd_of(open, needed), *request_.max_usd_per_hour};
  } else if (request_.max_gpus && gpus > *request_.max_gpus) {
    result.reason = {CandidateCause::too_many_gpus, 0, gpus, *request_.max_gpus};
  } else {
    return true;
  }
  return false;
}

// What a fleet costs never falls with its size.
std::int64_t CandidateBills::most_within_limits(const OpenCandidate& open,
                                                std::int64_t most) const {
  if (within_limits(open, most)) return most;
  std::int64_t within = 1;
  while (most - within > 1) {
    const std::int64_t middle = within + (most - within) / 2;
    (within_limits(open, middle) ? within : most) = middle;
  }
  return within;
}

}  // namespace plimsoll
