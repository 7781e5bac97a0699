#include "serve/simulation_slots.h"

#include <algorithm>

namespace plimsoll {

bool SimulationSlots::is_long_one_due() const {
  return !waiting_[0].empty() && running_[0] == 0 && Clock::now() - no_long_since_ >= patience_;
}

bool SimulationSlots::is_next(bool is_short, std::uint64_t ticket) const {
  if (running_[0] + running_[1] >= most_ || waiting_[is_short].front() != ticket) return false;
  if (is_long_one_due()) return !is_short;
  return is_short || (running_[0] < most_long_ && waiting_[1].empty());
}

SimulationSlots::Turn SimulationSlots::enter(bool is_short, const std::function<bool()>& given_up) {
  constexpr std::chrono::milliseconds kBetweenLooks{50};
  std::unique_lock lock(mutex_);
  if (waiting_[0].size() + waiting_[1].size() >= most_waiting_) return Turn::full;
  const std::uint64_t ticket = tickets_++;
  if (!is_short && waiting_[0].empty() && running_[0] == 0) no_long_since_ = Clock::now();
  waiting_[is_short].push_back(ticket);
  bool granted = false;
  while (!(granted = is_next(is_short, ticket))) {
    changed_.wait_for(lock, kBetweenLooks);
    if (given_up()) break;
  }
  std::erase(waiting_[is_short], ticket);
  if (granted) ++running_[is_short];
  changed_.notify_all();  // another may be next now
  return granted ? Turn::granted : Turn::given_up;
}

double SimulationSlots::share() {
  const std::lock_guard lock(mutex_);
  const std::size_t asking = std::max(most_, running_[0] + running_[1] + waiting_[1].size());
  return static_cast<double>(most_) / static_cast<double>(asking);
}

void SimulationSlots::leave(bool is_short) {
  const std::lock_guard lock(mutex_);
  --running_[is_short];
  if (!is_short) no_long_since_ = Clock::now();
  changed_.notify_all();
}

}  // namespace plimsoll
