#include <algorithm>
#include <utility>

#include "catalog/served_as.h"
#include "fit/observations.h"
#include "fit/published_uses.h"
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
// it: such rows are left out, but for those so small that they are all launch. Bytes.
constexpr double kAllLaunch = 1e6;

bool may_be_cached(double bytes, double cache) { return bytes > kAllLaunch && bytes < cache; }

WeightFormat format_of(const std::string& key) {
  if (key == "fp8") return kFp8;
  if (key == "fp8-blocks") return kFp8Blocks;
  if (key == "int4") return integer_weights(4, 128);
  if (key == "mxfp4") return kMxfp4;
  if (key == "nvfp4") return kNvfp4;
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

// The older tables write 0 KV heads for as many as heads, and have no windows; columns that have
// one value are left out of the newer ones.
Result<void> add_attention(const std::string& path, const Use& use, double cache, Family* family) {
  const bool prefill = use.section == "prefill_attention";
  const auto add = [&](CsvTable& row) {
    AttentionCall call;
    call.batch = count_at(row, 0);
    call.heads = row.integer(1, 1, kMostCount);
    call.kv_heads = row.integer(2, 0, kMostCount);
    if (call.kv_heads == 0) call.kv_heads = call.heads;
    call.head_width = row.has(5) ? row.integer(5, 1, kMostCount) : kPublishedHeadWidth;
    call.tokens =
        (row.has(6) ? count_at(row, 6) : 1) + (prefill || !row.has(7) ? 0 : count_at(row, 7));
    call.kv_bytes = use.key == "fp8" ? 1 : 2;
    const double us = kUsPerMs * row.number(3, 0, kMostMilliseconds);
    if ((row.has(4) && row.text(4) != use.dtype) || us <= 0 || !is_served(call)) return;
    if (row.has(9) && row.text(9) != "bfloat16") return;
    if (row.has(8) && row.integer(8, 0, kMostCount) > 0) return;
    if (prefill && call.tokens < kShortestPrefill) return;
    if (!prefill && (call.batch > kLargestDecode || call.tokens < kShortestDecode ||
                     may_be_cached(kv_cache_bytes(call), cache))) {
      return;
    }
    family->observations.push_back(prefill ? prefill_attention_observation(us, call)
                                           : decode_attention_observation(us, call));
  };
  return for_each_row(path, {"batch_size", "num_heads", "num_key_value_heads", "latency"}, add,
                      {"kv_cache_dtype", "head_dim", "isl", "step", "window_size", "attn_dtype"});
}

Result<void> add_latent(const std::string& path, const Use& use, Family* family) {
  const WeightFormat format = use.key.starts_with("fp8") ? kFp8Blocks : WeightFormat{};
  const double kv_bytes = use.dtype2 == "fp8" ? 1 : 2;
  const bool decode = family->part == "decode";
  const auto add = [&](CsvTable& row) {
    const std::int64_t heads = row.integer(2, 1, kMostCount);
    const double batch = count_at(row, 3);
    const double isl = row.has(5) ? count_at(row, 5) : 1;
    const double tokens = isl + (decode ? count_at(row, 6) : 0);
    const double us = kUsPerMs * row.number(4, 0, kMostMilliseconds);
    if (row.text(0) != use.dtype || row.text(1) != use.dtype2 || us <= 0) return;
    family->observations.push_back(
        decode ? latent_decode_observation(us, batch, tokens, heads, format, kv_bytes)
               : latent_prefill_observation(us, batch, tokens, heads, format, kv_bytes));
  };
  return for_each_row(path, {"gemm_type", "kv_cache_dtype", "num_heads", "batch_size", "latency"},
                      add, {"isl", "step"});
}

// Of one GPU's experts whole: how tokens were dealt to several GPUs the tables do not say. Rows in
// which tokens choose experts evenly, so that it is known how many they touch; where there
// are none, the rows of the mildest power law, with an evenness that is fitted and not shipped.
Result<void> add_experts(const std::string& path, const Use& use, const std::string& distribution,
                         Family* family) {
  constexpr std::int64_t kUngatedHidden = 2688;  // Nemotron's experts have two matrices
  const WeightFormat format = format_of(use.key);
  return for_each_row(path,
                      {"moe_dtype", "distribution", "num_tokens", "hidden_size", "inter_size",
                       "topk", "num_experts", "moe_tp_size", "moe_ep_size", "latency"},
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
                            row.text(10).find("nongated") != std::string_view::npos ||
                            call.hidden == kUngatedHidden || call.width == kUngatedHidden ||
                            call.tp > kMostSlices || row.integer(8, 1, kMostCount) > 1) {
                          return;
                        }
                        if (distribution == "balanced") {
                          call.touched =
                              std::min(static_cast<double>(call.experts),
                                       call.tokens * static_cast<double>(call.per_token));
                        }
                        family->observations.push_back(experts_observation(us, call, format));
                      },
                      {"kernel_source"});
}

