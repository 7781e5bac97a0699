#include "planner/deployments.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/lists.h"
#include "base/parallel.h"

namespace plimsoll {
namespace {

constexpr std::size_t kNoDeployment = std::numeric_limits<std::size_t>::max();

void take_facts(const Deployed& deployed, CandidateResult* result) {
  result->estimate = deployed.estimate;
  result->most_rps = kTolerated * deployed.most_rps;
  if (const Price* price = cheapest_offer(deployed.offers, kOnDemand)) result->price = *price;
  if (deployed.beside) {
    result->beside_replicas = static_cast<double>(result->candidate.beside) *
                              deployed.beside->estimate.rate_rps / deployed.estimate.rate_rps;
  }
  result->cold_start_s = deployed.cold_start_s;
  result->model_error = deployed.model_error;
  result->flags = deployed.flags;
  const EngineConfig& engine = deployed.system.deployment.main().engine;
  result->candidate.batching_rule = engine.batching_rule;
  result->candidate.max_num_seqs = deployed.max_num_seqs;
}

// The mix with so many instances beside its replicas, which stay that many.
Deployed with_beside(Deployed deployed, std::int64_t instances) {
  Pool& beside = deployed.system.deployment.pools.back();
  beside.num_instances = static_cast<std::int32_t>(instances);
  beside.has_fixed_size = true;
  return deployed;
}

// Each message once, of several that differ a few.
void add_error(const Error& error, std::optional<Error>* errors) {
  constexpr std::size_t kMost = 5;
  if (!*errors) *errors = Error{error.kind, {}};
  std::vector<Diagnostic>& all = (*errors)->diagnostics;
  for (const Diagnostic& one : error.diagnostics) {
    if (all.size() < kMost) add_once(&all, one, &Diagnostic::message);
  }
}

}  // namespace

std::vector<Candidate> Deployments::number(const Shard& shard,
                                           std::vector<CandidateResult>* results) {
  const auto by_deployment = [](const Candidate& a, const Candidate& b) {
    return a.deployment() < b.deployment();
  };
  std::map<Candidate, std::size_t, decltype(by_deployment)> numbers;
  std::vector<Candidate> distinct;
  for (std::size_t i = number_of_.size(); i < results->size(); ++i) {
    CandidateResult& result = (*results)[i];
    const Candidate& c = result.candidate;
    number_of_.push_back(kNoDeployment);
    if (!shard.has(i)) continue;
    if (!c.has_num_gpus()) {
      result.reason = CandidateCause::odd_num_gpus;
      continue;
    }
    const auto [like, is_new] = numbers.try_emplace(c, deployed_.size() + distinct.size());
    if (is_new) distinct.push_back(c);
    number_of_.back() = like->second;
  }
  return distinct;
}

Result<void> Deployments::make(const Deploy& deploy, const Shard& shard, std::size_t threads,
                               std::vector<CandidateResult>* results) {
  const std::size_t first = number_of_.size();
  const std::vector<Candidate> distinct = number(shard, results);
  std::vector<std::optional<Result<Deployed>>> made(distinct.size());
  // The first one alone: it may fetch the model, for all of them.
  if (!made.empty()) made.front() = deploy(distinct.front());
  for_each_in_parallel(std::max<std::size_t>(made.size(), 1) - 1, threads,
                       [&](std::size_t i) { made[i + 1] = deploy(distinct[i + 1]); });
  for (auto& each : made) deployed_.push_back(std::move(*each));
  std::optional<Error> errors;
  for (std::size_t i = first; i < results->size(); ++i) {
    // Of refused ones that differ in settings of the engine alone, one says why.
    const bool is_said = i > first && (*results)[i - 1].refusal &&
                         (*results)[i - 1].candidate.machine() == (*results)[i].candidate.machine();
    give(i, &(*results)[i], is_said ? nullptr : &errors);
  }
  const bool any = std::ranges::any_of(deployed_, [](const auto& d) { return d.has_value(); });
  if (any || !errors || shard.count > 1) return {};
  return tl::unexpected<Error>(std::move(*errors));
}

void Deployments::give(std::size_t candidate, CandidateResult* result,
                       std::optional<Error>* errors) {
  std::size_t& number = number_of_[candidate];
  if (number == kNoDeployment) return;
  if (const Result<Deployed>& deployed = deployed_[number]; !deployed) {
    number = kNoDeployment;
    if (errors != nullptr) add_error(deployed.error(), errors);
    result->reason = CandidateCause::refused;
    result->refusal = deployed.error().diagnostics.front();
    return;
  }
  take_facts(*deployed_[number], result);
  if (!result->candidate.mixes()) return;
  deployed_.push_back(with_beside(*deployed_[number], result->candidate.beside));
  number = deployed_.size() - 1;
}

void Deployments::keep(const Shard& shard) {
  for (std::size_t i = 0; i < number_of_.size(); ++i) {
    if (!shard.has(i)) number_of_[i] = kNoDeployment;
  }
}

const Deployed* Deployments::of(std::size_t candidate) const {
  return number_of_[candidate] == kNoDeployment ? nullptr : &*deployed_[number_of_[candidate]];
}

}  // namespace plimsoll
