#include "planner/candidate_bill.h"

#include <algorithm>

namespace plimsoll {

FleetSize CandidateBills::fleet_of(const OpenCandidate& open, std::int64_t needed) const {
  return fleet_size(request_.economics, needed, request_.spare, open.result->cold_start_s);
}

Bill CandidateBills::bill_for(const OpenCandidate& open, std::int64_t needed) const {
  return bill_of(open.deployed->offers, request_.economics.purchase,
                 open.result->candidate.gpus_per_replica(), fleet_of(open, needed));
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
  return missing_offers(open.deployed->offers, request_.economics.purchase,
                        fleet.failures + fleet.warm > 0);
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
  const auto most = std::ranges::max_element(result.bill.lines, {}, &BillLine::replicas);
  if (most != result.bill.lines.end()) result.price = most->price;
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
