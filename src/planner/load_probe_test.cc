#include "planner/load_probe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "known_system.h"
#include "planner/slo_judgement.h"
#include "random/stream.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

using test::known_percentile_ms;
using test::single_servers;

LoadProbe probe(const ProbedSystem& system, double rate_rps, const ProbeEffort& effort = {}) {
  auto test = probe_load(system, rate_rps, effort);
  EXPECT_TRUE(test.has_value());
  return test ? std::move(*test) : LoadProbe{};
}

ProbeEffort up_to(std::int64_t requests) {
  ProbeEffort effort;
  effort.most_requests = requests;
  return effort;
}

TEST(LoadProbe, does_it_hold_well_below_the_limit) {
  // At 70 of 100 per second: p90 is 77 ms.
  const LoadProbe test = probe(single_servers("ttft_p90<100ms"), 70);
  EXPECT_EQ(test.answer, Answer::holds);
  EXPECT_NEAR(test.slos[0].value_ms, known_percentile_ms(70, 90), 8);
  EXPECT_EQ(test.reason, Because<ProbeCause>(ProbeCause::slo_figure, 0));
}

TEST(LoadProbe, does_it_fail_where_the_limit_is_exceeded) {
  const LoadProbe test = probe(single_servers("ttft_p90<50ms"), 70);
  EXPECT_EQ(test.answer, Answer::fails);
  EXPECT_EQ(test.state.verdict, SteadyVerdict::steady);
  EXPECT_NEAR(test.slos[0].exceeding_share, std::exp(-0.05 * 30), 0.03);
}

TEST(LoadProbe, does_it_fail_above_saturation_whatever_the_limit) {
  for (const char* slos : {"", "ttft_p90<1000s", "itl_p99<1s"}) {
    const LoadProbe test = probe(single_servers(slos), 120);
    EXPECT_EQ(test.answer, Answer::fails) << slos;
    EXPECT_EQ(test.state.verdict, SteadyVerdict::overloaded) << slos;
    EXPECT_NEAR(test.state.backlog_growth_rps, 20, 6) << slos;  // 120 - 100
  }
}

TEST(LoadProbe, does_it_stop_early_where_the_queue_grows) {
  const LoadProbe test = probe(single_servers("ttft_p90<1000s"), 120);
  EXPECT_LT(test.requests, fewest_requests(*parse_slos("", "ttft_p90<1s")) / 2);
}

// 19 of 20 microseconds of a step grow with its batch: at 95 % of what it could ever do, it takes
// many stays until there are as many in it as there will be, and nobody waits.
TEST(LoadProbe, does_it_stop_early_where_a_limit_is_missed_by_far) {
  ProbeEffort effort;
  effort.first_requests = 66'000;
  for (const char* slo : {"ttft_p90<20ms", "ttft_mean<20ms"}) {  // the mean is 33 ms
    const LoadProbe test = probe(single_servers(slo), 70, effort);
    EXPECT_EQ(test.answer, Answer::fails) << slo;
    EXPECT_EQ(test.state.verdict, SteadyVerdict::steady) << slo;
    EXPECT_LT(test.requests, effort.first_requests / 2) << slo;
  }
  const LoadProbe close = probe(single_servers("ttft_p90<55ms"), 70, effort);  // 19 % are above
  EXPECT_EQ(close.answer, Answer::fails);
  EXPECT_GE(close.requests, effort.first_requests);
}

TEST(LoadProbe, is_a_system_that_fills_up_for_long_no_overload) {
  SLOW_SANITIZED();
  reference::LinearModel model;
  model.step = 5'000;
  model.per_prefill_token = 0;
  model.per_decode_request = 1'000;
  ProbedSystem system = single_servers("ttft_p99<30s", 1, [](std::int64_t, Request* request) {
    request->input_tokens = 1;
    request->output_tokens = 100;
  });
  system.deployment.main().step_time = std::make_shared<reference::LinearModel>(model);
  system.deployment.main().engine.max_num_seqs = 100'000;
  const LoadProbe test = probe(system, 9.7);
  EXPECT_EQ(test.answer, Answer::holds);
  // What is compared with a limit is what reports print, cut to microseconds there.
  EXPECT_GT(test.state.warmup_s, 0);
  EXPECT_NEAR(test.summary.cluster.ttft.p99_ms, test.slos[0].value_ms, 2e-3);
  // Rates are of the same stretch: as many leave as arrive.
  EXPECT_NEAR(test.summary.cluster.responses_per_sec, 9.7, 0.1);
  // Above it, many run at a time before it shows, but it does.
  EXPECT_EQ(probe(system, 10.5).answer, Answer::fails);
}

