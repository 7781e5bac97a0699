// How many simulations run at a time, and who is next: short ones before long ones, and one place
// that no long one takes, so that a first answer never waits for a thorough one. Where no long one
// runs, the oldest waits for a few seconds at most, however many short ones come.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace plimsoll {

class SimulationSlots {
 public:
  enum class Turn { granted, full, given_up };

  /// `most` at a time, 1 at least; beyond those that wait, whoever comes is sent away. `patience`:
  /// how long short ones may go before a long one while none of those runs.
  SimulationSlots(std::size_t most, std::size_t most_waiting,
                  std::chrono::milliseconds patience = std::chrono::seconds(3))
      : most_(most),
        most_long_(most > 1 ? most - 1 : 1),
        most_waiting_(most_waiting),
        patience_(patience) {}

  /// Waits for a place, which leave() gives back; looks some times a second whether that is still
  /// wanted. May be called on any thread.
  Turn enter(bool is_short, const std::function<bool()>& given_up);
  void leave(bool is_short);

  /// The share of the time that a short one wants, so that all who ask now get their answer in that
  /// time.
  double share();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_next(bool is_short, std::uint64_t ticket) const;
  bool is_long_one_due() const;

  const std::size_t most_;
  const std::size_t most_long_;
  const std::size_t most_waiting_;
  const Clock::duration patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::uint64_t> waiting_[2];  // tickets: of long ones, of short ones
  std::size_t running_[2] = {0, 0};
  std::uint64_t tickets_ = 0;
  Clock::time_point no_long_since_;  ///< since then long ones wait, and none runs
};

}  // namespace plimsoll
