// The things that can run out: the resources of a headroom sheet, and how bad it is for one of
// them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

inline constexpr double kSecondsPerMinute = 60;  ///< of the limits of an API

enum class Resource {
  requests,
  prompt_tokens,  ///< that have to be computed: without those from the prefix cache
  output_tokens,
  active_kv_tokens,  ///< held by requests under way
  context_tokens,    ///< of the longest requests, p95, when their answers end
  queue_delay,
  gateway_requests,  ///< what enters, whoever serves it
  provider_requests,
  provider_tokens,
  gpus,
  budget
};

inline constexpr std::size_t kResources = 11;

struct ResourceFacts {
  Resource resource;
  std::string_view name;  ///< key in specifications and in JSON
  std::string_view unit;
  std::string_view title;  ///< for people
};

const std::array<ResourceFacts, kResources>& resources();

inline const ResourceFacts& facts_of(Resource resource) {
  return resources()[static_cast<std::size_t>(resource)];
}

std::vector<std::string> resource_names();
std::optional<Resource> find_resource(std::string_view name);

/// One number for each resource; none where it does not apply.
using ResourceVector = std::array<std::optional<double>, kResources>;

inline std::optional<double>& at(ResourceVector& vector, Resource resource) {
  return vector[static_cast<std::size_t>(resource)];
}
inline const std::optional<double>& at(const ResourceVector& vector, Resource resource) {
  return vector[static_cast<std::size_t>(resource)];
}

enum class Risk { ok, tight, shortfall, memory_risk };

std::string_view name_of(Risk risk);

/// Below 80 % of the capacity ok, to 100 % tight, beyond it a shortfall: of memory a risk of its
/// own, because preemptions come before refusals.
Risk risk_of(Resource resource, double utilisation);

}  // namespace plimsoll
