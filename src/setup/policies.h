// All tables of policies under the flags that name one of their rows: what the flags of parameters,
// policy files, reports and tests go through. A new kind of policy is a line of policies.cc.
#pragma once

#include <string_view>
#include <vector>

#include "base/policy.h"
#include "setup/run_spec.h"

namespace plimsoll {

struct PolicyKind {
  std::string_view flag;  ///< "--admission-policy"
  std::vector<PolicyRow> rows;
  bool (*uses)(const RunSpec& run, std::string_view name);  ///< the row of this name
  ChosenParameters& (*parameters)(RunSpec& run);

  const ChosenParameters& parameters_of(const RunSpec& run) const {
    return parameters(const_cast<RunSpec&>(run));
  }
};

const std::vector<PolicyKind>& policy_kinds();

/// `flag` is that of one of them.
const PolicyKind& policy_kind(std::string_view flag);

}  // namespace plimsoll