Result<void> add_all_reduces(const std::string& path, Family* family) {
  const auto add = [&](CsvTable& row) {
    const double us = kUsPerMs * row.number(2, 0, kMostMilliseconds);
    if (!row.text(3).empty() && !row.text(3).ends_with("_graph")) return;
    if (us <= 0) return;
    family->observations.push_back(all_reduce_observation(us, count_at(row, 0), count_at(row, 1)));
  };
  return for_each_row(path, {"num_gpus", "message_size", "latency"}, add, {"backend"});
}

// Vidur's, of nodes in which a link joins two GPUs each.
Result<void> add_all_reduces_of_pairs(const std::string& path, Family* family) {
  constexpr double kBytes = 2;  // of an element
  const auto add = [&](CsvTable& row) {
    const double us = kUsPerMs * row.number(2, 0, kMostMilliseconds);
    const double gpus = count_at(row, 0);
    if (us <= 0 || gpus <= 2) return;
    family->observations.push_back(
        all_reduce_of_pairs_observation(us, gpus, count_at(row, 1) / kBytes));
  };
  return for_each_row(path, {"num_workers", "size", "time_stats.all_reduce.median"}, add);
}

class Published {
 public:
  /// Adds to the families that other tables gave.
  Published(const std::string& folder, const PublishedSet& set, Device* device,
            std::vector<Family> families = {})
      : all_(folder),
        folder_(folder + "/aiconfigurator-op-latency/" + set.folder + "/"),
        set_(set),
        device_(device),
        families_(std::move(families)) {}

  Result<std::vector<Family>> read() {
    for (const Use& use : set_.uses) {
      if (auto added = add(use); !added) return pass_on(added);
    }
    return std::move(families_);
  }

 private:
  // Later additions are packed by xz.
  std::string path(const std::string& table, const Use& use) const {
    const bool is_vllm = use.collector.starts_with("vllm");
    return folder_ + table + "--" + use.collector + (is_vllm ? ".csv.gz" : ".csv.xz");
  }

  // By section, as files have them.
  Family& family_of(const Use& use, Family made) {
    std::size_t end = families_.size();
    for (std::size_t i = 0; i < families_.size(); ++i) {
      const Family& family = families_[i];
      if (family.section != use.section) continue;
      if (family.key == use.key && family.part == made.part) return families_[i];
      end = i + 1;
    }
    return *families_.insert(families_.begin() + static_cast<std::ptrdiff_t>(end), std::move(made));
  }

  Result<void> add(const Use& use) {
    const double cache = set_.cache_bytes;
    if (use.section == "gemm") {
      return add_gemms(path(use.table, use), use, cache,
                       &family_of(use, gemm_family(device_, use.key)));
    }
    if (use.section == "prefill_attention") {
      return add_attention(path(use.table, use), use, cache,
                           &family_of(use, prefill_attention_family(device_, use.key)));
    }
    if (use.section == "decode_attention") {
      return add_attention(path(use.table, use), use, cache,
                           &family_of(use, decode_attention_family(device_, use.key)));
    }
    if (use.section == "latent_attention") {
      auto added = add_latent(path("mla_generation_module_perf", use), use,
                              &family_of(use, latent_decode_family(device_, use.key)));
      if (!added) return added;
      return add_latent(path("mla_context_module_perf", use), use,
                        &family_of(use, latent_prefill_family(device_, use.key)));
    }
    if (use.section == "experts") {
      Family& family = family_of(use, experts_family(device_, use.key));
      const bool balanced = use.collector != "vllm-0.14.0";
      if (!balanced) {
        family.parameters.push_back(
            {"evenness", [](Device& d) -> double& { return d.overheads.expert_evenness; }, 0.05, 50,
             3, true, false});
      }
      return add_experts(path(use.table, use), use, balanced ? "balanced" : "power_law_1.01",
                         &family);
    }
    if (use.section == "all_reduce" && use.collector == "vidur") {
      return add_all_reduces_of_pairs(
          all_ + "/vidur-op-profiles/network/" + use.table + "/all_reduce.csv.gz",
          &family_of(use, all_reduce_family(device_, use.key)));
    }
    return add_all_reduces(path(use.table, use),
                           &family_of(use, all_reduce_family(device_, use.key)));
  }

  std::string all_;
  std::string folder_;
  const PublishedSet& set_;
  Device* device_;
  std::vector<Family> families_;
};

}  // namespace

Result<std::vector<Family>> published_families(const std::string& folder, const PublishedSet& set,
                                               Device* device) {
  if (set.kernels != "blackwell-workstation") return Published(folder, set, device).read();
  auto profiled = layer_profile_families(folder, device);
  if (!profiled) return pass_on(profiled);
  return Published(folder, set, device, std::move(*profiled)).read();
}

}  // namespace plimsoll
