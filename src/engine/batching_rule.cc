#include "engine/batching_rule.h"

namespace plimsoll {

// One file each in batching/. The limits of vllm_v0 to lightllm are those that Vidur gives them.
BatchingRuleRow vllm_rule();
BatchingRuleRow vllm_v0_rule();
BatchingRuleRow sarathi_rule();
BatchingRuleRow orca_rule();
BatchingRuleRow fastertransformer_rule();
BatchingRuleRow lightllm_rule();
BatchingRuleRow sglang_rule();
BatchingRuleRow trtllm_rule();

const std::vector<BatchingRuleRow>& batching_rules() {
  static const std::vector<BatchingRuleRow> rows{
      vllm_rule(),     vllm_v0_rule(), sarathi_rule(), orca_rule(), fastertransformer_rule(),
      lightllm_rule(), sglang_rule(),  trtllm_rule()};
  return rows;
}

const BatchingRuleRow& batching_rule(std::string_view name) {
  return policy_of(batching_rules(), name);
}

}  // namespace plimsoll
