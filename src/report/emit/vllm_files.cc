// Options that join machines are those of vLLM 0.11 (docs, "Data Parallel Deployment" and
// "Parallelism and Scaling").
#include "report/emit/deployment_files.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/quoting.h"
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

// Replicas of one machine share it.
std::string starts_on_one_machine(const RecommendedDeployment& d) {
  constexpr std::int64_t kShown = 2;
  const std::int64_t in_one = d.gpus_per_machine / d.gpus_per_replica;
  const std::int64_t first = std::min(d.replicas, in_one);
  const std::string machines = d.replicas <= in_one
                                   ? ""
                                   : fmt::format(" ({} machines of {} GPUs)",
                                                 (d.replicas - 1) / in_one + 1, d.gpus_per_machine);
  std::string text = commented(fmt::format(
      "One instance, for vLLM 0.11. Start {}, each on its own {}{}:",
      counted(d.replicas, "instance"), counted(d.gpus_per_replica, d.gpu + " GPU"), machines));
  const char* visible = is_amd(d) ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES";
  for (std::int64_t i = 0; i < std::min(first, kShown); ++i) {
    text += commented(
        fmt::format("  {}={} PORT={} sh serve.sh", visible, gpu_numbers(d, i), kServingPort + i));
  }
  if (first > kShown) text += commented("  ...");
  return text;
}

// A replica that takes several machines: data-parallel ranks are shared out among them, and wider
// groups are left to Ray.
class Machines {
 public:
  explicit Machines(const RecommendedDeployment& d) : d_(d) {
    const std::int64_t gpus_of_rank = d.gpus_per_replica / d.dp;
    if (d.dp == 1 || gpus_of_rank > d.gpus_per_machine) return;
    ranks_of_one_ = d.gpus_per_machine / gpus_of_rank;
    while (d.dp % ranks_of_one_ != 0) ranks_of_one_ -= 1;
  }

  std::string starts() const {
    const std::int64_t all = ranks_of_one_ > 0
                                 ? d_.dp / ranks_of_one_
                                 : (d_.gpus_per_replica - 1) / d_.gpus_per_machine + 1;
    std::string text = commented(fmt::format(
        "One instance, for vLLM 0.11, on {} machines of {}. Start {}, each on machines "
        "of its own.",
        all, counted(d_.gpus_per_machine, d_.gpu + " GPU"), counted(d_.replicas, "instance")));
    if (ranks_of_one_ == 0) {
      return text + commented("Join its machines to one Ray cluster, then run this on the first:") +
             commented("  ray start --head --port=6379         # on the first") +
             commented("  ray start --address=FIRST:6379       # on the others");
    }
    text += commented("On each of them, HEAD is the address of the first:");
    for (std::int64_t i = 0; i < all; ++i) {
      text += commented(fmt::format("  NODE={} HEAD=10.0.0.1 sh serve.sh", i));
    }
    return text;
  }

  std::string setting() const {
    if (ranks_of_one_ == 0) return {};
    return fmt::format(
        "[ \"${{NODE:-0}}\" -eq 0 ] ||\n"
        "  set -- --headless --data-parallel-start-rank \"$((NODE * {}))\"\n",
        ranks_of_one_);
  }

  std::string arguments() const {
    if (ranks_of_one_ == 0) {
      const char* ranks = d_.dp > 1 ? " \\\n  --data-parallel-backend ray" : "";
      return std::string(" \\\n  --distributed-executor-backend ray") + ranks;
    }
    return fmt::format(
        " \\\n  --data-parallel-size-local {} \\\n  --data-parallel-address "
        "\"${{HEAD:?is the address of the first machine}}\" \\\n  --data-parallel-rpc-port 13345 "
        "\\\n  \"$@\"",
        ranks_of_one_);
  }

 private:
  const RecommendedDeployment& d_;
  std::int64_t ranks_of_one_ = 0;  ///< data-parallel, on one machine; 0: Ray places them
};

}  // namespace

std::string serve_script(const RecommendedDeployment& d) {
  const Machines machines(d);
  const bool spans = spans_machines(d);
  std::string text = "#!/bin/sh\n" + commented(d.verdict) +
                     (spans ? machines.starts() : starts_on_one_machine(d)) + notes_on_unset(d) +
                     model_line(d) + (spans ? machines.setting() : "") +
                     "exec vllm serve \"$MODEL\" --port \"${PORT:-" + std::to_string(kServingPort) +
                     "}\"";
  const std::vector<std::string> args = serve_args(d);
  for (const std::string& arg : args) {
    text += (arg.starts_with("--") ? " \\\n  " : " ") + shell_quoted(arg);
  }
  return text + (spans ? machines.arguments() : "") + "\n";
}

}  // namespace plimsoll
