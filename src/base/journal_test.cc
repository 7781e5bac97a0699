// Does a journal keep what it was told, and refuse what it cannot stand for?
#include "base/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/record.h"
#include "journal_files.h"

namespace plimsoll {
namespace {

using test::put_text;
using test::temporary_journal;
using test::text_in;

const JournalHead kQuestion{"digest", "plimsoll plan",
                            [](const Json& result) { return result.contains("rate_rps"); }};

TEST(Journal, that_absorbs_another_needs_it_no_more) {
  const std::string lost = temporary_journal();
  const std::string path = lost + ".2";
  for (const std::string& file : {lost, path}) std::filesystem::remove(file);
  Journal::create(lost, kQuestion)->add({"one", {{"rate_rps", 10}}});
  {
    auto journal = Journal::create(path, kQuestion);
    ASSERT_TRUE(journal->absorb(lost, kQuestion));
    ASSERT_TRUE(journal->absorb(lost, kQuestion));  // nothing in it is new
  }
  std::filesystem::remove(lost);
  EXPECT_EQ(Journal::resume(path, kQuestion)->size(), 1);
  const std::string text = text_in(path);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
}

TEST(Journal, refuses_what_is_not_its_own) {
  const std::string path = temporary_journal();
  const auto refused = [&](const std::string& text) {
    put_text(path, text);
    const auto journal = Journal::resume(path, kQuestion);
    EXPECT_FALSE(journal) << text;
    return journal ? "" : journal.error().diagnostics.front().message;
  };
  const std::string head = journal_line(kQuestion);
  EXPECT_EQ(refused("notes\n"), "this is no journal");
  EXPECT_EQ(refused("{}"), "this is no journal");
  EXPECT_EQ(refused(journal_record("{}")), "this is no journal");
  EXPECT_EQ(refused(journal_line(JournalHead{"other", "?"})),
            "this journal answers another question");
  for (const Json& line :
       {Json{{"unit", "one"}}, Json{{"unit", "one"}, {"result", {{"rate", 1}}}}}) {
    EXPECT_EQ(refused(head + journal_record(line.dump())),
              "this line has no result of this question");
  }
  put_text(path, head);
  EXPECT_FALSE(Journal::create(path, kQuestion));
}

TEST(Journal, of_another_version_is_called_that) {
  const std::string path = temporary_journal();
  const auto refused = [&](const std::string& text) {
    put_text(path, text);
    const auto journal = Journal::resume(path, kQuestion);
    return journal ? "" : journal.error().diagnostics.front().message;
  };
  for (const char* version : {"1", "2", "3", "4"}) {  // they had no checksums
    const std::string head = std::string("{\"plimsoll_plan_journal\":") + version;
    EXPECT_EQ(refused(head + ",\"digest\":\"digest\",\"command\":\"plimsoll plan\"}\n{}\n"),
              std::string("this journal has version ") + version +
                  "; this program reads and writes version 15");
  }
  for (const char* mark : {"plimsoll_plan_journal", "plimsoll_journal"}) {
    EXPECT_EQ(refused(journal_record(std::string("{\"") + mark + "\":7,\"of\":[]}")),
              "this journal has version 7; this program reads and writes version 15");
  }
}

// A journal of four results.
std::string some_journal(const std::string& path) {
  std::filesystem::remove(path);
  auto journal = Journal::create(path, kQuestion);
  EXPECT_TRUE(journal);
  for (const int instances : {1, 2, 3, 4}) {
    const Json cause{{"cause", instances}, {"figures", Json::array({0.1, "nan", 1e-300})}};
    journal->add({"instances " + std::to_string(instances),
                  {{"rate_rps", 20.0 / 3}, {"reason", cause}, {"name", "\"TTFT\" \n é"}}});
  }
  EXPECT_TRUE(journal->state());
  return text_in(path);
}

TEST(Journal, finds_what_it_was_told_once_it_is_opened_again) {
  const std::string path = temporary_journal();
  some_journal(path);
  const auto journal = Journal::resume(path, kQuestion);
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->size(), 4U);
  const auto found = journal->find("instances 3");
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)["reason"]["cause"].as_integer(), 3);
  EXPECT_EQ((*found)["rate_rps"].as_double(), 20.0 / 3);
  EXPECT_EQ((*found)["name"].as_string(), "\"TTFT\" \n é");
  EXPECT_FALSE(journal->find("instances 5"));
}

TEST(Journal, names_the_line_of_every_flipped_bit) {
  const std::string path = temporary_journal();
  const std::string whole = some_journal(path);
  // All bits of the first 40 bytes and of all newlines, and every 97th bit of the file.
  std::size_t flips = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    const std::size_t at = bit / 8;
    if (at >= 40 && whole[at] != '\n' && bit % 97 != 0) continue;
    flips += 1;
    std::string text = whole;
    text[at] = static_cast<char>(text[at] ^ (1 << bit % 8));
    put_text(path, text);
    const auto line = 1 + std::ranges::count(whole.substr(0, at), '\n');
    const auto journal = Journal::resume(path, kQuestion);
    if (at + 1 == whole.size()) {  // as if it had not been written whole
      ASSERT_TRUE(journal) << bit;
      EXPECT_EQ(journal->cut_line(), line);
    } else {
      ASSERT_FALSE(journal) << bit;
      EXPECT_EQ(journal.error().diagnostics.front().line, line) << bit;
      EXPECT_THAT(format(journal.error()), testing::HasSubstr("this line is damaged")) << bit;
      EXPECT_EQ(text_in(path), text) << bit;  // left as it is
    }
  }
  EXPECT_GT(flips, 300u);
}

TEST(Journal, goes_on_without_the_lines_that_were_damaged_once_they_are_removed) {
  const std::string path = temporary_journal();
  std::string text = some_journal(path);
  const std::size_t second = text.find('\n') + 1;
  text.erase(second, text.find('\n', second) + 1 - second);
  put_text(path, text);
  const auto journal = Journal::resume(path, kQuestion);
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->size(), 3u);
}

TEST(Journal, says_which_line_was_cut_off) {
  const std::string path = temporary_journal();
  const std::string whole = some_journal(path);
  put_text(path, whole.substr(0, whole.size() - 5));
  const auto journal = Journal::resume(path, kQuestion);
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->cut_line(), 5);
  EXPECT_EQ(journal->size(), 3u);
  EXPECT_EQ(text_in(path), whole.substr(0, whole.rfind('\n', whole.size() - 2) + 1));
}

TEST(Journal, is_written_by_one_at_a_time) {
  const std::string path = temporary_journal();
  std::filesystem::remove(path);
  {
    const auto first = Journal::create(path, kQuestion);
    ASSERT_TRUE(first);
    for (const auto& second :
         {Journal::resume(path, kQuestion), Journal::create(path, kQuestion)}) {
      ASSERT_FALSE(second);
      EXPECT_EQ(second.error().diagnostics.front().message,
                "another run of plimsoll is writing " + path);
    }
  }
  EXPECT_TRUE(Journal::resume(path, kQuestion));
}

}  // namespace
}  // namespace plimsoll
