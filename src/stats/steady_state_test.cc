#include "stats/steady_state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "known_queue.h"
#include "slow_sanitized.h"
#include "stats/percentile.h"

namespace plimsoll {
namespace {

using test::QueueRun;
using test::Service;

struct Verdicts {
  int steady = 0;
  int overloaded = 0;
  int undecided = 0;  // transient or too short
};

Verdicts verdicts(Service service, double rho, std::size_t requests, int seeds) {
  Verdicts v;
  for (int seed = 0; seed < seeds; ++seed) {
    const QueueRun run = single_server(service, rho, requests, static_cast<std::uint64_t>(seed));
    const SteadyVerdict verdict = judge(run.observed()).verdict;
    v.steady += verdict == SteadyVerdict::steady;
    v.overloaded += verdict == SteadyVerdict::overloaded;
    v.undecided += verdict == SteadyVerdict::transient || verdict == SteadyVerdict::too_short;
  }
  return v;
}

// A cluster far from its limits: everyone is served at once for about `service_s`.
QueueRun ample(double rate, double service_s, std::size_t requests, std::uint64_t seed) {
  test::Draws draws(seed);
  QueueRun run;
  double now = 0;
  for (std::size_t i = 0; i < requests; ++i) {
    now += draws.exponential() / rate;
    run.add(now, 0.05, service_s * (0.5 + draws.uniform()));
  }
  return run;
}

// The same where everyone takes longer the more are inside, as in a batch: such a system fills up
// for several service times.
QueueRun slower_when_full(double rate, double service_s, std::size_t requests, std::uint64_t seed) {
  test::Draws draws(seed);
  QueueRun run;
  double now = 0;
  for (std::size_t i = 0; i < requests; ++i) {
    now += draws.exponential() / rate;
    const double full = 1 - std::exp(-now / (2.5 * service_s));
    run.add(now, 0.05, service_s * (0.4 + 0.6 * full) * (0.5 + draws.uniform()));
  }
  return run;
}

constexpr int kSeeds = 200;
constexpr std::size_t kRequests = 20'000;

TEST(Judge, calls_a_queue_at_90_percent_steady_at_least_9_times_in_10) {
  SLOW_SANITIZED();
  for (const auto service : {Service::exponential, Service::constant}) {
    const Verdicts v = verdicts(service, 0.90, kRequests, kSeeds);
    EXPECT_GE(v.steady, kSeeds * 90 / 100);
    EXPECT_EQ(v.overloaded, 0);
  }
}

// 5,000 req/s to 256 places for 20 s each: of their waits no length follows, but overload shows
// after two service times.
TEST(Judge, says_how_many_requests_show_an_overload_many_times_over) {
  const auto heavy = [](std::size_t requests) {
    constexpr double kRate = 5000;
    constexpr double kServiceS = 20;
    constexpr double kServed = 256 / kServiceS;
    QueueRun run;
    for (std::size_t i = 0; i < requests; ++i) {
      const auto n = static_cast<double>(i);
      run.add(n / kRate, n / kServed - n / kRate, kServiceS);
    }
    return judge(run.observed());
  };
  const SteadyState state = heavy(10'000);
  EXPECT_EQ(state.verdict, SteadyVerdict::too_short);
  EXPECT_EQ(state.reason.cause, SteadyCause::delay_begins_to_rise);
  EXPECT_EQ(state.enough_requests, 410'000);
  EXPECT_EQ(heavy(410'000).verdict, SteadyVerdict::overloaded);
}

TEST(Judge, takes_no_run_of_a_few_service_times_that_fills_up_for_overloaded) {
  SLOW_SANITIZED();
  constexpr double kServiceS = 15;
  constexpr double kRate = 200;
  for (const double service_times : {5.5, 7.0, 8.0}) {
    const auto requests = static_cast<std::size_t>(kRate * kServiceS * service_times);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const SteadyState state =
          judge(slower_when_full(kRate, kServiceS, requests, seed).observed());
      EXPECT_TRUE(state.verdict == SteadyVerdict::transient ||
                  state.verdict == SteadyVerdict::too_short)
          << service_times << ' ' << seed;
    }
  }
}

TEST(Judge, calls_a_queue_at_97_percent_overloaded_at_most_once_in_50) {
  SLOW_SANITIZED();
  for (const auto service : {Service::exponential, Service::constant}) {
    const Verdicts v = verdicts(service, 0.97, kRequests, kSeeds);
    EXPECT_LE(v.overloaded, kSeeds * 2 / 100);
    EXPECT_GE(v.steady, kSeeds * 50 / 100);  // the rest needs a longer run
  }
}

TEST(Judge, calls_a_queue_at_its_limit_steady_at_most_once_in_8) {
  SLOW_SANITIZED();
  for (const auto service : {Service::exponential, Service::constant}) {
    EXPECT_LE(verdicts(service, 1.0, kRequests, kSeeds).steady, kSeeds / 8);
  }
}

TEST(Judge, calls_a_queue_at_101_percent_steady_at_most_once_in_25) {
  SLOW_SANITIZED();
  for (const auto service : {Service::exponential, Service::constant}) {
    EXPECT_LE(verdicts(service, 1.01, kRequests, kSeeds).steady, kSeeds / 25);
  }
}

TEST(Judge, calls_a_queue_at_103_percent_overloaded_at_least_19_times_in_20) {
  SLOW_SANITIZED();
  constexpr int kFewerSeeds = 100;  // of longer runs: the drift must outgrow the noise
  for (const auto service : {Service::exponential, Service::constant}) {
    const Verdicts v = verdicts(service, 1.03, 2 * kRequests, kFewerSeeds);
    EXPECT_GE(v.overloaded, kFewerSeeds * 95 / 100);
    EXPECT_LE(v.steady, kFewerSeeds * 1 / 100);
  }
}

TEST(Judge, refuses_a_run_shorter_than_five_residence_times_and_says_what_is_enough) {
  // 200 requests per second that stay for 12 s: five seconds of arrivals look perfect.
  const SteadyState s = judge(ample(200, 12, 1000, 1).observed());
  EXPECT_EQ(s.verdict, SteadyVerdict::too_short);
  ASSERT_GT(s.enough_requests, 1000);
  const auto enough = static_cast<std::size_t>(s.enough_requests);
  EXPECT_EQ(judge(ample(200, 12, enough, 2).observed()).verdict, SteadyVerdict::steady);
}

TEST(Judge, calls_a_long_run_with_room_to_spare_steady_and_cuts_its_filling_up) {
  const SteadyState s = judge(ample(200, 12, 100'000, 1).observed());
  EXPECT_EQ(s.verdict, SteadyVerdict::steady);
  EXPECT_GT(s.warmup_s, 6);
  EXPECT_LT(s.warmup_s, 250);
}

TEST(Judge, sees_overload_in_requests_that_never_finish) {
  // Twice the rate that is served, and observation stops with the last arrival.
  QueueRun run = single_server(Service::constant, 2.0, 5000, 1);
  run.end = run.arrival.back();
  for (std::size_t i = 0; i < run.arrival.size(); ++i) {
    if (run.arrival[i] + run.residence[i] <= run.end) continue;
    run.stay[i] = Stay::inside;
    run.residence[i] = kNoDuration;
    run.first_token[i] = kNoDuration;
  }
  const SteadyState s = judge(run.observed());
  EXPECT_EQ(s.verdict, SteadyVerdict::overloaded);
  EXPECT_NEAR(s.backlog_growth_rps, 1.0, 0.1);
}

TEST(Judge, does_not_mistake_filling_up_for_overload) {
  // Observation stops before the first request is done: the work has only grown.
  QueueRun run = ample(200, 60, 5000, 1);
  run.end = run.arrival.back();
  for (std::size_t i = 0; i < run.arrival.size(); ++i) {
    run.stay[i] = Stay::inside;
    run.residence[i] = kNoDuration;
  }
  EXPECT_EQ(judge(run.observed()).verdict, SteadyVerdict::too_short);
  run.first_token.assign(run.arrival.size(), kNoDuration);
  EXPECT_EQ(judge(run.observed()).verdict, SteadyVerdict::too_short);
}

TEST(Judge, counts_lost_requests_as_overload_and_unservable_ones_as_no_load) {
  QueueRun lost = ample(50, 1, 10'000, 1);
  QueueRun unservable = lost;
  for (std::size_t i = 0; i < lost.stay.size(); i += 15) {
    lost.stay[i] = i % 2 == 0 ? Stay::gave_up : Stay::turned_away;
    unservable.stay[i] = Stay::no_demand;
  }
  const SteadyState s = judge(lost.observed());
  EXPECT_EQ(s.verdict, SteadyVerdict::overloaded);
  EXPECT_EQ(s.reason, (Because<SteadyCause>{SteadyCause::lost, 667, 10'000}));
  std::ranges::replace(lost.stay, Stay::gave_up, Stay::turned_away);
  EXPECT_EQ(judge(lost.observed()).reason.cause, SteadyCause::turned_away);
  std::ranges::replace(lost.stay, Stay::turned_away, Stay::gave_up);
  EXPECT_EQ(judge(lost.observed()).reason.cause, SteadyCause::gave_up);
  EXPECT_EQ(judge(unservable.observed()).verdict, SteadyVerdict::steady);
  unservable.stay.assign(unservable.stay.size(), Stay::no_demand);
  EXPECT_EQ(judge(unservable.observed()).reason,
            Because<SteadyCause>(SteadyCause::never_served, 10'000));
  EXPECT_EQ(judge(unservable.observed()).enough_requests, 0);
}

TEST(Judge, calls_a_changing_rate_transient) {
  test::Draws draws(1);
  QueueRun run;
  double now = 0;
  while (run.arrival.size() < 50'000) {
    const double rate = 50 * (1 + 0.6 * std::sin(now / 100));
    now += draws.exponential() / rate;
    run.add(now, 0.05, 1);
  }
  EXPECT_EQ(judge(run.observed()).verdict, SteadyVerdict::transient);
}

TEST(Judge, does_not_mistake_bursty_arrivals_for_a_changing_rate) {
  // Hyperexponential gaps: one in fifty is long, coefficient of variation about 3.
  test::Draws draws(1);
  QueueRun run;
  double now = 0;
  for (int i = 0; i < 50'000; ++i) {
    now += draws.exponential() * (draws.uniform() < 0.02 ? 0.3 : 0.014);
    run.add(now, 0.05, 1);
  }
  EXPECT_EQ(judge(run.observed()).verdict, SteadyVerdict::steady);
}

// The delay swings three times in the run, while stays are long enough to hide it in the work.
TEST(Judge, calls_a_run_too_short_whose_queue_comes_and_goes) {
  test::Draws draws(1);
  QueueRun run;
  for (int i = 0; i < 50'000; ++i) {
    const double wait = 0.5 + 0.4 * std::sin(i / 2500.0);
    run.add(0.005 * i, wait, 8 * (0.5 + draws.uniform()));
  }
  const SteadyState s = judge(run.observed());
  EXPECT_EQ(s.verdict, SteadyVerdict::too_short);
  EXPECT_EQ(s.reason.cause, SteadyCause::work_wanders);
}

TEST(Judge, takes_runs_without_requests_or_without_duration) {
  EXPECT_EQ(judge(QueueRun{}.observed()).verdict, SteadyVerdict::no_load);
  QueueRun burst;
  for (int i = 0; i < 500; ++i) burst.add(0, 0.01 * i, 1);
  EXPECT_EQ(judge(burst.observed()).verdict, SteadyVerdict::too_short);
}

// Arrivals at even gaps; each is served as `add` says, given its number.
QueueRun even(double rate, std::size_t requests,
              const std::function<void(QueueRun&, double, std::size_t)>& add) {
  QueueRun run;
  for (std::size_t i = 0; i < requests; ++i) add(run, static_cast<double>(i) / rate, i);
  return run;
}

QueueRun all_alike(double rate, std::size_t requests, double waiting_s, double service_s) {
  return even(rate, requests,
              [=](QueueRun& run, double now, std::size_t) { run.add(now, waiting_s, service_s); });
}

TEST(Judge, advises_forty_mean_stays_and_a_thousand_requests_at_least) {
  // 40 stays of 12 s at 1,000 requests per 4.995 s are 96,096 requests.
  EXPECT_EQ(judge(all_alike(200, 1000, 0, 12).observed()).enough_requests, 97'000);
  EXPECT_EQ(judge(all_alike(200, 1000, 0, 1.25).observed()).enough_requests, 11'000);
  EXPECT_EQ(judge(all_alike(10, 50, 0, 0.01).observed()).enough_requests, 1000);
}

TEST(Judge, wants_five_mean_stays) {
  const auto cause = [](double stays) {
    return judge(all_alike(10, 1001, 0, 100 / stays).observed()).reason.cause;
  };
  EXPECT_EQ(cause(4.99), SteadyCause::short_of_stays);
  EXPECT_NE(cause(5.01), SteadyCause::short_of_stays);
}

TEST(Judge, does_not_count_what_is_no_demand) {
  const QueueRun alone = all_alike(200, 1000, 0.5, 12);
  QueueRun mixed;
  for (std::size_t i = 0; i < alone.arrival.size(); ++i) {
    const double now = to_seconds(alone.arrival[i] - Time{});
    mixed.add(now, 0.5, 12);
    if (i == 0 || i == 999) continue;
    mixed.add(now, 500, 500);
    mixed.stay.back() = Stay::no_demand;
  }
  const SteadyState a = judge(alone.observed());
  const SteadyState b = judge(mixed.observed());
  EXPECT_EQ(a.verdict, b.verdict);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.enough_requests, b.enough_requests);
}

// Delays of the first and the last fifth; work goes up for good at seven tenths of the run.
QueueRun delayed(double early_s, double late_s, double service_s = 1) {
  return even(10, 1001, [=](QueueRun& run, double now, std::size_t i) {
    run.add(now, i < 700 ? early_s : late_s, i < 700 ? service_s : service_s + 2);
  });
}

TEST(Judge, calls_it_overloaded_where_delays_rise_fivefold_above_a_second) {
  const auto rises = [](double early_s, double late_s) {
    return judge(delayed(early_s, late_s).observed()).reason.cause == SteadyCause::delay_rises;
  };
  EXPECT_TRUE(rises(0.5, 2.51));
  EXPECT_FALSE(rises(0.5, 2.49));
  EXPECT_TRUE(rises(0.1, 1.01));
  EXPECT_FALSE(rises(0.1, 0.99));
}

TEST(Judge, calls_no_run_shorter_than_two_services_overloaded) {
  const auto verdict = [](double service_s) {
    const QueueRun run = even(10, 1001, [=](QueueRun& r, double now, std::size_t i) {
      r.add(now, i < 700 ? 0.5 : 5, service_s);
    });
    return judge(run.observed()).verdict;
  };
  EXPECT_EQ(verdict(49), SteadyVerdict::overloaded);
  EXPECT_EQ(verdict(51), SteadyVerdict::too_short);
}

TEST(Judge, takes_the_delay_of_lost_requests_for_longer_than_any) {
  QueueRun run = delayed(0.5, 4);
  // Of each fifth, 2 % gave up, and half could never be served.
  for (std::size_t i = 0; i < run.stay.size(); ++i) {
    run.first_token[i] = run.first_token[i] + milliseconds(static_cast<std::int64_t>(i * 7 % 100));
    if (i % 50 == 0) run.stay[i] = Stay::gave_up;
    if (i % 2 == 1) run.stay[i] = Stay::no_demand;
  }
  const SteadyState state = judge(run.observed());
  ASSERT_EQ(state.reason.cause, SteadyCause::delay_rises);
  const auto median = [&](std::size_t first, std::size_t last) {
    std::vector<double> delays;
    for (std::size_t i = first; i < last; ++i) {
      if (run.stay[i] == Stay::no_demand) continue;
      const bool lost = is_lost(run.stay[i]);
      delays.push_back(lost ? 1e9 : to_seconds(run.first_token[i]));
    }
    return Percentiles<double>(std::move(delays)).at(50);
  };
  EXPECT_DOUBLE_EQ(state.reason.figures[0], median(0, 200));
  EXPECT_DOUBLE_EQ(state.reason.figures[1], median(801, 1001));
}

}  // namespace
}  // namespace plimsoll
