#include "validation/doubts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace plimsoll {
namespace {

/// Fitted by tools/fit-doubts: as wide as the worst group of cases that has it asks for.
struct Doubt {
  std::string_view name;
  double faster = 0;
  double slower = 0;
  double earlier = 0;
  double later = 0;
};

// Limits of a step and of the cache, of vLLM: cases that state none come from benchmarks that
// publish none of their flags.
constexpr Doubt kSettings{"settings", 0.45, 0.85, 0, 2.4};
// How many requests a closed loop sent: then its client, its warm-up and what it averages are
// unpublished, too.
constexpr Doubt kHarness{"harness", 0, 0, 0, 1.5};
// Not stated, or none that a constant was fitted to.
constexpr Doubt kVersion{"version", 0, 0.40, 0, 2.8};
constexpr Doubt kHarnessAndVersion{"harness-and-version", 0, 1.7, 0, 1.7};
// Benchmarks of models with a draft of their own use it at some points and mark none of them.
constexpr Doubt kSpeculation{"speculation", 0.45, 0, 0, 0};
// TensorRT-LLM lets prompts wait until each data-parallel rank has one.
constexpr Doubt kBalance{"balance", 0.60, 0, 0, 0.50};
// How many requests a decoding worker or rank takes: where they are just as many as there are on
// the average, uneven routing makes some wait for the end of another's answer.
constexpr Doubt kSlots{"slots", 0, 0, 0, 3.8};

using Version = std::array<int, 3>;

/// "0.5.9.post1" -> 0, 5, 9; zeros where there are no numbers.
Version version_of(std::string_view text) {
  Version out{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int& number : out) {
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || next == end || *next != '.') break;
    at = next + 1;
  }
  return out;
}

struct Range {
  Version first;
  Version last;
};

// Of the runs that constants were fitted to (tools/fit-runs, catalog/step-overheads.yaml). vLLM is
// as it is since its scheduler and its workers are processes of their own.
Range fitted_versions(std::string_view engine) {
  if (engine == "sglang") return {{0, 5, 8}, {0, 5, 9}};
  if (engine == "trtllm") return {{1, 0, 0}, {1, 2, 99}};
  return {{0, 8, 0}, {99, 0, 0}};
}

bool is_fitted_version(const CaseDeployment& d) {
  const Range range = fitted_versions(d.engine);
  const Version version = version_of(d.engine_version);
  return range.first <= version && version <= range.last;
}

bool has_latent_attention(const ModelConfig& model) {
  return std::ranges::any_of(model.layers_by_kind, [](const LayerGroup& group) {
    return group.layer.attention.kind == AttentionKind::latent;
  });
}

void add(const Doubt& doubt, Doubts* all) {
  all->names.push_back(doubt.name);
  all->faster = std::hypot(all->faster, doubt.faster);
  all->slower = std::hypot(all->slower, doubt.slower);
  all->earlier = std::hypot(all->earlier, doubt.earlier);
  all->later = std::hypot(all->later, doubt.later);
}

void add_of_vllm(const Case& measured, Doubts* all) {
  const CaseDeployment& d = measured.deployment;
  if (is_closed_loop(measured.kind) && !d.max_num_batched_tokens) add(kSettings, all);
  const bool is_stated = !d.engine_version.empty() && d.engine_version.front() <= '9';
  if (is_stated && !is_fitted_version(d)) add(kVersion, all);
}

// No case of these states limits.
void add_of_others(const Case& measured, const ModelConfig& model, Doubts* all) {
  const CaseDeployment& d = measured.deployment;
  if (d.split) {  // versions of splits are those of what joins their workers
    const CaseWorkers& decode = d.split->decode;
    if (decode.workers * decode.layout.dp > 1) add(kSlots, all);
    return;
  }
  const bool harness = !measured.workload.requests_per_concurrency;
  const bool version = !is_fitted_version(d);
  if (harness && version) {
    add(kHarnessAndVersion, all);
  } else if (harness) {
    add(kHarness, all);
  } else if (version) {
    add(kVersion, all);
  }
  if (has_latent_attention(model)) add(kSpeculation, all);
  if (d.engine == "trtllm" && d.layout.dp > 1) add(kBalance, all);
}

}  // namespace

Doubts doubts_of(const Case& measured, const ModelConfig& model) {
  Doubts all;
  if (measured.deployment.engine == "vllm" || measured.deployment.engine.empty()) {
    add_of_vllm(measured, &all);
  } else if (is_closed_loop(measured.kind)) {
    add_of_others(measured, model, &all);
  }
  return all;
}

}  // namespace plimsoll
