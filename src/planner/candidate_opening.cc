#include "planner/candidate_opening.h"

#include <algorithm>

namespace plimsoll {
namespace {

constexpr double kMostReplicas = 100'000;

FleetSize in_instances(FleetSize fleet, std::int64_t of_a_replica) {
  for (std::int64_t* replicas : {&fleet.needed, &fleet.failures, &fleet.spot, &fleet.warm}) {
    *replicas *= of_a_replica;
  }
  return fleet;
}

const std::vector<Price>& offers_for_other(const OpenCandidate& open) {
  const bool is_alike = open.result->candidate.other_gpu.empty();
  return is_alike ? open.deployed->offers : open.deployed->other_offers;
}

// Of both pools, that of the replicas first; empty where a price is missing.
Bill joined(Bill own, Bill other) {
  if (other.lines.empty() || own.lines.empty()) return {};
  for (BillLine& line : other.lines) own.lines.push_back(std::move(line));
  return own;
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
    if (result.candidate.replicas == 0) result.candidate.replicas = as_many_as_allowed(*open);
    bills_.set_bill(*open);
    if (!bills_.within_limits(*open, result.candidate.replicas)) return false;
    result.reason = {};
    open->most_rps = most_rps(*open);
    if (open->most_rps < request_.least_rps()) {
      result.reason = {CandidateCause::serves_too_little, open->most_rps, request_.least_rps()};
      return false;
    }
    RateSearchOptions search;
    search.precision = kRatePrecision;
    const double guess = guessed_rps(*open);
    search.lowest = request_.least_rps() > 0 ? request_.least_rps() : guess * kIdleShare;
    if (request_.highest_rps > 0) search.highest = request_.highest_rps;
    search.guess = std::clamp(guess, search.lowest, search.highest);
    search.confirms = !open->deployed->system.other_loads.empty();
    open->rates.emplace(search);
    return true;
  }

  bool open_for_target(OpenCandidate* open) const {
    CandidateResult& result = *open->result;
    const std::int64_t at_least = fewest_replicas(*open);
    const std::int64_t listed = result.candidate.replicas;  // 0: as many as it takes
    if (listed > 0 && listed < at_least) {
      bills_.set_bill(*open);
      const Candidate& c = result.candidate;
      result.reason = {CandidateCause::few_replicas, c.instances(at_least), c.instances(listed)};
      return false;
    }
    result.candidate.replicas = listed > 0 ? listed : at_least;
    if (!bills_.within_limits(*open, result.candidate.replicas)) {
      bills_.set_bill(*open);
      if (result.bill.lines.empty() && bills_.asks_for_money()) return false;
      result.reason.figures.front() =
          static_cast<double>(result.candidate.instances(result.candidate.replicas));
      return false;
    }
    MinimumSearchOptions search =
        listed > 0 ? MinimumSearchOptions{listed, listed, listed} : replica_search(*open);
    search.instances = result.candidate.instances(1) - result.candidate.beside;
    search.beside = result.candidate.beside;
    search.confirms = !open->deployed->system.other_loads.empty();
    open->replicas.emplace(search);
    result.reason = {};
    return true;
  }

  // One, where there is no limit, or where less is better.
  std::int64_t as_many_as_allowed(const OpenCandidate& open) const {
    if (!request_.wants_most()) return 1;
    constexpr auto kNoLimit = static_cast<std::int64_t>(kMostReplicas);
    const std::int64_t most = bills_.most_within_limits(open, kNoLimit);
    return most < kNoLimit ? most : 1;
  }

