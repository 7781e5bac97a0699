#include "perf/parallelism.h"

#include "base/text.h"

namespace plimsoll {

const std::vector<MoeCommBackend>& moe_comm_backends() {
  static const std::vector<MoeCommBackend> backends{
      {"allgather_reducescatter", MoeCommFamily::all_gather},
      {"naive", MoeCommFamily::all_gather},
      {"pplx", MoeCommFamily::copy_per_expert},
      {"deepep_high_throughput", MoeCommFamily::copy_per_rank},
      {"deepep_low_latency", MoeCommFamily::copy_per_expert},
      {"mori", MoeCommFamily::copy_per_rank},
      {"flashinfer_all2allv", MoeCommFamily::copy_per_rank},
  };
  return backends;
}

MoeCommFamily comm_used(const Parallelism& layout) {
  return layout.ep > 1 ? layout.moe_comm : MoeCommFamily::all_gather;
}

std::string_view describe(MoeCommFamily family) {
  switch (family) {
    case MoeCommFamily::all_gather:
      return "every rank gets all tokens";
    case MoeCommFamily::copy_per_rank:
      return "a token goes once to each rank with experts of it";
    case MoeCommFamily::copy_per_expert:
      return "a token goes once to each of its experts";
  }
  return "";
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
