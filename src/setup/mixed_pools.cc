#include "setup/mixed_pools.h"

#include <cctype>
#include <utility>

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

PoolSpec pool_of(const std::string& gpu, const Parallelism& layout, std::int64_t instances) {
  PoolSpec pool;
  pool.name = name_of_gpu(gpu);
  pool.instances.set(instances, Origin::file);
  pool.gpu.set(gpu, Origin::file);
  pool.tp = layout.tp;
  if (layout.pp > 1) pool.pp = layout.pp;
  if (layout.dp > 1) pool.dp = layout.dp;
  if (layout.ep > 1) pool.expert_parallel = true;
  return pool;
}

}  // namespace

std::vector<PoolSpec> pools_of_mix(const Candidate& c, std::int64_t replicas) {
  PoolSpec own = pool_of(c.gpu, c.layout(), replicas);
  PoolSpec other = pool_of(c.gpu_of_other(), c.layout_of_other(), c.beside);
  if (other.name == own.name) other.name += "-2";
  return {std::move(own), std::move(other)};
}

}  // namespace plimsoll
