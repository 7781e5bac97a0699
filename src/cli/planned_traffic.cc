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
GaussianLength length_around(double mean, const UsualLength& usual) {
  const auto tokens = [mean](double share) { return std::round(mean * share); };
  GaussianLength length;
  length.mean = mean;
  length.stdev = tokens(usual.stdev);
  length.min = std::llround(std::max(1.0, std::min(tokens(usual.min), length.stdev)));
  length.max = std::llround(tokens(usual.max));
  return length;
}

}  // namespace

Result<void> Planned::say_traffic(const PlanRequest& request) {
  if (!request.workload_spec.empty()) {
    say("--workload-spec", request.workload_spec);
    return {};
  }
  if (is_said("--workload-spec") || is_said("--workload")) return {};
  const auto say_either = [&](const std::string& flag, const std::optional<GaussianLength>& wanted,
                              const UsualLength& usual) {
    const auto mean = number_said(flag);
    if (wanted && !mean) return say_length(flag, *wanted, false);
    say_length(flag, length_around(mean.value_or(usual.mean), usual), true);
  };
  say_either("--prompt-tokens", request.prompt, kUsualPrompt);
  say_either("--output-tokens", request.answer, kUsualAnswer);
  if (!is_said("--arrival")) assumed_.emplace_back("arrival poisson");
  return {};
}

// What flags say of it comes first, and moves what stands in for the rest.
void Planned::say_length(const std::string& flag, GaussianLength length, bool is_assumed) {
  if (const auto stdev = number_said(flag + "-stdev"); is_assumed && stdev && *stdev > 0) {
    length.min = std::min<std::int64_t>(length.min, std::llround(*stdev));
  }
  std::vector<std::string> parts;
  const auto put = [&](const std::string& ending, std::int64_t tokens, const std::string& part) {
    if (is_said(flag + ending)) return;
    say(flag + ending, std::to_string(tokens));
    parts.push_back(part);
  };
  const auto stdev = std::llround(length.stdev);
  const auto mean = std::llround(length.mean);
  put("", mean, grouped(mean));
  put("-stdev", stdev, "+- " + grouped(stdev));
  put("-min", length.min, "from " + grouped(length.min));
  put("-max", length.max, "to " + grouped(length.max));
  if (is_assumed && !parts.empty()) assumed_.push_back(flag.substr(2) + " " + join(parts, " "));
}

}  // namespace plimsoll
