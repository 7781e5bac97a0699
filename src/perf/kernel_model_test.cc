#include "perf/kernel_model.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"

namespace plimsoll {
namespace {

std::shared_ptr<const StepTimeModel> made(const std::string& model, const std::string& gpu,
                                          const Parallelism& layout,
                                          Sampling sampling = Sampling::greedy) {
  auto config = find_model(model);
  EXPECT_TRUE(config.has_value()) << model;
  GpuSpec spec = *find_gpu(gpu, SemanticsMode::vllm);
  if (spec.name == "B200") spec.memory_bandwidth_tb_s = 8;  // as in the goldens
  auto made = make_kernel_model(config->config, spec, layout, sampling, Observer::client);
  EXPECT_TRUE(made.has_value()) << format(made.error());
  return *made;
}

BatchShape decoding(std::int64_t requests, std::int64_t context) {
  BatchShape batch;
  batch.decode_requests = requests;
  batch.decode_context = context;
  return batch;
}

struct Golden {
  const char* model;
  const char* gpu;
  Parallelism layout;
  std::int64_t requests;  // that decode
  std::int64_t context;   // they read, their new tokens included
  std::int64_t chunks;    // all alike
  std::int64_t chunk;     // tokens of each
  std::int64_t cached;    // before each
  double us;
};

Parallelism layout(std::int64_t tp, std::int64_t dp = 1, bool experts = false) {
  Parallelism p;
  p.tp = tp;
  p.dp = dp;
  p.ep = experts ? tp * dp : 1;
  return p;
}

// Worked out apart from this code, from the formulas of docs/latency-models.md.
const Golden kGoldens[] = {
    {"llama-3.1-8b-instruct", "H100", layout(1), 1, 512, 0, 0, 0, 6405.633141},
    {"llama-3.1-8b-instruct", "H100", layout(1), 64, 64000, 0, 0, 0, 9645.022708},
    {"llama-3.1-8b-instruct", "H100", layout(1), 0, 0, 1, 2048, 0, 44244.713875},
    {"llama-3.1-8b-instruct", "H100", layout(1), 32, 22400, 2, 300, 100, 15891.060965},
    {"llama-3.1-8b-instruct", "A100-80", layout(1), 32, 22400, 2, 300, 100, 44924.3757},
    {"llama-3.1-8b-instruct", "L40S", layout(1), 16, 11200, 0, 0, 0, 25864.508261},
    {"codellama-34b-instruct-hf", "H100", layout(2), 40, 28560, 0, 0, 0, 15344.573561},
    {"codellama-34b-instruct-hf", "A100-80", layout(4), 40, 28560, 0, 0, 0, 16621.859937},
    {"qwen3-30b-a3b-instruct-2507", "H100", layout(1), 16, 32000, 0, 0, 0, 16143.814264},
    {"qwen3-30b-a3b-instruct-2507", "RTX-PRO-6000", layout(1, 2, true), 128, 153600, 0, 0, 0,
     34340.343159},
    {"gpt-oss-120b", "H100", layout(2), 8, 11064, 0, 0, 0, 6153.108229},
    {"minimax-m2.5", "B200", layout(4), 32, 44256, 0, 0, 0, 12553.025739},
    {"minimax-m2.5", "B200", layout(4, 1, true), 32, 256000, 1, 4096, 2000, 44597.670371},
};

TEST(KernelModel, do_steps_take_what_the_formulas_say) {
  for (const Golden& golden : kGoldens) {
    BatchShape batch = decoding(golden.requests, golden.context - golden.requests);
    for (std::int64_t i = 0; i < golden.chunks; ++i) {
      batch.add_prefill(golden.chunk, golden.cached, golden.cached + golden.chunk);
    }
    EXPECT_NEAR(made(golden.model, golden.gpu, golden.layout)->step_us(batch), golden.us, 1e-3)
        << golden.model << " " << golden.gpu << " TP " << golden.layout.tp;
  }
}

}  // namespace
}  // namespace plimsoll
