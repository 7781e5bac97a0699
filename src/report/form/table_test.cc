// Does a table keep to the width of the terminal, and does it still say all it says in a wide one?
#include "report/form/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/form/text_report.h"

namespace plimsoll {
namespace {

std::size_t widest_line(const std::string& text) {
  std::size_t width = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) width = std::max(width, width_of(line));
  return width;
}

const std::vector<Column> kSheet{
    {"resource", {"requests/s", "prompt tokens/s"}, false},
    {"baseline p95", {"20.0", "2,400"}},
    {"forecast p95", {"27.7 [25.8, 36.4]", "grows"}},
    {"capacity", {"27.1 [25.3, 29.1]", "4,950 [4,570, 5,350]"}},
    {"used", {"102 %", "67.3 %"}},
    {"risk", {"shortfall", "ok"}, false, {Mood::bad, Mood::good}},
    {"what to do", {"reject the excess load, or add an instance", ""}, false}};

TEST(Table, keeps_to_any_width_and_loses_nothing) {
  for (int width = 60; width <= 160; ++width) {
    const std::string text = table(kSheet, {false, width, true});
    EXPECT_LE(widest_line(text), static_cast<std::size_t>(width)) << text;
    for (const Column& column : kSheet) {
      for (const std::string& cell : column.cells) {
        std::istringstream words(cell);
        for (std::string word; words >> word;) {
          EXPECT_NE(text.find(word), std::string::npos) << width << "\n" << text;
        }
      }
    }
  }
}

TEST(Table, stacks_heads_before_it_begins_another_table) {
  EXPECT_EQ(
      table({{"name", {"a"}, false}, {"number of requests in all", {"7"}}}, {false, 60, true}),
      "  name   number of requests in all\n"
      "  a                              7\n");
  std::vector<Column> many{{"name", {"a"}, false}};
  for (int i = 0; i < 8; ++i) many.push_back({"so many of them", {"7.25"}});
  const std::string text = table(many, {false, 60, true});
  EXPECT_EQ(std::ranges::count(text, '\n'), 5) << text;
}

TEST(Table, goes_on_without_the_rows_that_have_nothing_more_to_say) {
  const std::string name(50, 'n');
  EXPECT_EQ(table({{"name", {name, "b", "c"}, false},
                   {"figure", {"7", "8", "9"}},
                   {"", {"", "<- best", ""}, false, {Mood::none, Mood::good, Mood::none}}},
                  {false, 65, true}),
            "  name                                                 figure\n  " + name +
                "        7\n  b" + std::string(57, ' ') + "8\n  c" + std::string(57, ' ') +
                "9\n\n  name\n  b      <- best\n");
}

TEST(Table, a_word_among_numbers_takes_no_room_before_the_point) {
  EXPECT_EQ(table({{"ms", {"grows", "127 [127, 128]", "89.1 [88.6, 89.7]"}}}, {}),
            "                  ms\n"
            "  grows\n"
            "  127 [127, 128]\n"
            "   89.1 [88.6, 89.7]\n");
}

// A cell or label of two bytes per character is as wide as it looks.
TEST(Table, pads_by_columns_and_not_by_bytes) {
  EXPECT_EQ(table({{"name", {"größe", "b"}, false}, {"ms", {"≥1.5", "20.25"}}}, {}),
            "  name       ms\n"
            "  größe   ≥1.5\n"
            "  b       20.25\n");
  EXPECT_EQ(paragraph("  größe", "text", 13, 60), "  größe      text\n");
}

TEST(Table, a_number_stays_with_its_unit_and_parts_from_any_other_word) {
  EXPECT_EQ(paragraph("", "aaaa 40 ms", 0, 8), "aaaa\n40 ms\n");
  EXPECT_EQ(paragraph("", "it asks 17,283 req/s.", 0, 16), "it asks\n17,283 req/s.\n");
  EXPECT_EQ(paragraph("", "on H100 by 4 (of 5)", 0, 8), "on H100\nby 4 (of\n5)\n");
}

TEST(TextReport, draws_beside_a_label_of_any_length) {
  TextReport report({});
  report.drawing("over time", "|##|");
  report.drawing("more than eleven", "|##|");
  EXPECT_EQ(report.text(), "  over time  |##|\n  more than eleven |##|\n");
}

TEST(Table, names_what_a_list_has_no_room_for) {
  std::vector<Column> list{{"name", {std::string(40, 'x')}, false}};
  for (const char* head : {"first", "second", "third"}) {
    list.push_back({head, {"1234567890123456"}});
  }
  const std::string text = table(list, {false, 60, true}, Overflow::drop);
  EXPECT_NE(text.find("not shown in this width: second, third"), std::string::npos) << text;
}

TEST(Table, puts_heads_over_figures_beside_a_mark) {
  const std::vector<Column> rates{{"req/s", {"9.50", "10.60 <- answer"}}};
  EXPECT_EQ(table(rates, {}), "  req/s\n   9.50\n  10.60 <- answer\n");
}

// Sentences take several lines before a list leaves them out.
TEST(Table, wraps_the_sentences_of_a_list) {
  std::string help = "what it";
  while (help.size() < 70) help += " does";
  const std::vector<Column> list{{"name", {std::string(16, 'x')}, false},
                                 {"help", {help}, false},
                                 {"remedy", {"--" + std::string(36, 'x')}, false}};
  const std::string text = table(list, {false, 60, true}, Overflow::drop);
  EXPECT_NE(text.find("name              help\n"), std::string::npos) << text;
  EXPECT_NE(text.find("not shown in this width: remedy"), std::string::npos) << text;
}

// An apostrophe ends the quotes, stands escaped, and begins them anew.
TEST(CommandLines, do_not_break_inside_quotes_with_an_apostrophe) {
  const std::string command = "plimsoll compare --variant 'it'\\''s: --tp 2 --dp 4' --rate 5";
  const std::string laid_out = command_lines(command, 2, 40);
  EXPECT_NE(laid_out.find("'it'\\''s: --tp 2 --dp 4'"), std::string::npos) << laid_out;
}

TEST(CommandLines, leave_the_document_of_a_command_as_it_is) {
  const std::string document = "<<'END'\n{a: 1, b: [1, 2, 3, 4, 5, 6, 7, 8, 9]}\nEND";
  EXPECT_EQ(command_lines("plimsoll plan - " + document, 0, 20),
            "plimsoll plan - \\\n  " + document + "\n");
}

TEST(CommandLines, are_the_same_command_to_a_shell) {
  const std::string command =
      "plimsoll compare --model qwen/qwen3-14b --rate 8 --variant 'few: --max-num-seqs 8' "
      "--variant 'many: --no-prefix-caching=false' --check";
  for (std::size_t width = 40; width < 200; width += 7) {
    const std::string text = command_lines(command, 4, width);
    std::string joined = text;
    for (std::size_t at; (at = joined.find(" \\\n")) != std::string::npos;) {
      joined.replace(at, joined.find_first_not_of(' ', at + 3) - at, " ");
    }
    EXPECT_EQ(joined, "    " + command + "\n") << text;
    EXPECT_LE(widest_line(text), std::max(width, std::size_t{55})) << text;
  }
}

}  // namespace
}  // namespace plimsoll
