// Do single steps and KV capacities equal the reference simulator's, to the microsecond and block?
#include <regex>

#include <gtest/gtest.h>

#include "base/units.h"
#include "perf/kv_capacity.h"
#include "perf/latency_models.h"
#include "shared_data.h"
#include "spec/spec_file.h"

namespace plimsoll {
namespace {

constexpr SemanticsMode kMode = SemanticsMode::blis;

LatencyInputs inputs_for(const std::string& model, const std::string& gpu, std::int64_t tp) {
  auto found = find_model(model);
  EXPECT_TRUE(found.has_value()) << model;
  auto spec = find_gpu(gpu, kMode);
  EXPECT_TRUE(spec.has_value()) << gpu;
  LatencyInputs inputs;
  if (found && spec) {
    inputs.model = found->config;
    inputs.gpu = *spec;
  }
  inputs.parallelism.tp = tp;
  inputs.shapes = ModelShapes::reference;
  return inputs;
}

KvSettings reference_settings() {
  KvSettings settings;
  settings.budget = KvBudget::summed;
  settings.activations = ActivationPeak::flat;
  settings.shapes = ModelShapes::reference;
  return settings;
}

std::int64_t step_us(const std::string& backend, const LatencyInputs& inputs,
                     const BatchShape& batch) {
  auto model = make_latency_model(backend, inputs);
  if (!model) {
    ADD_FAILURE() << format(model.error());
    return -1;
  }
  const Duration step = duration_from_us((*model)->step_us(batch));
  return std::max<std::int64_t>(1, step.ns / 1000);
}

// ---- compact expectations -------------------------------------------------------------------

// One step of two prefill chunks and 16 decoding requests.
BatchShape mixed_batch() {
  BatchShape batch;
  batch.add_prefill(700, 300, 1000);
  batch.add_prefill(128, 0, 128);
  batch.decode_requests = 16;
  batch.decode_context = 16 * 400 + 120;
  return batch;
}

struct StepCase {
  const char* backend;
  const char* model;
  const char* gpu;
  std::int64_t tp;
  std::int64_t expected_us;
};

const StepCase kSteps[] = {
    {"trained-physics", "llama-3.1-8b-instruct", "H100", 1, 9262},
    {"roofline", "llama-3.1-8b-instruct", "H100", 1, 20080},
    {"roofline", "llama-3.1-8b-instruct", "L40S", 1, 80772},
    {"trained-physics", "llama-3.1-70b-instruct", "H100", 4, 22204},
    {"roofline", "qwen3-14b", "H100", 1, 37795},
    {"roofline", "mixtral-8x7b-v0.1", "H100", 2, 17230},
    {"trained-physics", "llama-4-scout-17b-16e-instruct-fp8-dynamic", "H100", 2, 26344},
    {"trained-physics", "qwen3-30b-a3b", "H100", 1, 26519},
    {"roofline", "qwen3-30b-a3b", "H100", 1, 11971},
};

TEST(StepTime, equals_the_reference_for_chosen_steps) {
  for (const StepCase& c : kSteps) {
    EXPECT_EQ(step_us(c.backend, inputs_for(c.model, c.gpu, c.tp), mixed_batch()), c.expected_us)
        << c.backend << " " << c.model << " " << c.gpu << " TP " << c.tp;
  }
}

struct CapacityCase {
  const char* model;
  const char* gpu;
  std::int64_t tp;
  std::int64_t blocks;
};

const CapacityCase kCapacities[] = {
    {"deepseek-v2-lite", "H100", 1, 74312},
    {"llama-2-7b-hf", "A100-80", 2, 31935},
    {"llama-3.1-8b-instruct", "H100", 1, 26312},
    {"llama-3.1-8b-instruct", "H100", 2, 125278},
    {"llama-3.1-8b-instruct", "H100", 4, 543011},
    {"llama-4-scout-17b-16e-instruct-fp8-dynamic", "H100", 4, 249660},
    {"mixtral-8x7b-v0.1", "H100", 2, 48956},
    {"qwen2.5-7b-instruct", "H100", 8, 5163441},
    {"qwen2.5-7b-instruct", "L40S", 1, 27343},
    {"qwen3-14b", "H100", 1, 15909},
};

TEST(KvCapacity, equals_the_reference_for_chosen_deployments) {
  for (const CapacityCase& c : kCapacities) {
    const LatencyInputs in = inputs_for(c.model, c.gpu, c.tp);
    const auto capacity = kv_capacity(in.model, in.gpu, in.parallelism, reference_settings());
    ASSERT_TRUE(capacity.has_value()) << format(capacity.error());
    EXPECT_EQ(capacity->total_blocks, c.blocks) << c.model << " " << c.gpu << " TP " << c.tp;
  }
}

// ---- all recorded cases ---------------------------------------------------------------------

BatchShape read_batch(SpecMap c) {
  BatchShape batch;
  for (SpecMap request : c.maps("batch")) {
    const std::int64_t input = request.integer("input_len");
    const std::int64_t progress = request.integer("progress_index");
    const std::int64_t tokens = request.integer("num_new_tokens");
    if (progress < input) {
      batch.add_prefill(tokens, progress, input);
    } else {
      batch.decode_requests += 1;
      batch.decode_context += progress;
    }
  }
  return batch;
}

void check_step(SpecMap c) {
  LatencyInputs in = inputs_for(c.text("model_config"), c.text("gpu"), c.integer("tp"));
  in.parallelism.dp = c.integer("dp");
  in.parallelism.moe_comm = *find_moe_comm_backend(c.text("moe_comm_backend"));
  if (const auto width = c.optional_number("weight_bytes_override")) in.model.weight_bytes = *width;
  if (c.has("beta")) {
    in.coefficients = trained_physics_coefficients().value();
    in.coefficients->beta = c.numbers("beta");
  }
  EXPECT_EQ(step_us(c.text("backend"), in, read_batch(c)), c.map("expected").integer("step_us"))
      << c.text("name");
}

void check_capacity(SpecMap c) {
  LatencyInputs in = inputs_for(c.text("model_config"), c.text("gpu"), c.integer("tp"));
  in.parallelism.dp = c.integer("dp");
  SpecMap expected = c.map("expected");
  KvSettings settings = reference_settings();
  settings.block_size = c.integer("block_size");
  settings.gpu_memory_utilization = c.number("gpu_memory_utilization");
  const auto capacity = kv_capacity(in.model, in.gpu, in.parallelism, settings);
  if (!expected.has("error")) {
    ASSERT_TRUE(capacity.has_value()) << c.text("name") << format(capacity.error());
    EXPECT_EQ(capacity->total_blocks, expected.integer("blocks")) << c.text("name");
  } else {
    ASSERT_FALSE(capacity.has_value()) << c.text("name");
    const std::string theirs = expected.text("error");
    std::smatch minimum;
    if (std::regex_search(theirs, minimum, std::regex("required per instance: ([0-9]+)"))) {
      EXPECT_NE(format(capacity.error()).find("at least " + minimum[1].str() + " GPUs"),
                std::string::npos)
          << theirs << "\n"
          << format(capacity.error());
    } else {
      ADD_FAILURE() << c.text("name") << ": " << theirs;
    }
  }
  if (const auto bytes = expected.optional_number("kv_bytes_per_token_per_gpu")) {
    EXPECT_EQ(kv_bytes_per_token_per_gpu(in.model, in.parallelism.tp, KvBudget::summed,
                                         ModelShapes::reference)
                  .value_or(-1),
              *bytes)
        << c.text("name");
  }
}

// Runs `check` on all recorded cases of a kind and returns their number.
int for_each_case(const std::string& kind, void (*check)(SpecMap)) {
  const auto path = *shared_data_folder() / "spec" / "data" / "blis-engine-goldens.json";
  auto spec = SpecFile::read(path.string());
  if (!spec) {
    ADD_FAILURE() << format(spec.error());
    return 0;
  }
  int count = 0;
  for (SpecMap c : spec->top().maps("cases")) {
    if (c.text("kind") != kind) continue;
    check(c);
    ++count;
  }
  return count;
}

TEST(StepTime, equals_every_recorded_step_of_the_reference) {
  if (!shared_data_folder()) GTEST_SKIP() << "no recorded cases";
  EXPECT_EQ(for_each_case("step", check_step), 210);
}

TEST(KvCapacity, equals_every_recorded_capacity_of_the_reference) {
  if (!shared_data_folder()) GTEST_SKIP() << "no recorded cases";
  EXPECT_EQ(for_each_case("kvcap", check_capacity), 157);
}

}  // namespace
}  // namespace plimsoll
