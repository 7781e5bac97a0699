#include "setup/mixed_pools.h"

#include <cctype>
#include <utility>

#include "base/json.h"
#include "base/quoting.h"
#include "base/text.h"

namespace plimsoll {
namespace {

// Of a pool's name: at most 30 letters, digits, dots, dashes and underscores (setup/fleet_file.h).
std::string name_of_gpu(const std::string& gpu) {
  constexpr std::size_t kMost = 24;
  std::string name = "gpu-";
  for (const char c : to_lower(gpu)) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ? c : '-';
  }
  // What begins with a letter or digit, and is no role, is a name by itself.
  const std::string plain = name.substr(4);
  const bool is_role = plain == "serve" || plain == "prefill" || plain == "decode";
  const bool is_name = !plain.empty() && plain.front() != '-' && plain.front() != '.' && !is_role;
  return (is_name ? plain : name).substr(0, kMost);
}

PoolSpec pool_of(const Candidate& c, const std::string& gpu, std::int64_t tp,
                 std::int64_t instances) {
  PoolSpec pool;
  pool.name = name_of_gpu(gpu);
  pool.instances.set(instances, Origin::file);
  pool.gpu.set(gpu, Origin::file);
  pool.tp = tp;
  if (c.pp > 1) pool.pp = c.pp;
  if (c.dp > 1) pool.dp = c.dp;
  return pool;
}

// In the order of docs/reference/formats.md.
Json json_of(const PoolSpec& pool) {
  Json out = {{"name", pool.name}, {"instances", *pool.instances}, {"gpu", *pool.gpu}};
  for (const auto& [key, value] :
       {std::pair("tensor_parallel", pool.tp), std::pair("pipeline_parallel", pool.pp),
        std::pair("data_parallel", pool.dp)}) {
    if (value) out[key] = *value;
  }
  return out;
}

}  // namespace

std::vector<PoolSpec> pools_of_mix(const Candidate& c, std::int64_t replicas) {
  PoolSpec own = pool_of(c, c.gpu, c.tp, replicas);
  PoolSpec other = pool_of(c, c.gpu_of_other(), c.tp_of_other(), c.beside);
  if (other.name == own.name) other.name += "-2";
  return {std::move(own), std::move(other)};
}

std::string fleet_in_line(const std::vector<PoolSpec>& pools) {
  return Json{{"pools", Json::array_of(pools, json_of)}}.dump();
}

std::string fleet_file(const std::vector<PoolSpec>& pools) {
  std::string text = "pools:\n";
  for (const PoolSpec& pool : pools) {
    const Json json = json_of(pool);
    std::string begin = "  - ";
    for (const auto& [key, value] : json.items()) {
      text += begin + key + ": ";
      text += (value.is_string() ? yaml_text(value.as_string()) : value.dump()) + "\n";
      begin = "    ";
    }
  }
  return text;
}

}  // namespace plimsoll
