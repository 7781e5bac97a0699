#include "perf/step_part.h"

#include "perf/operators/device.h"

namespace plimsoll {
namespace {

void slow_matrices(double factor, KernelSet* set) {
  for (auto& [format, row] : set->gemm) {
    row.compute /= factor;
    row.memory /= factor;
    row.launch_us *= factor;
    row.quantise *= factor;
  }
}

void slow_attention(double factor, KernelSet* set) {
  for (auto& [format, row] : set->prefill_attention) {
    row.compute /= factor;
    row.launch_us *= factor;
  }
  for (auto& [format, row] : set->decode_attention) {
    row.memory /= factor;
    row.launch_us *= factor;
    row.head_ns *= factor;
  }
  for (auto& [format, row] : set->latent_attention) {
    row.decode.compute /= factor;
    row.decode.memory /= factor;
    row.decode.launch_us *= factor;
    row.decode.request_us *= factor;
    row.prefill.compute /= factor;
    row.prefill.launch_us *= factor;
    row.prefill.activation *= factor;
  }
}

void slow_experts(double factor, KernelSet* set) {
  for (auto& [format, row] : set->experts) {
    row.compute /= factor;
    row.memory /= factor;
    row.launch_us *= factor;
    row.activation *= factor;
  }
}

void slow_exchanges(double factor, Device* device) {
  for (KernelSet& set : device->kernels.sets) {
    for (auto& [link, row] : set.all_reduce) {
      row.launch_us *= factor;
      row.per_gpu_us *= factor;
      row.two_shot_us *= factor;
    }
  }
  GpuSpec& gpu = device->gpu;
  gpu.network_gb_s = network_gb_s(gpu) / factor;
  gpu.link_gb_s /= factor;
  gpu.pcie_gb_s /= factor;
  for (AllToAllRate* rate :
       {&device->overheads.copy_per_rank, &device->overheads.copy_per_expert}) {
    rate->fixed_us *= factor;
    rate->gb_per_s /= factor;
  }
}

void slow_small_kernels(double factor, StepOverheads* overheads) {
  overheads->small_kernel *= factor;
  overheads->small_kernel_bandwidth /= factor;
  overheads->sampler_per_step *= factor;
  overheads->sampler_per_logit *= factor;
}

void slow_host(double factor, StepOverheads* overheads) {
  for (double* us : {&overheads->mixed_step_per_layer, &overheads->prefill_host_per_layer,
                     &overheads->prefill_host_per_latent_layer, &overheads->client_per_request,
                     &overheads->client_per_input_token}) {
    *us *= factor;
  }
}

}  // namespace

std::string_view name_of(StepPart part) {
  constexpr std::array<std::string_view, kStepParts.size()> kNames{
      "matrices", "attention", "experts", "exchanges", "small kernels", "host"};
  return kNames[static_cast<std::size_t>(part)];
}

void slow_down(StepPart part, double factor, Device* device) {
  for (KernelSet& set : device->kernels.sets) {
    if (part == StepPart::matrices) slow_matrices(factor, &set);
    if (part == StepPart::attention) slow_attention(factor, &set);
    if (part == StepPart::experts) slow_experts(factor, &set);
  }
  if (part == StepPart::exchanges) slow_exchanges(factor, device);
  if (part == StepPart::small_kernels) slow_small_kernels(factor, &device->overheads);
  if (part == StepPart::host) slow_host(factor, &device->overheads);
}

}  // namespace plimsoll
