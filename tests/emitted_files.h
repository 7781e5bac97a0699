// A deployment as a plan recommends it, and the files that are made of it, for tests of what they
// say.
#pragma once

#include <string>
#include <string_view>

#include "report/emit/deployment_files.h"

namespace plimsoll::test {

inline RecommendedDeployment deployment() {
  RecommendedDeployment d;
  d.verdict = "8 x MI300X hold: \"it\"";
  d.model = "Org/Model-7B_v0.1";
  d.gpu = "H100";
  d.replicas = 3;
  d.gpus_per_replica = 4;
  d.tp = 2;
  d.pp = 2;
  d.engine_args = {"--max-num-seqs", "128", "--no-enable-prefix-caching"};
  d.unset = {{"--routing-policy least-loaded", "The balancer has to do so."}};
  d.weight_gib = 14.2;
  d.run_command = "plimsoll run --rate 4";
  d.observe_flags = "--prompt-tokens 512";
  d.rate_rps = 4;
  d.requests = 2400;
  d.model_error = 0.07;
  d.expected = {{180, {"ttft_p99_ms", 120, 260}, MetricInterval{"ttft_p99_ms", 150, 250}}};
  return d;
}

inline std::string text_of(const std::string& form, const std::string& name) {
  for (const DeploymentFile& file : deployment_files(form, deployment())) {
    if (file.name == name) return file.text;
  }
  return {};
}

/// With its notes in one line.
inline std::string unwrapped(std::string text) {
  const std::string_view wrap = "\n# ";
  for (std::size_t at = text.find(wrap); at != text.npos; at = text.find(wrap, at))
    text.replace(at, wrap.size(), " ");
  return text;
}

/// 2 instances of 2 GPUs for prefill and 3 of 2 for decode.
inline RecommendedDeployment split_deployment() {
  RecommendedDeployment d = deployment();
  d.pp = 1;
  d.gpus_per_replica = 2;
  d.prefill = d;
  d.prefill->replicas = 2;
  return d;
}

}  // namespace plimsoll::test
