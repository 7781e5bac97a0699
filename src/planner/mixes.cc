#include "planner/mixes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

namespace plimsoll {
namespace {

constexpr std::int64_t kEveryNumber = 32;  // and beyond it some
constexpr std::int64_t kPartsOfStep = 8;
constexpr double kMostOfNeeded = 2;

/// Of a mix: either of its two kinds of instances, as it serves alone.
struct EngineAlone {
  const CandidateResult* alone = nullptr;
  const Deployed* deployed = nullptr;
};

// One of each engine: the numbers of replicas are another matter.
std::vector<EngineAlone> engines_of(const PlanRequest& request,
                                    const std::vector<CandidateResult>& alone,
                                    const Deployments& deployments) {
  const std::vector<Candidate> asked = candidates_of(request);
  std::vector<EngineAlone> engines;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const bool is_deployed = !alone[i].refusal && alone[i].estimate.rate_rps > 0;
    const bool is_first = asked[i].replicas == asked.front().replicas;
    if (is_deployed && is_first && !asked[i].splits())
      engines.push_back({&alone[i], deployments.of(i)});
  }
  return engines;
}

// What instances of a mix have in common, as the space has it.
auto in_common(const PlanRequest& request, const Candidate& c) {
  const std::int64_t batch = request.space.max_num_seqs.empty() ? 0 : c.max_num_seqs;
  return std::tuple(c.num_gpus > 0, c.pp, c.dp, c.expert_parallel, c.quantization, c.batching_rule,
                    batch, c.max_num_batched_tokens, c.router);
}

Candidate mix_of(const PlanRequest& request, const Candidate& own, const Candidate& other) {
  Candidate mix = own;
  mix.num_gpus = 0;
  mix.other_gpu = other.gpu;
  if (other.tp != own.tp) mix.other_tp = other.tp;
  if (mix.router.empty()) mix.router = request.space.mix_router;
  return mix;
}

double usd_of(const PlanRequest& request, const EngineAlone& engine, std::int64_t instances) {
  return bill_of(engine.deployed->offers, request.economics.purchase,
                 engine.alone->candidate.gpus_per_instance(), {FleetSize{.needed = instances}})
      .usd_per_hour();
}

// As many as the limits allow beside one replica.
std::int64_t most_within_limits(const PlanRequest& request, const EngineAlone& own,
                                const EngineAlone& other) {
  std::int64_t most = kMostInstances;
  const Candidate& c = other.alone->candidate;
  if (request.max_gpus) {
    const std::int64_t left = *request.max_gpus - own.alone->candidate.gpus_per_instance();
    most = std::min(most, left / c.gpus_per_instance());
  }
  const auto available = request.available_gpus.find(c.gpu);
  if (available != request.available_gpus.end()) {
    most = std::min(most, available->second / c.gpus_per_instance());
  }
  if (!request.max_usd_per_hour) return most;
  const double left = *request.max_usd_per_hour - usd_of(request, own, 1);
  std::vector<std::int64_t> all(static_cast<std::size_t>(std::max<std::int64_t>(0, most)));
  std::iota(all.begin(), all.end(), 1);
  // What they cost never falls with their number.
  const auto dear = std::ranges::upper_bound(
      all, left, {}, [&](std::int64_t instances) { return usd_of(request, other, instances); });
  return dear - all.begin();
}

// The largest is among them: it may be all that there are.
std::vector<std::int64_t> numbers_up_to(std::int64_t most) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t n = 1; n < most; n += n < kEveryNumber ? 1 : n / kPartsOfStep) {
    numbers.push_back(n);
  }
  if (most > 0) numbers.push_back(most);
  return numbers;
}

// Of instances beside one replica.
std::vector<std::int64_t> numbers_beside(const PlanRequest& request, const EngineAlone& own,
                                         const EngineAlone& other) {
  if (!request.space.replicas.empty()) return request.space.replicas;
  const std::int64_t most = most_within_limits(request, own, other);
  if (request.rate_rps) {
    const double needed =
        std::ceil(kMostOfNeeded * *request.rate_rps / other.alone->estimate.rate_rps);
    return numbers_up_to(std::llround(std::min(needed, static_cast<double>(most))));
  }
  const bool takes_all = request.wants_most() && most < kMostInstances;
  return numbers_up_to(takes_all ? most : std::min<std::int64_t>(most, 1));
}

void add_numbers(const PlanRequest& request, const EngineAlone& own, const EngineAlone& other,
                 std::vector<Candidate>* mixes) {
  const Candidate mix = mix_of(request, own.alone->candidate, other.alone->candidate);
  // 0: as many as the rate needs, or as the limits allow.
  const std::vector<std::int64_t> replicas =
      request.space.replicas.empty() ? std::vector<std::int64_t>{0} : request.space.replicas;
  for (const std::int64_t others : numbers_beside(request, own, other)) {
    for (const std::int64_t n : replicas) {
      Candidate& numbered = mixes->emplace_back(mix);
      numbered.beside = others;
      numbered.replicas = n;
    }
  }
}

}  // namespace

std::vector<Candidate> mixes_of(const PlanRequest& request,
                                const std::vector<CandidateResult>& alone,
                                const Deployments& deployments) {
  const std::vector<EngineAlone> engines = engines_of(request, alone, deployments);
  std::vector<Candidate> mixes;
  for (std::size_t i = 0; i < engines.size(); ++i) {
    for (std::size_t j = i + 1; j < engines.size(); ++j) {
      const CandidateResult& one = *engines[i].alone;
      const CandidateResult& two = *engines[j].alone;
      if (one.candidate.gpu == two.candidate.gpu ||
          in_common(request, one.candidate) != in_common(request, two.candidate)) {
        continue;
      }
      const bool is_ordered = one.estimate.rate_rps >= two.estimate.rate_rps;
      add_numbers(request, engines[is_ordered ? i : j], engines[is_ordered ? j : i], &mixes);
    }
  }
  return mixes;
}

}  // namespace plimsoll
