// How much of a GPU's data sheet its kernels reach: efficiencies fitted to measured operators, by
// architecture (catalog/kernels/), and what a step costs beside them (catalog/step-overheads.yaml).
// docs/explanation/latency-models.md gives the formulas they stand in. Plain facts, no behaviour
// but look-up.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace plimsoll {

class SpecMap;  // spec/spec_file.h

/// Fractions of the data sheet's peak rate (`compute`) and bandwidth (`memory`). The time is
/// between the larger of the two and their sum: the larger, the greater `sharpness` is.
struct GemmEfficiency {
  double compute = 0;
  double row_padding = 0;    ///< rows, for tiles that are not full
  double depth_padding = 0;  ///< elements of the inner dimension, for filling the pipeline
  double memory = 0;
  double launch_us = 0;
  double sharpness = 0;
  double quantise = 0;  ///< passes over the activations to bring them to 8 bits
};

struct PrefillAttentionEfficiency {
  double compute = 0;
  double query_padding = 0;       ///< tokens of context for each new one, for tiles half masked
  double serial_head_tokens = 0;  ///< what one sequence needs to fill the GPU, heads x tokens
  double launch_us = 0;
  double decode_rereads = 0;  ///< of the cache for each head of a group, by decoding rows beside
};

struct DecodeAttentionEfficiency {
  double memory = 0;
  double launch_us = 0;
  double head_ns = 0;  ///< per request and query head
};

/// Multi-head latent attention, per layer.
struct LatentAttentionEfficiency {
  struct Decode {
    double compute = 0;
    double memory = 0;
    double launch_us = 0;
    double request_us = 0;
    double head_padding = 0;
  } decode;
  struct Prefill {
    double compute = 0;
    double launch_us = 0;
    double query_padding = 0;
    double activation = 0;  ///< passes over what its matrices read and write
  } prefill;
};

struct ExpertEfficiency {
  double compute = 0;
  double row_padding = 0;  ///< per expert that is used
  double memory = 0;
  double launch_us = 0;
  double sharpness = 0;
  double activation = 0;  ///< passes over what the experts read and write
};

/// The faster of two algorithms: all GPUs read all at once, or in two rounds a share each.
struct AllReduceEfficiency {
  double launch_us = 0;
  double per_gpu_us = 0;  ///< for each beyond the second
  double one_shot = 0;    ///< fractions of the link's one-way rate
  double two_shot_us = 0;
  double two_shot = 0;
};

/// By format of the weights ("bf16", "fp8", "fp8-blocks", "int4", "mxfp4", "nvfp4"), of the cache
/// ("bf16", "fp8"), of both ("fp8-blocks/bf16") or by link ("nvlink", "pcie").
struct KernelSet {
  std::string name;
  std::map<std::string, GemmEfficiency> gemm;
  std::map<std::string, PrefillAttentionEfficiency> prefill_attention;
  std::map<std::string, DecodeAttentionEfficiency> decode_attention;
  std::map<std::string, LatentAttentionEfficiency> latent_attention;
  std::map<std::string, ExpertEfficiency> experts;
  std::map<std::string, AllReduceEfficiency> all_reduce;
};

/// The measurements of an architecture, and where to look for the rest.
struct Kernels {
  std::vector<KernelSet> sets;  ///< its own first

  /// The first of the keys that a set has, in the first set that has any; null if none does.
  template <class Row>
  const Row* find(std::map<std::string, Row> KernelSet::*rows,
                  std::initializer_list<std::string_view> keys) const {
    for (const KernelSet& set : sets) {
      for (const std::string_view key : keys) {
        const auto row = (set.*rows).find(std::string(key));
        if (row != (set.*rows).end()) return &row->second;
      }
    }
    return nullptr;
  }
};

/// Inference engines, whose kernels and overheads differ.
enum class Engine { vllm, sglang, trtllm };

std::string_view name_of(Engine engine);
/// Finds an engine by its name; none where nobody knows it.
std::optional<Engine> engine_of(std::string_view name);

/// The built-in sets, sorted.
std::vector<std::string> kernel_names();
/// Notes an error at `key` for each of `names` that is none of them.
void check_kernels(SpecMap map, std::string_view key, const std::vector<std::string>& names);
/// Whether this is the path of a set in a file of the user's, not the name of a built-in one.
bool is_kernel_file(std::string_view name);

/// Finds kernels by the name or path in GpuSpec::kernels; an empty name is an architecture nobody
/// measured. What a file of the user's and the sets it names leave out is taken from there, too. As
/// `engine` runs them, if that was measured: the set NAME-ENGINE.
Result<Kernels> find_kernels(const std::string& name, Engine engine = Engine::vllm);

/// The rate of kernels that send rows from each rank to others and back.
struct AllToAllRate {
  double fixed_us = 0;
  double link = 1;      ///< fraction of the data sheet's
  double gb_per_s = 0;  ///< at most, whatever the link
};

/// Microseconds unless said otherwise.
struct StepOverheads {
  double small_kernel = 0;
  double small_kernels_per_layer = 0;
  double small_kernels_per_step = 0;
  double small_kernel_bandwidth = 0;  ///< fraction of the data sheet's
  double mixed_step_per_layer = 0;
  /// The host's share of a step with prompts, which no CUDA graph holds; the step takes longer than
  /// that and than what the GPU does.
  double prefill_host_per_layer = 0;
  double prefill_host_per_latent_layer = 0;  ///< more than that
  /// The part of that which no GPU time hides where an instance computes prompts alone and does not
  /// schedule ahead; 0: it works as the others do.
  double prefill_host_alone = 0;
  double expert_evenness = 0;  ///< shape of the popularity of one of 128 experts
  double exchanges_per_moe_layer = 0;
  AllToAllRate copy_per_rank;
  AllToAllRate copy_per_expert;
  double sampler_per_step = 0;
  double sampler_per_logit = 0;
  double client_per_request = 0;
  double client_per_input_token = 0;
  double closed_loop_steps = 0;  ///< count of steps
  double closed_loop_per_stream = 0;
};

/// On a GPU of these kernels (GpuSpec::kernels); an empty name is an architecture nobody measured.
Result<StepOverheads> read_step_overheads(Engine engine = Engine::vllm,
                                          const std::string& kernels = {});

}  // namespace plimsoll
