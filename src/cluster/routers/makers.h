// The routing policies, one file each; listed in the table of cluster/router.cc.
#pragma once

#include <cstdint>
#include <memory>

#include "cluster/router.h"

namespace plimsoll {

std::unique_ptr<Router> make_always_busiest(const Deployment& deployment, std::uint64_t seed);
std::unique_ptr<Router> make_least_loaded(const Deployment& deployment, std::uint64_t seed);
std::unique_ptr<Router> make_power_of_two(const Deployment& deployment, std::uint64_t seed);
std::unique_ptr<Router> make_round_robin(const Deployment& deployment, std::uint64_t seed);
std::unique_ptr<Router> make_session_affinity(const Deployment& deployment, std::uint64_t seed);
std::unique_ptr<Router> make_weighted(const Deployment& deployment, std::uint64_t seed);

}  // namespace plimsoll
