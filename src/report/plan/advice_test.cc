#include "report/plan/figures.h"

#include <gmock/gmock.h>

namespace plimsoll {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

CandidateResult one_h100() {
  CandidateResult r;
  r.id = 1;
  r.candidate.gpu = "H100";
  r.estimate.rate_rps = 30;
  r.most_rps = 33;
  r.estimate.limit = EstimateLimit::memory;
  return r;
}

LoadProbe probe_at(double rate_rps, double ttft_ms, Answer answer) {
  LoadProbe probe;
  probe.rate_rps = rate_rps;
  probe.instances = 1;
  probe.answer = answer;
  probe.state.verdict = SteadyVerdict::steady;
  probe.slos = {{ttft_ms, std::nullopt, 0, 0, 0, answer}};
  return probe;
}

PlanReport report_of(std::vector<CandidateResult> candidates) {
  PlanReport report;
  report.request.slos = *parse_slos("test", "ttft_p95<100ms");
  report.plan.candidates = std::move(candidates);
  return report;
}

// One that holds 20 req/s and breaks its limit at 21.
PlanReport with_best() {
  CandidateResult r = one_h100();
  r.fate = Fate::feasible;
  r.good_rps = 20;
  r.bad_rps = 21;
  r.usd_per_hour = 2;
  r.at_good = probe_at(20, 80, Answer::holds);
  r.at_bad = probe_at(21, 120, Answer::fails);
  PlanReport report = report_of({r});
  report.plan.best = 0;
  return report;
}

TEST(PlanAdvice, WhenRequestsAloneAreTooSlowSaysThatReplicasDoNotHelp) {
  CandidateResult r = one_h100();
  r.fate = Fate::infeasible;
  r.at_bad = probe_at(1, 130, Answer::fails);
  r.at_bad->summary.cluster.mean_batch_size = 1.2;
  PlanReport report = report_of({r});
  EXPECT_THAT(plan_advice(report),
              ElementsAre(AllOf(HasSubstr("TTFT p95 < 100 ms rules out 1 candidate."),
                                HasSubstr("takes 130 ms at 1.00 req/s"),
                                HasSubstr("more instances do not help"))));
  report.plan.candidates[0].at_bad->summary.cluster.mean_batch_size = 30;
  EXPECT_THAT(plan_advice(report),
              ElementsAre(HasSubstr("faster GPUs or a TP above 1 or more instances, not tested")));
}

TEST(PlanAdvice, WhenTheRouterLeavesInstancesIdleSaysToSpreadTheRequests) {
  CandidateResult r = one_h100();
  r.at_bad = probe_at(100, 9'000, Answer::fails);
  r.at_bad->summary.bottleneck.lever = {Remedy::spread_requests, 16, 4, 0.5};
  EXPECT_THAT(
      plan_advice(report_of({r})),
      Contains(HasSubstr("1 candidate idle at 100 req/s: spread the requests over all 16")));
}

TEST(PlanAdvice, NamesNoLargerTpThatWasTestedOrThatNoNodeHasAndNoLimitForARateThatWasNot) {
  CandidateResult small = one_h100();
  small.fate = Fate::infeasible;
  small.at_bad = probe_at(0.1, 130, Answer::fails);
  CandidateResult large = small;
  large.candidate.tp = 8;
  large.at_bad = probe_at(0.1, 150, Answer::fails);
  PlanReport report = report_of({small, large});
  report.request.rate_rps = 40;
  EXPECT_THAT(plan_advice(report),
              ElementsAre(AllOf(HasSubstr("beyond that (40 req/s were not tested), or "
                                          "try faster GPUs, not tested here"),
                                Not(HasSubstr("TP above")))));
  std::swap(report.plan.candidates[0], report.plan.candidates[1]);
  report.plan.candidates.pop_back();
  EXPECT_THAT(plan_advice(report), ElementsAre(Not(HasSubstr("TP above"))));
}

TEST(PlanAdvice, NamesTheFleetThatWasTestedAndNoReplicasThatWereTried) {
  CandidateResult r = one_h100();
  r.fate = Fate::infeasible;
  r.candidate.replicas = 2;
  r.at_bad = probe_at(40, 130, Answer::fails);
  r.at_bad->instances = 16;
  r.at_bad->summary.cluster.mean_batch_size = 30;
  PlanReport report = report_of({r});
  report.request.rate_rps = 40;
  EXPECT_THAT(plan_advice(report),
              ElementsAre(AllOf(HasSubstr("The nearest, 16 x H100 (16 instances x TP1)"),
                                Not(HasSubstr("more instances")))));
  report.request.max_gpus = 16;
  EXPECT_THAT(plan_advice(report), Contains(HasSubstr("or more instances")));
}

TEST(PlanAdvice, WhenTheListedReplicasAreTooFewAdvisesNoNumberThatWasNotTested) {
  CandidateResult r = one_h100();
  r.candidate.replicas = 2;
  r.reason = {CandidateCause::few_replicas, 4, 2};
  PlanReport report = report_of({r});
  report.request.rate_rps = 100;
  report.request.space.replicas = {2};
  EXPECT_THAT(plan_advice(report),
              ElementsAre(AllOf(HasSubstr("100 req/s are more than 1 candidate can serve"),
                                HasSubstr("allow more (num_replicas)"))));
}

TEST(PlanAdvice, WithARateLooksBeyondThatRateAndNotAtFewerReplicas) {
  PlanReport report = with_best();
  report.request.rate_rps = 20;
  report.plan.candidates[0].at_bad->summary.bottleneck.lever = {Remedy::add_instances, 2, 1};
  EXPECT_THAT(plan_advice(report), Not(Contains(HasSubstr("add instances"))));
  report.plan.headroom = Headroom{22, 23, probe_at(23, 120, Answer::fails)};
  EXPECT_THAT(plan_advice(report),
              Contains(HasSubstr("At 23.0 req/s TTFT p95 < 100 ms is missed")));
}

TEST(PlanAdvice, WhenTheLeastRateIsTooMuchSaysWhatTheNearestServes) {
  CandidateResult r = one_h100();
  r.fate = Fate::unclear;
  r.good_rps = 9;
  r.at_good = probe_at(9, 80, Answer::holds);
  PlanReport report = report_of({r});
  report.request.min_rps = 25;
  EXPECT_THAT(plan_advice(report),
              ElementsAre(AllOf(HasSubstr("serves 9.00"), HasSubstr("(num_replicas)"))));
}

// A value is advised only where tests showed it to hold.
TEST(PlanAdvice, WhenTheBudgetIsTooSmallAdvisesWhatWasSeenToHoldWithoutIt) {
  CandidateResult dear = one_h100();
  dear.usd_per_hour = 12;
  PlanReport report = report_of({dear, dear});
  report.request.max_usd_per_hour = 5;
  EXPECT_THAT(plan_advice(report),
              ElementsAre(AllOf(HasSubstr("2 candidates are beyond the budget of $5.00/h"),
                                HasSubstr("was not tested"))));
  report.plan.searched_beyond = true;
  EXPECT_THAT(plan_advice(report), ElementsAre(HasSubstr("none could be shown to hold")));
  dear.price.emplace();
  report.plan.beyond_limits = dear;
  EXPECT_THAT(plan_advice(report),
              ElementsAre(AllOf(HasSubstr("1 x H100 (TP1) for $12.00/h is the best"),
                                HasSubstr("raise --max-cost-per-hour"))));
  report.request.max_gpus = 8;  // as many as will do
  EXPECT_THAT(plan_advice(report), ElementsAre(Not(HasSubstr("8 GPUs"))));
}

TEST(PlanAdvice, NamesThePricesThatAreMissingWithOrWithoutABest) {
  CandidateResult unpriced = one_h100();
  unpriced.candidate.gpu = "L40S";
  unpriced.missing_prices = {"reserved-1-year", "spot"};
  const auto names_it = AllOf(
      HasSubstr("1 candidate left out, as no reserved-1-year or spot price is known for L40S"),
      HasSubstr("--price-file"));
  PlanReport report = report_of({unpriced});
  report.request.economics.purchase.shares = {{"reserved-1-year", 0.5}, {"spot", 0.5}};
  EXPECT_THAT(plan_advice(report), ElementsAre(names_it));
  EXPECT_THAT(plan_verdict(report), HasSubstr("No candidate is priced: no reserved-1-year or"));
  report.plan.candidates.push_back(one_h100());
  EXPECT_THAT(plan_verdict(report), Not(HasSubstr("price")));
  PlanReport best = with_best();
  best.request = report.request;
  best.plan.candidates.push_back(unpriced);
  EXPECT_THAT(plan_advice(best), Contains(names_it));
}

// In the first sentence, where everybody reads it.
TEST(PlanVerdict, SaysThatASpeedIsAGuessAndNamesTheBestThatIsNone) {
  PlanReport report = with_best();
  EXPECT_THAT(plan_verdict(report), Not(HasSubstr("guess")));
  report.plan.model_error = usual_error(Regime::unknown);
  report.plan.candidates[0].model_error = report.plan.model_error;
  report.plan.candidates[0].candidate.gpu = "MI300X";
  EXPECT_THAT(
      plan_verdict(report),
      HasSubstr("nobody measured this GPU: steps may be longer or shorter by a factor of 1.49"));
  report.plan.candidates.push_back(with_best().plan.candidates[0]);
  report.plan.candidates[1].candidate.gpu = "H100";
  report.plan.cheapest_known = 1;
  EXPECT_THAT(plan_verdict(report), HasSubstr("or take 1 x H100 (TP1), the best of known speed"));
  report.plan.known_with_slow_steps = 2;
  EXPECT_THAT(plan_verdict(report),
              HasSubstr("or take 2 x H100 (2 instances x TP1), whose speed is known, with room "
                        "for the model's error"));
}

TEST(PlanAdvice, OfAnErrorThatMissesTheTargetNamesWhatCoversItForLess) {
  PlanReport report = with_best();
  report.request.rate_rps = 10;
  report.plan.model_rps = Interval{8, 12};
  report.plan.candidates.push_back(report.plan.candidates[0]);
  report.plan.candidates[1].candidate.gpu = "A100";
  report.plan.cheapest_known = 1;
  report.plan.known_with_slow_steps = 2;
  report.plan.best_with_slow_steps = 4;
  EXPECT_THAT(plan_verdict(report),
              HasSubstr("Deploy 2 x A100 (2 instances x TP1) to cover the model's error: the pick "
                        "would take 4 x H100 (4 instances x TP1)"));
}

TEST(PlanAdvice, OfNoPurchaseAsksForAPriceByTheFlag) {
  CandidateResult unpriced = one_h100();
  unpriced.missing_prices = {kOnDemand};
  EXPECT_THAT(plan_advice(report_of({unpriced})),
              ElementsAre("1 candidate left out, as no price is known for H100: --gpu-price sets "
                          "it"));
}

TEST(PlanAdvice, WhenGpusAreTooFewSaysWhatTheyKeepOut) {
  CandidateResult r = one_h100();
  r.candidate.replicas = 8;
  PlanReport report = report_of({r});
  report.request.max_gpus = 4;
  EXPECT_THAT(plan_advice(report),
              ElementsAre(HasSubstr("1 candidate is beyond the limit of 4 GPUs")));
}

TEST(PlanAdvice, WhenNothingFitsNamesMemoryAndWhenNoLayoutIsOneSaysSo) {
  CandidateResult r = one_h100();
  r.estimate.rate_rps = 0;
  r.reason = CandidateCause::refused;
  r.refusal = Diagnostic{{}, 0, 0, "the model does not fit", {}, {}};
  EXPECT_THAT(plan_advice(report_of({r})), ElementsAre(HasSubstr("a larger TP or PP")));
  r.candidate.tp = 2;
  r.candidate.num_gpus = 1;
  EXPECT_THAT(plan_advice(report_of({r})), ElementsAre(HasSubstr("TP x PP x DP GPUs")));
}

TEST(PlanAdvice, NamesWhatGivesWayFirstWithItsLever) {
  PlanReport report = with_best();
  report.plan.candidates[0].at_bad->summary.bottleneck.resource = ShortResource::kv_memory;
  report.plan.candidates[0].at_bad->summary.bottleneck.lever = {Remedy::more_memory, 2};
  EXPECT_THAT(
      plan_advice(report),
      ElementsAre("At 21.0 req/s TTFT p95 < 100 ms is missed, bound by KV memory: more "
                  "KV memory per request: --num-instances 2, a higher --tp or a GPU with more "
                  "memory"));
}

TEST(PlanAdvice, SaysOnlyWhatTheSpaceLeavesOpen) {
  PlanReport report = with_best();
  report.request.space.max_num_seqs = {64, 128};
  report.request.space.batching_rules = {"orca"};
  report.request.space.replicas = {1};
  report.request.space.gpus = {"H100"};
  CandidateResult& best = report.plan.candidates[0];
  best.candidate.max_num_seqs = 128;
  best.estimate.limit = EstimateLimit::places;
  EXPECT_THAT(plan_advice(report),
              AllOf(Contains(HasSubstr("larger max_batch_sizes")),
                    Contains(HasSubstr("The schedulers lack vllm and sarathi")),
                    Contains(HasSubstr("num_replicas")),
                    Contains(HasSubstr("smaller GPUs may cost less"))));
  best.candidate.max_num_seqs = 64;
  report.request.space.batching_rules = {"orca", "vllm"};
  report.request.space.replicas = {1, 2};
  report.request.space.gpus = {"H100", "L4"};
  EXPECT_THAT(plan_advice(report), SizeIs(1));
}

TEST(PlanAdvice, AsksForAHigherRangeWhereNothingWasTooMuch) {
  PlanReport report = with_best();
  report.plan.candidates[0].bad_rps = std::numeric_limits<double>::infinity();
  report.plan.candidates[0].at_bad.reset();
  report.request.highest_rps = report.plan.candidates[0].good_rps;
  EXPECT_THAT(plan_advice(report), ElementsAre(HasSubstr("a higher arrival_rate_range")));
  // Higher rates were asked about, and no test could tell.
  report.request.highest_rps += 1;
  EXPECT_THAT(plan_advice(report), Not(Contains(HasSubstr("a higher arrival_rate_range"))));
}

// Whoever is told to make batches smaller is told nowhere to make them larger.
TEST(PlanAdvice, LetsWhatGivesWayFirstDecideAboutBatches) {
  PlanReport report = with_best();
  report.request.space.max_num_seqs = {64};
  CandidateResult& best = report.plan.candidates[0];
  best.candidate.max_num_seqs = 64;
  best.estimate.limit = EstimateLimit::places;
  best.at_good->summary.cluster.efficiency = Efficiency{0.3, 0, 0, 0};
  const auto says = [&](const char* words) {
    return ::testing::Matches(Contains(HasSubstr(words)))(plan_advice(report)) ||
           ::testing::Matches(Contains(HasSubstr(words)))(plan_readings(report));
  };
  Bottleneck& bottleneck = best.at_bad->summary.bottleneck;
  bottleneck.resource = ShortResource::queue;
  EXPECT_TRUE(says("larger max_batch_sizes"));
  EXPECT_TRUE(says("larger batches"));
  EXPECT_TRUE(says("GPUs with less memory may do"));
  for (const ShortResource resource : {ShortResource::decode_bandwidth, ShortResource::kv_memory,
                                       ShortResource::prefill_compute}) {
    bottleneck.resource = resource;
    EXPECT_FALSE(says("larger max_batch_sizes")) << static_cast<int>(resource);
    EXPECT_FALSE(says("larger batches")) << static_cast<int>(resource);
  }
  bottleneck.resource = ShortResource::nothing;
  report.request.slos = *parse_slos("test", "itl_p99<100ms");
  EXPECT_FALSE(says("larger batches"));
  bottleneck.resource = ShortResource::kv_memory;
  EXPECT_FALSE(says("GPUs with less memory may do"));
  bottleneck.resource = ShortResource::queue;
  best.at_good->summary.cluster.kv_utilization = 0.9;
  EXPECT_TRUE(says("a smaller batch is safer"));
  EXPECT_FALSE(says("larger batches"));
}

TEST(PlanReadings, PutFiguresIntoTheirUsualRanges) {
  PlanReport report = with_best();
  GroupSummary& cluster = report.plan.candidates[0].at_good->summary.cluster;
  cluster.efficiency = Efficiency{0.72, 0, 0, 0};
  cluster.kv_utilization = 0.9;
  EXPECT_THAT(plan_readings(report),
              ElementsAre(HasSubstr("above the 2 to 4"), HasSubstr("above 70 %"),
                          HasSubstr("above 85 %, bursts will preempt")));
  report.plan.candidates[0].candidate.gpu = "A10G";
  report.plan.candidates[0].usd_per_hour = 4;
  cluster.efficiency->mfu = 0.6;
  cluster.kv_utilization = 0.7;
  EXPECT_THAT(plan_readings(report),
              ElementsAre(HasSubstr("within the 5 to 10"), HasSubstr("between 50 and 70 %"),
                          HasSubstr("between 60 and 85 %")));
  report.plan.best.reset();
  EXPECT_THAT(plan_readings(report), IsEmpty());
}

}  // namespace
}  // namespace plimsoll
