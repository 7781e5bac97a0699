// How one instance spreads a model over its GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/gpu.h"
#include "catalog/kernels.h"
#include "catalog/model.h"

namespace plimsoll {

/// How tokens travel to their experts and back when experts are spread over data-parallel ranks:
/// every rank gets all tokens; or each token goes to its experts alone (all-to-all), once to each
/// rank that has any of them, or once for each of them, or in each step whichever is faster.
enum class MoeCommFamily { all_gather, copy_per_rank, copy_per_expert, cheaper_copy };

struct Parallelism {
  std::int64_t tp = 1;
  std::int64_t pp = 1;  ///< stages of layers, one behind the other
  std::int64_t dp = 1;  ///< data-parallel attention ranks; more than one for MoE only
  std::int64_t ep = 1;  ///< GPUs that have different experts whole; the rest of them slice each
  MoeCommFamily moe_comm = MoeCommFamily::all_gather;
  /// Load of the busiest of the ep GPUs over the mean; the others wait for it. 0: as the popularity
  /// of experts makes it (busiest_load() of operators/experts.h).
  double expert_imbalance = 0;

  /// The GPUs of one instance. Whoever counts GPUs, for money, power or a node, counts them here.
  std::int64_t gpus() const { return tp * pp * dp; }
};

/// As vLLM does it: all-to-all needs expert parallelism, and is an all-gather without.
MoeCommFamily comm_used(const Parallelism& layout);

/// A value of --moe-comm-backend, by vLLM's names.
struct MoeCommBackend {
  std::string name;
  MoeCommFamily family;
};

const std::vector<MoeCommBackend>& moe_comm_backends();
/// One line for users.
std::string_view describe(MoeCommFamily family);

/// Finds a backend by vLLM's name.
Result<MoeCommFamily> find_moe_comm_backend(std::string_view name);

/// The exchange of the backend of this name, or what the engine does where it is empty. vLLM
/// gathers. SGLang copies, by DeepEP in its automatic mode. TensorRT-LLM copies once to each rank
/// where ranks with experts are more than a token has experts, else it gathers.
Result<MoeCommFamily> moe_comm_of(std::string_view backend, const ModelConfig& model,
                                  const Parallelism& layout, Engine engine);

// Which GPUs of an instance share a node, and what lies between nodes. GPUs are counted off as vLLM
// does: the ranks of a TP group are neighbours, then come the stages of a pipeline, then
// data-parallel ranks. Units as in GpuSpec.

/// How many GPUs reach each other without a network: those of a node, or of a rack whose nodes are
/// joined by NVLink. 8 where nobody says.
std::int64_t gpus_together(const GpuSpec& gpu);

/// The GPUs of one machine. 8 where nobody says.
std::int64_t gpus_of_machine(const GpuSpec& gpu);

/// From a GPU to one of another node. Assumed, where nobody says: InfiniBand of 400 Gb/s per GPU,
/// as in the reference architectures of HGX and DGX systems.
double network_gb_s(const GpuSpec& gpu);

/// A message to another node and its answer wait for this long, beside their bytes. Assumed.
inline constexpr double kNetworkUs = 10;

bool spans_nodes(const GpuSpec& gpu, const Parallelism& layout);

/// The note on a layout that spans nodes: what a user should know of the network between them.
std::string network_note(const GpuSpec& gpu, const Parallelism& layout);

}  // namespace plimsoll
