// Flags of features that are still to come, each with the reference simulator's default. Giving
// another value is an error that says so: a command line written for the reference never loses a
// setting silently.
#include <algorithm>

#include "base/text.h"
#include "cli/flags.h"

namespace plimsoll {
namespace {

struct Feature {
  std::string_view name;
  std::vector<std::string_view> flags;     ///< "--name default"; the default may be empty
  std::vector<std::string_view> switches;  ///< off by default
};

LaterFlag later_flag(std::string_view name_and_default, std::string_view feature) {
  const std::size_t space = std::min(name_and_default.find(' '), name_and_default.size());
  const std::size_t value = std::min(space + 1, name_and_default.size());
  return {name_and_default.substr(0, space), feature, name_and_default.substr(value), false};
}

std::vector<LaterFlag> spread(const std::vector<Feature>& features) {
  std::vector<LaterFlag> out;
  for (const Feature& feature : features) {
    for (const std::string_view flag : feature.flags) {
      out.push_back(later_flag(flag, feature.name));
    }
    for (const std::string_view name : feature.switches) {
      out.push_back({name, feature.name, "false", true});
    }
  }
  return out;
}

}  // namespace

const std::vector<LaterFlag>& later_flags() {
  static const std::vector<LaterFlag> all = spread({
      {"KV offload",
       {"--kv-cpu-blocks 0", "--kv-offload-threshold 0.9", "--kv-transfer-bandwidth 100",
        "--kv-transfer-base-latency 0", "--kv-offload-config"},
       {}},
      {"autoscaling", {"--model-autoscaler-interval-us 0"}, {}},
      {"shared and encode pools",
       {"--prefill-decode-instances 0", "--encode-instances 0", "--encode-decider never",
        "--prefill-latency-model", "--decode-latency-model", "--prefill-max-model-len 0",
        "--decode-max-model-len 0"},
       {}},
      {"LoRA adapters",
       {"--lora-scorer-weight 0", "--lora-config", "--lora-adapter-capacity",
        "--lora-load-base-latency-us", "--lora-load-bandwidth-bytes-us",
        "--lora-footprint-bytes-per-rank"},
       {}},
      {"the defaults file of BLIS", {"--defaults-filepath defaults.yaml"}, {}},
  });
  return all;
}

bool LaterFlag::asks_for_nothing(std::string_view value) const {
  double given = 0;
  double usual = 0;
  return value == reference_default ||
         (parse_double(value, &given) && parse_double(reference_default, &usual) && given == usual);
}

}  // namespace plimsoll
