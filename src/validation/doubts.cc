#include "validation/doubts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "perf/model_error.h"
#include "validation/published_splits.h"

namespace plimsoll {
namespace {

/// Half widths are fitted by tools/fit-doubts: as wide as the worst group of cases that has the
/// doubt asks for.
struct Doubt {
  std::string_view name;
  double faster = 0;
  double slower = 0;
  double later = 0;
  const char* key = "";
  const char* note = "";
};

// Cases of vLLM that state no limit of a step come from benchmarks that publish none of their
// flags.
constexpr Doubt kSettings{.name = "settings",
                          .faster = 0.5,
                          .slower = 0.85,
                          .later = 2.4,
                          .key = "deployment.max_num_batched_tokens",
                          .note = "not stated, nor perhaps any other setting: intervals are wider"};
// Then the client of a closed loop, its warm-up and what it averages are not stated, either.
constexpr Doubt kHarness{.name = "harness",
                         .later = 1.15,
                         .key = "workload.closed_loop.num_requests_per_concurrency",
                         .note = "not published: first tokens may come later than predicted"};
constexpr Doubt kVersion{
    .name = "version",
    .slower = 0.40,
    .later = 2.85,
    .key = "deployment.engine_version",
    .note = "none that constants were fitted to: it may be slower than predicted"};
constexpr Doubt kHarnessAndVersion{.name = "harness-and-version",
                                   .slower = 0.25,
                                   .later = 1.5,
                                   .key = "deployment.engine_version",
                                   .note =
                                       "none that constants were fitted to, and an unpublished "
                                       "harness: it may be slower than predicted"};
// Benchmarks of models with a draft of their own use it at some points and mark none of them: which
// do is taken from version and date (published_settings.h), what is accepted from one engine's
// runs.
constexpr Doubt kSpeculation{.name = "speculation",
                             .faster = 0.1,
                             .key = "deployment.engine",
                             .note = "the model has a draft of its own, which may have been used"};
// Where workers take just as many requests as there are on the average, uneven routing makes some
// wait for the end of another's answer.
constexpr Doubt kSlots{
    .name = "slots",
    .later = 3.8,
    .key = "deployment.decode",
    .note = "how many requests a worker takes is not stated: some may wait for a place"};

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

void add(const Doubt& doubt, Doubts* all) {
  all->names.push_back(doubt.name);
  all->notes.push_back({doubt.key, doubt.note});
  all->faster = std::hypot(all->faster, doubt.faster);
  all->slower = std::hypot(all->slower, doubt.slower);
  all->later = std::hypot(all->later, doubt.later);
}

void add_of_vllm(const Case& measured, Doubts* all) {
  const CaseDeployment& d = measured.deployment;
  if (is_closed_loop(measured.kind) && !d.max_num_batched_tokens) add(kSettings, all);
  const bool is_stated = !d.engine_version.empty() && d.engine_version.front() <= '9';
  if (is_stated && !is_fitted_version(d)) add(kVersion, all);
}

// No case of these states limits; some of the recipes of splits are published.
void add_of_others(const Case& measured, const ModelConfig& model, Doubts* all) {
  const CaseDeployment& d = measured.deployment;
  if (d.split) {  // versions of splits are those of what joins their workers
    if (d.split->decode.workers > 1 && !has_published_split(measured)) add(kSlots, all);
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
