#include "cluster/scorer.h"

#include <algorithm>

#include "base/lists.h"
#include "base/text.h"

namespace plimsoll {

// One file each in scorers/.
ScorerRow active_requests_scorer();
ScorerRow kv_utilization_scorer();
ScorerRow load_aware_scorer();
ScorerRow load_balance_scorer();
ScorerRow load_for_speed_scorer();
ScorerRow no_hit_lru_scorer();
ScorerRow precise_prefix_cache_scorer();
ScorerRow prefix_affinity_scorer();
ScorerRow queue_depth_scorer();
ScorerRow running_requests_scorer();
ScorerRow vllm_dp_scorer();

namespace {

constexpr double kGreatestWeight = 1e9;  // so that no sum overflows
constexpr std::string_view kForm = "give name:weight pairs separated by commas, such as ";

tl::unexpected<Error> refuse(std::string message, std::string hint) {
  return fail(ErrorKind::usage, std::move(message), std::move(hint));
}

std::string example() { return std::string(kForm) + scorers_text(default_scorers()); }

Result<ScorerWeight> parse_one(std::string_view text) {
  const std::size_t colon = text.find(':');
  ScorerWeight scorer{std::string(text.substr(0, colon)), 0};
  const std::vector<std::string> names = mapped(scorers(), &ScorerRow::name);
  if (text.empty()) return refuse("has an empty entry", example());
  if (scorer.name == "lora-affinity") {
    return refuse("knows lora-affinity, but LoRA adapters are not supported yet",
                  "supported: " + join(names, ", "));
  }
  if (!contains(names, scorer.name)) {
    return refuse("has no scorer \"" + scorer.name + "\"", suggestion(scorer.name, names));
  }
  if (colon == std::string_view::npos) {
    return refuse("needs a weight for " + scorer.name, example());
  }
  const std::string_view weight = text.substr(colon + 1);
  if (!parse_double(weight, &scorer.weight) || !(scorer.weight > 0) ||
      scorer.weight > kGreatestWeight) {
    return refuse("needs a weight greater than 0 and at most 1e9 for " + scorer.name + ", not \"" +
                      std::string(weight) + "\"",
                  example());
  }
  return scorer;
}

}  // namespace

const std::vector<ScorerRow>& scorers() {
  static const std::vector<ScorerRow> rows{
      precise_prefix_cache_scorer(), prefix_affinity_scorer(),  no_hit_lru_scorer(),
      queue_depth_scorer(),          kv_utilization_scorer(),   load_balance_scorer(),
      active_requests_scorer(),      running_requests_scorer(), load_aware_scorer(),
      load_for_speed_scorer(),       vllm_dp_scorer(),
  };
  return rows;
}

std::unique_ptr<Scorer> make_scorer(std::string_view name, const Deployment& deployment) {
  return make_policy(scorers(), name, deployment.parameters, deployment);
}

const std::vector<ScorerWeight>& default_scorers() {
  static const std::vector<ScorerWeight> profile{
      {"precise-prefix-cache", 2}, {"queue-depth", 1}, {"kv-utilization", 1}};
  return profile;
}

Result<std::vector<ScorerWeight>> parse_scorers(std::string_view text) {
  std::vector<ScorerWeight> parsed;
  for (const std::string_view item : split_at(text, ',')) {
    TRY(scorer, parse_one(item));
    if (contains(parsed, scorer.name, &ScorerWeight::name)) {
      return refuse("names " + scorer.name + " twice", "give each scorer one weight");
    }
    parsed.push_back(std::move(scorer));
  }
  return parsed;
}

std::string scorers_text(const std::vector<ScorerWeight>& scorers) {
  std::vector<std::string> parts;
  for (const ScorerWeight& s : scorers) parts.push_back(s.name + ":" + shortest(s.weight));
  return join(parts, ",");
}

}  // namespace plimsoll
