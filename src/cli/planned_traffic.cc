// The traffic of a plan: what flags and the request say of it, and what stands in for the rest.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "cli/planned.h"
#include "cli/policy_bundle.h"
#include "cli/traffic.h"
#include "report/capacity/assumed.h"

namespace plimsoll {

Result<void> Planned::say_traffic(const PlanRequest& request) {
  if (!request.workload_spec.empty()) {
    say("--workload-spec", request.workload_spec);
    return {};
  }
  if (is_said("--workload-spec") || is_said("--workload")) return {};
  for (const auto& [flag, wanted] : {std::pair("--prompt-tokens", &request.prompt),
                                     std::pair("--output-tokens", &request.answer)}) {
    if (*wanted && !is_said(flag)) {
      say_length(flag, **wanted);
    } else if (auto assumed = assume_length(flag); !assumed) {
      return assumed;
    }
  }
  if (!is_said("--arrival")) assumed_.emplace_back("arrival poisson");
  return {};
}

// Of a length that the request does not name: as `run` has it (cli/token_lengths.h).
Result<void> Planned::assume_length(const std::string& flag) {
  auto options = options_of_run(flags_);
  if (!options) return pass_on(options);
  auto traffic = generated_traffic(*options, model_);
  if (!traffic) return pass_on(traffic);
  RunConfig config;
  config.entries = std::move(traffic->config);
  const std::string text = assumed_length(config, flag.substr(2));
  if (!text.empty()) assumed_.push_back(text);
  return {};
}

// What flags say of it comes first, and moves what stands in for the rest.
void Planned::say_length(const std::string& flag, const AskedLength& asked) {
  GaussianLength length = asked.length;
  if (const auto stdev = number_said(flag + "-stdev"); !asked.says_min && stdev && *stdev > 0) {
    length.min = std::min<std::int64_t>(length.min, std::llround(*stdev));
  }
  std::vector<std::string> parts;  // that stand in
  const auto put = [&](const std::string& ending, std::int64_t tokens, bool says,
                       const std::string& part) {
    if (is_said(flag + ending)) return;
    say(flag + ending, std::to_string(tokens));
    if (!says) parts.push_back(part);
  };
  const auto stdev = std::llround(length.stdev);
  const auto mean = std::llround(length.mean);
  put("", mean, asked.says_mean, grouped(mean));
  put("-stdev", stdev, asked.says_stdev, "+- " + grouped(stdev));
  // Else its limits limit nothing.
  const bool varies = number_said(flag + "-stdev").value_or(0) > 0;
  put("-min", length.min, asked.says_min || !varies, "from " + grouped(length.min));
  put("-max", length.max, asked.says_max || !varies, "to " + grouped(length.max));
  if (!parts.empty()) assumed_.push_back(flag.substr(2) + " " + join(parts, " "));
}

}  // namespace plimsoll
