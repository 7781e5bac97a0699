#include "fit/published_uses.h"

namespace plimsoll {
namespace {

// A benchmark that repeats itself finds in the L2 cache what a server never does. Sizes from
// NVIDIA's descriptions of the architectures.
constexpr double kHopperCache = 50e6;
constexpr double kAmpereCache = 40e6;
constexpr double kAdaCache = 96e6;
constexpr double kBlackwellCache = 126e6;
constexpr double kWorkstationCache = 128e6;

// What every collector calls alike.
constexpr const char* kGemm = "gemm_perf";
constexpr const char* kPrefill = "context_attention_perf";
constexpr const char* kDecode = "generation_attention_perf";
constexpr const char* kExperts = "moe_perf";
constexpr const char* kAllReduce = "custom_allreduce_perf";
constexpr const char* k16 = "bfloat16";
constexpr const char* kBlocks = "fp8_block";

std::vector<Use> latent_uses(const std::string& collector) {
  return {{"latent_attention", "bf16/bf16", "mla", collector, k16, k16},
          {"latent_attention", "bf16/fp8", "mla", collector, k16, "fp8"},
          {"latent_attention", "fp8-blocks/bf16", "mla", collector, kBlocks, k16},
          {"latent_attention", "fp8-blocks/fp8", "mla", collector, kBlocks, "fp8"}};
}

std::vector<Use> joined(std::vector<Use> one, const std::vector<Use>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

// Matrix products, attention and all-reduce of a collector, in the formats that it has.
std::vector<Use> dense_uses(const std::string& collector, const std::string& of_blocks, bool fp4) {
  std::vector<Use> uses{{"gemm", "bf16", kGemm, collector, k16},
                        {"gemm", "fp8", kGemm, collector, "fp8"},
                        {"gemm", "fp8-blocks", kGemm, of_blocks, kBlocks}};
  if (fp4) uses.push_back({"gemm", "nvfp4", kGemm, collector, "nvfp4"});
  return joined(uses, {{"prefill_attention", "bf16", kPrefill, collector, k16},
                       {"decode_attention", "bf16", kDecode, collector, k16},
                       {"decode_attention", "fp8", kDecode, collector, "fp8"},
                       {"all_reduce", "nvlink", kAllReduce, collector, k16}});
}

std::vector<Use> expert_uses(const std::string& collector, const std::vector<std::string>& keys) {
  std::vector<Use> uses;
  for (const std::string& key : keys) {
    const std::string dtype = key == "bf16"         ? k16
                              : key == "fp8-blocks" ? kBlocks
                              : key == "int4"       ? "int4_wo"
                                                    : key;
    uses.push_back({"experts", key, kExperts, collector, dtype});
  }
  return uses;
}

std::vector<Use> hopper() {
  std::vector<Use> uses = dense_uses("vllm-0.19.0", "vllm-0.19.0", false);
  uses.push_back({"gemm", "bf16", kGemm, "vllm-0.24.0", k16});
  uses.push_back({"all_reduce", "pcie", "h100_pairwise_nvlink", "vidur", k16});
  uses = joined(uses, latent_uses("vllm-0.19.0"));
  uses.push_back({"experts", "int4", kExperts, "vllm-0.24.0", "int4_wo"});
  return joined(uses, expert_uses("vllm-0.19.0", {"fp8", "bf16", "fp8-blocks"}));
}

std::vector<Use> ampere() {
  return {{"gemm", "bf16", kGemm, "vllm-0.14.0", k16},
          {"prefill_attention", "bf16", kPrefill, "vllm-0.14.0", k16},
          {"decode_attention", "bf16", kDecode, "vllm-0.14.0", k16},
          {"experts", "bf16", kExperts, "vllm-0.14.0", k16},
          {"all_reduce", "nvlink", kAllReduce, "vllm-0.14.0", k16},
          {"all_reduce", "pcie", "a100_pairwise_nvlink", "vidur", k16}};
}

std::vector<Use> ada() {
  const std::vector<Use> uses{
      {"gemm", "bf16", kGemm, "vllm-0.14.0", k16},
      {"gemm", "bf16", kGemm, "vllm-0.24.0", k16},
      {"gemm", "fp8", kGemm, "vllm-0.14.0", "fp8"},
      {"gemm", "fp8", kGemm, "vllm-0.24.0", "fp8"},
      {"prefill_attention", "bf16", kPrefill, "vllm-0.24.0", k16},
      {"decode_attention", "bf16", kDecode, "vllm-0.24.0", k16},
      {"decode_attention", "fp8", kDecode, "vllm-0.24.0", "fp8"},
      {"latent_attention", "bf16/bf16", "mla", "vllm-0.24.0", k16, k16},
      {"latent_attention", "fp8-blocks/bf16", "mla", "vllm-0.24.0", kBlocks, k16},
      {"all_reduce", "pcie", kAllReduce, "vllm-0.14.0", k16},
      {"experts", "mxfp4", kExperts, "vllm-0.24.0", "w4a16_mxfp4"}};
  return joined(uses, expert_uses("vllm-0.24.0", {"fp8-blocks", "bf16", "fp8", "int4"}));
}

// Block-scaled products of 0.24.0 were timed without CUDA graphs, 180 us each: servers run them in
// one.
std::vector<Use> blackwell() {
  std::vector<Use> uses =
      joined(dense_uses("vllm-0.24.0", "vllm-0.19.0", true), latent_uses("vllm-0.24.0"));
  uses.push_back({"experts", "mxfp4", kExperts, "vllm-0.24.0", "w4a8_mxfp4_mxfp8"});
  return joined(uses, expert_uses("vllm-0.24.0", {"fp8", "bf16", "fp8-blocks", "nvfp4", "int4"}));
}

// The 16-bit rows are those of profiled layers (layer_profiles.cc), which come from whole steps.
std::vector<Use> workstation() {
  const std::vector<Use> uses{{"gemm", "fp8", kGemm, "vllm-0.24.0", "fp8"},
                              {"gemm", "nvfp4", kGemm, "vllm-0.24.0", "nvfp4"},
                              {"decode_attention", "fp8", kDecode, "vllm-0.24.0", "fp8"},
                              {"experts", "mxfp4", kExperts, "vllm-0.24.0", "w4a16_mxfp4"},
                              {"all_reduce", "pcie", kAllReduce, "vllm-0.24.0", k16}};
  return joined(uses, expert_uses("vllm-0.24.0", {"fp8", "nvfp4", "int4"}));
}

std::vector<Use> sglang(bool fp4) {
  std::vector<Use> uses = dense_uses("sglang-0.5.14", "sglang-0.5.14", fp4);
  uses.push_back(
      {"experts", "mxfp4", kExperts, "sglang-0.5.14", fp4 ? "w4a8_mxfp4_mxfp8" : "w4a16_mxfp4"});
  std::vector<std::string> keys{"bf16", "fp8-blocks", "int4"};
  if (fp4) keys.push_back("nvfp4");
  return joined(uses, expert_uses("sglang-0.5.14", keys));
}

std::vector<Use> trtllm(bool fp4) {
  std::vector<Use> uses = joined(dense_uses("trtllm-1.3.0rc20", "trtllm-1.3.0rc20", fp4),
                                 latent_uses("trtllm-1.3.0rc20"));
  uses.push_back(
      {"experts", "mxfp4", kExperts, "trtllm-1.3.0rc20", fp4 ? "w4a8_mxfp4_mxfp8" : "w4a16_mxfp4"});
  uses = joined(uses, expert_uses("trtllm-1.3.0rc20", {"bf16", "fp8-blocks", "fp8"}));
  // Of its two kernels for NVFP4 the one that its recipes for Blackwell name.
  if (fp4) {
    uses.push_back({"experts", "nvfp4", kExperts, "trtllm-1.3.0rc20", "nvfp4", "", "min_latency"});
  }
  return uses;
}

}  // namespace

const std::vector<PublishedSet>& published_sets() {
  static const std::vector<PublishedSet> all{
      {"hopper", "H100", "h100_sxm", kHopperCache, hopper(), true},
      {"ampere", "A100-80", "a100_sxm", kAmpereCache, ampere(), true},
      {"ada", "L40S", "l40s", kAdaCache, ada(), true},
      {"blackwell-workstation", "RTX-PRO-6000", "rtx_pro_6000_server", kWorkstationCache,
       workstation(), true},
      {"blackwell", "B200", "b200_sxm", kBlackwellCache, blackwell()},
      {"hopper-sglang", "H100", "h100_sxm", kHopperCache, sglang(false)},
      {"hopper-trtllm", "H100", "h100_sxm", kHopperCache, trtllm(false)},
      {"blackwell-sglang", "B200", "b200_sxm", kBlackwellCache, sglang(true)},
      {"blackwell-trtllm", "B200", "b200_sxm", kBlackwellCache, trtllm(true)}};
  return all;
}

}  // namespace plimsoll
