// Do causes and their figures say in words what was found?
#include "report/answer/reasons.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

SteadyState state_of(const Because<SteadyCause>& reason) {
  SteadyState state;
  state.reason = reason;
  return state;
}

TEST(Reasons, of_a_verdict_name_its_figures) {
  EXPECT_EQ(reason_text(state_of({})), "");
  EXPECT_EQ(reason_text(state_of({SteadyCause::never_served, 10'000})),
            "none of the 10,000 requests can ever be served");
  EXPECT_EQ(reason_text(state_of({SteadyCause::few_requests, 1})),
            "1 request is too few for a steady state");
  EXPECT_EQ(reason_text(state_of({SteadyCause::short_of_stays, 2.0, 1.0, 5.0})),
            "arrivals last 2.00 s and requests 1.00 s on average; a steady state needs at least 5 "
            "times the latter");
  EXPECT_EQ(reason_text(state_of({SteadyCause::users_gave_up, 6, 100})),
            "6 of 100 users gave up after a request that timed out or was turned away, and their "
            "load went with them");
  EXPECT_EQ(reason_text(state_of({SteadyCause::warmup_leaves_few, 99, 150, 100})),
            "--warmup leaves 99 of 150 requests; estimates need at least 100");
}

TEST(Reasons, there_are_words_for_every_cause_of_a_verdict) {
  for (int i = 1; i <= static_cast<int>(SteadyCause::sessions_begin); ++i) {
    EXPECT_NE(reason_text(state_of(static_cast<SteadyCause>(i))), "") << i;
  }
}

TEST(Reasons, of_a_warm_up_say_what_is_left_out) {
  EXPECT_EQ(reason_text(Warmup{}), "");
  EXPECT_EQ(reason_text(Warmup{0, 0, WarmupOutcome::no_steady_state}),
            "nothing is left out: the run has no steady state");
  EXPECT_EQ(reason_text(Warmup{0, 0, WarmupOutcome::cut}), "nothing had to be left out");
  EXPECT_EQ(reason_text(Warmup{4, 4, WarmupOutcome::cut}),
            "the first 4 requests (4.00 s) are left out of TTFT, TPOT, E2E and queue");
}

TEST(Reasons, of_a_test_are_about_its_limits) {
  const std::vector<Slo> slos = *parse_slos("test", "ttft_mean<1s,ttft_p90<100ms");
  LoadProbe test;
  test.requests = 5'000;
  test.slos.resize(2);
  test.slos[1].value_ms = 90;
  test.slos[1].unserved_share = 0.2;
  test.reason = {ProbeCause::slo_figure, 1};
  EXPECT_EQ(reason_text(test, slos), "20.0 % were not served, TTFT p90 of the others 90.0 ms");
  test.reason = {ProbeCause::few_requests, 1, 11'000, 5'000};
  EXPECT_EQ(reason_text(test, slos),
            "TTFT p90 needs at least 11,000 requests for an answer; there were 5,000");
  test.reason = {ProbeCause::lost, 0.1, 0.0};
  EXPECT_EQ(reason_text(test, slos), "10.0 % of the requests timed out");
  test.reason = {ProbeCause::never_served, 0.38, 5'000, 0};
  EXPECT_EQ(reason_text(test, slos),
            "38.0 % of the requests can never be served: too long for the KV cache");
  test.is_refuting = true;
  test.seed = 3;
  test.reason = ProbeCause::caches_fill;
  EXPECT_EQ(reason_text(test, slos),
            "with seed 3 prefix caches are still filling after 5,000 requests");
}

TEST(Reasons, of_a_candidate_name_the_limit_that_it_breaks) {
  PlanRequest request;
  CandidateResult r;
  r.candidate.gpu = "H100";
  EXPECT_EQ(reason_text(r, request), "");
  r.reason = {CandidateCause::too_dear, 0, 12, 7};
  EXPECT_EQ(reason_text(r, request), "costs $12.00/h, more than $7.00");
  r.reason = {CandidateCause::too_many_gpus, 3, 12, 8};
  EXPECT_EQ(reason_text(r, request), "needs at least 3 instances and takes 12 GPUs, more than 8");
  r.reason = CandidateCause::no_price;
  EXPECT_EQ(reason_text(r, request), "no price is known for H100 (--gpu-price gives one)");
  request.economics.purchase.shares = {{kSpot, 1}};
  r.missing_prices = {"spot"};
  EXPECT_EQ(reason_text(r, request),
            "no spot price is known for H100 (--price-file or economics.price_file gives one)");
  request.objective = Objective::least_gpus;
  r.reason = {CandidateCause::costs_more, 0.5};
  EXPECT_EQ(reason_text(r, request), "takes 50.0 % more GPUs than the best");
}

// 3 for prefill, which are short, and 3 for decode.
Pools short_of_prefill() {
  Pools pools;
  pools.split = true;
  pools.verdict = PoolVerdict::prefill_short;
  pools.pools.resize(2);
  pools.pools[0].name = "prefill";
  pools.pools[0].role = PoolRole::prefill;
  pools.pools[0].fullness = 0.98;
  pools.pools[1].name = "decode";
  pools.pools[1].role = PoolRole::decode;
  pools.pools[1].fullness = 0.36;
  for (PoolFigures& pool : pools.pools) pool.instances = 3;
  pools.prefill_load = 2.94;
  pools.decode_load = 1.08;
  return pools;
}

TEST(Reasons, of_a_short_pool_say_what_another_split_costs) {
  EXPECT_EQ(reason_text(short_of_prefill()),
            "prefill is short (prefill 98.0 % full, decode 36.0 % full): at this load "
            "4 for prefill and 2 for decode would be 73.5 % and 54.0 % full, at a longer TPOT");
}

TEST(Reasons, of_several_pools_of_a_side_name_no_split) {
  Pools pools = short_of_prefill();
  pools.pools.push_back(pools.pools[1]);
  pools.pools[2].name = "slow";
  const std::string full = "(prefill 98.0 % full, decode 36.0 % full, slow 36.0 % full)";
  EXPECT_EQ(reason_text(pools), "prefill is short " + full);
  pools.verdict = PoolVerdict::both_short;
  EXPECT_EQ(reason_text(pools), "both are short " + full + ": more instances are needed");
}

}  // namespace
}  // namespace plimsoll
