#include "setup/given_flags.h"

#include <utility>

#include "base/numbers.h"
#include "engine/batching_rule.h"
#include "setup/engine_limits.h"
#include "setup/setup.h"

namespace plimsoll {
namespace {

// The same question, not answered yet.
CapacityAnswer question_of(const CapacityAnswer& answer) {
  CapacityAnswer question;
  question.slos = answer.slos;
  question.unit = answer.unit;
  question.rate_rps = answer.rate_rps;
  question.instances = answer.instances;
  question.traffic = answer.traffic;
  return question;
}

// The fewest instances or the largest rate; none: nothing holds.
std::optional<double> figure_of(const CapacityAnswer& answer) {
  if (!answer.holds()) return std::nullopt;
  return answer.fewest ? as_double(answer.fewest->instances) : answer.rate->good_rps;
}

// Fewer instances may be enough, or more load is wanted than holds.
bool may_be_improved(const CapacityAnswer& answer) {
  if (answer.fewest) return answer.fewest->instances != 1;
  return answer.rate_rps <= 0 || answer.of_asked_rate() != Answer::holds ||
         100 * answer.shown_headroom() < answer.headroom;
}

// Worth telling: an instance less, or a tenth of the rate more.
bool is_better(double figure, const std::optional<double>& than, bool counts_instances) {
  constexpr double kWorthTelling = 1.1;
  if (!than) return true;
  return counts_instances ? figure < *than : figure > kWorthTelling * *than;
}

}  // namespace

std::vector<GivenFlag> flags_far_from_defaults(const RunSpec& run) {
  const BatchingRuleRow& rule = batching_rule(batching_rule_of(run));
  const EngineSpec& given = run.engine;
  const EngineSpec usual;
  std::vector<GivenFlag> flags;
  const auto add = [&](Remedy remedy, bool is_far, double default_value, auto reset) {
    if (!is_far) return;
    flags.push_back({remedy, default_value, run});
    reset(&flags.back().without.engine);
  };
  const auto is_far = [](const std::optional<std::int64_t>& value, std::int64_t limit) {
    return value && limit > 0 && (2 * *value <= limit || *value >= 2 * limit);
  };
  add(Remedy::default_rule, given.batching_rule.is_asked(), 0,
      [&](EngineSpec* engine) { engine->batching_rule = usual.batching_rule; });
  add(Remedy::default_places, is_far(given.max_num_seqs, rule.max_num_seqs),
      as_double(rule.max_num_seqs), [](EngineSpec* engine) { engine->max_num_seqs.reset(); });
  add(Remedy::default_tokens, is_far(given.max_num_batched_tokens, rule.max_num_batched_tokens),
      as_double(rule.max_num_batched_tokens),
      [](EngineSpec* engine) { engine->max_num_batched_tokens.reset(); });
  constexpr double kFar = 0.1;
  add(Remedy::default_memory, given.gpu_memory_utilization < *usual.gpu_memory_utilization - kFar,
      usual.gpu_memory_utilization,
      [&](EngineSpec* engine) { engine->gpu_memory_utilization = usual.gpu_memory_utilization; });
  return flags;
}

Result<std::optional<Because<Remedy>>> capacity_without_flag(const RunSpec& run,
                                                             const ProbedSystem& system,
                                                             const CapacityAnswer& answer,
                                                             CapacitySearchOptions search,
                                                             CapacityWatch watch) {
  std::optional<Because<Remedy>> best;
  if (!may_be_improved(answer)) return best;
  std::optional<double> best_figure = figure_of(answer);
  search.error.reset();
  search.draws_curve = false;
  watch.begins = {};
  watch.drawn = {};
  for (const GivenFlag& flag : flags_far_from_defaults(run)) {
    const auto setup = make_setup(flag.without);
    if (!setup) continue;
    ProbedSystem other = system;
    other.deployment =
        resized(setup->deployment, search.for_instances ? 1 : setup->deployment.num_instances());
    CapacityAnswer without = question_of(answer);
    TRY(shape, token_shape(other.load));
    without.estimate = estimate_replica(other.deployment, shape, strictest_gap(answer.slos));
    TRY_TO(CapacitySearch(other, search, watch, &without).run());
    if (without.interrupted) break;
    const auto figure = figure_of(without);
    if (!figure || !is_better(*figure, best_figure, search.for_instances)) continue;
    best_figure = figure;
    best = Because<Remedy>(flag.remedy, flag.usual, *figure);
  }
  return best;
}

}  // namespace plimsoll
