// A plan's recommendation as files that deploy it, and the load test that could refute it.
#pragma once

#include <string>
#include <vector>

#include "report/emit/recommended_deployment.h"

namespace plimsoll {

/// Names of the forms: vllm, kubernetes, llm-d, dynamo.
const std::vector<std::string>& deployment_forms();

/// The files of one form, with load_test.sh and simulate.sh; without them where the traffic has a
/// rate of its own, which is not the plan's.
std::vector<DeploymentFile> deployment_files(const std::string& form,
                                             const RecommendedDeployment& deployment);

// The files that deploy a recommendation, by form: written for vLLM 0.11, Kubernetes 1.29, the
// chart llm-d-modelservice v0.4.0 and Dynamo 1.0.

/// The script of vLLM alone: one that starts all replicas on one machine. `file`: its name.
std::string serve_script(const RecommendedDeployment& deployment,
                         const std::string& file = "serve.sh");

/// The files of vLLM for a mix: what starts an instance of each GPU type, and the fleet file.
std::vector<DeploymentFile> mix_files(const RecommendedDeployment& deployment);

/// The files of vLLM where prefill is apart from decode: what starts an instance of each kind, and
/// the proxy in front of them.
std::vector<DeploymentFile> split_scripts(const RecommendedDeployment& deployment);

std::string kubernetes_deployment(const RecommendedDeployment& deployment);
std::string kubernetes_service(const RecommendedDeployment& deployment);

/// The values of the chart.
std::string llm_d_values(const RecommendedDeployment& deployment);

/// A DynamoGraphDeployment.
std::string dynamo_graph(const RecommendedDeployment& deployment);

}  // namespace plimsoll
