// The facts that the simulator knows of a GPU. Plain facts, no behaviour.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace plimsoll {

/// Peak rates are dense (no structured sparsity), 1e12 FLOP/s; bandwidth is 1e12 B/s; memory GiB. 0
/// stands for "it has none" or, in rows of the reference and of users, "not said".
struct GpuSpec {
  std::string name;
  double tflops_bf16 = 0;
  double tflops_fp8 = 0;  ///< 0 = no native FP8
  double tflops_fp4 = 0;  ///< 0 = no native FP4
  double tops_int8 = 0;
  double memory_bandwidth_tb_s = 0;
  double memory_gib = 0;
  double link_gb_s = 0;  ///< to the GPUs of its node, one way, 1e9 B/s; 0 = over PCIe
  double pcie_gb_s = 0;  ///< one way, 1e9 B/s
  std::int64_t gpus_per_node = 0;
  std::int64_t link_gpus = 0;  ///< that its link joins; 0 = those of a node
  double network_gb_s = 0;     ///< to other nodes, of each GPU, one way, 1e9 B/s
  double tdp_w = 0;
  /// Fractions of the peak that roofline kernels reach.
  double mfu_prefill = 0;
  double mfu_decode = 0;
  std::string kernels;  ///< whose efficiencies are its own or nearest (kernels.h); empty = unknown
  bool kernels_measured = false;  ///< on this very GPU
  double compute_capability = 0;  ///< of CUDA, 9.0 for Hopper; 0 = another maker's, or not said
};

/// By its name in the catalog: the others there are NVIDIA's.
inline bool is_of_amd(std::string_view gpu) { return gpu.starts_with("MI"); }

// Reads the reference simulator's hardware file: a JSON map from GPU names to their figures.

/// The GPU called `gpu` (in any case) of the file. Keys, in the units of GpuSpec: TFlopsPeak,
/// TFlopsFP8 (may be absent: no native FP8), BwPeakTBs, mfuPrefill, mfuDecode, MemoryGiB (may be
/// absent: not known). The reference has no more; here LinkGBs, PcieGBs and Kernels (a built-in set
/// or a YAML file beside this one) may follow.
Result<GpuSpec> read_hardware_config(const std::string& path, std::string_view gpu);

/// The same from a text; `file` is its name in messages.
Result<GpuSpec> parse_hardware_config(const std::string& text, std::string file,
                                      std::string_view gpu);

}  // namespace plimsoll
