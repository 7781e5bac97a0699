#include "report/capacity/assumed.h"

#include <algorithm>

#include "base/text.h"
#include "report/answer/offer.h"

namespace plimsoll {
namespace {

constexpr const char* kShown[]{"hardware",
                               "tp",
                               "latency-model",
                               "max-model-len",
                               "max-num-seqs",
                               "max-num-batched-tokens",
                               "gpu-memory-utilization",
                               "total-kv-blocks",
                               "routing-policy",
                               "arrival"};
constexpr const char* kLengths[]{"prompt-tokens", "output-tokens"};

// The value that stands in; null: it was said, or there is none.
const ConfigEntry* assumed_entry(const RunConfig& config, const std::string& key) {
  const ConfigEntry* entry = find_entry(config, key);
  return entry == nullptr || entry->origin == "flag" ? nullptr : entry;
}

}  // namespace

std::string assumed_length(const RunConfig& config, const std::string& key) {
  const ConfigEntry* deviation = find_entry(config, key + "-stdev");
  const bool varies = deviation != nullptr && typed(deviation->value) != "0";
  std::string text;
  const auto add = [&](const std::string& ending, const char* word) {
    const ConfigEntry* entry = assumed_entry(config, key + ending);
    if (entry == nullptr) return;
    const auto* tokens = std::get_if<std::int64_t>(&entry->value);
    text += word + (tokens == nullptr ? typed(entry->value) : grouped(*tokens));
  };
  add("", " ");
  add("-stdev", " +- ");
  if (varies) {
    add("-min", " from ");
    add("-max", " to ");
  }
  return text.empty() ? "" : key + text;
}

std::vector<std::string> capacity_assumed(const CapacityReport& report) {
  std::vector<std::string> parts;
  for (const char* key : kShown) {
    if (const ConfigEntry* entry = assumed_entry(report.config, key)) {
      parts.push_back(entry_text(*entry));
    }
  }
  for (const char* key : kLengths) parts.push_back(assumed_length(report.config, key));
  if (report.price) parts.push_back(offer_text(*report.price));
  std::erase(parts, "");
  return parts;
}

}  // namespace plimsoll
