#include "cli/plan_candidates.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(PlanCandidates, are_specifications_that_their_words_are_parsed_to) {
  const std::vector<std::string> words{"--model=qwen/qwen3-14b", "--max-num-seqs=64",
                                       "--prompt-tokens=700",    "--no-prefix-caching",
                                       "--hardware=H100",        "--rate=3"};
  const auto command = parse_command(*find_verb("plan"), words);
  ASSERT_TRUE(command);
  PlanRequest request;
  request.seed = 7;
  const auto planned = prepare_plan(*command, &request);
  ASSERT_TRUE(planned) << format(planned.error());
  Candidate one;
  one.gpu = "H100";
  one.tp = 2;
  Candidate other = one;
  other.pp = 2;
  other.router = "least-loaded";
  other.quantization = "fp8";
  other.max_num_seqs = 32;  // which the space does not vary
  for (const Candidate& candidate : {one, other}) {
    const auto deployed = deploy_with_words(*planned, command->options, candidate);
    ASSERT_TRUE(deployed) << format(deployed.error());
    const auto parsed = parse_command(*find_verb("run"), deployed->flags);
    ASSERT_TRUE(parsed) << format(parsed.error());
    EXPECT_TRUE(parsed->options.run == planned->spec_of(candidate));
  }
  const auto first = deploy_with_words(*planned, command->options, one);
  ASSERT_TRUE(first) << format(first.error());
  EXPECT_EQ(first->flags, (std::vector<std::string>{"--model=qwen/qwen3-14b", "--prompt-tokens=700",
                                                    "--max-num-seqs=64", "--no-prefix-caching",
                                                    "--seed=7", "--hardware=H100", "--tp=2"}));
}

}  // namespace
}  // namespace plimsoll
