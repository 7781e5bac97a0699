// Can any fleet file do harm? What is accepted has pools of instances, each with a name.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "setup/fleet_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto file = plimsoll::SpecFile::parse(std::string(data, data + size), "fleet.yaml");
  if (!file) return 0;
  const auto pools = plimsoll::read_pools(std::move(*file), true);
  if (!pools) {
    plimsoll::format(pools.error());
    return 0;
  }
  for (const plimsoll::PoolSpec& pool : *pools) {
    if (pool.name.empty() || pool.instances < 1) std::abort();
  }
  return 0;
}
