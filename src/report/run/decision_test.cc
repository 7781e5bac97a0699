// Does the decision of a run say what undermines it, and with which confidence?
#include <gtest/gtest.h>

#include "kept_limits.h"
#include "perf/model_error.h"
#include "report/run/terminal.h"
#include "steady_cluster.h"

namespace plimsoll {
namespace {

// As `plan` and `capacity` do.
TEST(RunDecision, is_in_doubt_where_steps_as_slow_as_may_be_do_not_hold_the_load) {
  Summary s = steady_cluster();
  EXPECT_EQ(decision_of(s, config()).verdict, DecisionVerdict::yes);
  s.model_band.emplace().error = usual_error(Regime::measured);
  const Decision sure = decision_of(s, config());
  EXPECT_EQ(sure.verdict, DecisionVerdict::yes);
  EXPECT_EQ(sure.confidence, std::nullopt) << "the figure is that of the simulation alone";
  EXPECT_NE(sure.answer.find("79.1 ms as simulated"), std::string::npos);
  s.model_band->combined = {{"ttft_p99_ms", 60.6, 159}};
  const Decision ranged = decision_of(s, config());
  EXPECT_EQ(ranged.confidence, kIntervalLevel);
  EXPECT_NE(ranged.answer.find("(90 % confidence: 60.6 to 159 ms"), std::string::npos);
  s.model_band->combined.clear();
  EXPECT_EQ(sure.action, "Ask `plimsoll capacity` for the headroom");
  s.sessions.sessions = 3;
  EXPECT_EQ(decision_of(s, config()).action, "");
  s.sessions.sessions = 0;
  s.model_band->slow = SteadyVerdict::overloaded;
  const Decision d = decision_of(s, config());
  EXPECT_EQ(d.verdict, DecisionVerdict::likely);
  EXPECT_EQ(
      first_sentence(d),
      "3 instances likely hold 200 req/s at TTFT p99 79.1 ms as simulated, but this load is too "
      "much if real steps are as slow as the model's error allows; the backlog is stable for 35.8 "
      "times the "
      "mean request time.");
  EXPECT_TRUE(verdict_text(s, config()).starts_with("steady: 3 instances likely hold 200 req/s"));
  EXPECT_TRUE(summary_text(s, config(), {true, 100, true}).starts_with("\x1b[1;33msteady"));
  s.model_band->slow = SteadyVerdict::too_short;
  EXPECT_EQ(decision_of(s, config()).verdict, DecisionVerdict::likely);
}

TEST(RunDecision, is_in_doubt_where_any_of_its_simulations_was_interrupted) {
  Summary s = steady_cluster();
  s.interrupted = true;
  s.model_error_untested = true;
  const Decision d = decision_of(s, config());
  EXPECT_EQ(d.verdict, DecisionVerdict::likely);
  EXPECT_EQ(d.confidence, std::nullopt);
  EXPECT_EQ(verdict_text(s, config()),
            "steady: 3 instances likely hold 200 req/s at TTFT p99 79.1 ms (77.9 to 80.4 ms), but "
            "the run was interrupted; the backlog is stable for 35.8 times the mean "
            "request time. Also, the model's error was not tested. Run it to its end before you "
            "decide.\n");
  s.steady_state.verdict = SteadyVerdict::overloaded;
  EXPECT_EQ(decision_of(s, config()).verdict, DecisionVerdict::no);
}

TEST(RunDecision, names_the_limits_that_are_missed_though_the_queue_is_stable) {
  Summary s = steady_cluster();
  s.goodput = goodput_of(0.59);
  EXPECT_EQ(decision_of(s, config()).verdict, DecisionVerdict::no);
  EXPECT_TRUE(
      verdict_text(s, config())
          .starts_with("too slow: 3 instances do not keep the limits at 200 req/s: only "
                       "59.0 % of the requests have TTFT within 500 ms, and 99.0 % are needed"))
      << verdict_text(s, config());
  s.goodput = goodput_of(0.995);
  EXPECT_EQ(decision_of(s, config()).verdict, DecisionVerdict::yes);
}

TEST(RunDecision, leaves_open_whether_a_limit_is_kept_that_the_interval_spans) {
  Summary s = steady_cluster();
  for (const double share : {0.989, 0.991}) {
    s.goodput = goodput_of(share);
    s.intervals = {{"slo_attainment", 0.985, 0.993}};
    EXPECT_EQ(decision_of(s, config()).verdict, DecisionVerdict::not_shown);
    EXPECT_TRUE(verdict_text(s, config())
                    .starts_with("unclear: whether 3 instances keep the limits at 200 req/s is too "
                                 "close to call"))
        << verdict_text(s, config());
  }
  s.intervals = {{"slo_attainment", 0.9905, 0.993}};
  EXPECT_EQ(decision_of(s, config()).verdict, DecisionVerdict::yes);
}

}  // namespace
}  // namespace plimsoll
