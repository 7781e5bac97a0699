// Steps worked out apart from this code, from the formulas of docs/explanation/latency-models.md
// and the efficiencies below. What the catalog ships is not asked: a new fit leaves these numbers
// alone.
#include <gtest/gtest.h>

#include <string>

#include "catalog/catalog.h"
#include "perf/kernel_model.h"
#include "perf/operators/device.h"

namespace plimsoll {
namespace {

struct GoldenStep {
  const char* model;
  const char* gpu;
  const char* kernels;
  std::int64_t tp;
  std::int64_t dp;
  bool experts_whole;     // EP over all GPUs
  std::int64_t requests;  // that decode
  std::int64_t context;   // they read, their new tokens included
  std::int64_t chunks;    // all alike
  std::int64_t chunk;     // tokens of each
  std::int64_t cached;    // before each
  double us;
};

const GoldenStep kGoldenSteps[] = {
    {"llama-3.1-8b-instruct", "H100", "hopper", 1, 1, false, 1, 512, 0, 0, 0, 6405.633141},
    {"llama-3.1-8b-instruct", "H100", "hopper", 1, 1, false, 64, 64000, 0, 0, 0, 9645.022708},
    {"llama-3.1-8b-instruct", "H100", "hopper", 1, 1, false, 0, 0, 1, 2048, 0, 44244.713875},
    {"llama-3.1-8b-instruct", "H100", "hopper", 1, 1, false, 32, 22400, 2, 300, 100, 15891.060965},
    {"llama-3.1-8b-instruct", "A100-80", "ampere", 1, 1, false, 32, 22400, 2, 300, 100, 44924.3757},
    {"llama-3.1-8b-instruct", "L40S", "ada", 1, 1, false, 16, 11200, 0, 0, 0, 25864.508261},
    {"codellama-34b-instruct-hf", "H100", "hopper", 2, 1, false, 40, 28560, 0, 0, 0, 15344.573561},
    {"codellama-34b-instruct-hf", "A100-80", "ampere", 4, 1, false, 40, 28560, 0, 0, 0,
     16621.859937},
    {"qwen3-30b-a3b-instruct-2507", "H100", "hopper", 1, 1, false, 16, 32000, 0, 0, 0,
     16143.814264},
    {"qwen3-30b-a3b-instruct-2507", "RTX-PRO-6000", "workstation", 1, 2, true, 128, 153600, 0, 0, 0,
     34340.343159},
    {"minimax-m2.5", "B200", "hopper", 4, 1, false, 32, 44256, 0, 0, 0, 12553.025739},
    {"minimax-m2.5", "B200", "hopper", 4, 1, true, 32, 256000, 1, 4096, 2000, 44597.670371},
};

KernelSet golden_kernels(const std::string& name) {
  KernelSet set;
  if (name == "hopper") {
    set.gemm["bf16"] = {0.8228, 0, 107.9435, 0.8619, 3.8971, 3.2815, 0};
    set.gemm["fp8-blocks"] = {0.6229, 38.7614, 39.0842, 0.7251, 16.3832, 3.1275, 3.0377};
    set.prefill_attention["bf16"] = {0.772, 154.5109, 13356.2923, 9.9791, 0};
    set.decode_attention["bf16"] = {0.8862, 10.4781, 1.9855};
    set.experts["bf16"] = {0.6473, 86.439, 0.9627, 22.832, 1.9571, 2.0628};
    set.experts["fp8-blocks"] = {0.3596, 25.3465, 0.8739, 36.6345, 2.0144, 2.5866};
    set.all_reduce["nvlink"] = {4.3654, 0.0428, 0.6072, 1.7843, 0.6962};
  } else if (name == "ampere") {
    set.gemm["bf16"] = {0.8763, 0, 99.4435, 0.758, 5.7969, 1.7265, 0};
    set.prefill_attention["bf16"] = {0.595, 177.8936, 11442.8981, 11.0877, 0.42};
    set.decode_attention["bf16"] = {0.7138, 17.1662, 1.8273};
    set.all_reduce["nvlink"] = {5.006, 0.1402, 0.5827, 2.8003, 0.6131};
  } else if (name == "ada") {
    set.gemm["bf16"] = {0.6595, 18.566, 137.5677, 0.7638, 0, 3.0732, 0};
    set.prefill_attention["bf16"] = {0.5607, 0, 6538.5459, 6.3153, 0.42};
    set.decode_attention["bf16"] = {0.8037, 9.9793, 2.2532};
  } else {
    set.gemm["bf16"] = {0.8289, 79.6131, 0.0007, 0.8677, 10.5138, 3.1476, 0};
    set.prefill_attention["bf16"] = {0.5269, 55.2, 10079, 6.07, 0.42};
    set.decode_attention["bf16"] = {0.783, 12.7525, 1.6921};
    set.experts["bf16"] = {0.95, 79.8091, 0.7938, 10.6314, 6.3395, 2.1922};
    set.all_reduce["pcie"] = {5.052, 3.3586, 0.2755, 11.1349, 0.0261};
  }
  return set;
}

Device golden_device(const GoldenStep& golden) {
  Device device;
  device.gpu = *find_gpu(golden.gpu, SemanticsMode::vllm);
  if (device.gpu.name == "B200") device.gpu.memory_bandwidth_tb_s = 8;
  device.kernels.sets = {golden_kernels(golden.kernels)};
  device.overheads.small_kernel = 2;
  device.overheads.small_kernels_per_layer = 5;
  device.overheads.small_kernels_per_step = 10;
  device.overheads.small_kernel_bandwidth = 0.75;
  device.overheads.mixed_step_per_layer = 1;
  device.overheads.expert_evenness = 3;
  device.overheads.exchanges_per_moe_layer = 2;
  return device;
}

TEST(KernelModel, do_steps_take_what_the_formulas_say) {
  for (const GoldenStep& golden : kGoldenSteps) {
    BatchShape batch;
    batch.decode_requests = golden.requests;
    batch.decode_context = golden.context - golden.requests;
    for (std::int64_t i = 0; i < golden.chunks; ++i) {
      batch.add_prefill(golden.chunk, golden.cached, golden.cached + golden.chunk);
    }
    Parallelism layout;
    layout.tp = golden.tp;
    layout.dp = golden.dp;
    layout.ep = golden.experts_whole ? golden.tp * golden.dp : 1;
    layout.expert_imbalance = 1;
    const auto made = make_kernel_model(find_model(golden.model)->config, golden_device(golden),
                                        layout, Sampling::greedy, Observer::client);
    ASSERT_TRUE(made.has_value()) << format(made.error());
    EXPECT_NEAR((*made)->step_us(batch), golden.us, 1e-3)
        << golden.model << " " << golden.gpu << " TP " << golden.tp;
  }
}

}  // namespace
}  // namespace plimsoll
