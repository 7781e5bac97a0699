#include "serve/api.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace plimsoll {
namespace {

using enum SimulationSlots::Turn;

bool at_once() { return true; }  // given up before any waiting

TEST(SimulationSlots, keeps_a_place_that_no_long_question_takes) {
  SimulationSlots slots(2, 8);
  EXPECT_EQ(slots.enter(false, at_once), granted);
  EXPECT_EQ(slots.enter(false, at_once), given_up);
  EXPECT_EQ(slots.enter(true, at_once), granted);
  EXPECT_EQ(slots.enter(true, at_once), given_up);
  slots.leave(false);
  EXPECT_EQ(slots.enter(true, at_once), granted);
}

TEST(SimulationSlots, of_a_single_place_is_open_to_all) {
  SimulationSlots slots(1, 8);
  EXPECT_EQ(slots.enter(false, at_once), granted);
  slots.leave(false);
  EXPECT_EQ(slots.enter(true, at_once), granted);
}

// Twice as many short ones as there are places, each of which comes again as soon as it is done.
SimulationSlots::Turn turn_among_short_ones(SimulationSlots& slots, std::size_t places) {
  std::atomic<bool> enough = false;
  std::vector<std::thread> askers;
  for (std::size_t i = 0; i < 2 * places; ++i) {
    askers.emplace_back([&] {
      while (!enough && slots.enter(true, [&] { return enough.load(); }) == granted) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        slots.leave(true);
      }
    });
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto turn = slots.enter(false, [&] { return std::chrono::steady_clock::now() > end; });
  if (turn == granted) slots.leave(false);
  enough = true;
  for (std::thread& asker : askers) asker.join();
  return turn;
}

TEST(SimulationSlots, let_a_long_question_in_however_many_short_ones_come) {
  for (const std::size_t places : {1U, 2U}) {
    SimulationSlots slots(places, 16, std::chrono::milliseconds(20));
    EXPECT_EQ(turn_among_short_ones(slots, places), granted) << places;
    EXPECT_EQ(turn_among_short_ones(slots, places), granted) << places;
  }
}

TEST(SimulationSlots, sends_away_whom_nobody_could_serve_soon) {
  SimulationSlots slots(1, 0);
  EXPECT_EQ(slots.enter(true, at_once), full);
}

TEST(SimulationSlots, never_give_more_places_than_there_are) {
  constexpr int kAskers = 40;
  SimulationSlots slots(3, kAskers);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<int> served = 0;
  std::vector<std::thread> askers;
  for (int i = 0; i < kAskers; ++i) {
    askers.emplace_back([&, is_short = i % 2 == 0] {
      if (slots.enter(is_short, [] { return false; }) != granted) return;
      const int now = ++inside;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      --inside;
      ++served;
      slots.leave(is_short);
    });
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(served, kAskers);
  EXPECT_LE(most, 3);
}

}  // namespace
}  // namespace plimsoll
