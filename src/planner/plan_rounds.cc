#include "planner/plan_rounds.h"

#include "planner/capacity.h"

namespace plimsoll {
namespace {

// Requests that are alone are served alike: the same steps, and the same requests fit.
bool is_same_engine(const Candidate& a, const Deployed& of_a, const OpenCandidate& b) {
  const EngineConfig& one = of_a.system.deployment.main().engine;
  const EngineConfig& other = b.deployed->system.deployment.main().engine;
  return one.total_kv_blocks == other.total_kv_blocks && one.max_model_len == other.max_model_len &&
         one.max_num_batched_tokens == other.max_num_batched_tokens &&
         a.engine() == b.result->candidate.engine();
}

constexpr std::size_t kAskedAtATime = 8;  // candidates of a round

// What a GPU that nobody measured seems to win may be the error of its model: a plan names the best
// of the others beside it. And it says what the best costs that splits prefill from decode, and the
// best that does not; of mixes what the best costs that is none; and of weights that the server
// narrows, which may change answers, what the best costs that keeps them.
bool may_beat(const OpenCandidate& better, const OpenCandidate& open) {
  const Candidate& by = better.result->candidate;
  const Candidate& own = open.result->candidate;
  if (by.splits() != own.splits() || (by.mixes() && !own.mixes())) return false;
  if (by.quantizes() && !own.quantizes()) return false;
  return !is_guess(*better.result) || is_guess(*open.result);
}

}  // namespace

void IdleVerdicts::tell(std::vector<OpenCandidate>* open) const {
  for (OpenCandidate& o : *open) {
    if (o.idle) continue;
    const auto at = std::ranges::find_if(known_, [&](const Known& known) {
      return is_same_engine(known.candidate, *known.deployed, o);
    });
    if (at != known_.end()) o.tell_idle(at->test);
  }
}

std::vector<OpenCandidate*> IdleVerdicts::unknown_of(
    const std::vector<OpenCandidate*>& some) const {
  std::vector<OpenCandidate*> unknown;
  for (OpenCandidate* open : some) {
    if (open->idle || !(any_fails_ || open->asks_idle())) continue;
    const bool is_known = std::ranges::any_of(unknown, [&](const OpenCandidate* other) {
      return is_same_engine(other->result->candidate, *other->deployed, *open);
    });
    if (!is_known) unknown.push_back(open);
  }
  return unknown;
}

Result<void> IdleVerdicts::ask(const std::vector<OpenCandidate*>& some) {
  std::vector<ProbeJob> jobs;
  for (const OpenCandidate* open : some) jobs.push_back(tests_.idle_job_of(*open));
  TRY(tests, tests_.run(jobs));
  for (auto& [number, test] : tests) {
    any_fails_ = any_fails_ || test.answer == Answer::fails;
    const OpenCandidate& asked = *some[number];
    known_.push_back({asked.result->candidate, asked.deployed, std::move(test)});
  }
  return {};
}

PlanRounds::PlanRounds(const PlanRequest& request, std::vector<OpenCandidate>* open,
                       PlanTests* tests, IdleVerdicts* idle)
    : request_(request), bills_(request), open_(*open), tests_(*tests), idle_(*idle) {
  for (OpenCandidate& o : open_) set_costs(&o);
}

Result<bool> PlanRounds::next() {
  idle_.tell(&open_);
  mark_beaten();
  const std::vector<OpenCandidate*> asked = most_promising();
  if (asked.empty()) {
    set_bounds();
    return false;
  }
  if (const auto unknown = idle_.unknown_of(asked); !unknown.empty()) {
    TRY_TO(idle_.ask(unknown));
    return true;
  }
  TRY_TO(ask(asked));
  return true;
}

PlanProgress PlanRounds::progress() const {
  PlanProgress progress;
  progress.candidates = open_.size();
  double least = std::numeric_limits<double>::infinity();
  for (const OpenCandidate& open : open_) {
    progress.settled += open.beaten_by || !open.has_more() ? 1 : 0;
    if (shown_cost(open) >= least) continue;
    least = shown_cost(open);
    Candidate best = open.result->candidate;
    if (open.replicas) best.replicas = open.replicas->good();
    progress.best = describe_gpus(best);
    progress.best_id = open.result->id;
    progress.best_usd_per_hour =
        open.replicas ? bills_.usd_of(open, best.replicas) : open.result->usd_per_hour;
  }
  return progress;
}

// Of what was shown to hold; less is better, infinite: nothing was.
double PlanRounds::shown_cost(const OpenCandidate& open) {
  if (open.replicas) return open.proven_cost;
  const CandidateResult& r = *open.result;
  const auto gpus = static_cast<double>(r.candidate.total_gpus());
  return (r.usd_per_hour > 0 ? r.usd_per_hour : gpus) / open.rates->good();
}

// What it could still turn out to be; less is better.
double PlanRounds::optimistic_cost(const OpenCandidate& open) const {
  const CandidateResult& r = *open.result;
  if (open.replicas) return open.possible_cost;
  return r.usd_per_hour / std::max(optimistic_rate(open), 1e-9);
}

void PlanRounds::set_costs(OpenCandidate* open) const {
  if (!open->replicas) return;
  const CandidateResult& r = *open->result;
  const std::int64_t least = std::max(r.candidate.replicas, open->replicas->least_possible());
  open->possible_replicas = least;
  open->possible_cost = bills_.objective_cost(*open, least);
  open->possible_gpus = bills_.gpus_of(*open, least);
  const std::int64_t good = open->replicas->good();
  constexpr double kNone = std::numeric_limits<double>::infinity();
  open->proven_cost = good > 0 ? bills_.objective_cost(*open, good) : kNone;
  open->proven_gpus = good > 0 ? bills_.gpus_of(*open, good) : 0;
}

// Of those that were left before their end.
void PlanRounds::set_bounds() {
  for (OpenCandidate& open : open_) {
    if (!open.beaten_by || !open.has_more()) continue;
    CandidateResult& r = *open.result;
    CandidateBound bound;
    // Where only other seeds were still to confirm it, nothing better was left.
    if (open.replicas && open.replicas->good() == open.possible_replicas) continue;
    if (open.rates && optimistic_rate(open) <= open.rates->good() * (1 + kRatePrecision)) continue;
    const std::int64_t needed = open.replicas ? open.possible_replicas : r.candidate.replicas;
    bound.candidate = bills_.sized(open, needed);
    bound.usd_per_hour = bills_.usd_of(open, needed);
    if (open.rates) bound.rate_rps = optimistic_rate(open);
    r.bound = bound;
  }
}

double PlanRounds::optimistic_rate(const OpenCandidate& open) const {
  double most = std::min(open.rates->bad(), open.most_rps);
  if (request_.highest_rps > 0) most = std::min(most, request_.highest_rps);
  return std::max(most, open.rates->good());
}

void PlanRounds::mark_beaten() {
  // A dearer one may be faster.
  if (request_.objective == Objective::lowest_latency) return;
  std::vector<const OpenCandidate*> shown;  // few of many
  for (const OpenCandidate& open : open_) {
    if (open.replicas ? open.replicas->good() > 0 : open.rates->good() > 0) shown.push_back(&open);
  }
  for (OpenCandidate& open : open_) {
    const auto beats = [&](const OpenCandidate* other) {
      if (other == &open || !may_beat(*other, open)) return false;
      return request_.rate_rps ? is_cheaper(*other, open) : dominates(*other, open);
    };
    const auto better = std::ranges::find_if(shown, beats);
    open.beaten_by = better == shown.end() ? std::nullopt : std::optional((*better)->index);
  }
}

bool PlanRounds::is_cheaper(const OpenCandidate& shown, const OpenCandidate& open) const {
  if (request_.keeps_tradeoffs && shown.proven_gpus > open.possible_gpus) return false;
  const double proven = shown.proven_cost;
  const double possible = open.possible_cost;
  if (proven < possible) return true;
  // Of those that cost as much the faster is chosen (planner/plan_choice.h): limits of the engine
  // make little difference to that, layouts do, and routers among several instances.
  const Candidate& one = shown.result->candidate;
  const Candidate& other = open.result->candidate;
  const bool routes = shown.proven_gpus > one.gpus(1);
  const bool is_unlike = one.machine() != other.machine() || (routes && one.router != other.router);
  const bool may_be_faster = !other.splits() && !other.mixes() && is_unlike;
  return proven <= possible && shown.index < open.index && !may_be_faster;
}

bool PlanRounds::dominates(const OpenCandidate& shown, const OpenCandidate& open) const {
  const double proven = shown.rates->good();
  const double possible = optimistic_rate(open);
  const double paid = shown.result->usd_per_hour;
  const double pays = open.result->usd_per_hour;
  if (proven < request_.least_rps() || paid > pays || proven < possible) return false;
  return paid < pays || proven > possible || shown.index < open.index;
}

std::vector<OpenCandidate*> PlanRounds::most_promising() {
  std::vector<OpenCandidate*> open;
  for (OpenCandidate& o : open_) {
    if (!o.beaten_by && o.has_more()) open.push_back(&o);
  }
  std::ranges::stable_sort(open, {},
                           [this](const OpenCandidate* o) { return optimistic_cost(*o); });
  if (open.size() > kAskedAtATime) open.resize(kAskedAtATime);
  return open;
}

Result<void> PlanRounds::ask(const std::vector<OpenCandidate*>& asked) {
  std::vector<ProbeJob> jobs;
  std::vector<std::size_t> asked_of;  // of each candidate, how many
  for (const OpenCandidate* open : asked) {
    const std::vector<ProbeJob> more = jobs_of(*open);
    asked_of.push_back(more.size());
    jobs.insert(jobs.end(), more.begin(), more.end());
  }
  TRY(probes, tests_.run(jobs));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    std::vector<LoadProbe> own;
    for (auto& [number, probe] : probes) {
      const auto whose = static_cast<std::size_t>(jobs[number].tag);
      if (whose == asked[i]->index) own.push_back(std::move(probe));
    }
    if (own.empty()) continue;
    tell(std::move(own), asked_of[i], asked[i]);
    set_costs(asked[i]);
  }
  return {};
}

std::vector<ProbeJob> PlanRounds::jobs_of(const OpenCandidate& open) const {
  if (open.rates) {
    return next_jobs(*open.rates, open.probes, [&](double rate) {
      return tests_.job(open, rate, open.result->candidate.replicas);
    });
  }
  return next_jobs(*open.replicas, open.probes, [&](std::int64_t replicas) {
    return tests_.job(open, *request_.rate_rps, replicas);
  });
}

void PlanRounds::tell(std::vector<LoadProbe> probes, std::size_t asked_for, OpenCandidate* open) {
  if (open->rates) {
    take_tests(std::move(probes), asked_for, &*open->rates, &open->probes);
  } else {
    take_tests(std::move(probes), asked_for, &*open->replicas, &open->probes);
  }
}

}  // namespace plimsoll
