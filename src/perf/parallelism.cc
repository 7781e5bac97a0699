#include "perf/parallelism.h"

#include <algorithm>

#include "base/text.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kUsualNode = 8;
constexpr double kUsualNetworkGbS = 50;

}  // namespace

const std::vector<MoeCommBackend>& moe_comm_backends() {
  static const std::vector<MoeCommBackend> backends{
      {"allgather_reducescatter", MoeCommFamily::all_gather},
      {"naive", MoeCommFamily::all_gather},
      {"pplx", MoeCommFamily::copy_per_expert},
      {"deepep_high_throughput", MoeCommFamily::copy_per_rank},
      {"deepep_low_latency", MoeCommFamily::copy_per_expert},
      {"mori", MoeCommFamily::copy_per_rank},
      {"flashinfer_all2allv", MoeCommFamily::copy_per_rank},
  };
  return backends;
}

MoeCommFamily comm_used(const Parallelism& layout) {
  return layout.ep > 1 ? layout.moe_comm : MoeCommFamily::all_gather;
}

std::string_view describe(MoeCommFamily family) {
  switch (family) {
    case MoeCommFamily::all_gather:
      return "every rank gets all tokens";
    case MoeCommFamily::copy_per_rank:
      return "a token goes once to each rank that holds one of its experts";
    case MoeCommFamily::copy_per_expert:
      return "a token goes once to each of its experts";
    case MoeCommFamily::cheaper_copy:
      return "a token goes once to each of its experts or their ranks, in each step the faster way";
  }
  return "";
}

Result<MoeCommFamily> find_moe_comm_backend(std::string_view name) {
  std::vector<std::string> names;
  for (const MoeCommBackend& backend : moe_comm_backends()) {
    if (backend.name == name) return backend.family;
    names.push_back(backend.name);
  }
  return fail(ErrorKind::usage, "unknown MoE communication backend \"" + std::string(name) + "\"",
              suggestion(name, names));
}

Result<MoeCommFamily> moe_comm_of(std::string_view backend, const ModelConfig& model,
                                  const Parallelism& layout, Engine engine) {
  if (!backend.empty()) return find_moe_comm_backend(backend);
  switch (engine) {
    case Engine::vllm:
      break;
    case Engine::sglang:
      return MoeCommFamily::cheaper_copy;
    case Engine::trtllm: {
      std::int64_t chosen = 0;
      for (const LayerGroup& group : model.layers_by_kind) {
        chosen = std::max(chosen, group.layer.mlp.experts_per_token);
      }
      if (layout.ep > chosen) return MoeCommFamily::copy_per_rank;
      break;
    }
  }
  return MoeCommFamily::all_gather;
}

std::int64_t gpus_together(const GpuSpec& gpu) {
  const std::int64_t together = std::max(gpu.gpus_per_node, gpu.link_gpus);
  return together > 0 ? together : kUsualNode;
}

std::int64_t gpus_of_machine(const GpuSpec& gpu) {
  return gpu.gpus_per_node > 0 ? gpu.gpus_per_node : kUsualNode;
}

double network_gb_s(const GpuSpec& gpu) {
  return gpu.network_gb_s > 0 ? gpu.network_gb_s : kUsualNetworkGbS;
}

bool spans_nodes(const GpuSpec& gpu, const Parallelism& layout) {
  return layout.gpus() > gpus_together(gpu);
}

std::string network_note(const GpuSpec& gpu, const Parallelism& layout) {
  const std::string rate = three_digits(network_gb_s(gpu)) + " GB/s";
  return "the " + std::to_string(layout.gpus()) + " GPUs of an instance are more than the " +
         std::to_string(gpus_together(gpu)) + " that " + gpu.name +
         " has together: the rest is exchanged over a network of " +
         (gpu.network_gb_s > 0 ? rate : "an assumed " + rate) + " per GPU";
}

}  // namespace plimsoll
