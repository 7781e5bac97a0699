#include "reference/random_case.h"

#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "reference/random_deployment.h"
#include "reference/random_pick.h"

namespace plimsoll::reference {
namespace {

std::uint64_t environment_or(const char* name, std::uint64_t standard) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : standard;
}

bool has_ranks(const Deployment& deployment) {
  return std::any_of(deployment.pools.begin(), deployment.pools.end(),
                     [](const Pool& pool) { return pool.ranks > 1; });
}

/// Factors in eighths, exact in floating point, so that the order of additions cannot matter.
double pick_factor(int percent_set, int most_eighths) {
  return chance(percent_set) ? pick(0, most_eighths) / 8.0 : 0;
}

LinearModel pick_model() {
  LinearModel model;
  model.step = chance(80) ? pick(800, 8000) / 8.0 : pick(0, 80) / 8.0;
  model.per_prefill_token = pick_factor(80, 160);
  model.per_decode_request = pick_factor(80, 800);
  model.per_prefill_request = pick_factor(30, 80);
  model.per_prefill_context = pick_factor(30, 80);
  model.per_prefill_token_context = pick_factor(30, 80);
  model.per_prefill_token_squared = pick_factor(30, 80);
  model.per_prefill_token_input = pick_factor(30, 80);
  model.per_decode_context = pick_factor(50, 80);
  model.queueing = pick_factor(40, 8000);
  model.queueing_per_input_token = pick_factor(40, 80);
  model.output_token = pick_factor(40, 800);
  model.post_decode = pick_factor(40, 8000);
  return model;
}

/// Arrival and deadline are relative here: to the request before, and to the own arrival.
CaseRequest pick_request(const Scale& scale) {
  CaseRequest request;
  request.arrival_us = chance(50) ? pick(0, 3000) : 0;
  request.input_tokens = pick(1, chance(60) ? scale.input_tokens / 3 : scale.input_tokens);
  request.output_tokens = pick(0, scale.output_tokens);
  if (chance(15)) request.max_output_tokens = pick(-1, 20);
  if (chance(50)) request.slo_class = pick_enum<SloClass>(5);
  if (chance(20)) request.deadline_us = pick(0, 30000);
  request.other_model = chance(2);
  if (chance(30)) request.session = pick(0, 3);
  // Few contents, so that prompts start alike.
  std::int64_t left = request.input_tokens;
  for (int segments = chance(50) ? pick(1, 3) : 0; segments > 0 && left > 0; --segments) {
    const std::int64_t tokens = pick<std::int64_t>(1, left);
    request.prefix.push_back({static_cast<std::uint64_t>(pick(1, 3)), tokens});
    left -= tokens;
  }
  return request;
}

void make_times_absolute(std::int64_t start_us, std::vector<CaseRequest>* requests) {
  std::int64_t arrival_us = start_us;
  for (CaseRequest& request : *requests) {
    arrival_us += request.arrival_us;
    request.arrival_us = arrival_us;
    if (request.deadline_us >= 0) request.deadline_us += arrival_us;
  }
}

/// A request that outgrows the whole cache restarts for ever unless it is refused, so such a run
/// needs a horizon.
bool may_run_for_ever(const Case& scenario) {
  if (scenario.semantics.refuse_what_can_never_fit) return false;
  // An answer alone may lack blocks that prompts behind it in the queue hold.
  if (scenario.deployment.splits()) return true;
  std::int64_t tokens = std::numeric_limits<std::int64_t>::max();
  for (const Pool& pool : scenario.deployment.pools) {
    tokens = std::min(tokens, pool.engine.total_kv_blocks * pool.engine.block_size);
  }
  return std::any_of(scenario.requests.begin(), scenario.requests.end(), [&](const auto& request) {
    return request.deadline_us < 0 && request.input_tokens + request.output_tokens > tokens;
  });
}

std::vector<CaseRequest> pick_requests(const Scale& scale, int most) {
  return *rc::gen::resize(most, rc::gen::container<std::vector<CaseRequest>>(
                                    rc::gen::exec([scale] { return pick_request(scale); })));
}

/// Appends one more turn of conversations: prompts that repeat prompts and answers of requests
/// that have left by then, because each of those gets a deadline.
void append_next_turn(const Scale& scale, std::vector<CaseRequest>* requests) {
  std::vector<CaseRequest> turn = pick_requests(scale, scale.requests / 4);
  std::int64_t start_us = requests->back().arrival_us;
  for (CaseRequest& next : turn) {
    const std::size_t row = pick<std::size_t>(0, requests->size() - 1);
    CaseRequest& parent = (*requests)[row];
    if (parent.deadline_us < 0) parent.deadline_us = parent.arrival_us + pick(0, 30000);
    start_us = std::max(start_us, parent.deadline_us + 1);
    std::int64_t own = parent.input_tokens + parent.output_tokens;
    for (const PrefixSegment& segment : parent.prefix) own -= segment.tokens;
    next.prefix.clear();
    if (chance(80)) next.prefix = parent.prefix;
    if (own > 0) next.prefix.push_back({own_content_of(row), pick<std::int64_t>(1, own)});
    for (const PrefixSegment& segment : next.prefix) {
      next.input_tokens += static_cast<std::int32_t>(segment.tokens);
    }
    // So that the whole prompt may be the prefix.
    if (next.input_tokens > 1) next.input_tokens -= pick(0, 1);
  }
  make_times_absolute(start_us, &turn);
  requests->insert(requests->end(), turn.begin(), turn.end());
}

}  // namespace

