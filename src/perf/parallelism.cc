#include "perf/parallelism.h"

#include "base/text.h"

namespace plimsoll {

const std::vector<MoeCommBackend>& moe_comm_backends() {
  static const std::vector<MoeCommBackend> backends{
      {"allgather_reducescatter", MoeCommFamily::all_gather},
      {"naive", MoeCommFamily::all_gather},
      {"pplx", MoeCommFamily::all_to_all},
      {"deepep_high_throughput", MoeCommFamily::all_to_all},
      {"deepep_low_latency", MoeCommFamily::all_to_all},
      {"mori", MoeCommFamily::all_to_all},
      {"flashinfer_all2allv", MoeCommFamily::all_to_all},
  };
  return backends;
}

std::string_view describe(MoeCommFamily family) {
  return family == MoeCommFamily::all_gather ? "every rank gets all tokens"
                                             : "a token goes to the ranks of its experts alone";
}

Result<MoeCommFamily> find_moe_comm_backend(std::string_view name) {
  if (name.empty()) return moe_comm_backends().front().family;
  std::vector<std::string> names;
  for (const MoeCommBackend& backend : moe_comm_backends()) {
    if (backend.name == name) return backend.family;
    names.push_back(backend.name);
  }
  return fail(ErrorKind::usage, "unknown MoE communication backend \"" + std::string(name) + "\"",
              suggestion(name, names));
}

}  // namespace plimsoll
