// What a simulation expects of a server, beside what `plimsoll observe` measures there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/observing.h"
#include "server/step_law_server.h"

namespace plimsoll::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

// A token takes the server 4 ms or little more, and an H100 with these weights much longer.
TEST(Observe, sets_what_a_simulation_expects_beside_what_it_measured) {
  const StepLawServer server(quick_law());
  const Recording recording;
  const Ran ran =
      observe(server.url(), recording,
              with_page(recording, {"--json", "--expect", "model=qwen3-32b hardware=H100 tp=2"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto expected = ran.json()["observed"]["expected"];
  EXPECT_EQ(expected["deployment"], "qwen/qwen3-32b on 2 H100");
  EXPECT_EQ(expected["latencies"][1]["latency"], "TPOT");
  const auto median = expected["latencies"][1]["percentiles"][0];
  EXPECT_EQ(median["percentile"], 50);
  EXPECT_GT(median["expected_ms"], 8.0);
  EXPECT_LT(median["interval90"][0], median["expected_ms"]);
  EXPECT_GT(median["interval90"][1], median["expected_ms"]);
  const std::string page = text_of(recording.file("page.html"));
  EXPECT_THAT(page, AllOf(HasSubstr("<h2>Measured against expected</h2>"),
                          ContainsRegex("TPOT is [0-9.]+\\W+% shorter than expected at the median, "
                                        "beyond the model's error"),
                          HasSubstr("<path class=\"band\""), HasSubstr("<title>expected p50 ")));
  EXPECT_THAT(
      page,
      HasSubstr("plimsoll calibrate <span>--model </span>qwen3-32b <span>--hardware </span>H100"));
}

TEST(Observe, asks_nothing_of_a_server_where_nobody_can_tell_what_is_expected) {
  const StepLawServer server(quick_law());
  const Recording recording;
  for (const auto& [flags, said] :
       {std::pair{"model=qwen3-14b rate=3", "--expect: --rate is not a flag of a deployment"},
        std::pair{"hardware=H100", "--expect: unknown model \"law\""},
        std::pair{"model=qwen3-14b hardwar=H100", "--expect: unknown flag --hardwar"},
        std::pair{"model='qwen3-14b", "--expect: a quote (') is not closed"}}) {
    const Ran ran = observe(server.url(), recording,
                            with_short({"--rate", "9", "--num-requests", "2", "--expect", flags}));
    EXPECT_EQ(ran.code, 2) << flags;
    EXPECT_THAT(ran.err, HasSubstr(said));
  }
  EXPECT_TRUE(server.prompts().empty());
}

}  // namespace
}  // namespace plimsoll::test
