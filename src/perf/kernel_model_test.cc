#include "perf/kernel_model.h"

#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/served_as.h"
#include "perf/operators/device.h"
#include "perf/parallelism.h"

namespace plimsoll {
namespace {

StepTimePtr made(const std::string& model, const std::string& gpu, const Parallelism& layout,
                 Sampling sampling = Sampling::greedy) {
  auto config = find_model(model);
  EXPECT_TRUE(config.has_value()) << model;
  auto made = make_kernel_model(config->config, *device_of(*find_gpu(gpu, SemanticsMode::vllm)),
                                layout, sampling, Observer::client);
  EXPECT_TRUE(made.has_value()) << format(made.error());
  return *made;
}

BatchShape decoding(std::int64_t requests, std::int64_t context) {
  BatchShape batch;
  batch.decode_requests = requests;
  batch.decode_context = context;
  return batch;
}

Parallelism layout(std::int64_t tp, std::int64_t dp = 1, bool experts = false) {
  Parallelism p;
  p.tp = tp;
  p.dp = dp;
  p.ep = experts ? tp * dp : 1;
  return p;
}

TEST(KernelModel, are_many_steps_at_a_time_the_same_numbers) {
  for (const char* model : {"llama-3.1-8b-instruct", "gpt-oss-120b", "deepseek-r1"}) {
    const auto step_time = made(model, "H100", layout(8));
    std::vector<double> us(50);
    step_time->decode_steps_us(12, 12 * 700, us);
    for (std::size_t i = 0; i < us.size(); ++i) {
      const auto grown = static_cast<std::int64_t>(i) * 12;
      EXPECT_EQ(us[i], step_time->step_us(decoding(12, 12 * 700 + grown))) << model << " " << i;
    }
  }
}

BatchShape with_prompt(BatchShape batch, std::int64_t tokens, std::int64_t before) {
  batch.add_prefill(tokens, before, tokens + before);
  return batch;
}

// An instance is as fast as ranks that share its batch evenly.
TEST(KernelModel, are_ranks_that_are_alike_equal_shares) {
  for (const char* model : {"gpt-oss-120b", "deepseek-r1"}) {
    const auto steps = made(model, "H200", layout(1, 8, true));
    for (const BatchShape& rank : {decoding(12, 12 * 700), with_prompt({}, 600, 0),
                                   with_prompt(decoding(4, 3000), 500, 64)}) {
      const std::vector<BatchShape> ranks(8, rank);
      const double equal_us = steps->step_us(rank.times(8));
      EXPECT_NEAR(steps->ranks_us(ranks), equal_us, 1e-9 * equal_us) << model;
    }
  }
}

TEST(KernelModel, do_ranks_wait_for_the_fullest) {
  const auto steps = made("deepseek-r1", "H200", layout(1, 8, true));
  std::vector<BatchShape> ranks(8, decoding(8, 8 * 700));
  const double even = steps->ranks_us(ranks);
  ranks[3] = decoding(1, 700);
  EXPECT_EQ(steps->ranks_us(ranks), even);
  ranks[5] = decoding(15, 15 * 700);
  EXPECT_GT(steps->ranks_us(ranks), 1.02 * even);
  // A prompt of one rank holds up all, as long as there, but for its experts, which all compute.
  ranks[5] = with_prompt(decoding(8, 8 * 700), 2000, 0);
  const double one_prompt = steps->ranks_us(ranks);
  EXPECT_GT(one_prompt, 1.5 * even);
  for (BatchShape& rank : ranks) rank = with_prompt(decoding(8, 8 * 700), 2000, 0);
  EXPECT_GT(steps->ranks_us(ranks), one_prompt);
  EXPECT_EQ(steps->ranks_us(std::vector<BatchShape>(8)), 0);
}

TEST(KernelModel, are_many_steps_of_ranks_the_same_numbers) {
  for (const char* model : {"gpt-oss-120b", "deepseek-r1"}) {
    const auto steps = made(model, "H200", layout(1, 4, true));
    std::vector<BatchShape> ranks{decoding(3, 2000), {}, decoding(7, 5), decoding(1, 30'000)};
    std::vector<double> us(40);
    steps->decode_ranks_us(ranks, us);
    for (const double step : us) {
      EXPECT_EQ(step, steps->ranks_us(ranks)) << model;
      for (BatchShape& rank : ranks) rank.decode_context += rank.decode_requests;
    }
  }
}

// Over PCIe alone, and of eight GPUs across the sockets, they are most of a step.
TEST(KernelModel, tells_all_reduces_of_a_step) {
  const BatchShape batch = decoding(64, 64 * 700);
  const auto share = [&](const char* gpu, std::int64_t tp) {
    const auto steps = made("qwen3-14b", gpu, layout(tp));
    return steps->all_reduces_us(batch) / steps->step_us(batch);
  };
  EXPECT_EQ(share("L40S", 1), 0);
  EXPECT_LT(share("L40S", 2), 0.5);
  EXPECT_GT(share("L40S", 8), 0.5);
  EXPECT_LT(share("L40S", 8), 1);
  EXPECT_LT(share("H100", 8), 0.5);
}

// Neither more requests, nor longer ones, nor more of a prompt ever make a step shorter.
TEST(KernelModel, does_more_work_take_no_less_time) {
  for (const char* model :
       {"llama-3.1-8b-instruct", "gpt-oss-120b", "deepseek-r1", "qwen3-30b-a3b-instruct-2507"}) {
    for (const char* gpu : {"H100", "A100-80", "L40S", "B200", "MI300X"}) {
      const auto step_time = made(model, gpu, layout(4));
      double before = 0;
      for (std::int64_t requests = 1; requests <= 2048; requests = requests * 5 / 4 + 1) {
        const double us = step_time->step_us(decoding(requests, requests * 1000));
        EXPECT_GE(us, before) << model << " " << gpu << " " << requests;
        before = us;
      }
      before = 0;
      for (std::int64_t tokens = 1; tokens <= 32768; tokens *= 2) {
        BatchShape batch = decoding(8, 8000);
        batch.add_prefill(tokens, 0, tokens);
        const double us = step_time->step_us(batch);
        EXPECT_GE(us, before) << model << " " << gpu << " " << tokens;
        batch.add_prefill(tokens, 4000, 4000 + tokens);
        EXPECT_GE(step_time->step_us(batch), us) << model << " " << gpu << " " << tokens;
        before = us;
      }
    }
  }
}

// Padding that was fitted where bandwidth is short must not fill a GPU that is short of arithmetic.
TEST(KernelModel, reads_half_the_bytes_of_a_large_model_faster_on_every_gpu) {
  const ModelConfig stored = find_model("llama-3.1-70b-instruct")->config;
  const ModelConfig eight_bits = served_as(stored, "fp8");
  for (const std::string& gpu : gpu_names()) {
    const Device device = *device_of(*find_gpu(gpu, SemanticsMode::vllm));
    const auto us = [&](const ModelConfig& model) {
      return (*make_kernel_model(model, device, layout(4), Sampling::greedy, Observer::client))
          ->step_us(decoding(1, 700));
    };
    EXPECT_LT(us(eight_bits), us(stored)) << gpu;
  }
}

TEST(KernelModel, is_a_step_of_a_pipeline_as_long_as_its_stages_together) {
  Parallelism stages = layout(1);
  stages.pp = 2;
  const auto pipeline = made("llama-3.1-8b-instruct", "H100", stages);
  const auto alone = made("llama-3.1-8b-instruct", "H100", layout(1));
  // Half of the batch passes through all layers, and is sent on once.
  const double pipelined = pipeline->step_us(decoding(64, 64000));
  const double half = alone->step_us(decoding(32, 32000));
  EXPECT_GT(pipelined, half);
  EXPECT_LT(pipelined, 1.01 * half);
}

TEST(KernelModel, costs_sampling_with_top_p_a_sort_of_all_logits) {
  const double sorted = made("llama-3.1-8b-instruct", "H100", layout(1), Sampling::top_p)
                            ->step_us(decoding(40, 40000));
  const double greedy =
      made("llama-3.1-8b-instruct", "H100", layout(1))->step_us(decoding(40, 40000));
  EXPECT_NEAR(sorted - greedy, 350 + 1.2e-4 * 40 * 128256, 1e-6);
}

TEST(KernelModel, keeps_decode_below_bandwidth_and_prefill_below_peak) {
  for (const char* gpu : {"H100", "A100-80", "L40S", "B200", "H200", "MI300X", "T4"}) {
    const GpuSpec spec = *find_gpu(gpu, SemanticsMode::vllm);
    const auto step_time = made("llama-3.1-8b-instruct", gpu, layout(1));
    constexpr double kWeights = 15e9;  // without embeddings
    EXPECT_GT(step_time->step_us(decoding(1, 100)), kWeights / (spec.memory_bandwidth_tb_s * 1e6));
    BatchShape prompt;
    prompt.add_prefill(8192, 0, 8192);
    constexpr double kFlops = 2 * 6.98e9 * 8192;
    EXPECT_GT(step_time->step_us(prompt), kFlops / (spec.tflops_bf16 * 1e6)) << gpu;
  }
}

TEST(KernelModel, exchanges_between_ranks_what_the_backend_sends) {
  const auto us = [](std::int64_t dp, bool experts, MoeCommFamily comm) {
    Parallelism p = layout(1, dp, experts);
    p.moe_comm = comm;
    BatchShape prompts;
    for (int i = 0; i < 8; ++i) prompts.add_prefill(2048, 0, 2048);
    return made("qwen3-30b-a3b-instruct-2507", "H100", p)->step_us(prompts);
  };
  using enum MoeCommFamily;
  // A token has 8 experts: of 8 ranks it misses some, of 2 it needs both.
  EXPECT_LT(us(8, true, copy_per_rank), us(8, true, all_gather));
  EXPECT_LT(us(8, true, copy_per_rank), us(8, true, copy_per_expert));
  EXPECT_GT(us(2, true, copy_per_expert), us(2, true, all_gather));
  EXPECT_EQ(us(8, true, cheaper_copy), us(8, true, copy_per_rank));
  // Slices of all experts on each rank: each needs all tokens.
  EXPECT_EQ(us(8, false, copy_per_rank), us(8, false, all_gather));
}

/// On nodes of so many GPUs; 0: as the catalog has it.
double decode_us(const std::string& model, const std::string& gpu, std::int64_t gpus_per_node,
                 const Parallelism& layout) {
  const auto config = find_model(model);
  GpuSpec spec = *find_gpu(gpu, SemanticsMode::vllm);
  if (gpus_per_node > 0) spec.gpus_per_node = gpus_per_node;
  return (*make_kernel_model(config->config, *device_of(spec), layout, Sampling::greedy,
                             Observer::client))
      ->step_us(decoding(64, 64'000));
}

TEST(KernelModel, takes_a_network_to_reach_beyond_a_node) {
  const auto network_us = [](const char* gpu, const Parallelism& layout) {
    const char* model = layout.dp > 1 ? "qwen3-30b-a3b-instruct-2507" : "llama-3.3-70b-instruct";
    return decode_us(model, gpu, 0, layout) - decode_us(model, gpu, 16, layout);
  };
  EXPECT_EQ(network_us("H100", layout(8)), 0);
  EXPECT_EQ(network_us("H100", layout(1, 8, true)), 0);
  // There and back: two all-reduces in each of 80 layers, two exchanges in each of 48.
  EXPECT_GT(network_us("H100", layout(16)), 0.8 * 80 * 2 * 2 * kNetworkUs);
  EXPECT_GT(network_us("H100", layout(1, 16, true)), 0.8 * 48 * 2 * 2 * kNetworkUs);
  // A rack is one domain.
  EXPECT_EQ(network_us("GB200", layout(16)), 0);
  EXPECT_EQ(network_us("GB200", layout(1, 16, true)), 0);
  // Stages pass their rows on once per step.
  Parallelism stages = layout(8);
  stages.pp = 2;
  EXPECT_GT(network_us("H100", stages), 0);
  EXPECT_LT(network_us("H100", stages), 3 * kNetworkUs);
  stages.tp = 4;
  EXPECT_EQ(network_us("H100", stages), 0);
}

TEST(KernelModel, takes_pcie_beyond_what_a_bridge_joins) {
  const std::string model = "llama-3.1-8b-instruct";
  GpuSpec bridged = *find_gpu("H100-NVL", SemanticsMode::vllm);
  GpuSpec switched = bridged;
  switched.link_gpus = 0;
  const auto us = [&](const GpuSpec& gpu, std::int64_t tp) {
    return (*make_kernel_model(find_model(model)->config, *device_of(gpu), layout(tp),
                               Sampling::greedy, Observer::client))
        ->step_us(decoding(64, 64'000));
  };
  EXPECT_EQ(us(bridged, 2), us(switched, 2));
  EXPECT_GT(us(bridged, 4), us(switched, 4));
}

// SGLang's host launches a step with prompts kernel by kernel, however short it is on the GPU.
TEST(KernelModel, has_the_host_and_the_gpu_work_at_once_for_part_of_a_step_with_prompts) {
  const auto config = find_model("llama-3.1-8b-instruct");
  ASSERT_TRUE(config.has_value());
  const auto gpu = find_gpu("H100", SemanticsMode::vllm);
  const auto model_with = [&](double host_us) {
    Device device = *device_of(*gpu, Engine::sglang);
    device.overheads.prefill_host_per_layer = host_us / 32;
    return *make_kernel_model(config->config, device, layout(1), Sampling::greedy,
                              Observer::client);
  };
  const double host_us = 32 * read_step_overheads(Engine::sglang)->prefill_host_per_layer;
  ASSERT_GT(host_us, 0);
  for (const std::int64_t tokens : {16, 1024, 8192}) {
    BatchShape prompt;
    prompt.add_prefill(tokens, 0, tokens);
    const double gpu_us = model_with(0)->step_us(prompt);
    const double us = model_with(host_us)->step_us(prompt);
    EXPECT_NEAR(us * us, gpu_us * gpu_us + host_us * host_us, 1e-6 * us * us) << tokens;
  }
  EXPECT_EQ(model_with(host_us)->step_us(decoding(1, 16)), model_with(0)->step_us(decoding(1, 16)));
}

// TensorRT-LLM has no overlap scheduler where prompts are computed for others to answer.
TEST(KernelModel, hides_nothing_of_the_host_where_tensorrt_llm_computes_prompts_alone) {
  const auto config = find_model("llama-3.1-8b-instruct");
  ASSERT_TRUE(config.has_value());
  const auto step_us = [&](Engine engine, bool only_prompts, bool has_host) {
    Device device = *device_of(*find_gpu("H100", SemanticsMode::vllm), engine);
    device.only_prompts = only_prompts;
    if (!has_host) device.overheads.prefill_host_per_layer = 0;
    BatchShape prompt;
    prompt.add_prefill(4096, 0, 4096);
    return (*make_kernel_model(config->config, device, layout(1), Sampling::greedy,
                               Observer::client))
        ->step_us(prompt);
  };
  const StepOverheads overheads = *read_step_overheads(Engine::trtllm, "hopper");
  const double host_us = 32 * overheads.prefill_host_per_layer * overheads.prefill_host_alone;
  ASSERT_GT(host_us, 0);
  EXPECT_NEAR(step_us(Engine::trtllm, true, true), step_us(Engine::trtllm, true, false) + host_us,
              1e-6 * host_us);
  EXPECT_EQ(step_us(Engine::sglang, true, true), step_us(Engine::sglang, false, true));
  EXPECT_EQ(step_us(Engine::vllm, true, true), step_us(Engine::vllm, false, true));
}

TEST(KernelModel, has_the_host_launch_more_for_a_latent_layer_on_hopper_than_on_blackwell) {
  const auto config = find_model("deepseek-ai/DeepSeek-R1");
  ASSERT_TRUE(config.has_value());
  const auto prompt_us = [&](const char* gpu) {
    const auto model = make_kernel_model(
        config->config, *device_of(*find_gpu(gpu, SemanticsMode::vllm), Engine::sglang), layout(8),
        Sampling::greedy, Observer::client);
    BatchShape prompt;
    prompt.add_prefill(16, 0, 16);
    return (*model)->step_us(prompt);
  };
  const auto host_us = [](const char* kernels) {
    const StepOverheads all = *read_step_overheads(Engine::sglang, kernels);
    return 61 * (all.prefill_host_per_layer + all.prefill_host_per_latent_layer);
  };
  EXPECT_NEAR(prompt_us("H200") / host_us("hopper"), 1, 0.05);
  EXPECT_NEAR(prompt_us("B200") / host_us("blackwell"), 1, 0.05);
  EXPECT_GT(host_us("hopper"), host_us("blackwell"));
  EXPECT_GT(host_us("hopper"), host_us(""));
}

}  // namespace
}  // namespace plimsoll
