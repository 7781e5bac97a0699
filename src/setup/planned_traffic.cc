// The traffic of a plan: what is asked, what the request says, and what stands in for the rest.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "setup/planned.h"
#include "setup/setup.h"
#include "setup/traffic.h"

namespace plimsoll {

void Planned::say_traffic(const PlanRequest& request) {
  TrafficSpec& traffic = run_.traffic;
  if (!traffic.workload_spec.empty() || traffic.workload.is_asked()) return;
  traffic.workload_spec = request.workload_spec;
  if (!traffic.workload_spec.empty()) return;
  say_length("prompt-tokens", request.prompt, &traffic.prompt);
  say_length("output-tokens", request.answer, &traffic.output);
  if (!traffic.arrival) assumed_.emplace_back("arrival poisson");
}

Result<Planned> Planned::with_prompts(double factor) const {
  Planned other = *this;
  const GaussianLength now = length_of(run_.traffic.prompt, semantics_of(run_));
  const auto times = [&](double tokens) {
    return std::max<std::int64_t>(1, std::llround(tokens * factor));
  };
  LengthSpec& prompt = other.run_.traffic.prompt;
  prompt.mean = times(now.mean);
  prompt.stdev = now.stdev > 0 ? times(now.stdev) : 0;
  prompt.min = times(static_cast<double>(now.min));
  prompt.max = times(static_cast<double>(now.max));
  TRY_TO(other.look_at_traffic({}));
  return other;
}

// What is asked comes first, and moves what stands in for the rest.
void Planned::say_length(const std::string& key, const std::optional<AskedLength>& wanted,
                         LengthSpec* length) {
  const LengthSpec asked = *length;
  AskedLength said{length_of(asked, semantics_of(run_)), false, false, false, false};
  if (wanted && !asked.mean.is_asked()) {
    said = *wanted;
    if (!said.says_min && asked.stdev.is_asked() && asked.stdev > 0) {
      said.length.min = std::min<std::int64_t>(said.length.min, asked.stdev);
    }
    const auto take = [](std::int64_t tokens, Setting<std::int64_t>* setting) {
      if (!setting->is_asked()) *setting = tokens;
    };
    take(std::llround(said.length.mean), &length->mean);
    take(std::llround(said.length.stdev), &length->stdev);
    take(said.length.min, &length->min);
    take(said.length.max, &length->max);
  }
  const bool varies = asked.stdev.is_asked() ? asked.stdev > 0 : said.length.stdev > 0;
  std::string text;
  const auto stands_in = [&](const Setting<std::int64_t>& setting, bool says, const char* word,
                             std::int64_t tokens) {
    if (!setting.is_asked() && !says) text += word + grouped(tokens);
  };
  stands_in(asked.mean, said.says_mean, " ", std::llround(said.length.mean));
  stands_in(asked.stdev, said.says_stdev, " +- ", std::llround(said.length.stdev));
  // Else its limits limit nothing.
  stands_in(asked.min, said.says_min || !varies, " from ", said.length.min);
  stands_in(asked.max, said.says_max || !varies, " to ", said.length.max);
  if (!text.empty()) assumed_.push_back(key + text);
}

}  // namespace plimsoll
