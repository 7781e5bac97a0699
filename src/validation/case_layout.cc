#include "validation/case_layout.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/lists.h"

namespace plimsoll {
namespace {

// An error if its degrees contradict each other.
Result<Parallelism> stated_layout(const CaseLayout& d, const ModelConfig& model) {
  Parallelism layout{.tp = d.tp, .pp = d.pp, .dp = d.dp};
  if (!model.is_moe()) return layout;
  const std::int64_t gpus = d.tp * d.dp;
  layout.ep = d.ep ? *d.ep : d.moe_tp ? std::max<std::int64_t>(gpus / *d.moe_tp, 1) : 1;
  const std::int64_t slices = d.moe_tp.value_or(std::max<std::int64_t>(gpus / layout.ep, 1));
  if (layout.ep * slices == gpus) return layout;
  return fail(ErrorKind::usage,
              fmt::format("expert_parallel {} x moe_tensor_parallel {} is not tensor_parallel {} x "
                          "data_parallel {}: experts lie on the same GPUs",
                          layout.ep, slices, d.tp, d.dp));
}

void tell_idle(const CaseLayout& layout, const ModelConfig& model,
               std::vector<CaseAssumption>* assumptions) {
  constexpr const char* kNoExperts = "of no effect: no layer has experts";
  if (model.is_moe()) return;
  if (layout.ep.value_or(1) > 1) add_once(assumptions, {"deployment.expert_parallel", kNoExperts});
  if (layout.moe_tp.value_or(layout.tp) != layout.tp) {
    add_once(assumptions, {"deployment.moe_tensor_parallel", kNoExperts});
  }
}

// Kernels multiply blocks of 128 columns. Where data-parallel ranks are said to have narrower
// slices, the size of the expert-parallel group was not published: SGLang makes it that of all
// ranks.
void keep_experts_whole(const ModelConfig& model, Parallelism* layout,
                        std::vector<CaseAssumption>* assumptions) {
  constexpr std::int64_t kColumns = 128;
  const std::int64_t gpus = layout->tp * layout->dp;
  const std::int64_t slices = gpus / layout->ep;
  for (const LayerGroup& group : model.layers_by_kind) {
    const Mlp& mlp = group.layer.mlp;
    const bool is_too_narrow =
        mlp.kind == MlpKind::experts && mlp.expert_width < slices * kColumns && layout->dp > 1;
    if (!is_too_narrow || layout->ep == gpus) continue;
    add_once(assumptions,
             {"deployment.expert_parallel",
              fmt::format("{} instead of {}: no expert of {} columns is sliced over {} GPUs", gpus,
                          layout->ep, mlp.expert_width, slices)});
    layout->ep = gpus;
  }
}

}  // namespace

Result<Parallelism> layout_of(const CaseLayout& layout, const ModelConfig& model,
                              std::vector<CaseAssumption>* assumptions) {
  TRY(spread, stated_layout(layout, model));
  keep_experts_whole(model, &spread, assumptions);
  tell_idle(layout, model, assumptions);
  return spread;
}

}  // namespace plimsoll
