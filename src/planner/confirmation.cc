#include "planner/confirmation.h"

namespace plimsoll {
namespace {

constexpr std::int64_t kLonger = 2;  // than the run that they confirm

// The one that says most against it; null if all hold.
const LoadProbe* against(const std::vector<LoadProbe>& others) {
  for (const Answer answer : {Answer::fails, Answer::unclear}) {
    const auto at = std::ranges::find(others, answer, &LoadProbe::answer);
    if (at != others.end()) return &*at;
  }
  return nullptr;
}

}  // namespace

std::vector<ProbeJob> confirming_jobs(const ProbeJob& asked, const LoadProbe& held) {
  std::vector<ProbeJob> jobs(asked.system->other_loads.size(), asked);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].draw = static_cast<std::int64_t>(i) + 1;
    jobs[i].effort.first_requests = std::min(asked.effort.most_requests, kLonger * held.requests);
  }
  return jobs;
}

LoadProbe with_others(const LoadProbe& held, std::vector<LoadProbe> others) {
  const LoadProbe* refuting = against(others);
  LoadProbe whole = refuting != nullptr ? *refuting : others.front();
  if (refuting == nullptr) {
    whole.seeds = std::ssize(others) + 1;
  } else {
    whole.answer = Answer::unclear;
    whole.is_turned_away = false;
    whole.is_refuting = true;
  }
  others.push_back(held);
  for (std::size_t i = 0; i < whole.slos.size(); ++i) {
    const auto value = [i](const LoadProbe& test) { return test.slos[i].value_ms; };
    const auto [least, most] = std::ranges::minmax(others, {}, value);
    whole.slos[i].over_seeds_ms = Interval{value(least), value(most)};
  }
  return whole;
}

}  // namespace plimsoll
