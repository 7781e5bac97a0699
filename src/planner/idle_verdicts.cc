#include "planner/idle_verdicts.h"

#include <algorithm>

namespace plimsoll {
namespace {

// Requests that are alone are served alike: the same steps, and the same requests fit.
bool is_same_engine(const Candidate& a, const Deployed& of_a, const OpenCandidate& b) {
  const auto engine_of = [](Candidate candidate) {
    candidate.max_num_seqs = 0;
    candidate.router.clear();
    return candidate;
  };
  const EngineConfig& one = of_a.system.deployment.engine;
  const EngineConfig& other = b.deployed->system.deployment.engine;
  return engine_of(a).is_like(engine_of(b.result->candidate)) &&
         one.total_kv_blocks == other.total_kv_blocks && one.max_model_len == other.max_model_len &&
         one.max_num_batched_tokens == other.max_num_batched_tokens;
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

}  // namespace plimsoll
