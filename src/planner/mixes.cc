#include "planner/mixes.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace plimsoll {
namespace {

constexpr std::int64_t kEveryNumber = 32;  // and beyond it some
constexpr std::int64_t kPartsOfStep = 8;
constexpr double kMostOfNeeded = 2;

// One of each engine: the numbers of replicas are another matter.
std::vector<const CandidateResult*> engines_of(const PlanRequest& request,
                                               const std::vector<CandidateResult>& alone) {
  const std::vector<Candidate> asked = candidates_of(request);
  std::vector<const CandidateResult*> engines;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const bool is_deployed = !alone[i].refusal && alone[i].estimate.rate_rps > 0;
    const bool is_first = asked[i].replicas == asked.front().replicas;
    if (is_deployed && is_first && !asked[i].splits()) engines.push_back(&alone[i]);
  }
  return engines;
}

// What instances of a mix have in common, as the space has it.
auto in_common(const PlanRequest& request, const Candidate& c) {
  const std::int64_t batch = request.space.max_num_seqs.empty() ? 0 : c.max_num_seqs;
  return std::tuple(c.num_gpus > 0, c.pp, c.dp, c.batching_rule, batch, c.max_num_batched_tokens,
                    c.router);
}

Candidate mix_of(const PlanRequest& request, const Candidate& own, const Candidate& other) {
  Candidate mix = own;
  mix.num_gpus = 0;
  mix.other_gpu = other.gpu;
  if (other.tp != own.tp) mix.other_tp = other.tp;
  if (mix.router.empty()) mix.router = request.space.mix_router;
  mix.replicas = 1;
  mix.beside = 1;
  return mix;
}

// As many as may serve beside one replica.
std::int64_t most_beside(const PlanRequest& request, const Candidate& mix, double rate_of_one) {
  const double needed = std::ceil(kMostOfNeeded * *request.rate_rps / rate_of_one);
  std::int64_t most = std::llround(std::min(needed, static_cast<double>(kMostInstances)));
  if (request.max_gpus) {
    const std::int64_t left = *request.max_gpus - mix.gpus_per_instance();
    most = std::min(most, left / mix.gpus_per_other());
  }
  const auto available = request.available_gpus.find(mix.other_gpu);
  if (available != request.available_gpus.end()) {
    most = std::min(most, available->second / mix.gpus_per_other());
  }
  return most;
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

void add_numbers(const PlanRequest& request, const Candidate& mix, double rate_of_one,
                 std::vector<Candidate>* mixes) {
  std::vector<std::int64_t> replicas = request.space.replicas;
  std::vector<std::int64_t> beside = replicas;
  if (replicas.empty() && request.rate_rps) {
    replicas = {0};  // as many as the rate needs
    beside = numbers_up_to(most_beside(request, mix, rate_of_one));
  } else if (replicas.empty()) {
    replicas = beside = {1};
  }
  for (const std::int64_t others : beside) {
    for (const std::int64_t own : replicas) {
      Candidate& numbered = mixes->emplace_back(mix);
      numbered.beside = others;
      numbered.replicas = own;
    }
  }
}

}  // namespace

std::vector<Candidate> mixes_of(const PlanRequest& request,
                                const std::vector<CandidateResult>& alone) {
  const std::vector<const CandidateResult*> engines = engines_of(request, alone);
  std::vector<Candidate> mixes;
  for (std::size_t i = 0; i < engines.size(); ++i) {
    for (std::size_t j = i + 1; j < engines.size(); ++j) {
      const CandidateResult* own = engines[i];
      const CandidateResult* other = engines[j];
      if (own->candidate.gpu == other->candidate.gpu ||
          in_common(request, own->candidate) != in_common(request, other->candidate)) {
        continue;
      }
      if (own->estimate.rate_rps < other->estimate.rate_rps) std::swap(own, other);
      add_numbers(request, mix_of(request, own->candidate, other->candidate),
                  other->estimate.rate_rps, &mixes);
    }
  }
  return mixes;
}

}  // namespace plimsoll
