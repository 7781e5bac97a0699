// The files that deploy a recommendation, by form: written for vLLM 0.11, Kubernetes 1.29 and the
// chart llm-d-modelservice v0.4.0. Called by report/emit/deployment_files.cc.
#pragma once

#include <string>

#include "report/emit/recommended_deployment.h"

namespace plimsoll {

/// Of vLLM alone: a script that starts all replicas on one machine.
std::string serve_script(const RecommendedDeployment& deployment);

std::string kubernetes_deployment(const RecommendedDeployment& deployment);
std::string kubernetes_service(const RecommendedDeployment& deployment);

/// Of the chart.
std::string llm_d_values(const RecommendedDeployment& deployment);

}  // namespace plimsoll
