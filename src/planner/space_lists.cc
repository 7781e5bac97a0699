#include "planner/space_lists.h"

#include <cmath>
#include <numeric>
#include <optional>

#include "base/lists.h"
#include "base/text.h"
#include "catalog/link.h"
#include "catalog/served_as.h"
#include "cluster/pd_decider.h"

namespace plimsoll {
namespace {

// Not the same as an absent list, for which the planner chooses.
void complain_of_empty(SpecMap& map, const std::string& key) {
  map.error(key, "\"" + key + "\" is an empty list: no deployment is left to choose",
            "name values, or leave the key out");
}

std::vector<std::string> known_texts(SpecMap& map, const std::string& key,
                                     const std::vector<std::string>& known) {
  std::vector<std::string> names = texts(map, key);
  for (const std::string& name : names) {
    if (contains(known, name)) continue;
    map.error(key, "unknown value \"" + name + "\" of \"" + key + "\"", suggestion(name, known));
  }
  return names;
}

// "2:1"; none: no ratio.
std::optional<PoolRatio> ratio_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  long long prefill = 0;
  long long decode = 0;
  if (colon == std::string::npos || !parse_int(text.substr(0, colon), &prefill) ||
      !parse_int(text.substr(colon + 1), &decode)) {
    return {};
  }
  constexpr long long kMost = 64;
  if (prefill < 1 || decode < 1 || prefill > kMost || decode > kMost) return {};
  const long long common = std::gcd(prefill, decode);
  return PoolRatio{prefill / common, decode / common};
}

void read_ratios(SpecMap& map, ConfigSpace* out) {
  const std::string key = "prefill_decode_ratios";
  out->pool_ratios.clear();
  for (const std::string& text : texts(map, key)) {
    const auto ratio = ratio_of(text);
    if (!ratio) {
      map.error(key, "\"" + text + "\" is no ratio of instances for prefill and for decode",
                "for example \"1:2\", each from 1 to 64");
    } else {
      add_once(&out->pool_ratios, *ratio);
    }
  }
}

std::vector<std::string> decider_names() { return mapped(pd_deciders(), &PdDeciderRow::name); }

}  // namespace

std::vector<std::int64_t> integers(SpecMap& map, const std::string& key, IntRange range) {
  std::vector<std::int64_t> out;
  const std::vector<double> values = map.numbers(key);
  if (values.empty()) complain_of_empty(map, key);
  for (const double value : values) {
    if (value != std::floor(value) || value < static_cast<double>(range.min) ||
        value > static_cast<double>(range.max)) {
      map.error(key, "\"" + key + "\" has " + shortest(value) + ", which is no whole number from " +
                         grouped(range.min) + " to " + grouped(range.max));
      return out;
    }
    out.push_back(static_cast<std::int64_t>(value));
  }
  return out;
}

std::vector<std::string> texts(SpecMap& map, const std::string& key) {
  std::vector<std::string> names = map.texts(key);
  if (names.empty() && map.has_list(key)) complain_of_empty(map, key);
  return names;
}

std::vector<bool> flags(SpecMap& map, const std::string& key) {
  std::vector<bool> values = map.flags(key);
  // What is in a list may have been refused already.
  if (values.empty() && map.has_list(key) && map.texts(key).empty()) complain_of_empty(map, key);
  return values;
}

void read_quantizations(SpecMap& map, ConfigSpace* out) {
  const std::string key = "quantization";
  if (!map.has(key)) return;
  out->quantizations = known_texts(map, key, quantization_names());
}

void read_disaggregation(SpecMap& map, ConfigSpace* out) {
  bool may_split = contains(out->disaggregation, Disaggregated::yes);
  if (map.has("disaggregation")) {
    out->disaggregation.clear();
    const std::vector<std::string> names =
        known_texts(map, "disaggregation", names_of(disaggregations()));
    for (const std::string& name : names) {
      if (const auto way = value_of(disaggregations(), name)) out->disaggregation.push_back(*way);
    }
    // What nobody knows may have been meant to.
    may_split = out->disaggregation.empty() || out->disaggregation.size() < names.size() ||
                contains(out->disaggregation, Disaggregated::yes);
  }
  for (const char* key :
       {"prefill_decode_ratios", "prefill_gpu_types", "prefill_tensor_parallel",
        "prefill_data_parallel", "prefill_expert_parallel", "pd_deciders", "pd_transfer_links"}) {
    if (!map.has(key) || may_split) continue;
    map.error(key, "\"" + std::string(key) + "\" decides nothing: no candidate is split",
              "disaggregation: [aggregated, split]");
  }
  if (map.has("prefill_decode_ratios")) read_ratios(map, out);
  if (map.has("prefill_gpu_types")) out->prefill_gpus = texts(map, "prefill_gpu_types");
  if (map.has("prefill_tensor_parallel")) {
    out->prefill_tp = integers(map, "prefill_tensor_parallel", kDegree);
  }
  if (map.has("prefill_data_parallel")) {
    out->prefill_dp = integers(map, "prefill_data_parallel", kDegree);
  }
  if (map.has("prefill_expert_parallel")) {
    out->prefill_expert_parallel = flags(map, "prefill_expert_parallel");
  }
  if (map.has("pd_deciders")) out->pd_deciders = known_texts(map, "pd_deciders", decider_names());
  if (map.has("pd_transfer_links")) {
    out->pd_links = known_texts(map, "pd_transfer_links", link_names());
  }
}

std::vector<std::string> all_gpus(const ConfigSpace& space) {
  std::vector<std::string> all = space.gpus;
  for (const std::string& gpu : space.prefill_gpus) add_once(&all, gpu);
  return all;
}

Choices<Disaggregated> disaggregations() {
  static const Choice<Disaggregated> rows[]{
      {"aggregated", Disaggregated::no, "instances that compute prompts and answer"},
      {"split", Disaggregated::yes, "instances for prefill and others for decode"}};
  return rows;
}

}  // namespace plimsoll
