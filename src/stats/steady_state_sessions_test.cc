// Is a run that is filled with conversations judged by what follows?
#include "stats/steady_state.h"

#include <gtest/gtest.h>

#include <cmath>

#include "known_queue.h"

namespace plimsoll {
namespace {

using test::QueueRun;
using test::Service;

// Conversations of three minutes begin with the run: until then ever more requests arrive.
QueueRun beginning(std::size_t requests) {
  test::Draws draws(1);
  QueueRun run;
  double now = 0;
  while (run.arrival.size() < requests) {
    now += draws.exponential() / (60 * std::fmin(1, 0.2 + now / 180));
    run.add(now, 0.05, 3);
  }
  return run;
}

TEST(Judge, does_not_mistake_the_beginning_of_conversations_for_overload) {
  const QueueRun run = beginning(6'000);
  EXPECT_EQ(judge(run.observed()).verdict, SteadyVerdict::overloaded) << "who does not know";
  ObservedRun observed = run.observed();
  observed.filling = seconds(180);
  const SteadyState s = judge(observed);
  EXPECT_EQ(s.verdict, SteadyVerdict::too_short);
  EXPECT_EQ(s.reason.cause, SteadyCause::sessions_begin);
  const QueueRun longer = beginning(static_cast<std::size_t>(s.enough_requests));
  observed = longer.observed();
  observed.filling = seconds(180);
  const SteadyState told = judge(observed);
  EXPECT_EQ(told.verdict, SteadyVerdict::steady) << "after as many as were advised";
  EXPECT_GE(told.warmup_s, 180);
}

TEST(Judge, still_sees_an_overload_behind_the_beginning_of_conversations) {
  QueueRun run = single_server(Service::exponential, 1.1, 20'000, 1);
  ObservedRun observed = run.observed();
  observed.filling = seconds(180);
  EXPECT_EQ(judge(observed).verdict, SteadyVerdict::overloaded);
}

}  // namespace
}  // namespace plimsoll
