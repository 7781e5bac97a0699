// A plan's recommendation as files that deploy it, and the load test that could refute it. Called
// by cli/plan_emit.cc, which knows what the deployment was told.
#pragma once

#include <string>
#include <vector>

#include "report/emit/recommended_deployment.h"

namespace plimsoll {

struct DeploymentFile {
  std::string name;
  std::string text;
};

/// Names of the forms: vllm, kubernetes, llm-d.
const std::vector<std::string>& deployment_forms();

/// Of one form, with load_test.sh and simulate.sh; without them where the traffic has a rate of its
/// own, which is not the plan's.
std::vector<DeploymentFile> deployment_files(const std::string& form,
                                             const RecommendedDeployment& deployment);

}  // namespace plimsoll
