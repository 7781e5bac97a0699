// Which GPUs of an instance share a node, and what lies between nodes. GPUs are counted off as vLLM
// does: the ranks of a TP group are neighbours, then come the stages of a pipeline, then
// data-parallel ranks. Units as in GpuSpec.
#pragma once

#include <cstdint>
#include <string>

#include "catalog/gpu.h"
#include "perf/parallelism.h"

namespace plimsoll {

/// How many GPUs reach each other without a network: those of a node, or of a rack whose nodes are
/// joined by NVLink. 8 where nobody says.
std::int64_t gpus_together(const GpuSpec& gpu);

/// Of one machine. 8 where nobody says.
std::int64_t gpus_of_machine(const GpuSpec& gpu);

/// From a GPU to one of another node. Assumed, where nobody says: InfiniBand of 400 Gb/s per GPU,
/// as in the reference architectures of HGX and DGX systems.
double network_gb_s(const GpuSpec& gpu);

/// A message to another node and its answer wait for this long, beside their bytes. Assumed.
inline constexpr double kNetworkUs = 10;

bool spans_nodes(const GpuSpec& gpu, const Parallelism& layout);

/// Of a layout that spans nodes: what a user should know of the network between them.
std::string network_note(const GpuSpec& gpu, const Parallelism& layout);

}  // namespace plimsoll
