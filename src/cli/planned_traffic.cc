// The traffic of a plan: what flags and the request say of it, and what stands in for the rest.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "cli/planned.h"

namespace plimsoll {
namespace {

// Lengths that stand in where a request names none: those of the planner whose files these are,
// 512 +- 128 from 128 to 2,048 and 256 +- 64 from 32 to 1,024. Of a mean that is said, the rest
// stands in as the same shares.
struct UsualLength {
  double mean;
  double stdev, min, max;  // shares of the mean
};
constexpr UsualLength kUsualPrompt{512, 0.25, 0.25, 4};
constexpr UsualLength kUsualAnswer{256, 0.25, 0.125, 4};

// Flags take whole numbers, and no lower end above the deviation.
AskedLength length_around(double mean, const UsualLength& usual) {
  const auto tokens = [mean](double share) { return std::round(mean * share); };
  AskedLength around{{}, false, false, false, false};
  GaussianLength& length = around.length;
  length.mean = mean;
  length.stdev = tokens(usual.stdev);
  length.min = std::llround(std::max(1.0, std::min(tokens(usual.min), length.stdev)));
  length.max = std::llround(tokens(usual.max));
  return around;
}

}  // namespace

Result<void> Planned::say_traffic(const PlanRequest& request) {
  if (!request.workload_spec.empty()) {
    say("--workload-spec", request.workload_spec);
    return {};
  }
  if (is_said("--workload-spec") || is_said("--workload")) return {};
  const auto say_either = [&](const std::string& flag, const std::optional<AskedLength>& wanted,
                              const UsualLength& usual) {
    const auto mean = number_said(flag);
    if (wanted && !mean) return say_length(flag, *wanted);
    say_length(flag, length_around(mean.value_or(usual.mean), usual));
  };
  say_either("--prompt-tokens", request.prompt, kUsualPrompt);
  say_either("--output-tokens", request.answer, kUsualAnswer);
  if (!is_said("--arrival")) assumed_.emplace_back("arrival poisson");
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
