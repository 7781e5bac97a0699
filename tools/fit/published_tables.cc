#include <algorithm>

#include "catalog/served_as.h"
#include "fit/observations.h"
#include "fit/table_reader.h"
#include "fit/tables.h"

namespace plimsoll {
namespace {

// Sizes that are served: the tables hold many that no model has, and where a kernel is all launch.
constexpr double kSmallestSide = 512;  // of a matrix
constexpr double kLargestSide = 16384;
constexpr std::int64_t kPublishedHeadWidth = 128;
constexpr std::int64_t kFewestHeads = 4;  // of one GPU
constexpr std::int64_t kLargestGroup = 16;
constexpr double kLargestDecode = 256;   // requests
constexpr double kShortestDecode = 256;  // tokens of context
constexpr double kShortestPrefill = 64;
constexpr std::int64_t kMostSlices = 8;  // of an expert
constexpr double kFewRows = 256;         // of a product that is limited by reading its weights

// What a benchmark reads again and again may lie in the GPU's L2 cache, where a server never finds
// it: such rows are left out, but for those so small that they are all launch. Sizes in bytes, from
// NVIDIA's descriptions of the architectures.
constexpr double kAllLaunch = 1e6;

bool may_be_cached(double bytes, double cache) { return bytes > kAllLaunch && bytes < cache; }

double cache_of(const std::string& kernels) {
  return kernels == "hopper" ? 50e6 : kernels == "ampere" ? 40e6 : 96e6;
}

// A table of AIConfigurator's, and the rows of it that decide a row of ours.
struct Use {
  std::string section;  ///< of ours
  std::string key;
  std::string table;
  std::string version;
  std::string dtype;     ///< of weights, for attention of the cache
  std::string dtype2{};  ///< latent attention: of the cache
  std::string kernel{};  ///< in the name of the kernel; empty = any
};

const std::vector<Use>& uses_of(const std::string& kernels) {
  static const std::vector<Use> hopper{
      {"gemm", "bf16", "gemm_perf", "0.19.0", "bfloat16"},
      {"gemm", "bf16", "gemm_perf", "0.24.0", "bfloat16"},
      {"gemm", "fp8", "gemm_perf", "0.19.0", "fp8"},
      {"gemm", "fp8-blocks", "gemm_perf", "0.19.0", "fp8_block"},
      {"prefill_attention", "bf16", "context_attention_perf", "0.19.0", "bfloat16"},
      {"decode_attention", "bf16", "generation_attention_perf", "0.19.0", "bfloat16"},
      {"decode_attention", "fp8", "generation_attention_perf", "0.19.0", "fp8"},
      {"latent_attention", "bf16/bf16", "mla", "0.19.0", "bfloat16", "bfloat16"},
      {"latent_attention", "bf16/fp8", "mla", "0.19.0", "bfloat16", "fp8"},
      {"latent_attention", "fp8-blocks/bf16", "mla", "0.19.0", "fp8_block", "bfloat16"},
      {"latent_attention", "fp8-blocks/fp8", "mla", "0.19.0", "fp8_block", "fp8"},
      {"experts", "int4", "moe_perf", "0.24.0", "int4_wo"},
      {"experts", "fp8", "moe_perf", "0.19.0", "fp8"},
      {"experts", "bf16", "moe_perf", "0.19.0", "bfloat16"},
      {"experts", "fp8-blocks", "moe_perf", "0.19.0", "fp8_block"},
      {"all_reduce", "nvlink", "custom_allreduce_perf", "0.19.0", "bfloat16"}};
  static const std::vector<Use> ampere{
      {"gemm", "bf16", "gemm_perf", "0.14.0", "bfloat16"},
      {"prefill_attention", "bf16", "context_attention_perf", "0.14.0", "bfloat16"},
      {"decode_attention", "bf16", "generation_attention_perf", "0.14.0", "bfloat16"},
      {"experts", "bf16", "moe_perf", "0.14.0", "bfloat16"},
      {"all_reduce", "nvlink", "custom_allreduce_perf", "0.14.0", "bfloat16"}};
  static const std::vector<Use> ada{
      {"gemm", "bf16", "gemm_perf", "0.14.0", "bfloat16"},
      {"gemm", "bf16", "gemm_perf", "0.24.0", "bfloat16"},
      {"gemm", "fp8", "gemm_perf", "0.14.0", "fp8"},
      {"gemm", "fp8", "gemm_perf", "0.24.0", "fp8"},
      {"prefill_attention", "bf16", "context_attention_perf", "0.24.0", "bfloat16"},
      {"decode_attention", "bf16", "generation_attention_perf", "0.24.0", "bfloat16"},
      {"decode_attention", "fp8", "generation_attention_perf", "0.24.0", "fp8"},
      {"latent_attention", "bf16/bf16", "mla", "0.24.0", "bfloat16", "bfloat16"},
      {"latent_attention", "fp8-blocks/bf16", "mla", "0.24.0", "fp8_block", "bfloat16"},
      {"experts", "fp8-blocks", "moe_perf", "0.24.0", "fp8_block"},
      {"experts", "bf16", "moe_perf", "0.24.0", "bfloat16"},
      {"experts", "fp8", "moe_perf", "0.24.0", "fp8"},
      {"experts", "mxfp4", "moe_perf", "0.24.0", "w4a16_mxfp4"},
      {"experts", "int4", "moe_perf", "0.24.0", "int4_wo"},
      {"all_reduce", "pcie", "custom_allreduce_perf", "0.14.0", "bfloat16"}};
  // Of Hopper's, what Blackwell runs and Hopper's servers do not.
  static const std::vector<Use> blackwell{
      {"experts", "mxfp4", "moe_perf", "0.24.0", "w4a16_mxfp4", "", "triton"}};
  if (kernels == "blackwell") return blackwell;
  return kernels == "hopper" ? hopper : kernels == "ampere" ? ampere : ada;
}

std::string folder_of(const std::string& kernels) {
  return kernels == "ampere" ? "a100_sxm" : kernels == "ada" ? "l40s" : "h100_sxm";
}

WeightFormat format_of(const std::string& key) {
  if (key == "fp8") return kFp8;
  if (key == "fp8-blocks") return kFp8Blocks;
  if (key == "int4") return integer_weights(4, 128);
  if (key == "mxfp4") return kMxfp4;
  return {};
}

Result<void> add_gemms(const std::string& path, const Use& use, double cache, Family* family) {
  const WeightFormat format = format_of(use.key);
  return for_each_row(path, {"gemm_dtype", "m", "n", "k", "latency"}, [&](CsvTable& row) {
    const double n = count_at(row, 2);
    const double k = count_at(row, 3);
    const double us = kUsPerMs * row.number(4, 0, kMostMilliseconds);
    const double small = std::min(n, k);
    const double large = std::max(n, k);
    if (row.text(0) != use.dtype || small < kSmallestSide || large > kLargestSide || us <= 0)
      return;
    const double rows = count_at(row, 1);
    if (rows <= kFewRows && may_be_cached(n * k * format.bytes, cache)) return;
    family->observations.push_back(gemm_observation(us, rows, n, k, format));
  });
}

bool is_served(const AttentionCall& call) {
  return call.head_width == kPublishedHeadWidth && call.heads >= kFewestHeads &&
         call.heads <= kLargestGroup * call.kv_heads;
}

double kv_cache_bytes(const AttentionCall& call) {
  return 2 * call.batch * call.tokens * call.kv_bytes *
         static_cast<double>(call.kv_heads * call.head_width);
}

// The older tables write 0 KV heads for as many as heads, and have no windows.
Result<void> add_attention(const std::string& path, const Use& use, bool windows, double cache,
                           Family* family) {
  std::vector<std::string> columns{"batch_size", "isl",  "num_heads", "num_key_value_heads",
                                   "head_dim",   "step", "latency",   "kv_cache_dtype"};
  if (windows) columns.emplace_back("window_size");
  const bool prefill = use.section == "prefill_attention";
  return for_each_row(path, columns, [&](CsvTable& row) {
    AttentionCall call;
    call.batch = count_at(row, 0);
    call.tokens = count_at(row, 1) + (prefill ? 0 : count_at(row, 5));
    call.heads = row.integer(2, 1, kMostCount);
    call.kv_heads = row.integer(3, 0, kMostCount);
    if (call.kv_heads == 0) call.kv_heads = call.heads;
    call.head_width = row.integer(4, 1, kMostCount);
    call.kv_bytes = use.key == "fp8" ? 1 : 2;
    const double us = kUsPerMs * row.number(6, 0, kMostMilliseconds);
    if (row.text(7) != use.dtype || us <= 0 || !is_served(call)) return;
    if (windows && row.integer(8, 0, kMostCount) > 0) return;
    if (prefill && call.tokens < kShortestPrefill) return;
    if (!prefill && (call.batch > kLargestDecode || call.tokens < kShortestDecode ||
                     may_be_cached(kv_cache_bytes(call), cache))) {
      return;
    }
    family->observations.push_back(prefill ? prefill_attention_observation(us, call)
                                           : decode_attention_observation(us, call));
  });
}

Result<void> add_latent(const std::string& path, const Use& use, Family* family) {
  const WeightFormat format = use.key.starts_with("fp8") ? kFp8Blocks : WeightFormat{};
  const double kv_bytes = use.dtype2 == "fp8" ? 1 : 2;
  const bool decode = family->part == "decode";
  return for_each_row(
      path, {"gemm_type", "kv_cache_dtype", "num_heads", "batch_size", "isl", "step", "latency"},
      [&](CsvTable& row) {
        const std::int64_t heads = row.integer(2, 1, kMostCount);
        const double batch = count_at(row, 3);
        const double isl = count_at(row, 4);
        const double tokens = isl + (decode ? count_at(row, 5) : 0);
        const double us = kUsPerMs * row.number(6, 0, kMostMilliseconds);
        if (row.text(0) != use.dtype || row.text(1) != use.dtype2 || us <= 0) return;
        family->observations.push_back(
            decode ? latent_decode_observation(us, batch, tokens, heads, format, kv_bytes)
                   : latent_prefill_observation(us, batch, tokens, heads, format, kv_bytes));
      });
}

// Of one GPU's experts whole: how tokens were dealt to several GPUs the tables do not say. Rows in
// which tokens choose experts evenly, so that it is known how many they touch; where there
// are none, the rows of the mildest power law, with an evenness that is fitted and not shipped.
Result<void> add_experts(const std::string& path, const Use& use, const std::string& distribution,
                         Family* family) {
  constexpr std::int64_t kUngatedHidden = 2688;  // Nemotron's experts have two matrices
  const WeightFormat format = format_of(use.key);
  return for_each_row(
      path,
      {"moe_dtype", "distribution", "num_tokens", "hidden_size", "inter_size", "topk",
       "num_experts", "moe_tp_size", "moe_ep_size", "latency", "kernel_source"},
      [&](CsvTable& row) {
        ExpertsCall call;
        call.tokens = count_at(row, 2);
        call.hidden = count_at(row, 3);
        call.width = row.integer(4, 1, kMostCount);
        call.per_token = row.integer(5, 1, kMostCount);
        call.experts = row.integer(6, 1, kMostCount);
        call.tp = row.integer(7, 1, kMostCount);
        const double us = kUsPerMs * row.number(9, 0, kMostMilliseconds);
        if (row.text(0) != use.dtype || row.text(1) != distribution || us <= 0 ||
            row.text(10).find(use.kernel) == std::string_view::npos ||
            call.hidden == kUngatedHidden || call.width == kUngatedHidden ||
            call.tp > kMostSlices || row.integer(8, 1, kMostCount) > 1) {
          return;
        }
        if (distribution == "balanced") {
          call.touched = std::min(static_cast<double>(call.experts),
                                  call.tokens * static_cast<double>(call.per_token));
        }
        family->observations.push_back(experts_observation(us, call, format));
      });
}

Result<void> add_all_reduces(const std::string& path, Family* family) {
  return for_each_row(path, {"backend", "num_gpus", "message_size", "latency"}, [&](CsvTable& row) {
    const double us = kUsPerMs * row.number(3, 0, kMostMilliseconds);
    if (row.text(0) != "vllm_graph" || us <= 0) return;
    family->observations.push_back(all_reduce_observation(us, count_at(row, 1), count_at(row, 2)));
  });
}

class Published {
 public:
  Published(const std::string& folder, std::string kernels, Device* device)
      : folder_(folder + "/aiconfigurator-op-latency/" + folder_of(kernels) + "/"),
        kernels_(std::move(kernels)),
        device_(device) {}

