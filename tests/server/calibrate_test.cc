// Is the law of a real server found again by observing and calibrating it?
#include "server/observing.h"
#include "server/step_law_server.h"

namespace plimsoll::test {
namespace {

TEST(Calibrate, recovers_the_law_of_a_server_that_was_observed) {
  const StepLawServer server{{}};
  const Recording recording;
  const Ran observed = run_plimsoll({"observe",    "--server-url",
                                     server.url(), "--model",
                                     "law",        "--rate",
                                     "14",         "--num-requests",
                                     "280",        "--prompt-tokens",
                                     "300",        "--prompt-tokens-stdev",
                                     "200",        "--prompt-tokens-max",
                                     "1500",       "--output-tokens",
                                     "40",         "--output-tokens-stdev",
                                     "20",         "--quiet",
                                     "--output",   recording.prefix()});
  ASSERT_EQ(observed.code, 0) << observed.err;
  const Ran ran = run_plimsoll({"calibrate", "--trace-header", recording.file("observed.yaml"),
                                "--trace-data", recording.file("observed.csv"), "--model",
                                "llama-3.1-8b-instruct", "--no-base", "--no-async-scheduling",
                                "--no-prefix-caching", "--max-num-seqs", "64", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json found = ran.json()["parameters"];
  EXPECT_NEAR(found["step_us"]["value"].get<double>(), 10000, 200);
  EXPECT_NEAR(found["decode_us"]["value"].get<double>(), 500, 10);
  // Prompts are a twentieth of the time.
  EXPECT_NEAR(found["prefill_us"]["value"].get<double>(), 20, 1);
}

}  // namespace
}  // namespace plimsoll::test
