#include "cli/parse.h"

#include "cli/typed_flags.h"

#include <gtest/gtest.h>

#include <set>

namespace plimsoll {
namespace {

Result<Command> parse(const std::vector<std::string>& words, std::string_view verb = "run") {
  return parse_command(*find_verb(verb), words);
}

std::string error_of(const std::vector<std::string>& words, std::string_view verb = "run") {
  const auto parsed = parse(words, verb);
  return parsed ? "no error" : format(parsed.error());
}

TEST(ParseCommand, without_words_gives_the_defaults) {
  const auto parsed = parse({});
  ASSERT_TRUE(parsed);
  EXPECT_FALSE(parsed->options.run.traffic.num_requests.has_value());
  EXPECT_EQ(*parsed->options.run.cluster.num_instances, 1);
  EXPECT_FALSE(parsed->options.run.engine.max_num_seqs);
  EXPECT_FALSE(parsed->options.run.traffic.horizon_us);
  EXPECT_TRUE(flags_of(parsed->options).empty());
}

TEST(ParseCommand, takes_values_after_a_space_or_an_equals_sign) {
  const auto parsed = parse({"--rate", "2.5", "--seed=7", "--json", "--quiet=false"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->options.run.traffic.rate_rps, 2.5);
  EXPECT_EQ(parsed->options.run.traffic.seed, 7);
  EXPECT_TRUE(parsed->options.console.json);
  EXPECT_FALSE(parsed->options.console.quiet);
  EXPECT_TRUE(is_given(parsed->options, "--seed"));
  EXPECT_FALSE(is_given(parsed->options, "--model"));
}

TEST(ParseCommand, knows_the_words_of_others_and_says_its_own) {
  const auto run = parse({"qwen3-14b", "--replicas", "3", "--qps", "8"});
  ASSERT_TRUE(run) << format(run.error());
  EXPECT_EQ(run->options.run.cluster.num_instances, 3);
  const std::vector<std::string> notes{"--replicas is called --num-instances",
                                       "--qps is called --rate"};
  EXPECT_EQ(run->notes, notes);
  const auto list = parse({"routers"}, "list");
  ASSERT_TRUE(list) << format(list.error());
  EXPECT_EQ(list->arguments, std::vector<std::string>{"routing-policies"});
  EXPECT_EQ(list->notes, std::vector<std::string>{"\"routers\" is called \"routing-policies\""});
}

TEST(ParseCommand, knows_the_deprecated_names_and_says_so) {
  const auto parsed = parse({"--max-num-running-reqs", "8"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->options.run.engine.max_num_seqs, 8);
  ASSERT_EQ(parsed->notes.size(), 1u);
  EXPECT_EQ(parsed->notes[0], "--max-num-running-reqs is deprecated: use --max-num-seqs");
}

TEST(ParseCommand, takes_a_negative_number_as_a_value) {
  const auto parsed = parse({"--timeout", "-1"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->options.run.traffic.timeout_s, -1);
}

TEST(ParseCommand, reports_every_mistake_at_once) {
  EXPECT_EQ(error_of({"--rate", "fast", "--encode-instances=1", "--sead", "1", "a-model", "stray"}),
            "error: --rate must be a finite number greater than 0, not \"fast\"\n"
            "error: --encode-instances is not supported yet (shared and encode pools)\n"
            "error: unknown flag --sead\n"
            "  did you mean --seed?\n"
            "error: unexpected word \"stray\"\n"
            "  usage: plimsoll run MODEL --rate REQ/S [flags]\n");
}

TEST(ParseCommand, takes_a_word_for_the_model_and_one_model_only) {
  for (const char* verb : {"run", "capacity", "compare"}) {
    const auto parsed = parse({"qwen/qwen3-14b", "--tp", "2"}, verb);
    ASSERT_TRUE(parsed) << verb;
    EXPECT_EQ(parsed->options.run.model.id, "qwen/qwen3-14b");
    EXPECT_TRUE(is_given(parsed->options, "--model"));
    EXPECT_TRUE(parsed->arguments.empty());
  }
  EXPECT_EQ(error_of({"one", "--model", "other"}),
            "error: \"one\" is not a file, so it was read as --model, which is \"other\" already\n"
            "  give a file that exists, or one of the two\n");
}

TEST(ParseCommand, takes_a_model_and_a_file_as_plain_words_in_any_order) {
  for (const char* verb : {"run", "capacity", "compare"}) {
    const auto parsed = parse({"chat.yaml", "qwen/qwen3-14b"}, verb);
    ASSERT_TRUE(parsed) << verb;
    EXPECT_EQ(parsed->options.run.model.id, "qwen/qwen3-14b");
    EXPECT_EQ(parsed->options.run.traffic.workload_spec, "chat.yaml");
    EXPECT_TRUE(parsed->arguments.empty());
  }
  for (const char* verb : {"plan", "forecast", "replay"}) {
    const auto parsed = parse({"qwen/qwen3-14b", "asked.yaml"}, verb);
    ASSERT_TRUE(parsed) << verb;
    EXPECT_EQ(parsed->options.run.model.id, "qwen/qwen3-14b");
    EXPECT_EQ(parsed->arguments, std::vector<std::string>{"asked.yaml"});
  }
  EXPECT_EQ(error_of({"a.yaml", "b.yaml"}),
            "error: unexpected word \"b.yaml\"\n"
            "  usage: plimsoll run MODEL --rate REQ/S [flags]\n");
  EXPECT_EQ(error_of({"qwen3-8b"}, "forecast"),
            "error: no forecast given: \"qwen3-8b\" is not a file, so it was read as --model\n"
            "  usage: plimsoll forecast FORECAST.yaml [flags]\n");
}

TEST(ParseCommand, knows_the_spellings_of_vllm) {
  const auto parsed = parse({"--tensor-parallel-size", "2", "-pp", "3", "--data-parallel-size=4",
                             "--block-size", "32", "--num-gpu-blocks-override", "9", "-ep",
                             "--kv-cache-dtype", "fp8_e4m3", "--no-enable-prefix-caching"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->options.run.layout.tp, 2);
  EXPECT_EQ(parsed->options.run.layout.pp, 3);
  EXPECT_EQ(parsed->options.run.layout.dp, 4);
  EXPECT_EQ(parsed->options.run.engine.block_size, 32);
  EXPECT_EQ(parsed->options.run.engine.total_kv_blocks, 9);
  EXPECT_TRUE(parsed->options.run.layout.expert_parallel);
  EXPECT_EQ(parsed->options.run.model.kv_cache_dtype, "fp8");
  EXPECT_TRUE(parsed->options.run.engine.no_prefix_caching);
  EXPECT_EQ(parsed->notes, (std::vector<std::string>{"--tensor-parallel-size is called --tp",
                                                     "--data-parallel-size is called --dp"}));
}

TEST(ParseCommand, takes_the_opposite_of_a_switch_for_that_switch_off) {
  const auto on = parse({"--enable-prefix-caching", "--enable-chunked-prefill=false"});
  ASSERT_TRUE(on);
  EXPECT_FALSE(on->options.run.engine.no_prefix_caching);
  EXPECT_TRUE(on->options.run.engine.no_chunked_prefill);
  EXPECT_EQ(error_of({"--enable-prefix-caching", "--no-prefix-caching"}),
            "error: --no-prefix-caching is given twice\n");
}

struct BadLine {
  std::vector<std::string> words;
  std::string expected;
};

TEST(ParseCommand, says_what_is_wrong_with) {
  const std::vector<BadLine> lines{
      {{"--num-instances", "0"},
       "--num-instances must be a whole number from 1 to 100000, not \"0\""},
      {{"--num-instances", "1.5"}, "not \"1.5\""},
      {{"--num-requests", "-5"}, "not \"-5\""},
      {{"--seed", "0x10"}, "--seed must be a whole number"},
      {{"--rate", "nan"}, "--rate must be a finite number greater than 0, not \"nan\""},
      {{"--rate", "inf"}, "not \"inf\""},
      {{"--rate", "1e999"}, "not \"1e999\""},
      {{"--rate="}, "not \"\""},
      {{"--rate"}, "--rate needs a value"},
      {{"--model", "--rate", "5"}, "--model needs a value"},
      {{"--model="}, "--model needs a value"},
      {{"--horizon", "99999999999999999999"}, "--horizon must be a whole number of at least 1"},
      {{"--gpu-memory-utilization", "1.1"}, "must be a number greater than 0 and at most 1"},
      {{"--beta-coeffs", "1,,2"}, "must be numbers of at least 0 separated by commas"},
      {{"--beta-coeffs", "1,-2"}, "must be numbers of at least 0 separated by commas"},
      {{"--json=yes"}, "--json must be true or false, not \"yes\""},
      {{"--scheduler", "sfj"}, "did you mean \"sjf\"?"},
      {{"--semantics", "vlm"}, "did you mean \"vllm\"?"},
      {{"--routing-policy", "weightd"}, "did you mean \"weighted\"?"},
      {{"--routing-scorers", "queue-dept:1"}, "did you mean \"queue-depth\"?"},
      {{"--seed", "1", "--seed", "1"}, "--seed is given twice"},
      {{"--max-num-seqs", "1", "--max-num-running-reqs", "1"}, "--max-num-seqs is given twice"},
      {{"--trace", "x.csv"},
       "`plimsoll run` has no --trace\n  it is a flag of `plimsoll replay`, `plimsoll capacity`, "},
      {{"-n", "5"}, "unknown flag -n"},
      {{"--random-input-len", "5"}, "write --prompt-tokens N --prompt-tokens-stdev 0"},
      {{"--kv-cpu-blocks", "5"}, "--kv-cpu-blocks is not supported yet (KV offload)"},
  };
  for (const BadLine& line : lines) {
    EXPECT_NE(error_of(line.words).find(line.expected), std::string::npos)
        << "expected: " << line.expected << "\ngot: " << error_of(line.words);
  }
}

TEST(ParseCommand, says_where_a_plan_takes_what_other_planners_have_a_flag_for) {
  const BadLine lines[] = {
      {{"--constraints", "c.yaml"}, "`constraints:`"},
      {{"--workload", "w.yaml"}, "chatbot, contentgen, summarization, multidoc, distribution; a"},
      {{"--output", "o.json"}, "--summary FILE"},
  };
  for (const BadLine& line : lines) {
    const std::string error = error_of(line.words, "plan");
    EXPECT_NE(error.find(line.expected), std::string::npos) << error;
    EXPECT_EQ(error_of(line.words).find("a plan"), std::string::npos);  // of other verbs
  }
}

TEST(ParseCommand, lets_the_last_of_repeated_flags_win_as_the_reference_does) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--seed", "1", "--semantics", "blis", "--seed", "-2"},
                                             {"--semantics=blis", "--seed=1", "--seed=-2"}}) {
    const auto parsed = parse(words);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->options.run.traffic.seed, -2);
    EXPECT_EQ(flags_of(parsed->options).find("--seed")->second, "-2");
  }
  EXPECT_NE(error_of({"--seed", "1", "--semantics", "vllm", "--seed", "2"}), "no error");
}

TEST(ParseCommand, lets_flags_of_later_features_pass_that_ask_for_nothing) {
  EXPECT_EQ(error_of({"--prefill-instances", "0", "--kv-offload-threshold=0.90",
                      "--pd-transfer-contention=false", "--kv-offload-config="}),
            "no error");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--kv-offload-config", "x"}, {"--kv-offload-threshold=0.5"}}) {
    EXPECT_NE(error_of(words).find("is not supported yet"), std::string::npos) << words[0];
  }
}

TEST(ParseCommand, checks_the_words_that_belong_to_no_flag) {
  EXPECT_EQ(error_of({"models"}, "list"), "no error");
  EXPECT_EQ(error_of({"modles"}, "list"),
            "error: unknown topic \"modles\"\n  did you mean \"models\"?\n");
  EXPECT_EQ(error_of({"models", "gpus"}, "list"),
            "error: unexpected word \"gpus\"\n  usage: plimsoll list [TOPIC] [--json]\n");
  EXPECT_EQ(error_of({}, "completion"), "error: no shell given\n  one of: bash, zsh, fish\n");
}

TEST(Flags, of_a_verb_have_names_that_are_used_once) {
  for (const Verb& verb : verbs()) {
    std::set<std::string_view> names;
    for (const Flag& flag : flags()) {
      if (!verb.has(flag.group)) continue;
      EXPECT_TRUE(names.insert(flag.name).second) << flag.name;
      for (const Alias& alias : flag.aliases) {
        EXPECT_TRUE(names.insert(alias.name).second) << alias.name;
      }
    }
    if (!verb.simulates()) continue;
    for (const LaterFlag& flag : later_flags()) {
      EXPECT_TRUE(names.insert(flag.name).second) << flag.name;
    }
  }
}

TEST(Verbs, have_names_that_are_used_once_and_belong_to_a_family_if_of_two_words) {
  std::set<std::string_view> names;
  for (const Verb& verb : verbs()) {
    EXPECT_TRUE(names.insert(verb.name).second) << verb.name;
    const std::string_view first = verb.name.substr(0, verb.name.find(' '));
    if (first == verb.name) continue;
    ASSERT_NE(find_verb(first), nullptr) << verb.name;
    EXPECT_TRUE(find_verb(first)->is_family()) << verb.name;
  }
}

TEST(Flags, accept_their_own_default) {
  for (const Flag& flag : flags()) {
    if (flag.value.default_text.empty()) continue;
    Options options;
    EXPECT_FALSE(flag.value.set(options, flag.value.default_text, Origin::asked)) << flag.name;
  }
}

TEST(ParseCommand, refuses_words_that_hold_more_than_visible_characters) {
  EXPECT_EQ(error_of({"--model", "a\nb", "--hardware=\x1b[31m"}),
            "error: \"a\\u000ab\" holds a line end (U+000A)\n"
            "  names are one line of visible characters: write it anew\n"
            "error: \"--hardware=\\u001b[31m\" holds a control character (U+001B)\n"
            "  names are one line of visible characters: write it anew\n");
}

TEST(ParseCommand, tells_how_a_trace_is_given_where_a_specification_is_expected) {
  EXPECT_NE(error_of({"examples/azure.csv"}, "capacity").find("--trace examples/azure.csv"),
            std::string::npos);
  EXPECT_NE(error_of({"examples/mooncake.jsonl"}, "run")
                .find("plimsoll replay MODEL examples/mooncake.jsonl"),
            std::string::npos);
}

}  // namespace
}  // namespace plimsoll
