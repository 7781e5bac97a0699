// Any bytes: a specification that can be written and read back, or an error; never a crash.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "workload/inference_perf.h"
#include "workload/workload_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto perf = plimsoll::parse_inference_perf(std::string(data, data + size), "fuzz");
  if (!perf) {
    plimsoll::format(perf.error());
    return 0;
  }
  constexpr std::int64_t kFew = 100;  // keeps a run short
  if (perf->unique_system_prompts > kFew || perf->users_per_system_prompt > kFew) return 0;
  auto spec = plimsoll::expand_inference_perf(*perf);
  if (spec && !plimsoll::parse_workload_spec(plimsoll::workload_spec_yaml(*spec), "again")) {
    std::abort();
  }
  return 0;
}
