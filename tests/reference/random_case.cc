#include "reference/random_case.h"

#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/admission.h"
#include "cluster/gateway_queue.h"
#include "cluster/pd_decider.h"
#include "cluster/router.h"
#include "cluster/saturation_signal.h"
#include "cluster/scorer.h"
#include "engine/batching_rule.h"
#include "engine/preemption.h"
#include "engine/scheduler.h"

namespace plimsoll::reference {
namespace {

std::uint64_t environment_or(const char* name, std::uint64_t standard) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : standard;
}

/// Uniform whatever rapidcheck's notion of size; `low` is what failures shrink to.
template <class T>
T pick(T low, T high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(low, high + 1));
}

bool chance(int percent) { return pick(0, 99) >= 100 - percent; }

template <class Enum>
Enum pick_enum(int count) {
  return static_cast<Enum>(pick(0, count - 1));
}

/// In the range of the parameter, small as random cases are, and exact in floating point.
double pick_value(const PolicyParameter& parameter) {
  const auto [low, high, above_low] = parameter.range;
  if (low < 0) return std::clamp<double>(pick(-4, 4), low, high);
  if (high <= 1) return pick(above_low ? 1 : 0, 8) / 8.0;
  const double value = std::ldexp(pick(1, 7), pick(-2, 13));
  return std::clamp(parameter.is_whole ? std::floor(value) : value, low, high);
}

/// Any row of a table, and some of its parameters.
template <class Row>
std::string pick_policy(const std::vector<Row>& table, ChosenParameters* chosen) {
  const Row& row = table[pick<std::size_t>(0, table.size() - 1)];
  for (const PolicyParameter& parameter : row.parameters) {
    if (chance(80)) (*chosen)[parameter.name] = pick_value(parameter);
  }
  return row.name;
}

EngineConfig pick_engine(const Semantics& semantics, const Scale& scale) {
  EngineConfig engine;
  if (semantics.other_batching_rules && chance(60)) {
    engine.batching_rule = pick_policy(batching_rules(), &engine.parameters);
  }
  engine.block_size = chance(70) ? pick<std::int64_t>(1, 4) : pick<std::int64_t>(1, 16);
  engine.total_kv_blocks = pick<std::int64_t>(1, chance(80) ? scale.blocks / 5 : scale.blocks);
  engine.max_num_seqs = pick<std::int64_t>(1, 8);
  engine.max_num_batched_tokens = chance(70) ? pick<std::int64_t>(1, scale.batched_tokens) : 2048;
  engine.long_prefill_token_threshold = chance(25) ? pick<std::int64_t>(1, 8) : 0;
  engine.max_model_len = chance(25) ? pick<std::int64_t>(2, 2 * scale.input_tokens) : 0;
  engine.scheduler = pick_policy(schedulers(), &engine.parameters);
  engine.preemption = pick_policy(preemption_rules(), &engine.parameters);
  engine.prefix_caching = !chance(15);
  return engine;
}

Duration pick_duration(int percent_set, std::int64_t longest_us) {
  return microseconds(chance(percent_set) ? pick<std::int64_t>(0, longest_us) : 0);
}

FlowControl pick_flow_control(ChosenParameters* parameters) {
  FlowControl rules;
  rules.enabled = true;
  rules.signal = pick_policy(saturation_signals(), parameters);
  rules.order = pick_policy(dispatch_orders(), parameters);
  rules.fairness = pick_policy(fairness_policies(), parameters);  // there is one tenant
  std::array<Duration, kSloClasses> targets{};
  for (Duration& target : targets) target = pick_duration(60, 3000);
  rules.slo_targets = targets;
  rules.usage_limit = chance(50) ? 1 : pick(1, 8) / 8.0;
  rules.tick_interval = microseconds(pick(300, 3000));
  rules.max_depth = pick(0, 4);
  rules.band_capacity = pick(0, 2);
  rules.queue_shedding = chance(50);
  rules.request_ttl = pick_duration(40, 4000);
  return rules;
}

std::vector<ScorerWeight> pick_scorers() {
  std::vector<ScorerWeight> chosen;
  for (const ScorerRow& scorer : scorers()) {
    if (chance(25)) chosen.push_back({scorer.name, pick(1, 8) / 2.0});
  }
  return chosen;
}

void pick_routing(Deployment* deployment) {
  deployment->router = pick_policy(routers(), &deployment->parameters);
  if (deployment->router != "weighted" || chance(20)) return;
  deployment->scorers = pick_scorers();
}

double pick_speed() { return std::ldexp(1.0, pick(-1, 2)); }

/// For the same part of requests: what two pools of a fleet have to have in common is as in `pool`.
Pool pick_pool_beside(const Pool& pool, const Semantics& semantics, const Scale& scale) {
  Pool other = pool;
  other.engine = pick_engine(semantics, scale);
  other.engine.batching_rule = pool.engine.batching_rule;
  other.engine.parameters = pool.engine.parameters;
  other.engine.scheduler = pool.engine.scheduler;
  other.engine.preemption = pool.engine.preemption;
  other.engine.block_size = pool.engine.block_size;
  other.num_instances = pick(1, 3);
  other.speed = pick_speed();
  return other;
}

