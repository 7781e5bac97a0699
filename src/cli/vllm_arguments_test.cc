#include "cli/vllm_arguments.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/parse.h"

namespace plimsoll {
namespace {

struct Deployment {
  Options options;
  Setup setup;
};

Deployment deployed(std::vector<std::string> words) {
  auto command = parse_command(*find_verb("run"), words);
  auto setup = make_setup(command->options.run);
  EXPECT_TRUE(setup);
  return {std::move(command->options), std::move(*setup)};
}

std::string value_of(const VllmArguments& arguments, const std::string& name) {
  const auto at = std::ranges::find(arguments.engine, name);
  return at == arguments.engine.end() || at + 1 == arguments.engine.end() ? "" : *(at + 1);
}

TEST(VllmArguments, have_the_limits_of_a_rank_and_the_engine_those_of_all) {
  const Deployment d = deployed({"--model=gpt-oss-20b", "--hardware=H100", "--tp=1", "--dp=4",
                                 "--max-num-seqs=64", "--max-num-batched-tokens=1024"});
  const VllmArguments arguments = vllm_arguments(d.options, d.setup);
  EXPECT_EQ(value_of(arguments, "--max-num-seqs"), "64");
  EXPECT_EQ(value_of(arguments, "--max-num-batched-tokens"), "1024");
  EXPECT_EQ(d.setup.deployment.main().engine.max_num_seqs, 256);
  EXPECT_EQ(d.setup.gpus, 4);
}

TEST(VllmArguments, name_every_flag_of_the_deployment_that_they_do_not_set) {
  const Deployment d = deployed({"--model=qwen/qwen3-14b", "--hardware=H100", "--tp=1", "--pp=2",
                                 "--scheduler=sjf", "--routing-policy=least-loaded"});
  const VllmArguments arguments = vllm_arguments(d.options, d.setup);
  std::vector<std::string> unset;
  for (const UnsetFlag& flag : arguments.unset) unset.push_back(flag.flag);
  EXPECT_EQ(unset, (std::vector<std::string>{"--routing-policy least-loaded", "--scheduler sjf"}));
  EXPECT_EQ(std::ranges::count(arguments.engine, "--async-scheduling"), 0) << "it would not start";
}

TEST(VllmArguments, say_the_cache_that_a_format_of_weights_comes_with) {
  const auto cache = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"--model=llama-3.1-70b-instruct", "--hardware=B200", "--tp=2"});
    const Deployment d = deployed(more);
    return value_of(vllm_arguments(d.options, d.setup), "--kv-cache-dtype");
  };
  EXPECT_EQ(cache({"--quantization=nvfp4"}), "fp8");
  EXPECT_EQ(cache({"--quantization=nvfp4", "--kv-cache-dtype=bf16"}), "bfloat16");
  EXPECT_EQ(cache({"--quantization=int4"}), "");
}

TEST(VllmArguments, leave_nothing_unset_of_the_engine_that_they_start) {
  const Deployment d = deployed({"--model=qwen/qwen3-14b", "--hardware=H100", "--engine=vllm"});
  EXPECT_TRUE(vllm_arguments(d.options, d.setup).unset.empty());
}

}  // namespace
}  // namespace plimsoll
