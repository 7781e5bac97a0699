#include "validation/published_splits.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/embedded.h"

namespace plimsoll {
namespace {

/// The workers of a published recipe, as tables of results have them.
struct Recipe {
  std::int64_t prefills;     ///< workers that compute prompts
  std::int64_t decodes;      ///< workers that answer
  std::int64_t gpus;         ///< of a worker that answers
  std::int64_t ranks;        ///< of a worker that answers
  std::int64_t concurrency;  ///< the largest it was measured with
  std::int64_t places;       ///< requests that a rank answers at a time
};

/// Recipes for the same GPU, weights and lengths, whose workers for prompts have the same limits:
/// of a rank, under SGLang of a worker.
struct Family {
  std::string engine;
  std::string gpu;
  std::string weights;  ///< empty: any
  std::string version;  ///< its beginning
  std::string since;    ///< the first day of its measurements; empty: any
  std::int64_t prompt;  ///< tokens of the longest; 0: any
  std::int64_t answer;  ///< tokens of the longest
  PromptLimits prompts;
  std::int64_t gateways;
  std::int64_t decode_ranks;  ///< of a worker, where tables of results are wrong; else 0
  std::vector<Recipe> recipes;
};

constexpr IntRange kSome{1};

Recipe read_recipe(SpecMap row) {
  return {row.integer("prefills", kSome),    row.integer("decodes", kSome),
          row.integer("gpus", kSome),        row.integer("ranks", kSome),
          row.integer("concurrency", kSome), row.integer("places", kSome)};
}

PromptLimits read_prompts(SpecMap row) {
  return {row.integer("max_num_seqs", kSome), row.integer("max_num_batched_tokens", kSome),
          row.optional_integer("ranks", kSome).value_or(0),
          row.optional_flag("sliced_experts").value_or(false)};
}

Family read_family(SpecMap row) {
  return {row.text("engine"),
          row.text("gpu"),
          row.optional_text("weights").value_or(""),
          row.text("version"),
          row.optional_text("since").value_or(""),
          row.integer("prompt_tokens", {0}),
          row.integer("answer_tokens", kSome),
          read_prompts(row.map("prompts")),
          row.integer("gateways", kSome),
          row.optional_integer("decode_ranks", kSome).value_or(0),
          mapped(row.maps("recipes"), read_recipe)};
}

Result<std::vector<Family>> families() {
  static Remembered<std::vector<Family>> all;
  return all.of("", []() -> Result<std::vector<Family>> {
    TRY(spec, open_embedded("published-splits.yaml"));
    std::vector<Family> read = mapped(spec.top().maps("families"), read_family);
    return spec.finish(std::move(read));
  });
}

bool is_of(const Family& family, const Case& measured, Engine engine, const GpuSpec& gpu) {
  const CaseDeployment& d = measured.deployment;
  return family.engine == name_of(engine) && family.gpu == gpu.name &&
         (family.weights.empty() || family.weights == d.weight_dtype) &&
         d.engine_version.starts_with(family.version) &&
         (family.prompt == 0 || family.prompt == measured.workload.input.most) &&
         family.answer == measured.workload.output.most;
}

// A list of concurrencies has one recipe, whose places are chosen for the largest of them.
std::optional<std::int64_t> places_in(const Family& family, const CaseSplit& split,
                                      std::int64_t concurrency) {
  const Recipe* found = nullptr;
  for (const Recipe& one : family.recipes) {
    const CaseLayout& layout = split.decode.layout;
    const bool fits = one.prefills == split.prefill.workers &&
                      one.decodes == split.decode.workers && one.gpus == layout.tp * layout.dp &&
                      one.ranks == layout.dp && one.concurrency >= concurrency;
    if (fits && (found == nullptr || one.concurrency < found->concurrency)) found = &one;
  }
  return found == nullptr ? std::nullopt : std::optional(found->places);
}

void share_among_ranks(std::int64_t stated, PromptLimits* limits) {
  const std::int64_t ranks = limits->ranks > 0 ? limits->ranks : stated;
  limits->max_num_seqs = std::max<std::int64_t>(limits->max_num_seqs / ranks, 1);
  limits->max_num_batched_tokens /= ranks;
}

constexpr const char* kPrefill = "deployment.prefill";
constexpr const char* kDecode = "deployment.decode";

CaseAssumption said_by_recipe(const char* key, const std::string& what) {
  return {key, what + ", as in the recipe of its publisher"};
}

void set_ranks(std::int64_t ranks, const char* key, CaseLayout* layout,
               std::vector<CaseAssumption>* assumptions) {
  if (ranks == 0 || ranks == layout->dp) return;
  layout->tp = layout->tp * layout->dp / ranks;
  layout->dp = ranks;
  add_once(assumptions, said_by_recipe(key, counted(ranks, "data-parallel rank")));
}

}  // namespace

Result<std::optional<PublishedSplit>> published_split(const Case& measured, Engine engine,
                                                      const GpuSpec& gpu,
                                                      std::int64_t concurrency) {
  if (measured.source != "inferencex-silicon") return std::nullopt;
  const CaseSplit& split = *measured.deployment.split;
  TRY(all, families());
  for (const Family& family : all) {
    if (!is_of(family, measured, engine, gpu)) continue;
    const CasePoint* point = find_in(measured.points, concurrency, &CasePoint::concurrency);
    if (point != nullptr && point->measured_on < family.since) continue;
    const auto places = places_in(family, split, concurrency);
    if (!places) continue;
    PublishedSplit out{family.prompts, *places, family.gateways, family.decode_ranks,
                       engine == Engine::trtllm};
    if (engine == Engine::sglang) share_among_ranks(split.prefill.layout.dp, &out.prompts);
    return out;
  }
  return std::nullopt;
}

CaseSplit as_run(const CaseSplit& stated, const std::optional<PublishedSplit>& recipe,
                 std::vector<CaseAssumption>* assumptions) {
  if (!recipe) return stated;
  CaseSplit out = stated;
  set_ranks(recipe->prompts.ranks, kPrefill, &out.prefill.layout, assumptions);
  set_ranks(recipe->decode_ranks, kDecode, &out.decode.layout, assumptions);
  CaseLayout& layout = out.prefill.layout;
  if (recipe->prompts.sliced_experts && layout.ep.value_or(1) > 1) {
    layout.ep = 1;
    layout.moe_tp = layout.tp * layout.dp;
    add_once(assumptions, said_by_recipe(kPrefill, "experts sliced"));
  }
  add_once(assumptions, said_by_recipe("deployment.max_num_seqs", "not stated: limits of workers"));
  if (recipe->gateways > 1) {
    add_once(assumptions,
             said_by_recipe("deployment.instances",
                            fmt::format("{} frontends, each of which goes round by itself",
                                        recipe->gateways)));
  }
  return out;
}

bool has_published_split(const Case& measured) {
  const auto engine = engine_of(measured.deployment.engine);
  const auto gpu = find_gpu(measured.deployment.gpu, SemanticsMode::vllm);
  return engine && gpu && std::ranges::all_of(measured.points, [&](const CasePoint& point) {
           return published_split(measured, *engine, *gpu, point.concurrency)
               .value_or(std::nullopt)
               .has_value();
         });
}

}  // namespace plimsoll