/// Prompts and answers on different instances: unlike limits, speeds and layouts on both sides,
/// links from so slow that transfers pile up to so fast that they take no time.
void pick_pools(const Semantics& semantics, const Scale& scale, Deployment* deployment) {
  Pool answers = deployment->main();
  answers.role = chance(80) ? PoolRole::decode : PoolRole::serve;
  answers.engine.batching_rule = "vllm";
  answers.kv_bytes_per_token = pick(1, 64) / 4.0;
  answers.speed = pick_speed();
  Pool prefill = pick_pool_beside(answers, semantics, scale);
  prefill.role = PoolRole::prefill;
  prefill.engine.scheduler = pick_policy(schedulers(), &prefill.engine.parameters);
  prefill.engine.preemption = pick_policy(preemption_rules(), &prefill.engine.parameters);
  prefill.engine.max_model_len = answers.engine.max_model_len;
  prefill.kv_bytes_per_token = pick(1, 64) / 4.0;
  deployment->pools = {prefill};
  if (chance(15)) deployment->pools.push_back(pick_pool_beside(prefill, semantics, scale));
  deployment->pools.push_back(answers);
  if (chance(25)) deployment->pools.push_back(pick_pool_beside(answers, semantics, scale));
  Disaggregation& apart = deployment->disaggregation;
  const std::string decider = pick_policy(pd_deciders(), &deployment->parameters);
  apart.decider = chance(60) ? "always" : decider;
  apart.first_token_by_prefill = semantics.decode_makes_first_token && chance(40);
  apart.transfer.gb_per_s = std::ldexp(pick(1, 7), pick(-14, 2));
  apart.transfer.latency = microseconds(chance(70) ? pick(0, 3000) : 0);
  apart.transfer.shared = chance(80);
  apart.transfer.layerwise = chance(30);
  apart.transfer.layers = pick(1, 4);
  if (chance(15)) apart.prefill_scorers = pick_scorers();
  if (chance(15)) apart.decode_scorers = pick_scorers();
}

/// Instances that are unlike serve the same model: other limits, memory and steps (compare.cc).
void pick_mixed(const Semantics& semantics, const Scale& scale, Deployment* deployment) {
  Pool& first = deployment->main();
  first.speed = pick_speed();
  first.num_instances = pick(1, 2);
  for (int more = pick(1, 2); more > 0; --more) {
    const Pool other = pick_pool_beside(deployment->pools.front(), semantics, scale);
    deployment->pools.push_back(other);
  }
}

/// Limits are those of all ranks together, and need not divide evenly.
void pick_ranks(Pool* pool) {
  pool->ranks = pick(2, 4);
  EngineConfig& engine = pool->engine;
  for (std::int64_t* limit :
       {&engine.max_num_seqs, &engine.max_num_batched_tokens, &engine.total_kv_blocks}) {
    *limit = chance(90) ? *limit * pool->ranks + pick<std::int64_t>(0, pool->ranks - 1) : *limit;
  }
  if (chance(40)) engine.prompt_wait_steps = pick<std::int64_t>(1, 8);
}

bool has_ranks(const Deployment& deployment) {
  return std::any_of(deployment.pools.begin(), deployment.pools.end(),
                     [](const Pool& pool) { return pool.ranks > 1; });
}

Deployment pick_deployment(const Semantics& semantics, const Scale& scale) {
  Deployment deployment;
  deployment.main().engine = pick_engine(semantics, scale);
  deployment.main().num_instances = chance(50) ? pick(1, 4) : 1;
  if (chance(33)) {
    pick_pools(semantics, scale, &deployment);
  } else if (chance(35)) {
    pick_mixed(semantics, scale, &deployment);
  }
  if (semantics.ranks_run_apart && chance(25)) {
    for (Pool& pool : deployment.pools) {
      if (deployment.pools.size() == 1 || chance(75)) pick_ranks(&pool);
    }
  }
  pick_routing(&deployment);
  if (chance(40)) deployment.admission = pick_policy(admission_policies(), &deployment.parameters);
  if (deployment.admission == "reject-all" && chance(75)) deployment.admission = "always-admit";
  if (chance(20)) deployment.flow_control = pick_flow_control(&deployment.parameters);
  deployment.admission_latency = pick_duration(30, 2000);
  deployment.routing_latency = pick_duration(30, 2000);
  deployment.snapshot_refresh_interval = pick_duration(70, 5000);
  deployment.cache_signal_delay = pick_duration(70, 5000);
  return deployment;
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
  if (chance(25) || may_run_for_ever(scenario)) {
    const std::int64_t last_us =
        scenario.requests.empty() ? 0 : scenario.requests.back().arrival_us;
    scenario.horizon_us = pick<std::int64_t>(0, 2 * last_us + 20000);
  }
  scenario.drive = pick_enum<Drive>(3);
  scenario.drive_step_us = pick<std::int64_t>(100, 5000);
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