  Result<std::vector<Family>> read() {
    for (const Use& use : uses_of(kernels_)) {
      if (auto added = add(use); !added) return pass_on(added);
    }
    return std::move(families_);
  }

 private:
  std::string path(const std::string& table, const Use& use) const {
    return folder_ + table + "--vllm-" + use.version + ".csv.gz";
  }

  Family& family_of(const Use& use, Family made) {
    for (Family& family : families_) {
      if (family.section == use.section && family.key == use.key && family.part == made.part) {
        return family;
      }
    }
    return families_.emplace_back(std::move(made));
  }

  Result<void> add(const Use& use) {
    if (use.section == "gemm") {
      return add_gemms(path(use.table, use), use, cache_of(kernels_),
                       &family_of(use, gemm_family(device_, use.key)));
    }
    if (use.section == "prefill_attention") {
      Family& family = family_of(use, prefill_attention_family(device_, use.key));
      return add_attention(path(use.table, use), use, has_windows(use), cache_of(kernels_),
                           &family);
    }
    if (use.section == "decode_attention") {
      Family& family = family_of(use, decode_attention_family(device_, use.key));
      return add_attention(path(use.table, use), use, has_windows(use), cache_of(kernels_),
                           &family);
    }
    if (use.section == "latent_attention") {
      Family& decode = family_of(use, latent_decode_family(device_, use.key));
      auto added = add_latent(path("mla_generation_module_perf", use), use, &decode);
      if (!added) return added;
      Family& prefill = family_of(use, latent_prefill_family(device_, use.key));
      return add_latent(path("mla_context_module_perf", use), use, &prefill);
    }
    if (use.section == "experts") {
      Family& family = family_of(use, experts_family(device_, use.key));
      const bool balanced = use.version != "0.14.0";
      if (!balanced) {
        family.parameters.push_back(
            {"evenness", [](Device& d) -> double& { return d.overheads.expert_evenness; }, 0.05, 50,
             3, true, false});
      }
      return add_experts(path(use.table, use), use, balanced ? "balanced" : "power_law_1.01",
                         &family);
    }
    return add_all_reduces(path(use.table, use),
                           &family_of(use, all_reduce_family(device_, use.key)));
  }

  static bool has_windows(const Use& use) { return use.version != "0.14.0"; }

  std::string folder_;
  std::string kernels_;
  Device* device_;
  std::vector<Family> families_;
};

}  // namespace

const std::vector<MeasuredArchitecture>& measured_architectures() {
  static const std::vector<MeasuredArchitecture> all{{"hopper", "H100"},
                                                     {"ampere", "A100-80"},
                                                     {"ada", "L40S"},
                                                     {"blackwell-workstation", "RTX-PRO-6000"},
                                                     {"blackwell", "H100"}};
  return all;
}

Result<std::vector<Family>> published_families(const std::string& folder,
                                               const std::string& kernels, Device* device) {
  if (kernels == "blackwell-workstation") return layer_profile_families(folder, device);
  return Published(folder, kernels, device).read();
}

}  // namespace plimsoll
