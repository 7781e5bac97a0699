#include "planner/candidate_fate.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "planner/candidate_bill.h"

namespace plimsoll {
namespace {

template <class Field>
void keep(const OpenCandidate& open, Field LoadProbe::*field, Field value,
          std::optional<LoadProbe>* to) {
  const auto at = std::ranges::find(open.probes, value, field);
  if (at != open.probes.end()) *to = *at;
}

// By any number of replicas, at any rate: no matter of what is better.
bool is_never_served(const OpenCandidate& open) {
  const auto is_refused = [](const LoadProbe& p) { return p.is_turned_away; };
  return open.is_impossible() || (open.replicas && open.replicas->good() == 0 &&
                                  std::ranges::any_of(open.probes, is_refused));
}

class Concluding {
 public:
  explicit Concluding(const PlanRequest& request) : request_(request), bills_(request) {}

  void conclude_one(const OpenCandidate& open) const {
    CandidateResult& result = *open.result;
    if (open.replicas) {
      const std::int64_t good = open.replicas->good();
      const std::int64_t bad = open.replicas->bad();
      if (good > 0) {
        result.good_rps = *request_.rate_rps;
        keep(open, &LoadProbe::instances, static_cast<std::int32_t>(good), &result.at_good);
      }
      keep(open, &LoadProbe::instances, static_cast<std::int32_t>(bad), &result.at_bad);
      if (good == 0 && open.is_impossible()) result.at_bad = open.idle;
      // Of one that failed, the fleet that did.
      const std::int64_t tested = result.at_bad ? result.at_bad->instances : 0;
      if (good > 0 || tested > 0) result.candidate.replicas = good > 0 ? good : tested;
      bills_.set_bill(open);
    } else {
      result.good_rps = open.rates->good();
      result.bad_rps = open.rates->bad();
      keep(open, &LoadProbe::rate_rps, result.good_rps, &result.at_good);
      keep(open, &LoadProbe::rate_rps, result.bad_rps, &result.at_bad);
      if (result.good_rps <= 0 && open.is_impossible()) {
        result.at_bad = open.idle;
        result.bad_rps = open.idle->rate_rps;
      }
    }
    if (open.beaten_by && !is_never_served(open)) {
      result.fate = Fate::dominated;
    } else {
      set_fate(open, &result);
    }
  }

 private:
  void set_fate(const OpenCandidate& open, CandidateResult* result) const {
    if (is_shown(request_, *result)) {
      result->fate = Fate::feasible;
      return;
    }
    result->fate = fails_for_certain(open, *result) ? Fate::infeasible : Fate::unclear;
    if (open.probes.empty() && !result->at_bad) {
      result->reason = CandidateCause::not_tested;
    }
    if (result->at_good) {
      result->reason = {CandidateCause::holds_too_little, result->good_rps, request_.least_rps()};
    } else if (result->at_bad || !open.probes.empty()) {
      // Unclear there is unclear everywhere.
      const bool is_idle = open.idle && open.idle->answer != Answer::holds;
      result->reason = is_idle ? CandidateCause::fails_idle : CandidateCause::fails;
      result->deciding = is_idle          ? *open.idle
                         : result->at_bad ? *result->at_bad
                                          : open.probes.back();
    }
  }

  bool fails_for_certain(const OpenCandidate& open, const CandidateResult& result) const {
    if (!result.at_bad) return false;
    if (open.is_impossible()) return true;
    if (open.replicas) return open.replicas->none_holds();
    const bool any_unclear = std::ranges::any_of(
        open.probes, [](const LoadProbe& p) { return p.answer == Answer::unclear; });
    return !any_unclear || result.bad_rps <= request_.least_rps();
  }

  const PlanRequest& request_;
  const CandidateBills bills_;
};

// Of those that were beaten: by whom that was not beaten itself. Each of such a chain costs no
// more than the one before.
Because<CandidateCause> better_than(const OpenCandidate& beaten,
                                    const std::vector<OpenCandidate>& open) {
  const OpenCandidate* better = &beaten;
  while (better->beaten_by) {
    better = &*std::ranges::find(open, *better->beaten_by, &OpenCandidate::index);
  }
  return {CandidateCause::beaten, better->result->id};
}

}  // namespace

bool is_shown(const PlanRequest& request, const CandidateResult& result) {
  return result.at_good && result.good_rps > 0 && result.good_rps >= request.least_rps();
}

void conclude(const PlanRequest& request, const std::vector<OpenCandidate>& open) {
  const Concluding concluding(request);
  for (const OpenCandidate& o : open) concluding.conclude_one(o);
  for (const OpenCandidate& o : open) {
    if (o.result->fate == Fate::dominated) o.result->reason = better_than(o, open);
  }
}

}  // namespace plimsoll
