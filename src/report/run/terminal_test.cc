#include "report/run/terminal.h"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "kept_limits.h"
#include "report/answer/next_steps.h"
#include "steady_cluster.h"

namespace plimsoll {
namespace {

TEST(SummaryText, shows_verdict_evidence_reason_assumptions_and_a_next_step) {
  EXPECT_EQ(
      summary_text(steady_cluster(), config(), {false, 100, true}),
      R"(steady: 3 instances hold 200 req/s at TTFT p99 79.1 ms (90 % confidence: 77.9 to 80.4 ms); the
backlog is stable for 35.8 times the mean request time. Ask `plimsoll capacity` for the headroom.

         TTFT ms   90 % interval   TPOT ms   ITL ms   E2E s   90 % interval   queue ms
  mean      31.2   [31.0, 31.4]       26.2     26.1    13.9   [13.8, 14.0]        6.50
  p50       27.7                      26.1     26.0    13.8                       6.31
  p90       50.1                      27.0     28.0    21.9                       9.10
  p95       55.2                      27.5     29.1    24.0                      11.2
  p99       79.1   [77.9, 80.4]       28.0     31.0    29.0                      14.2

  3 instances   TTFT p99 ms   completed   busy %   KV peak %   batch
  lowest               79.0      33,000     97.1        71.1     183
  median               88.5      33,300     97.1        71.1     183
  highest              98.0      33,700     97.1        71.1     183

  requests   arrived at 200 req/s; 100,000 completed in 505 s, 198 [196, 201] req/s,
             101,000 tokens/s; 3 cut at the maximum length
  load       busy 97.1 %, KV cache 64.0 % (peak 71.1 %), 183 of 256 requests per batch, prefix hits
             0 %, 0 preemptions
  bound by   decode bandwidth   ▓███████████████   queue 1 % | prefill 2 % | stall 3 % | decode 94 %
             a decode step takes 26.1 ms, 2.10 times as long as for a lone request: each step serves
             183 requests
  lever      more KV memory per request: --num-instances 4, a higher --tp or a GPU with more memory
  assumed    from the catalog: tp=1; default: max-num-seqs=256
  next       # test one more instance
             plimsoll run --model qwen/qwen3-14b --num-instances 4 --rate 200 \
               --results-path 'my results.csv'
)");
}

TEST(SummaryText, keeps_to_a_narrow_terminal_without_utf8) {
  RunConfig c = config();
  c.verb = "replay";
  Summary s = steady_cluster();
  s.intervals.clear();
  s.instances.resize(1);
  s.bottleneck.limit = LimitKind::none;
  s.bottleneck.resource = ShortResource::queue;
  s.bottleneck.queue_share = 0.5;
  s.bottleneck.prefill_stall_share = 0;
  s.bottleneck.decode_share = 0.48;
  const std::string text = summary_text(s, c, {false, 70, false});
  EXPECT_NE(text.find("  ........########   queue 50 %"), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 70u) << line;
    for (const char ch : line) EXPECT_GT(ch, 0) << line;
  }
}

TEST(SummaryText, colours_the_verdict_prints_labels_bold_and_says_the_same_without) {
  const std::string plain = summary_text(steady_cluster(), config(), {false, 100, true});
  const std::string colored = summary_text(steady_cluster(), config(), {true, 100, true});
  EXPECT_TRUE(colored.starts_with("\x1b[1;32msteady\x1b[0m: 3 instances")) << colored;
  EXPECT_NE(colored.find("  \x1b[1mlever\x1b[0m      more KV"), std::string::npos) << colored;
  EXPECT_EQ(std::regex_replace(colored, std::regex("\x1b\\[[0-9;]*m"), ""), plain);
}

TEST(VerdictText, says_how_long_a_run_would_be_enough) {
  Summary s = steady_cluster();
  s.intervals.clear();
  s.steady_state = {SteadyVerdict::too_short, {SteadyCause::work_wanders, 5}, 0, 0, 96'000};
  EXPECT_EQ(verdict_text(s, config()),
            "too short: this run cannot tell whether 3 instances hold 200 req/s: the "
            "backlog varies so slowly that 5.00 s are too short to show its mean; TTFT "
            "p99 79.1 ms so far. Run it with --num-requests 96000 or more for an answer.\n");
  const std::string text = summary_text(s, config(), {});
  EXPECT_NE(text.find("# a run long enough to decide"), std::string::npos);
  EXPECT_NE(text.find("--num-requests 96000", text.find("next")), std::string::npos);
}

TEST(VerdictText, says_how_fast_an_overloaded_backlog_grows) {
  Summary s = steady_cluster();
  s.intervals.clear();
  s.steady_state = {SteadyVerdict::overloaded, {SteadyCause::work_grows, 0.5}, 0, 66.7, 0};
  EXPECT_EQ(verdict_text(s, config()),
            "overloaded: 3 instances do not hold 200 req/s: the backlog grows by 66.7 req/s; "
            "TTFT p99 79.1 ms grows with the length of the run. Try at least 5 instances.\n");
  // 3 instances serve two thirds of it: 4.5 would be needed.
  EXPECT_NE(summary_text(s, config(), {}).find("--num-instances 5 "), std::string::npos);
}

TEST(VerdictText, does_not_call_what_is_lost_a_backlog) {
  Summary s = steady_cluster();
  s.intervals.clear();
  s.steady_state = {SteadyVerdict::overloaded, {SteadyCause::lost, 50, 100}, 0, 0, 0};
  s.steady_state.lost_share = 0.5;
  s.arriving_work = {.prompts = 2, .answers = 3.99};
  EXPECT_EQ(verdict_text(s, config()),
            "unserved: 3 instances do not hold 200 req/s: 50 of 100 requests timed out or were "
            "turned away; TTFT p99 79.1 ms for the requests that were served. Try at least 6 "
            "instances.\n");
  EXPECT_NE(summary_text(s, config(), {}).find("--num-instances 6 "), std::string::npos);
  s.bottleneck.limit = LimitKind::admission;
  EXPECT_EQ(summary_text(s, config(), {}).find("next"), std::string::npos);
}

TEST(VerdictText, a_deadline_too_short_for_any_answer_is_not_the_load) {
  Summary s = steady_cluster();
  s.steady_state = {SteadyVerdict::overloaded, {SteadyCause::lost, 50, 100}, 0, 0, 0};
  s.bottleneck.by_deadline_alone = true;
  s.first_tokens_alone = 40;
  EXPECT_EQ(verdict_text(s, config()),
            "too slow: 3 instances do not answer 200 req/s in time: 50 of 100 requests timed out "
            "or were turned away; the instances have room, but answers take longer than the "
            "deadlines allow; TTFT p99 79.1 ms for all that got a first token.\n");
}

// Ten requests more or less arrive in a short run: that is luck, and nobody asked for it.
TEST(VerdictText, says_the_rate_that_was_asked_for) {
  Summary s = steady_cluster();
  s.offered_rps = 209.4;
  EXPECT_TRUE(verdict_text(s, config()).starts_with("steady: 3 instances hold 200 req/s at"));
  EXPECT_NE(summary_text(s, config(), {}).find("arrived at 209 req/s;"), std::string::npos);
  RunConfig replayed = config();
  std::erase_if(replayed.entries, [](const ConfigEntry& e) { return e.key == "rate"; });
  EXPECT_TRUE(verdict_text(s, replayed).starts_with("steady: 3 instances hold 209 req/s at"));
}

TEST(NextSteps, ask_for_runs_as_long_as_tests_of_that_many_instances) {
  Summary s = steady_cluster();
  RunConfig c = config();
  c.entries.push_back({"num-requests", std::int64_t{2000}, "default"});
  // 400 times the places of one instance (planner/estimate.h).
  const std::string command = next_steps(s, c).at(0).command;
  EXPECT_NE(command.find("--num-instances 4 "), std::string::npos) << command;
  EXPECT_NE(command.find("--num-requests 102400"), std::string::npos) << command;
  c.entries.back().value = std::int64_t{200'000};
  EXPECT_EQ(next_steps(s, c).at(0).command.find("--num-requests 102400"), std::string::npos);
}

TEST(NextSteps, advise_a_longer_run_without_its_horizon) {
  Summary s = steady_cluster();
  s.steady_state = {SteadyVerdict::too_short, {}, 0, 0, 5000};
  RunConfig c = config();
  c.entries.push_back({"horizon", std::int64_t{1000}, "flag"});
  EXPECT_EQ(next_steps(s, c).front().command.find("horizon"), std::string::npos);
  s.steady_state.verdict = SteadyVerdict::steady;
  EXPECT_NE(next_steps(s, c).front().command.find("--horizon 1000"), std::string::npos);
}

TEST(NextSteps, ask_capacity_where_a_run_that_tells_would_take_too_long) {
  Summary s = steady_cluster();
  s.steady_state = {SteadyVerdict::too_short, {}, 0, 0, 1'500'000};
  RunConfig c = config();
  c.entries = {{"model", std::string("m"), "flag"}, {"rate", 400.0, "flag"}};
  const NextStep step = next_steps(s, c).front();
  EXPECT_EQ(step.command, "plimsoll capacity --model m --rate 400");
  EXPECT_EQ(step.purpose, "ask how many instances hold this rate");
  EXPECT_EQ(decision_of(s, c).action,
            "Ask `plimsoll capacity`: a run needs about 1,500,000 requests to tell");
  c.entries.push_back({"num-instances", std::int64_t{2}, "flag"});
  EXPECT_EQ(next_steps(s, c).front().purpose, "ask how much these hold");
}

TEST(NextSteps, follow_the_lever) {
  Summary s = steady_cluster();
  EXPECT_NE(next_steps(s, config()).at(0).command.find("--num-instances 4"), std::string::npos);
  // Where more load fits, no more instances are asked for, whatever would bind first.
  for (const Remedy none : {Remedy::none_needed, Remedy::batches_may_grow}) {
    s.bottleneck.lever = none;
    EXPECT_NE(next_steps(s, config()).at(0).command.find("--num-instances 2"), std::string::npos);
  }
  s.bottleneck.limit = LimitKind::none;
  s.bottleneck.lever = Remedy::faster_deployment;
  s.goodput = goodput_of(0.8);
  EXPECT_TRUE(next_steps(s, config()).empty());
  s.steady_state.verdict = SteadyVerdict::overloaded;
  for (const LimitKind limit :
       {LimitKind::admission, LimitKind::routing, LimitKind::gateway, LimitKind::deadlines}) {
    s.bottleneck.limit = limit;
    EXPECT_TRUE(next_steps(s, config()).empty()) << static_cast<int>(limit);
  }
}

TEST(NextSteps, leave_out_the_flag_that_the_lever_leaves_out) {
  Summary s = steady_cluster();
  s.steady_state.verdict = SteadyVerdict::overloaded;
  s.bottleneck.lever = {Remedy::default_tokens, 2048};
  RunConfig c = config();
  c.entries.push_back({"max-num-batched-tokens", std::int64_t{64}, "flag"});
  EXPECT_EQ(next_steps(s, c).at(0).command.find("--max-num-batched-tokens"), std::string::npos);
  EXPECT_EQ(decision_of(s, c).action,
            "Omit --max-num-batched-tokens: its default, 2,048, holds this load");
}

TEST(NextSteps, are_none_where_it_takes_more_instances_than_are_simulated) {
  Summary s = steady_cluster();
  s.steady_state = {SteadyVerdict::overloaded, {SteadyCause::delay_rises, 1, 9}, 0, 0, 0};
  s.bottleneck.limit = LimitKind::queue;
  EXPECT_EQ(decision_of(s, config()).action, "Try at least 4 instances");
  s.arriving_work.answers = 303'183.5;
  EXPECT_TRUE(next_steps(s, config()).empty());
  EXPECT_EQ(decision_of(s, config()).action,
            "By arithmetic it takes 303,184 instances, more than can be simulated");
}

TEST(SummaryText, says_where_ttft_is_of_other_requests_than_e2e) {
  Summary s = steady_cluster();
  s.cluster.timed_out = 900;
  s.first_tokens_alone = 500;
  const std::string text = summary_text(s, config(), {false, 100, true});
  EXPECT_NE(text.find("; TTFT counts 500 that got\n             a first token but never"),
            std::string::npos)
      << text;
}

TEST(NextSteps, look_at_the_traffic_where_its_rate_changes) {
  Summary s = steady_cluster();
  s.steady_state = {SteadyVerdict::transient, SteadyCause::rate_changes, 0, 0, 0};
  EXPECT_TRUE(next_steps(s, config()).empty());  // made by flags: there is no file to look at
  RunConfig c = config();
  c.verb = "replay";
  c.entries.push_back({"trace", std::string("my trace.csv"), "flag"});
  c.entries.push_back({"trace-format", std::string("csv"), "flag"});
  EXPECT_EQ(next_steps(s, c).at(0).command,
            "plimsoll describe --trace 'my trace.csv' --trace-format csv");
}

TEST(NextSteps, advise_a_longer_run_where_half_of_it_was_warm_up) {
  Summary s = steady_cluster();
  s.steady_state = {SteadyVerdict::transient, SteadyCause::warmup_is_long, 9, 0, 5000};
  EXPECT_NE(next_steps(s, config()).at(0).command.find("--num-requests 5000"), std::string::npos);
}

TEST(SummaryText, takes_a_run_in_which_nothing_happened) {
  Summary s;
  s.instances.resize(1);
  s.steady_state.reason = {SteadyCause::few_requests, 0};
  s.bottleneck.limit = LimitKind::none;
  const std::string text = summary_text(s, {}, {});
  EXPECT_EQ(text.find("TTFT"), std::string::npos) << text;
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

}  // namespace
}  // namespace plimsoll