  // By a bound that is certain.
  double most_rps(const OpenCandidate& open) const {
    const Candidate& c = open.result->candidate;
    const auto& beside = open.deployed->beside;
    if (!beside) return open.result->most_rps * static_cast<double>(c.replicas);
    return kTolerated * beside->most_of_own.rps(c.replicas, beside->most, c.beside);
  }
  std::int64_t fewest_replicas(const OpenCandidate& open) const {
    const auto& beside = open.deployed->beside;
    if (beside) {
      return beside->most_of_own.fewest(*request_.rate_rps / kTolerated, beside->most,
                                        open.result->candidate.beside);
    }
    const double bound = std::ceil(*request_.rate_rps / open.result->most_rps);
    return std::llround(std::clamp(bound, 1.0, kMostReplicas));
  }

  // By arithmetic that hopes.
  double guessed_rps(const OpenCandidate& open) const {
    const Candidate& c = open.result->candidate;
    const double rate = open.deployed->estimate_of(c, c.replicas).rate_rps;
    return c.mixes() ? rate : rate * static_cast<double>(c.replicas);
  }

  MinimumSearchOptions replica_search(const OpenCandidate& open) const {
    MinimumSearchOptions search;
    const auto& beside = open.deployed->beside;
    const auto others = static_cast<double>(open.result->candidate.beside);
    const double left = *request_.rate_rps - (beside ? others * beside->estimate.rate_rps : 0);
    const double guess = std::ceil(left / open.deployed->estimate.rate_rps);
    search.guess = std::llround(std::clamp(guess, 1.0, kMostReplicas));
    search.most = bills_.most_within_limits(open, static_cast<std::int64_t>(kMostReplicas));
    // Whatever the budget allows makes them faster.
    if (request_.objective == Objective::lowest_latency && request_.has_budget()) {
      search.guess = search.least = search.most;
    }
    return search;
  }

  const PlanRequest& request_;
  const CandidateBills bills_;
};

}  // namespace

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

// Replicas of a mix are the faster ones of both: those that are kept beyond the load can take the
// place of any instance.
FleetSize CandidateBills::fleet_of(const OpenCandidate& open, std::int64_t needed) const {
  const std::int64_t beside = open.result->candidate.beside;
  FleetSize fleet = fleet_size(request_.economics, needed + beside, request_.spare,
                               open.result->cold_start_s, open.result->candidate.sides());
  fleet.needed = needed;
  return fleet;
}

Bill CandidateBills::bill_for(const OpenCandidate& open, std::int64_t needed) const {
  const Candidate& c = open.result->candidate;
  const FleetSize fleet = fleet_of(open, needed);
  const auto bill = [&](const std::vector<Price>& offers, std::int64_t gpus,
                        const std::vector<FleetSize>& pools) {
    return bill_of(offers, request_.economics.purchase, gpus, pools);
  };
  const FleetSize own = in_instances(fleet, c.own_instances(1));
  const FleetSize other =
      c.mixes() ? FleetSize{.needed = c.beside} : in_instances(fleet, c.other_instances(1));
  const std::vector<Price>& offers = open.deployed->offers;
  if (!c.has_unlike_pools())
    return bill(offers, c.gpus_per_instance(),
                c.splits() ? std::vector{own, other} : std::vector{own});
  return joined(bill(offers, c.gpus_per_instance(), {own}),
                bill(offers_for_other(open), c.gpus_per_other(), {other}));
}

double CandidateBills::usd_of(const OpenCandidate& open, std::int64_t needed) const {
  return bill_for(open, needed).usd_per_hour();
}

std::int64_t CandidateBills::gpus_of(const OpenCandidate& open, std::int64_t needed) const {
  return open.result->candidate.gpus(fleet_of(open, needed).all());
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
  return all.empty() ? missing(offers_for_other(open)) : all;
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
  result.on_demand = open.deployed->offers;
  std::erase_if(result.on_demand, [](const Price& p) { return p.commitment != kOnDemand; });
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
  } else if (const std::string* gpu = short_of(request_, sized(open, needed))) {
    result.reason = {CandidateCause::too_few_available, 0, sized(open, needed).gpus_of_type(*gpu),
                     request_.available_gpus.at(*gpu)};
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
