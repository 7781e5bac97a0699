// Does the chart of latency against load show what a reader looks for?
#include "report/answer/load_charts.h"

#include <gmock/gmock.h>

namespace plimsoll {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

LoadProbe test_at(double rate_rps, double ttft_ms, Answer answer) {
  LoadProbe test;
  test.rate_rps = rate_rps;
  test.instances = 2;
  test.answer = answer;
  test.state.verdict = SteadyVerdict::steady;
  test.slos.emplace_back().value_ms = ttft_ms;
  test.slos.back().answer = answer;
  return test;
}

std::string drawn(const std::vector<LoadProbe>& tests, const std::vector<LoadProbe>& brief) {
  const std::vector<Slo> slos = *parse_slos("slo", "ttft_p99<500ms");
  return latency_figures({tests, brief, slos, &tests[0], &tests[1], tests[1].rate_rps});
}

TEST(LatencyChart, BeginsAtNoLoadAndEndsBeyondWhatFails) {
  const std::string chart =
      drawn({test_at(20, 130, Answer::holds), test_at(25, 900, Answer::fails)},
            {test_at(2, 70, Answer::unclear), test_at(8, 80, Answer::unclear)});
  EXPECT_THAT(chart, HasSubstr("TTFT p99 breaks its limit at 25.0 req/s"));
  EXPECT_THAT(chart, HasSubstr("Large dot: the answer, 2 instances at 20.0 req/s."));
  EXPECT_THAT(chart, HasSubstr("Grey dot: a short test"));
  EXPECT_THAT(chart, HasSubstr(">req/s</text>"));
  EXPECT_THAT(chart, HasSubstr("limit 500 ms"));
  // 2 of 27.5 req/s between 46 and 350: the line begins there.
  EXPECT_THAT(chart, HasSubstr("class=\"main\" d=\"M68.1 "));
  EXPECT_THAT(chart, Not(HasSubstr("Lozenge")));
}

TEST(LatencyChart, DrawsWhatIsFarOffAtItsEdge) {
  const std::vector<LoadProbe> tests{test_at(20, 130, Answer::holds),
                                     test_at(25, 520, Answer::fails),
                                     test_at(80, 540, Answer::fails)};
  const std::string chart = drawn(tests, {});
  EXPECT_THAT(chart, HasSubstr("Arrowhead: off the scale."));
  EXPECT_THAT(chart, HasSubstr("<path class=\"fails\" d=\"M347.0 "));
}

TEST(LatencyChart, DrawsWhatIsKnownBeforeThereIsAnAnswer) {
  const std::vector<LoadProbe> brief{test_at(2, 70, Answer::unclear),
                                     test_at(20, 130, Answer::unclear)};
  const std::vector<Slo> slos = *parse_slos("slo", "ttft_p99<500ms");
  const std::string chart = latency_figures({{}, brief, slos, nullptr});
  EXPECT_THAT(chart, HasSubstr("TTFT p99 by short tests"));
  EXPECT_THAT(chart, HasSubstr("With 2 instances."));
  EXPECT_THAT(chart, Not(HasSubstr("the answer")));
  EXPECT_EQ(latency_figures({{}, {}, slos, nullptr}), "");
}

TEST(LatencyChart, DrawsTheLatenciesThatNoLimitIsAboutAtTheSamePercentile) {
  std::vector<LoadProbe> tests{test_at(20, 130, Answer::holds), test_at(25, 900, Answer::fails)};
  tests[0].summary.cluster.tpot.p95_ms = 31;
  const std::vector<Slo> slos = *parse_slos("slo", "ttft_p95<500ms");
  const std::string chart = latency_figures({tests, {}, slos, &tests[0], &tests[1], 25});
  EXPECT_THAT(chart, HasSubstr("<figcaption>TPOT p95 is 31.0 ms at 20.0 req/s</figcaption>"));
  EXPECT_EQ(chart.find("class=\"small marks\""), chart.rfind("class=\"small marks\""));
  EXPECT_THAT(chart, HasSubstr("E2E p95"));
}

}  // namespace
}  // namespace plimsoll