Case pick_case(const Semantics& semantics, const Scale& scale) {
  Case scenario;
  scenario.semantics = semantics;
  scenario.deployment = pick_deployment(semantics, scale);
  scenario.model = pick_model();
  if (has_ranks(scenario.deployment)) scenario.model.per_token_of_ranks = pick_factor(50, 80);
  scenario.requests = pick_requests(scale, scale.requests);
  make_times_absolute(0, &scenario.requests);
  for (int turns = chance(30) ? pick(1, 2) : 0; turns > 0; --turns) {
    if (!scenario.requests.empty()) append_next_turn(scale, &scenario.requests);
  }
  // Who was to answer a prompt that is never handed over is in no record, so that the twin cannot
  // break ties as the engine did.
  const bool many_answer = scenario.deployment.splits() &&
                           part_of(scenario.deployment, Side::answers).num_instances() > 1;
  for (CaseRequest& request : scenario.requests) {
    if (many_answer) request.output_tokens = std::max(2, request.output_tokens);
  }
  if (many_answer && scenario.deployment.disaggregation.first_token_by_prefill) {
    for (Pool& pool : scenario.deployment.pools) pool.engine.max_model_len = 0;
  }
  if (chance(25) || may_run_for_ever(scenario)) {
    const std::int64_t last_us =
        scenario.requests.empty() ? 0 : scenario.requests.back().arrival_us;
    scenario.horizon_us = pick<std::int64_t>(0, 2 * last_us + 20000);
  }
  scenario.drive = pick_enum<Drive>(3);
  scenario.drive_step_us = pick<std::int64_t>(100, 5000);
  if (scenario.drive == Drive::at_once) scenario.threads = pick<std::int64_t>(1, 2);
  return scenario;
}

std::string counterexample(int usual_cases, const std::function<void()>& property) {
  rc::detail::TestParams parameters;
  parameters.seed = environment_or("PLIMSOLL_RC_SEED", 20260917);
  parameters.maxSuccess = static_cast<int>(
      environment_or("PLIMSOLL_RC_CASES", static_cast<std::uint64_t>(usual_cases)));
  rc::detail::TestListenerAdapter quiet;
  const rc::detail::TestResult result =
      rc::detail::checkTestable(property, rc::detail::TestMetadata{}, parameters, quiet,
                                std::unordered_map<std::string, rc::detail::Reproduce>{});
  if (result.is<rc::detail::SuccessResult>()) return {};
  std::ostringstream report;
  rc::detail::printResultMessage(result, report);
  return report.str();
}

}  // namespace plimsoll::reference
