#include "cli/speculation.h"

#include <utility>

#include "catalog/catalog.h"
#include "cli/hub.h"

namespace plimsoll {
namespace {

Result<ModelConfig> draft_model(const Options& options) {
  if (auto found = find_model(options.draft_model)) {
    return std::move(found->config);
  } else if (!is_hub_id(options.draft_model)) {
    return pass_on(found);
  }
  auto found = find_hub_model(options.draft_model, options.offline);
  if (!found) return pass_on(found);
  return std::move(found->config);
}

}  // namespace

Result<std::optional<Speculation>> speculation_of(const Options& options) {
  if (options.num_speculative_tokens == 0) return std::nullopt;
  if (!options.acceptance_rate) {
    return fail(ErrorKind::usage, "speculative decoding needs an acceptance rate",
                "give --acceptance-rate as measured with your model, draft and prompts");
  }
  if (options.draft_model.empty() == !options.draft_ms) {
    return fail(ErrorKind::usage, "what does it cost to propose tokens?",
                "give either --draft-model or --draft-ms (0 for n-grams looked up)");
  }
  if (options.pp > 1) {
    return fail(ErrorKind::usage, "speculative decoding does not go with pipeline stages",
                "leave out --pp or --num-speculative-tokens");
  }
  Speculation speculation;
  speculation.tokens = options.num_speculative_tokens;
  speculation.acceptance = *options.acceptance_rate;
  if (options.draft_ms) {
    speculation.draft_us_per_token = *options.draft_ms * 1e3;
  } else {
    auto draft = draft_model(options);
    if (!draft) return pass_on(draft);
    speculation.draft = std::move(*draft);
  }
  return speculation;
}

}  // namespace plimsoll
