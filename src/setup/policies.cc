#include "setup/policies.h"

#include <algorithm>

#include "base/lists.h"
#include "cluster/admission.h"
#include "cluster/gateway_queue.h"
#include "cluster/pd_decider.h"
#include "cluster/router.h"
#include "cluster/saturation_signal.h"
#include "cluster/scorer.h"
#include "engine/batching_rule.h"
#include "engine/preemption.h"
#include "engine/scheduler.h"
#include "setup/engine_limits.h"
#include "setup/pools.h"
#include "setup/split.h"

namespace plimsoll {
namespace {

template <class Row>
std::vector<PolicyRow> rows_of(const std::vector<Row>& table) {
  std::vector<PolicyRow> rows;
  for (const Row& row : table) rows.push_back({row.name, row.help, row.parameters});
  return rows;
}

ChosenParameters& of_engine(RunSpec& run) { return run.engine.parameters; }
ChosenParameters& of_cluster(RunSpec& run) { return run.cluster.parameters; }

template <auto part, auto name>
bool names(const RunSpec& run, std::string_view row) {
  return *(run.*part.*name) == row;
}

bool forms_batches_by(const RunSpec& run, std::string_view row) {
  return batching_rule_of(run) == row;
}

template <auto name>
bool gateway_names(const RunSpec& run, std::string_view row) {
  return run.cluster.flow_control.enabled && *(run.cluster.flow_control.*name) == row;
}

bool decides_by(const RunSpec& run, std::string_view row) {
  return splits(run) && pd_decider_name(run) == row;
}

bool admits_by(const RunSpec& run, std::string_view row) {
  return !run.cluster.flow_control.enabled && *run.cluster.admission == row;
}

bool scores_by(const RunSpec& run, std::string_view row) {
  const auto has = [&](const std::vector<ScorerWeight>& scorers) {
    return contains(scorers, row, &ScorerWeight::name);
  };
  const auto& chosen = *run.cluster.routing_scorers;
  const bool of_all =
      run.cluster.router == "weighted" && has(chosen.empty() ? default_scorers() : chosen);
  return of_all || has(run.split.prefill_scorers) || has(run.split.decode_scorers);
}

}  // namespace

const std::vector<PolicyKind>& policy_kinds() {
  static const std::vector<PolicyKind> kinds{
      {"--batching-rule", rows_of(batching_rules()), forms_batches_by, of_engine},
      {"--scheduler", rows_of(schedulers()), names<&RunSpec::engine, &EngineSpec::scheduler>,
       of_engine},
      {"--preemption-policy", rows_of(preemption_rules()),
       names<&RunSpec::engine, &EngineSpec::preemption>, of_engine},
      {"--routing-policy", rows_of(routers()), names<&RunSpec::cluster, &ClusterSpec::router>,
       of_cluster},
      {"--routing-scorers", rows_of(scorers()), scores_by, of_cluster},
      {"--pd-decider", rows_of(pd_deciders()), decides_by, of_cluster},
      {"--admission-policy", rows_of(admission_policies()), admits_by, of_cluster},
      {"--saturation-detector", rows_of(saturation_signals()), gateway_names<&FlowControl::signal>,
       of_cluster},
      {"--dispatch-order", rows_of(dispatch_orders()), gateway_names<&FlowControl::order>,
       of_cluster},
      {"--fairness-policy", rows_of(fairness_policies()), gateway_names<&FlowControl::fairness>,
       of_cluster},
  };
  return kinds;
}

const PolicyKind& policy_kind(std::string_view flag) {
  return *std::ranges::find(policy_kinds(), flag, &PolicyKind::flag);
}

}  // namespace plimsoll
