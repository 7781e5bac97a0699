// Any bytes as a config.json: whatever the reader accepts must have a memory size and step times
// that are numbers, or be refused with a message.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "catalog/hf_config.h"
#include "perf/kv_capacity.h"
#include "perf/latency_models.h"
#include "perf/model_size.h"

namespace {

void check_latency(const char* name, const plimsoll::LatencyInputs& inputs) {
  const auto model = plimsoll::make_latency_model(name, inputs);
  if (!model) return;
  plimsoll::BatchShape batch;
  batch.add_prefill(100, 50, 200);
  batch.decode_requests = 3;
  batch.decode_context = 3000;
  const double us = (*model)->step_us(batch);
  if (!std::isfinite(us) || us < 0) std::abort();
}

plimsoll::GpuSpec gpu() {
  plimsoll::GpuSpec gpu;
  gpu.name = "GPU";
  gpu.tflops_bf16 = 1000;
  gpu.tflops_fp8 = 2000;
  gpu.memory_bandwidth_tb_s = 3;
  gpu.memory_gib = 80;
  gpu.mfu_prefill = 0.5;
  gpu.mfu_decode = 0.3;
  return gpu;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto model = plimsoll::parse_model_config(text, "config.json", "org/model");
  if (!model) {
    if (format(model.error()).empty()) std::abort();
    return 0;
  }
  for (const auto shapes : {plimsoll::ModelShapes::exact, plimsoll::ModelShapes::reference}) {
    plimsoll::LatencyInputs inputs;
    inputs.model = *model;
    inputs.gpu = gpu();
    inputs.shapes = shapes;
    plimsoll::KvSettings settings;
    settings.shapes = shapes;
    const auto capacity = plimsoll::kv_capacity(*model, inputs.gpu, inputs.parallelism, settings);
    if (capacity && capacity->total_blocks < 1) std::abort();
    check_latency("trained-physics", inputs);
    check_latency("roofline", inputs);
  }
  const plimsoll::ParameterCount count = plimsoll::count_parameters(*model);
  if (!std::isfinite(count.total) || count.active > count.total || count.active <= 0) std::abort();
  return 0;
}
