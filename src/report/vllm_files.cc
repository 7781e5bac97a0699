#include "report/deployment_forms.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace plimsoll {
namespace {

std::string gpu_numbers(const RecommendedDeployment& d, std::int64_t replica) {
  std::vector<std::string> numbers;
  for (std::int64_t i = 0; i < d.gpus_per_replica; ++i) {
    numbers.push_back(std::to_string(replica * d.gpus_per_replica + i));
  }
  return join(numbers, ",");
}

}  // namespace

std::string serve_script(const RecommendedDeployment& d) {
  constexpr std::int64_t kShown = 2;
  std::string text =
      "#!/bin/sh\n" + commented(d.verdict) +
      commented("One replica, for vLLM 0.11. Start " + counted(d.replicas, "replica") +
                ", each on " + counted(d.gpus_per_replica, d.gpu + " GPU") + " of its own:");
  const char* visible = is_amd(d) ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES";
  for (std::int64_t i = 0; i < std::min(d.replicas, kShown); ++i) {
    text += commented(
        fmt::format("  {}={} PORT={} sh serve.sh", visible, gpu_numbers(d, i), kServingPort + i));
  }
  if (d.replicas > kShown) text += commented("  ...");
  text += notes_on_unset(d);
  text += model_line(d) + "exec vllm serve \"$MODEL\" --port \"${PORT:-" +
          std::to_string(kServingPort) + "}\"";
  const std::vector<std::string> args = serve_args(d);
  for (const std::string& arg : args) {
    text += arg.starts_with("--") ? " \\\n  " + arg : " " + shell_quoted(arg);
  }
  return text + "\n";
}

}  // namespace plimsoll