// Too much while every prompt is computed whole; a third of what it could do once all prefixes are
// in the cache.
TEST(LoadProbe, are_caches_that_fill_no_overload) {
  static std::vector<PrefixSegment> prefixes;
  for (std::uint64_t i = 0; i < 4'000; ++i) prefixes.push_back({1 + i, 9'000});
  ProbedSystem system = single_servers("ttft_p90<1s", 1, [](std::int64_t i, Request* request) {
    RandomStream draw(5, Purpose::arrival, static_cast<std::uint64_t>(i));
    request->input_tokens = 10'000;
    request->own_content = 1'000'000 + static_cast<std::uint64_t>(i);
    request->prefix = {&prefixes[draw.bits() % prefixes.size()], 1};
  });
  system.deployment.main().engine.total_kv_blocks = 4'000'000;
  const LoadProbe test = probe(system, 300);
  EXPECT_EQ(test.answer, Answer::holds);
  EXPECT_GT(test.requests, 22'000);
  EXPECT_EQ(probe(system, 1'100).answer, Answer::fails);
}

TEST(LoadProbe, does_a_run_of_a_given_length_see_its_end) {
  // Far too much at first, next to nothing then.
  const auto first_half = [](std::int64_t i, Request* request) {
    if (i < 5'000) request->input_tokens *= 2;
    if (i >= 5'000) request->input_tokens = 1;
  };
  ProbeEffort effort = up_to(10'000);
  effort.first_requests = 10'000;
  EXPECT_EQ(probe(single_servers("ttft_mean<1000s", 1, first_half), 80, effort).requests, 10'000);
}

TEST(LoadProbe, is_a_warm_up_that_is_asked_for_never_counted) {
  const auto slow_at_first = [](std::int64_t i, Request* request) {
    if (i < 3'000) request->input_tokens *= 3;
  };
  const ProbedSystem system = single_servers("ttft_mean<1s", 1, slow_at_first);
  ProbeEffort effort = up_to(60'000);
  effort.first_requests = 60'000;
  const LoadProbe whole = probe(system, 50, effort);
  effort.warmup_s = 400;
  const LoadProbe warm = probe(system, 50, effort);
  EXPECT_GE(warm.state.warmup_s, 400);
  EXPECT_LT(whole.state.warmup_s, 400);
  EXPECT_NE(warm.slos[0].value_ms, whole.slos[0].value_ms);
  EXPECT_NEAR(warm.summary.cluster.ttft.mean_ms, warm.slos[0].value_ms, 2e-3);
  effort.warmup_s = 1'000'000;
  EXPECT_EQ(probe(system, 50, effort).answer, Answer::unclear);
}

TEST(LoadProbe, is_it_unclear_at_the_limit_itself) {
  const std::string slo = fmt::format("ttft_p90<{}ms", known_percentile_ms(70, 90));
  const LoadProbe test = probe(single_servers(slo), 70, up_to(15'000));
  EXPECT_EQ(test.answer, Answer::unclear);
  EXPECT_EQ(test.reason.cause, ProbeCause::too_close);
  const LoadProbe few = probe(single_servers("ttft_p99.9<1s"), 70, up_to(5'000));
  EXPECT_EQ(few.requests, 5'000);
  EXPECT_EQ(few.reason, Because<ProbeCause>(ProbeCause::few_requests, 0, 20'000, 5'000));
}

// All that exceed come first, as while a cache fills: their share has no interval, the percentile
// lies far below its limit all the same.
TEST(LoadProbe, is_clear_far_from_the_limit_where_few_exceed_together) {
  constexpr std::int64_t kRequests = 30'000;
  constexpr double kRate = 1;
  test::PromptSource source(kRate, kRequests, 1, [](std::int64_t i, Request* request) {
    const auto noise = static_cast<std::int32_t>(i * i * 7919 % 101);
    const bool is_slow = (i < 4'500 && i % 150 == 0 && i % (150 * (1 + i / 1'500)) == 0);
    request->input_tokens = is_slow ? 400'000 : 5'000 + noise;
    request->output_tokens = 1;
  });
  const ProbedSystem system = single_servers("ttft_p95<300ms");
  Simulation simulation(system.deployment, source, {});
  simulation.advance();
  const RunRecord record = simulation.take_record();
  SteadyState steady;
  steady.verdict = SteadyVerdict::steady;
  const auto figures = slo_figures(system.slos, record, {}, steady, {});
  EXPECT_EQ(figures[0].answer, Answer::holds) << figures[0].value_ms;
  EXPECT_LT(figures[0].exceeding_share, 0.05);
}

TEST(LoadProbe, does_it_fail_where_a_queue_wanders_far_beyond_the_limit) {
  const LoadProbe test = probe(single_servers("ttft_p99<20ms"), 99.8, up_to(30'000));
  EXPECT_EQ(test.answer, Answer::fails);
}

TEST(LoadProbe, does_it_run_longer_until_it_is_clear) {
  const std::string slo = fmt::format("ttft_p90<{}ms", known_percentile_ms(70, 90) * 1.05);
  const LoadProbe test = probe(single_servers(slo), 70);
  EXPECT_EQ(test.answer, Answer::holds);
  EXPECT_GT(test.requests, fewest_requests(*parse_slos("", slo)));
}

// Ten requests of another source at a time are those of one session, of which there is no end.
class InSessions final : public RequestSource {
 public:
  explicit InSessions(std::unique_ptr<RequestSource> inner) : inner_(std::move(inner)) {}
  bool next(Request* request) override {
    if (!inner_->next(request)) return false;
    request->tags.session = made_++ / kRounds;
    return true;
  }
  bool begins_sessions() const override { return true; }
  static constexpr std::int32_t kRounds = 10;

 private:
  std::unique_ptr<RequestSource> inner_;
  std::int32_t made_ = 0;
};

TEST(LoadProbe, does_it_hold_only_with_as_many_sessions_as_requests_that_stand_alone) {
  ProbedSystem system = single_servers("ttft_p90<200ms");
  const LoadProbe alone = probe(system, 50);
  ASSERT_EQ(alone.answer, Answer::holds);
  system.load = [make = system.load](double rate_rps, std::int64_t requests) -> Result<Load> {
    TRY(load, make(rate_rps, requests));
    load.source = std::make_unique<InSessions>(std::move(load.source));
    return load;
  };
  const LoadProbe of_sessions = probe(system, 50);
  EXPECT_EQ(of_sessions.answer, Answer::holds);
  EXPECT_GT(of_sessions.requests, InSessions::kRounds * alone.requests / 2);
  EXPECT_EQ(probe(system, 120).answer, Answer::fails);
  EXPECT_LT(probe(system, 120).requests, alone.requests);
  EXPECT_EQ(probe(system, 50, up_to(50'000)).answer, Answer::holds);  // no more are to be had
}

TEST(LoadProbe, are_means_and_classes_limits_too) {
  // Every fourth request is critical; all wait in one line.
  const auto classes = [](std::int64_t i, Request* request) {
    request->slo_class = i % 4 == 0 ? SloClass::critical : SloClass::batch;
    if (i % 4 == 0) request->input_tokens = 1;
  };
  EXPECT_EQ(probe(single_servers("ttft_mean<50ms"), 70).answer, Answer::holds);
  EXPECT_EQ(probe(single_servers("ttft_mean<25ms"), 70).answer, Answer::fails);
  const LoadProbe test =
      probe(single_servers("critical:ttft_mean<16ms,batch:ttft_mean<16ms", 1, classes), 70);
  EXPECT_EQ(test.slos[0].answer, Answer::holds);
  EXPECT_EQ(test.slos[1].answer, Answer::fails);
  EXPECT_GT(test.slos[1].value_ms, test.slos[0].value_ms + 5);  // by a service
}

TEST(LoadProbe, is_a_limit_for_a_class_without_requests_an_error) {
  const auto test = probe_load(single_servers("critical:ttft_p90<1s"), 50, {});
  ASSERT_FALSE(test);
  EXPECT_EQ(test.error().diagnostics.front().message,
            "no request in the traffic has the class in critical:ttft_p90<1s");
}

TEST(LoadProbe, do_requests_that_are_never_served_exceed) {
  // Four of a hundred are too impatient to wait at all, of which a part has to: no overload.
  const auto impatient = [](std::int64_t i, Request* request) {
    if (i % 25 == 0) request->deadline = request->arrival + microseconds(1);
  };
  const LoadProbe test = probe(single_servers("ttft_p99<10s,ttft_p90<10s", 1, impatient), 50);
  EXPECT_EQ(test.slos[0].answer, Answer::fails);
  EXPECT_EQ(test.slos[1].answer, Answer::holds);
  EXPECT_NEAR(test.slos[0].exceeding_share, 0.02, 0.008);
  // The latency for the requests that were served is within the limit.
  EXPECT_NEAR(test.slos[0].unserved_share, test.slos[0].exceeding_share, 1e-9);
  EXPECT_EQ(test.reason.cause, ProbeCause::slo_figure);
  EXPECT_GT(test.slos[0].unserved_share, 0);
  EXPECT_FALSE(test.is_turned_away);
}

TEST(LoadProbe, are_requests_that_give_up_no_growing_queue) {
  const auto impatient = [](std::int64_t, Request* request) {
    request->deadline = request->arrival + milliseconds(60);
  };
  // At 90 of 100 per second, the queue of those who stay has an end.
  const LoadProbe test = probe(single_servers("ttft_p90<10s", 1, impatient), 90);
  EXPECT_EQ(test.answer, Answer::fails);
  EXPECT_GT(test.state.lost_share, 0.05);
  EXPECT_FALSE(test.state.grows());
  EXPECT_EQ(test.reason.cause, ProbeCause::lost);
  EXPECT_GT(test.reason.figures[0], 0.05);
  EXPECT_EQ(test.reason.figures[1], 0);
  EXPECT_EQ(test.summary.bottleneck.limit, LimitKind::deadlines);
  EXPECT_FALSE(test.is_turned_away) << "more instances are faster";
}

// A bucket for 50 prompts per second of 10,000 tokens.
TEST(LoadProbe, are_requests_that_a_bucket_turns_away_lost_whatever_the_load) {
  ProbedSystem system = single_servers("ttft_p90<10s");
  Deployment& limited = system.deployment;
  limited.admission = "token-bucket";
  limited.parameters["token-bucket-capacity"] = 1e6;
  limited.parameters["token-bucket-refill-rate"] = 5e5;
  const LoadProbe twice = probe(system, 100);
  EXPECT_TRUE(twice.is_turned_away);
  EXPECT_EQ(twice.reason.cause, ProbeCause::lost);
  EXPECT_EQ(twice.reason.figures[0], 0);
  EXPECT_GT(twice.reason.figures[1], 0.05);
  const LoadProbe most = probe(system, 40);
  EXPECT_FALSE(most.is_turned_away);
  EXPECT_EQ(unserved_share(most), most.lost_share);
  // Few enough to be no overload, and more than a limit on the slowest hundredth has room for.
  system.slos = *parse_slos("--slo", "ttft_p99<10s");
  const LoadProbe few = probe(system, 52);
  EXPECT_EQ(few.reason.cause, ProbeCause::slo_figure);
  EXPECT_TRUE(few.is_turned_away);
  system.slos.clear();  // nor are those that a stable queue never sees served
  EXPECT_GT(unserved_share(probe(system, 51)), 0.001);
  limited.admission = "tier-shed";
  EXPECT_FALSE(probe(system, 100).is_turned_away);
}

// Single servers whose p90 is 10 % off the limit: 1 answer of 20 may be wrong.
TEST(LoadProbe, how_often_is_it_wrong) {
  SLOW_SANITIZED();
  constexpr int kSeeds = 30;
  for (const double factor : {0.9, 1.1}) {
    const std::string slo = fmt::format("ttft_p90<{}ms", known_percentile_ms(70, 90) * factor);
    const Answer wrong = factor < 1 ? Answer::holds : Answer::fails;
    int errors = 0;
    int unclear = 0;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const Answer answer =
          probe(single_servers(slo, static_cast<std::uint64_t>(seed)), 70, up_to(60'000)).answer;
      errors += answer == wrong;
      unclear += answer == Answer::unclear;
    }
    EXPECT_LE(errors, 1) << factor;
    EXPECT_LE(unclear, kSeeds / 2) << factor;
  }
}

}  // namespace
}  // namespace plimsoll
