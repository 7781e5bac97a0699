// Flags of features that are still to come, each with the reference simulator's default. Giving
// another value is an error that says so: a command line written for the reference never loses a
// setting silently.
#include "base/text.h"
#include "cli/flags.h"

namespace plimsoll {
std::span<const LaterFlag> later_flags() {
  static constexpr LaterFlag kAll[]{
      {"--kv-cpu-blocks", "KV offload", "0"},
      {"--kv-offload-threshold", "KV offload", "0.9"},
      {"--kv-transfer-bandwidth", "KV offload", "100"},
      {"--kv-transfer-base-latency", "KV offload", "0"},
      {"--kv-offload-config", "KV offload", ""},
      {"--model-autoscaler-interval-us", "autoscaling", "0"},
      {"--prefill-decode-instances", "shared and encode pools", "0"},
      {"--encode-instances", "shared and encode pools", "0"},
      {"--encode-decider", "shared and encode pools", "never"},
      {"--prefill-latency-model", "shared and encode pools", ""},
      {"--decode-latency-model", "shared and encode pools", ""},
      {"--prefill-max-model-len", "shared and encode pools", "0"},
      {"--decode-max-model-len", "shared and encode pools", "0"},
      {"--lora-scorer-weight", "LoRA adapters", "0"},
      {"--lora-config", "LoRA adapters", ""},
      {"--lora-adapter-capacity", "LoRA adapters", ""},
      {"--lora-load-base-latency-us", "LoRA adapters", ""},
      {"--lora-load-bandwidth-bytes-us", "LoRA adapters", ""},
      {"--lora-footprint-bytes-per-rank", "LoRA adapters", ""},
      {"--defaults-filepath", "the defaults file of BLIS", "defaults.yaml"},
  };
  return kAll;
}

bool LaterFlag::asks_for_nothing(std::string_view value) const {
  double given = 0;
  double usual = 0;
  return value == reference_default ||
         (parse_double(value, &given) && parse_double(reference_default, &usual) && given == usual);
}

}  // namespace plimsoll
