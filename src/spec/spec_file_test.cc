#include "spec/spec_file.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/quoting.h"
#include "hostile_text.h"

namespace plimsoll {
namespace {

struct Job {
  std::string name;
  double rate = 0;
  std::int64_t seed = 0;
  bool verbose = false;
  std::string policy;
  std::vector<double> weights;
  std::vector<std::int64_t> tokens;
};

// A reader like those of the program, over all kinds of values.
Result<Job> read_job(const std::string& text) {
  auto spec = SpecFile::parse(text, "job.yaml");
  if (!spec) return pass_on(spec);
  SpecMap top = spec->top();
  Job job;
  job.name = top.text("name");
  job.rate = top.number("rate", kPositive);
  job.seed = top.optional_integer("seed", {0}).value_or(42);
  job.verbose = top.optional_flag("verbose").value_or(false);
  job.policy = top.optional_choice("policy", {"fcfs", "sjf"}).value_or("fcfs");
  if (top.has("weights")) job.weights = top.numbers("weights", {0, 1});
  if (top.has("clients")) {
    for (SpecMap client : top.maps("clients")) {
      job.tokens.push_back(client.integer("tokens", {1, 1000}));
    }
  }
  if (auto limits = top.optional_map("limits")) limits->integer("max_seqs", {1});
  return spec->finish(std::move(job));
}

std::string error_of(const std::string& text) {
  auto job = read_job(text);
  return job ? "no error" : format(job.error());
}

TEST(SpecFile, reads_every_kind_of_value) {
  const auto job = read_job(
      "name: a job\nrate: 2.5\nseed: 010\nverbose: true\npolicy: sjf\nweights: [0, 0.5]\n"
      "clients:\n- tokens: 7\n- {tokens: 8}\n");
  ASSERT_TRUE(job.has_value()) << format(job.error());
  EXPECT_EQ(job->name, "a job");
  EXPECT_EQ(job->rate, 2.5);
  EXPECT_EQ(job->seed, 10);  // decimal, not octal
  EXPECT_TRUE(job->verbose);
  EXPECT_EQ(job->policy, "sjf");
  EXPECT_EQ(job->weights, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(job->tokens, (std::vector<std::int64_t>{7, 8}));
}

TEST(SpecFile, reads_json_with_the_same_walk) {
  const auto job = read_job("{\n\t\"name\": \"j\",\n\t\"rate\": 1e2,\n\t\"clients\": []\n}\n");
  ASSERT_TRUE(job.has_value()) << format(job.error());
  EXPECT_EQ(job->rate, 100);
}

TEST(SpecFile, accepts_a_byte_order_mark_and_crlf) {
  const auto job = read_job("\xEF\xBB\xBFname: j\r\nrate: 1\r\n");
  ASSERT_TRUE(job.has_value()) << format(job.error());
  EXPECT_EQ(job->name, "j");
}

TEST(SpecFile, reports_all_errors_at_once_in_order_with_line_caret_and_hint) {
  EXPECT_EQ(error_of("name: j\nrat: 1\nseed: -1\npolicy: sfj\n"),
            "job.yaml:1:1: error: missing key \"rate\"\n"
            "  name: j\n"
            "  ^\n"
            "  add rate: <number>\n"
            "job.yaml:2:1: error: unknown key \"rat\"\n"
            "  rat: 1\n"
            "  ^\n"
            "  did you mean \"rate\"?\n"
            "job.yaml:3:7: error: \"seed\" must be at least 0, got -1\n"
            "  seed: -1\n"
            "        ^\n"
            "job.yaml:4:9: error: \"policy\" cannot be sfj\n"
            "  policy: sfj\n"
            "          ^\n"
            "  did you mean \"sjf\"?\n");
}

struct Bad {
  const char* text;
  const char* message;
};

TEST(SpecFile, gives_one_clear_error_for_every_bad_input) {
  const Bad cases[] = {
      {"", "the file is empty"},
      {"# only a comment\n", "the file is empty"},
      {"- 1\n- 2\n",
       "job.yaml:1:1: error: expected keys and values at the top level, found a list"},
      {"just text\n", "found a single value"},
      {"name: j\nrate: 1\nrate: 2\n", "job.yaml:3:1: error: duplicate key \"rate\""},
      {"name: j\nrate: yes\n", "job.yaml:2:7: error: \"rate\" must be a number, got yes"},
      {"name: j\nrate: \"1\"\n", "must be a number, got the text \"1\""},
      {"name: j\nrate: .nan\n", "must be a number, got .nan"},
      {"name: j\nrate: .inf\n", "must be a number, got .inf"},
      {"name: j\nrate: 1e999\n", "must be a number, got 1e999"},
      {"name: j\nrate: 0\n", "\"rate\" must be greater than 0, got 0"},
      {"name: j\nrate: -1\n", "\"rate\" must be greater than 0, got -1"},
      {"name: j\nrate:\n", "job.yaml:2:1: error: \"rate\" has no value"},
      {"name: j\nrate: [1]\n", "must be a number, got a list"},
      {"name: j\nrate: 1\nseed: 0x10\n", "must be a whole number, got 0x10"},
      {"name: j\nrate: 1\nseed: 1.5\n", "must be a whole number, got 1.5"},
      {"name: j\nrate: 1\nseed: 99999999999999999999\n", "must be a whole number"},
      {"name: j\nrate: 1\nverbose: yes\n", "\"verbose\" must be true or false, got yes"},
      {"name: {a: 1}\nrate: 1\n", "\"name\" must be text, got a map"},
      {"name: j\nrate: 1\nweights: 3\n", "\"weights\" must be a list, got 3"},
      {"name: j\nrate: 1\nweights: [0, 2]\n",
       "\"weights\" must be at least 0 and at most 1, got 2"},
      {"name: j\nrate: 1\nclients: [3]\n", "\"clients\" must hold keys and values, got 3"},
      {"name: j\nrate: 1\nclients: [{tokens: 1001}]\n", "must be between 1 and 1000, got 1001"},
      {"name: j\nrate: 1\nclients: [{tokenz: 1}]\n", "did you mean \"tokens\"?"},
      {"name: j\nrate: 1\nlimits: {max_seqs: 1, max: 2}\n", "unknown key \"max\""},
      {"name: &a j\nrate: 1\n", "anchors are not supported"},
      {"name: &a j\nrate: *a\n", "anchors are not supported"},
      {"name: *a\nrate: 1\n", "cannot parse this"},
      {"name: j\nlimits:\n\tmax_seqs: 1\n", "indented by spaces, not by tabs"},
      {"a: &a [*a]\n", "anchors are not supported"},
      {"name: !!str j\nrate: 1\n", "tags are not supported"},
      {"name: j\n---\nrate: 1\n", "the file has a second document"},
      {"name: j\nrate: 1\n? [a, b]\n: 1\n", "expected a key, found a list"},
      {"name: [j\nrate: 1\n", "the list opened on line 1 has no closing ]"},
      {"name: j\nrate: {a: 1\nseed: 2\n", "the map opened on line 2 has no closing }"},
      {"{\"name\": ", "a bracket, brace or quotation may be left open"},
      {"name: j\n\trate: 1\n", "job.yaml:2:"},
      {"name: \"j\nrate: 1\n", "a quotation is never closed"},
      {"rate: 1\nname: 'j\n", "a quotation is never closed"},
      {"name: \xff\nrate: 1\n", "job.yaml:1:7: error: this is not UTF-8 text"},
      {"\xff\xfen\0a\0", "not UTF-8"},
      {"name: j\x01\nrate: 1\n", "unexpected control character"},
  };
  for (const Bad& bad : cases) {
    const std::string error = error_of(bad.text);
    EXPECT_NE(error.find(bad.message), std::string::npos)
        << bad.text << "\nexpected: " << bad.message << "\ngot: " << error;
  }
}

TEST(SpecFile, a_required_text_is_not_empty) {
  EXPECT_NE(error_of("name: \"\"\nrate: 1\n").find("job.yaml:1:7: error: \"name\" is empty"),
            std::string::npos);
}

TEST(SpecFile, says_what_packed_files_are_and_how_to_unpack_them) {
  EXPECT_EQ(error_of(std::string("\x1f\x8b\x08\0", 4)),
            "job.yaml: error: the file is packed by gzip\n  unpack it first: gunzip job.yaml\n");
  EXPECT_EQ(error_of("\x28\xb5\x2f\xfd"),
            "job.yaml: error: the file is packed by zstd\n  unpack it first: unzstd job.yaml\n");
}

TEST(SpecFile, refuses_deep_nesting_without_recursing_into_it) {
  std::string blocks;
  for (int i = 0; i < 100'000; ++i) blocks += "- ";
  EXPECT_NE(error_of(blocks).find("levels deep"), std::string::npos);
  EXPECT_NE(error_of("name: " + std::string(100'000, '[')).find("error: "), std::string::npos);
  EXPECT_NE(error_of(std::string(100'000, '{')).find("error: "), std::string::npos);
}

TEST(SpecFile, cuts_lines_of_any_length_in_its_messages) {
  const std::string error = error_of("name: j\nrate: " + std::string(10 << 20, 'x') + "\n");
  EXPECT_LT(error.size(), 500u);
  EXPECT_NE(error.find("must be a number, got xxx"), std::string::npos);
}

TEST(SpecFile, stops_listing_errors_when_there_are_too_many) {
  std::string text = "name: j\nrate: 1\n";
  for (int i = 0; i < 1000; ++i) text += "key" + std::to_string(i) + ": 1\n";
  auto job = read_job(text);
  ASSERT_FALSE(job.has_value());
  EXPECT_EQ(job.error().diagnostics.size(), 21u);
  EXPECT_EQ(job.error().diagnostics.back().message, "and 980 more errors");
}

TEST(SpecFile, does_not_list_the_keys_of_a_map_that_is_missing) {
  auto spec = SpecFile::parse("a: 1\n", "f");
  SpecMap top = spec->top();
  top.integer("a");
  top.map("limits").integer("max_seqs");
  const auto done = spec->finish(0);
  ASSERT_FALSE(done.has_value());
  ASSERT_EQ(done.error().diagnostics.size(), 1u);
  EXPECT_EQ(done.error().diagnostics[0].message, "missing key \"limits\"");
}

TEST(SpecFile, lets_foreign_keys_and_nulls_pass_where_asked) {
  auto spec = SpecFile::parse("{\"a\": null, \"b\": 2, \"c\": {\"d\": 1, \"e\": 2}}", "f");
  SpecMap top = spec->top();
  top.accept_foreign_keys();
  EXPECT_FALSE(top.has("a"));
  EXPECT_FALSE(top.optional_integer("a").has_value());
  EXPECT_EQ(top.optional_map("c")->optional_integer("d"), 1);
  EXPECT_TRUE(spec->finish(0).has_value());
}

TEST(SpecFile, reports_what_a_reader_finds_wrong_at_the_value) {
  auto spec = SpecFile::parse("min: 5\nmax: 3\n", "f");
  SpecMap top = spec->top();
  if (top.integer("max") < top.integer("min")) top.error("max", "\"max\" is less than \"min\"");
  const auto done = spec->finish(0);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().diagnostics[0].line, 2);
  EXPECT_EQ(done.error().diagnostics[0].column, 6);
}

TEST(SpecFile, tells_nested_lists_from_keys) {
  auto spec = SpecFile::parse("{\"a\": [[1, 2], [3]], \"b\": [{\"c\": [4]}]}", "f");
  ASSERT_TRUE(spec.has_value()) << format(spec.error());
  EXPECT_EQ(spec->top().maps("b")[0].numbers("c"), (std::vector<double>{4}));
}

// Of each key two look-ups: a walk over all keys for each would take minutes.
TEST(SpecFile, reads_maps_of_many_keys_in_no_time) {
  constexpr int kKeys = 200'000;
  std::string text = "{";
  for (int i = 0; i < kKeys; ++i) text += "\"k" + std::to_string(i) + "\":1,\n";
  text.back() = '}';
  text.erase(text.size() - 2, 1);
  auto spec = SpecFile::parse(text, "many.json");
  ASSERT_TRUE(spec.has_value());
  SpecMap top = spec->top();
  std::int64_t sum = 0;
  for (const std::string& key : top.keys()) sum += top.has(key) ? top.integer(key) : 0;
  EXPECT_EQ(sum, kKeys);
  EXPECT_TRUE(spec->finish(sum).has_value());
}

TEST(SpecFile, gives_the_keys_of_an_open_map) {
  auto spec = SpecFile::parse("H100: {x: 1}\nA100: {x: 2}\n", "f");
  SpecMap top = spec->top();
  EXPECT_EQ(top.keys(), (std::vector<std::string>{"H100", "A100"}));
  EXPECT_TRUE(top.has_map("A100"));
  EXPECT_TRUE(spec->finish(0).has_value());
}

TEST(SpecFile, refuses_names_and_keys_that_hold_more_than_visible_characters) {
  const std::string rest = "\nrate: 1\n";
  EXPECT_EQ(
      error_of("name: \"a\\nb\"" + rest),
      "job.yaml:1:7: error: \"name\" holds a line end (U+000A)\n"
      "  name: \"a\\nb\"\n        ^\n  names are one line of visible characters: write it anew\n");
  for (const char* name :
       {"\"\\e[31m\"", "\"\\u009b\"", "\"\\u202e\"", "|\n  a\n  b", "\xE2\x81\xA6"}) {
    EXPECT_NE(error_of("name: " + std::string(name) + rest).find(": error: \"name\" holds "),
              std::string::npos)
        << name;
  }
  auto keys = SpecFile::parse("\"a\\tb\": 1\n", "job.yaml");
  EXPECT_EQ(keys->top().keys().size(), 1u);
  EXPECT_NE(format(keys->finish(0).error()).find("the key \"a\\u0009b\" holds a tab"),
            std::string::npos);
}

TEST(SpecFile, hands_prose_on_in_one_line) {
  auto spec = SpecFile::parse("about: |\n  two\n  lines\nnone: {}\nbad: \"\\e\"\n", "job.yaml");
  SpecMap top = spec->top();
  EXPECT_EQ(top.prose("about"), "two lines");
  EXPECT_EQ(top.optional_prose("absent"), std::nullopt);
  EXPECT_TRUE(spec->ok());
  top.prose("none");
  top.prose("bad");
  const std::string error = format(spec->finish(0).error());
  EXPECT_NE(error.find("\"none\" must be text"), std::string::npos) << error;
  EXPECT_NE(error.find("\"bad\" holds a control character (U+001B)"), std::string::npos) << error;
}

RC_GTEST_PROP(YamlText, is_the_same_text_to_a_reader, ()) {
  const std::string text = *hostile_text();
  const auto document = parse_spec(yaml_text(text) + ": [" + yaml_text(text) + "]\n", "x.yaml");
  RC_ASSERT(document.has_value());
  RC_ASSERT(document->children.size() == 1u && document->children[0].key == text);
  RC_ASSERT(document->children[0].children.size() == 1u);
  RC_ASSERT(document->children[0].children[0].text == text);
}

}  // namespace
}  // namespace plimsoll
