// Flags of features that are still to come. Giving one is an error that says so: a command line
// written for the reference simulator never loses a setting silently.
#include "cli/flags.h"

namespace plimsoll {
namespace {

struct Feature {
  std::string_view name;
  std::vector<std::string_view> flags;
  std::vector<std::string_view> switches;
};

std::vector<LaterFlag> spread(const std::vector<Feature>& features) {
  std::vector<LaterFlag> out;
  for (const Feature& feature : features) {
    for (const std::string_view flag : feature.flags) out.push_back({flag, feature.name, false});
    for (const std::string_view flag : feature.switches) out.push_back({flag, feature.name, true});
  }
  return out;
}

}  // namespace

const std::vector<LaterFlag>& later_flags() {
  static const std::vector<LaterFlag> all = spread({
      {"KV offload",
       {"--kv-cpu-blocks", "--kv-offload-threshold", "--kv-transfer-bandwidth",
        "--kv-transfer-base-latency", "--kv-offload-config"},
       {}},
      {"policy bundles", {"--policy-config"}, {}},
      {"fitness evaluation", {"--fitness-weights"}, {}},
      {"decision traces", {"--trace-level", "--counterfactual-k"}, {"--summarize-trace"}},
      {"autoscaling", {"--model-autoscaler-interval-us"}, {}},
      {"prefill and decode pools",
       {"--prefill-routing-scorers", "--decode-routing-scorers", "--prefill-instances",
        "--decode-instances", "--prefill-decode-instances", "--encode-instances", "--pd-decider",
        "--pd-prefix-threshold", "--pd-transfer-bandwidth", "--pd-transfer-base-latency",
        "--encode-decider", "--prefill-tp", "--decode-tp", "--prefill-hardware",
        "--decode-hardware", "--prefill-latency-model", "--decode-latency-model",
        "--prefill-max-model-len", "--decode-max-model-len"},
       {"--pd-transfer-contention"}},
      {"gateway queue",
       {"--saturation-detector", "--dispatch-order", "--slo-targets", "--max-gateway-queue-depth",
        "--queue-depth-threshold", "--kv-cache-util-threshold", "--max-concurrency",
        "--per-band-capacity", "--usage-limit-threshold", "--fairness-policy", "--request-ttl",
        "--dispatch-tick-interval"},
       {"--flow-control", "--queue-shedding", "--in-flight-eviction"}},
      {"LoRA adapters",
       {"--lora-scorer-weight", "--lora-config", "--lora-adapter-capacity",
        "--lora-load-base-latency-us", "--lora-load-bandwidth-bytes-us",
        "--lora-footprint-bytes-per-rank"},
       {}},
      {"closed-loop sessions", {"--concurrency", "--think-time-ms", "--think-time-dist"}, {}},
      {"goodput", {"--slo-ttft", "--slo-itl", "--slo-e2e"}, {}},
      {"saturation detectors",
       {"--detectors", "--saturation-config", "--saturation-report", "--saturation-final-window"},
       {}},
      {"trace export", {"--trace-output"}, {}},
      {"result files in the reference's form", {"--metrics-path"}, {}},
      {"the reference's defaults file", {"--defaults-filepath"}, {}},
  });
  return all;
}

}  // namespace plimsoll
