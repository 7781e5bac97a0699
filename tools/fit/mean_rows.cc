#include "fit/mean_rows.h"

#include <string>

namespace plimsoll {
namespace {

bool has_row(const KernelSet& set, const std::string& section, const std::string& key) {
  if (section == "gemm") return set.gemm.count(key) > 0;
  if (section == "prefill_attention") return set.prefill_attention.count(key) > 0;
  if (section == "decode_attention") return set.decode_attention.count(key) > 0;
  return section == "experts" && set.experts.count(key) > 0;
}

}  // namespace

std::vector<Family> default_families(Device* device) {
  return {gemm_family(device, "bf16"), gemm_family(device, "fp8"),
          prefill_attention_family(device, "bf16"), decode_attention_family(device, "bf16"),
          experts_family(device, "bf16")};
}

void put_mean(const Family& family, std::vector<Device>* measured, Device* device) {
  for (const Parameter& p : family.parameters) {
    if (!p.fitted) continue;
    double sum = 0;
    double count = 0;
    for (Device& one : *measured) {
      if (!has_row(one.kernels.sets.front(), family.section, family.key)) continue;
      sum += p.of(one);
      count += 1;
    }
    p.of(*device) = p.rounded(sum / count);
  }
}

}  // namespace plimsoll
