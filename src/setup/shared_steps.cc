#include "setup/shared_steps.h"

#include "base/lists.h"

namespace plimsoll {

const StepTimePtr* SharedSteps::find(const Key& key) const {
  const auto* made = find_in(made_, key, &std::pair<Key, StepTimePtr>::first);
  return made == nullptr ? nullptr : &made->second;
}

SharedSteps::Steps SharedSteps::of(const RunSpec& run, PoolRole role,
                                   const std::function<Steps()>& make) {
  Key key(run, role);
  {
    const std::lock_guard lock(one_at_a_time_);
    if (const auto* made = find(key)) return *made;
  }
  TRY(steps, make());
  const std::lock_guard lock(one_at_a_time_);
  if (const auto* made = find(key)) return *made;  // by another thread meanwhile
  made_.emplace_back(std::move(key), steps);
  return steps;
}

}  // namespace plimsoll
