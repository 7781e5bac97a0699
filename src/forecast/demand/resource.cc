#include "forecast/demand/resource.h"

#include "base/lists.h"

namespace plimsoll {
namespace {

constexpr double kTight = 0.8;

}  // namespace

const std::array<ResourceFacts, kResources>& resources() {
  static constexpr std::array<ResourceFacts, kResources> kFacts{{
      {Resource::requests, "requests_per_s", "1/s", "requests/s"},
      {Resource::prompt_tokens, "prompt_tokens_per_s", "tokens/s", "prompt tokens/s"},
      {Resource::output_tokens, "output_tokens_per_s", "tokens/s", "output tokens/s"},
      {Resource::active_kv_tokens, "active_kv_tokens", "tokens", "active KV tokens"},
      {Resource::context_tokens, "context_tokens", "tokens", "context tokens"},
      {Resource::queue_delay, "queue_delay_ms", "ms", "ms of queue delay"},
      {Resource::gateway_requests, "gateway_requests_per_s", "1/s", "gateway requests/s"},
      {Resource::provider_requests, "provider_requests_per_min", "1/min", "provider requests/min"},
      {Resource::provider_tokens, "provider_tokens_per_min", "tokens/min", "provider tokens/min"},
      {Resource::gpus, "gpus", "GPUs", "GPUs"},
      {Resource::budget, "usd_per_month", "$/month", "$ per month"},
  }};
  return kFacts;
}

std::vector<std::string> resource_names() {
  return mapped(resources(), [](const ResourceFacts& facts) { return std::string(facts.name); });
}

std::optional<Resource> find_resource(std::string_view name) {
  const ResourceFacts* found = find_in(resources(), name, &ResourceFacts::name);
  return found == nullptr ? std::nullopt : std::optional(found->resource);
}

std::string_view name_of(Risk risk) {
  static constexpr std::string_view kNames[]{"ok", "tight", "shortfall", "memory-risk"};
  return kNames[static_cast<std::size_t>(risk)];
}

Risk risk_of(Resource resource, double utilisation) {
  if (utilisation < kTight) return Risk::ok;
  if (utilisation <= 1) return Risk::tight;
  return resource == Resource::active_kv_tokens ? Risk::memory_risk : Risk::shortfall;
}

}  // namespace plimsoll
