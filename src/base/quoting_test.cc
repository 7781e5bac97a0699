#include "base/quoting.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "hostile_text.h"
#include "run_shell.h"

namespace plimsoll {
namespace {

TEST(ShellQuoted, quotes_what_a_shell_would_read_otherwise) {
  EXPECT_EQ(shell_quoted("prefix-affinity:5,queue-depth:1"), "prefix-affinity:5,queue-depth:1");
  EXPECT_EQ(shell_quoted("my file"), "'my file'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("~"), "'~'");
}

TEST(ShellWords, are_split_where_a_shell_splits_them) {
  const std::vector<std::string> words{"--comment=a b", "it's", "", "c\"d"};
  EXPECT_EQ(shell_words("--comment='a b'  \"it's\"\n'' c\\\"d"), words);
  EXPECT_EQ(shell_words(" "), std::vector<std::string>());
  EXPECT_FALSE(shell_words("--comment='a b"));
  EXPECT_FALSE(shell_words("a\\"));
}

RC_GTEST_PROP(ShellWords, are_those_that_were_quoted, ()) {
  const std::vector<std::string> words{*hostile_text(), *hostile_text()};
  RC_ASSERT(shell_words(shell_quoted(words[0]) + " " + shell_quoted(words[1])) == words);
}

TEST(Commented, is_one_line) { EXPECT_EQ(commented("a\nid"), "# a\\u000aid\n"); }

TEST(YamlText, is_plain_only_for_simple_words) {
  EXPECT_EQ(yaml_text("Qwen/Qwen3-14B"), "Qwen/Qwen3-14B");
  for (const char* word : {"", "true", "No", "null", "1e3", "-", "a: b", "a #b", "~", "{{x}}"}) {
    EXPECT_EQ(yaml_text(word), '"' + std::string(word) + '"');
  }
  EXPECT_EQ(yaml_text("a\n\"\xE2\x80\xAE\xFF"), "\"a\\u000a\\\"\\u202e\xEF\xBF\xBD\"");
}

TEST(JsonText, escapes_what_json_forbids) {
  EXPECT_EQ(json_text("a\"b\\c\n\x01"), R"("a\"b\\c\u000a\u0001")");
}

TEST(CsvText, quotes_only_where_it_must) {
  EXPECT_EQ(csv_text("a b"), "a b");
  EXPECT_EQ(csv_text("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
}

TEST(CsvText, is_no_formula) {
  for (const char* formula : {"=1+1", "+cmd", "-x", "@SUM(A1)", "-1+1", "--5"}) {
    EXPECT_EQ(csv_text(formula), "'" + std::string(formula));
    EXPECT_EQ(without_formula_quote(csv_text(formula)), formula);
  }
  EXPECT_EQ(csv_text("=a,b"), "\"'=a,b\"");
  for (const char* number : {"-5", "-0.25", "-1e-3"}) EXPECT_EQ(csv_text(number), number);
  EXPECT_EQ(without_formula_quote("'quoted'"), "'quoted'");
}

RC_GTEST_PROP(ShellQuoted, is_the_same_word_to_a_shell, ()) {
  const std::string word = *hostile_text();
  const ShellRun run = run_shell("printf '<%s>' " + shell_quoted(word) + " " + commented(word));
  RC_ASSERT(run.status == 0);
  RC_ASSERT(run.out == "<" + word + ">");
}

RC_GTEST_PROP(JsonText, is_the_same_text_to_a_reader, ()) {
  const std::string text = *hostile_text();
  RC_ASSERT(nlohmann::json::parse(json_text(text)) == nlohmann::json(text));
  RC_ASSERT(fault_of_name(json_text(text)).empty());
}

RC_GTEST_PROP(Escaped, is_text_and_no_markup, ()) {
  const std::string text = escaped(*hostile_text() + *rc::gen::arbitrary<std::string>());
  RC_ASSERT(text.find_first_of("<>\"") == std::string::npos);
  RC_ASSERT(find_invalid_utf8(text) == std::string_view::npos);
  RC_ASSERT(visible_lines(text) == text);
}

}  // namespace
}  // namespace plimsoll
