#include "setup/speculation.h"

#include <utility>

#include "catalog/catalog.h"
#include "setup/hub.h"

namespace plimsoll {
namespace {

Result<ModelConfig> draft_model(const RunSpec& run) {
  if (auto found = find_model(run.speculation.draft_model)) {
    return std::move(found->config);
  } else if (!is_hub_id(run.speculation.draft_model)) {
    return pass_on(found);
  }
  auto found = find_hub_model(run.speculation.draft_model, run.model.offline);
  if (!found) return pass_on(found);
  return std::move(found->config);
}

}  // namespace

Result<std::optional<Speculation>> speculation_of(const RunSpec& run) {
  if (run.speculation.tokens == 0) return std::nullopt;
  if (!run.speculation.acceptance_rate) {
    return fail(ErrorKind::usage, "speculative decoding needs an acceptance rate",
                "give --acceptance-rate as measured with your model, draft and prompts");
  }
  if (run.speculation.draft_model.empty() == !run.speculation.draft_ms) {
    return fail(ErrorKind::usage, "what does it cost to propose tokens?",
                "give either --draft-model or --draft-ms (0 for n-grams looked up)");
  }
  if (run.layout.pp > 1) {
    return fail(ErrorKind::usage, "speculative decoding does not go with pipeline stages",
                "leave out --pp or --num-speculative-tokens");
  }
  Speculation speculation;
  speculation.tokens = run.speculation.tokens;
  speculation.acceptance = *run.speculation.acceptance_rate;
  if (run.speculation.draft_ms) {
    speculation.draft_us_per_token = *run.speculation.draft_ms * 1e3;
  } else {
    auto draft = draft_model(run);
    if (!draft) return pass_on(draft);
    speculation.draft = std::move(*draft);
  }
  return speculation;
}

}  // namespace plimsoll
