// Options that join machines are those of vLLM 0.11 (docs, "Data Parallel Deployment" and
// "Parallelism and Scaling").
#include "base/lists.h"
#include "report/emit/deployment_files.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/quoting.h"
#include "base/text.h"
#include "report/form/text_report.h"

namespace plimsoll {
namespace {

std::string gpu_numbers(std::int64_t first, std::int64_t count) {
  std::vector<std::string> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(std::to_string(first + i));
  return join(numbers, ",");
}

// Each flag on a line of its own, with its value.
std::string argument_lines(const std::vector<std::string>& args) {
  std::string text;
  for (const std::string& arg : args) {
    text += (arg.starts_with("--") ? " \\\n  " : " ") + shell_quoted(arg);
  }
  return text;
}

// "Start 3 instances, each on 2 H100 GPUs of its own"
std::string start_text(const RecommendedPool& pool) {
  return fmt::format("Start {}, {}on {} of its own", counted(pool.replicas, "instance"),
                     pool.replicas == 1 ? "" : "each ",
                     counted(pool.gpus_per_replica, pool.gpu + " GPU"));
}

// Replicas of one machine share it.
std::string starts_on_one_machine(const RecommendedDeployment& d, const std::string& file) {
  constexpr std::int64_t kShown = 2;
  const std::int64_t in_one = d.gpus_per_machine / d.gpus_per_replica;
  const std::int64_t first = std::min(d.replicas, in_one);
  const std::string machines = d.replicas <= in_one
                                   ? ""
                                   : fmt::format(" ({} machines of {} GPUs)",
                                                 (d.replicas - 1) / in_one + 1, d.gpus_per_machine);
  std::string text =
      comment_lines(fmt::format("One instance, for vLLM 0.11. {}{}:", start_text(d), machines));
  const char* visible = is_amd(d) ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES";
  for (std::int64_t i = 0; i < std::min(first, kShown); ++i) {
    text += commented(fmt::format("  {}={} PORT={} sh {}", visible,
                                  gpu_numbers(i * d.gpus_per_replica, d.gpus_per_replica),
                                  kServingPort + i, file));
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
    std::string text = comment_lines(fmt::format(
        "One instance, for vLLM 0.11, on {} machines of {}. Start {}, each on machines "
        "of its own.",
        all, counted(d_.gpus_per_machine, d_.gpu + " GPU"), counted(d_.replicas, "instance")));
    if (ranks_of_one_ == 0) {
      return text +
             comment_lines("Join its machines to one Ray cluster, then run this on the first:") +
             commented("  ray start --head --port=6379         # on the first") +
             commented("  ray start --address=FIRST:6379       # on the others");
    }
    text += comment_lines("On each of them, HEAD is the address of the first:");
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

// ---- prefill apart from decode (vLLM docs, "NixlConnector Usage Guide")

constexpr int kPrefillPort = 8100;
constexpr int kDecodePort = 8200;
constexpr int kSideChannel = 5600;  // the usual VLLM_NIXL_SIDE_CHANNEL_PORT

/// The instances of one kind.
struct SplitSide {
  std::string name;  ///< "prefill"
  RecommendedPool pool;
  std::int64_t first_gpu = 0;  ///< of its first machine
  int port = 0;                ///< of the first instance
};

// On one machine where the GPUs are alike, they are counted through.
std::vector<SplitSide> sides_of(const RecommendedDeployment& d) {
  const RecommendedPool& prefill = *d.prefill;
  const std::int64_t taken = prefill.gpu == d.gpu ? prefill.replicas * prefill.gpus_per_replica : 0;
  return {{"prefill", prefill, 0, kPrefillPort}, {"decode", d, taken, kDecodePort}};
}

// Each data-parallel rank has a port for each of its GPUs.
std::string starts_of(const SplitSide& side) {
  const RecommendedPool& pool = side.pool;
  std::string text = comment_lines(
      fmt::format("One instance for {}, for vLLM 0.11 with nixl. {}. The first machine of {} GPUs "
                  "has:",
                  side.name, start_text(pool), pool.gpus_per_machine));
  const char* visible = is_amd(pool) ? "HIP_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES";
  for (std::int64_t i = 0; i < pool.replicas; ++i) {
    const std::int64_t gpu = side.first_gpu + i * pool.gpus_per_replica;
    if (gpu + pool.gpus_per_replica > pool.gpus_per_machine) break;
    text += commented(fmt::format("  {}={} PORT={} SIDE_PORT={} sh serve_{}.sh", visible,
                                  gpu_numbers(gpu, pool.gpus_per_replica), side.port + i,
                                  kSideChannel + gpu, side.name));
  }
  return text +
         comment_lines("On other machines HOST is the address by which the others reach it.");
}

std::string split_script(const RecommendedDeployment& d, const SplitSide& side) {
  std::string text = "#!/bin/sh\n" + comment_lines(d.verdict) + starts_of(side) +
                     notes_on_unset(d) + model_line(d) +
                     fmt::format(
                         "export VLLM_NIXL_SIDE_CHANNEL_HOST=\"${{HOST:-localhost}}\"\n"
                         "export VLLM_NIXL_SIDE_CHANNEL_PORT=\"${{SIDE_PORT:-{}}}\"\n"
                         "exec vllm serve \"$MODEL\" --port \"${{PORT:-{}}}\"",
                         kSideChannel, side.port);
  std::vector<std::string> args = serve_args(side.pool);
  args.insert(args.end(), {"--kv-transfer-config", kTransferConfig});
  return text + argument_lines(args) + "\n";
}

std::string proxy_script(const RecommendedDeployment& d) {
  std::string text =
      "#!/bin/sh\n" + comment_lines(d.verdict) +
      comment_lines(
          "The proxy of vLLM's tests, which takes the instances of each kind in turn: enough for a "
          "load test, not for production. VLLM is a checkout of vLLM 0.11.") +
      comment_lines("On several machines, name hosts and ports in the order of the instances.") +
      fmt::format(
          "exec python3 \"${{VLLM:?is a checkout of "
          "vLLM}}/tests/v1/kv_connector/nixl_integration/toy_proxy_server.py\" \\\n"
          "  --port \"${{PORT:-{}}}\"",
          kServingPort);
  for (const SplitSide& side : sides_of(d)) {
    std::vector<std::string> ports;
    for (std::int64_t i = 0; i < side.pool.replicas; ++i)
      ports.push_back(std::to_string(side.port + i));
    const std::vector<std::string> hosts(ports.size(), "localhost");
    const std::string who = side.name == "prefill" ? "prefiller" : "decoder";
    const std::string variable = side.name == "prefill" ? "PREFILL" : "DECODE";
    text += fmt::format(" \\\n  --{}-hosts ${{{}_HOSTS:-{}}}", who, variable, join(hosts, " ")) +
            fmt::format(" \\\n  --{}-ports ${{{}_PORTS:-{}}}", who, variable, join(ports, " "));
  }
  return text + "\n";
}

}  // namespace

std::vector<DeploymentFile> split_scripts(const RecommendedDeployment& d) {
  std::vector<DeploymentFile> files = mapped(sides_of(d), [&](const SplitSide& side) {
    return DeploymentFile{fmt::format("serve_{}.sh", side.name), split_script(d, side)};
  });
  files.push_back({"proxy.sh", proxy_script(d)});
  return files;
}

std::string serve_script(const RecommendedDeployment& d, const std::string& file) {
  const Machines machines(d);
  const bool spans = spans_machines(d);
  std::string text = "#!/bin/sh\n" + comment_lines(d.verdict) +
                     (spans ? machines.starts() : starts_on_one_machine(d, file)) +
                     notes_on_unset(d) + model_line(d) + (spans ? machines.setting() : "") +
                     "exec vllm serve \"$MODEL\" --port \"${PORT:-" + std::to_string(kServingPort) +
                     "}\"";
  return text + argument_lines(serve_args(d)) + (spans ? machines.arguments() : "") + "\n";
}

std::vector<DeploymentFile> mix_files(const RecommendedDeployment& d) {
  const std::string of_beside = "serve_beside.sh";
  RecommendedDeployment beside = d;
  static_cast<RecommendedPool&>(beside) = *d.beside;
  const std::string fleet = comment_lines(d.verdict) +
                            comment_lines("For run, capacity and compare: --fleet fleet.yaml") +
                            d.fleet;
  return {{"serve.sh", serve_script(d)},
          {of_beside, serve_script(beside, of_beside)},
          {"fleet.yaml", fleet}};
}

}  // namespace plimsoll
