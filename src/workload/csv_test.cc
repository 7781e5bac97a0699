#include "workload/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/printable.h"
#include "base/quoting.h"
#include "hostile_text.h"

namespace plimsoll {
namespace {

using Records = std::vector<std::vector<std::string>>;

Result<Records> records_of(const std::string& text) {
  Result<LineReader> lines = LineReader::over(text, "t.csv");
  if (!lines) return pass_on(lines);
  CsvReader reader(std::move(*lines));
  Records records;
  for (;;) {
    Result<bool> more = reader.next();
    if (!more) return pass_on(more);
    if (!*more) return records;
    records.emplace_back();
    for (std::size_t i = 0; i < reader.size(); ++i) records.back().emplace_back(reader.field(i));
  }
}

TEST(CsvReader, are_fields_split_as_rfc_4180_says) {
  EXPECT_EQ(records_of("a,b\n1,\n").value(), (Records{{"a", "b"}, {"1", ""}}));
  EXPECT_EQ(records_of("\"a,b\",\"say \"\"so\"\"\"\n").value(), (Records{{"a,b", "say \"so\""}}));
  EXPECT_EQ(records_of("\"two\nlines\",x\ny,z").value(),
            (Records{{"two\nlines", "x"}, {"y", "z"}}));
  EXPECT_EQ(records_of("").value(), Records{});
}

TEST(CsvReader, are_byte_order_mark_crlf_and_empty_lines_accepted) {
  EXPECT_EQ(records_of("\xEF\xBB\xBF"
                       "a,b\r\n\r\n1,2\r\n")
                .value(),
            (Records{{"a", "b"}, {"1", "2"}}));
}

std::string csv_error(const std::string& text) {
  Result<Records> records = records_of(text);
  return records ? "no error" : format(records.error());
}

TEST(CsvReader, do_errors_name_line_and_column) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"a,b\nx,\"never\nclosed\n", "t.csv:2:3: error: this quote is never closed"},
      {"a\n\"x\"y\n", "t.csv:2:4: error: text after the closing quote"},
      {"a\nx\"y\"\n", "t.csv:2:2: error: a quote inside a field that is not quoted"},
      {"a\nb\xFF\n", "t.csv:2:2: error: this is not UTF-8 text"},
      {"a\nb\xC3\n", "t.csv:2:2: error: this is not UTF-8 text"},
  };
  for (const auto& [text, error] : cases) {
    EXPECT_EQ(csv_error(text).rfind(error, 0), 0u) << csv_error(text);
  }
}

TEST(CsvReader, are_lines_and_rows_without_end_refused) {
  const std::string endless(LineReader::kMaxLineBytes + 1, 'x');
  EXPECT_NE(csv_error("a\n" + endless).find("t.csv:2: error: the line is longer than 16 MiB"),
            std::string::npos);
  EXPECT_NE(csv_error("a\n" + std::string(5000, ',')).find("more than 1000 fields"),
            std::string::npos);
  const std::string quoted_lines(LineReader::kMaxLineBytes, '\n');
  EXPECT_NE(csv_error("\"" + quoted_lines).find("never closed"), std::string::npos);
}

constexpr std::size_t kName = 0, kCount = 1, kShare = 2, kOpen = 3;
const CsvFormat kFormat{{"name", "count", "share"}, {"open"}, false};

// The sum of the counts, or the error.
std::string read_table(const std::string& text, const CsvFormat& format_of_table = kFormat) {
  Result<CsvTable> table = CsvTable::open(LineReader::over(text, "t.csv").value(), format_of_table);
  if (!table) return format(table.error());
  std::int64_t sum = 0;
  for (;;) {
    Result<bool> more = table->next();
    if (!more) return format(more.error());
    if (!*more) return std::to_string(sum);
    sum += table->integer(kCount, 0, 1000);
    table->number(kShare, 0, 1);
    if (table->has(kOpen)) table->boolean(kOpen);
    if (table->text(kName).empty()) table->error(kName, "a name is needed");
  }
}

TEST(CsvTable, are_columns_found_by_name_in_any_order) {
  EXPECT_EQ(read_table("share,open,count,name\n0.5,true,3,x\n1,false,4,y\n"), "7");
}

TEST(CsvTable, are_foreign_columns_skipped_where_the_format_says_so) {
  CsvFormat format_of_table = kFormat;
  format_of_table.foreign_columns = true;
  EXPECT_EQ(read_table("extra,share,count,name\nz,0,3,x\n", format_of_table), "3");
}

TEST(CsvTable, do_errors_name_the_place_the_column_and_what_was_expected) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"", "t.csv:1: error: the file is empty"},
      {"\n\n", "t.csv:1: error: the file is empty"},
      {"3,0.5,x\n", "t.csv:1:1: error: a number where the name of a column is expected"},
      {"name,count,shar\n", "t.csv:1:12: error: unknown column \"shar\"\n"},
      {"name,count,count,share\n", "t.csv:1:12: error: the column \"count\" appears twice"},
      {"name,count\n", "t.csv:1:1: error: missing column \"share\""},
      {"name,count,share\nx,1\n",
       "t.csv:2:4: error: the row has 2 fields where the header names 3"},
      {"name,count,share\nx,1,0,5\n", "t.csv:2:7: error: the row has 4 fields"},
      {"name,count,share\nx,1,0\n\ny,z,0\n",
       "t.csv:4:3: error: \"count\" must be a whole number in [0, 1000], got \"z\""},
      {"name,count,share\nx,-1,0\n", "t.csv:2:3: error: \"count\" must be a whole number in [0,"},
      {"name,count,share\nx,99999999999999999999,0\n", "t.csv:2:3: error: \"count\" must be"},
      {"name,count,share\nx,1,nan\n", "t.csv:2:5: error: \"share\" must be a number in [0, 1]"},
      {"name,count,share\nx,1,inf\n", "t.csv:2:5: error: \"share\" must be a number"},
      {"name,count,share\nx, 1,0\n", "t.csv:2:3: error: \"count\" must be a whole number"},
      {"name,count,share,open\nx,1,0,yes\n", "t.csv:2:7: error: \"open\" must be true or false"},
      {"name,count,share\n,z,0\n", "t.csv:2:2: error: \"count\" must be"},
      {"name,count,share\n\"\n\",z,0\n", "t.csv:3:3: error: \"count\" must be"},
  };
  for (const auto& [text, error] : cases) {
    EXPECT_EQ(read_table(text).rfind(error, 0), 0u) << read_table(text) << "expected " << error;
  }
  EXPECT_NE(read_table("name,count,shar\n").find("did you mean \"share\"?"), std::string::npos);
}

TEST(CsvTable, is_a_column_that_the_file_does_not_have_empty_and_no_number) {
  auto table =
      CsvTable::open(LineReader::over("name,count,share\nx,1,0\n", "t.csv").value(), kFormat);
  ASSERT_TRUE(table && table->next().value());
  EXPECT_EQ(table->text(kOpen), "");
  EXPECT_FALSE(table->boolean(kOpen));
  const auto after = table->next();
  ASSERT_FALSE(after);
  EXPECT_NE(format(after.error()).find("t.csv:2:6: error: the row needs the column \"open\""),
            std::string::npos)
      << format(after.error());
}

TEST(CsvTable, does_a_message_stay_short_when_a_cell_is_long) {
  const std::string text = "name,count,share\nx," + std::string(1'000'000, 'y') + ",0\n";
  EXPECT_LT(read_table(text).size(), 500u);
}

RC_GTEST_PROP(CsvReader, reads_a_name_as_it_was_before_it_became_a_cell, ()) {
  const std::string name = visible(*hostile_text());
  const Records records = records_of("name,x\n" + csv_text(name) + ",1\n").value();
  RC_ASSERT(records.size() == 2 && records[1].size() == 2);
  RC_ASSERT(without_formula_quote(records[1][0]) == name);
}

TEST(CsvTable, are_names_one_line_of_visible_characters) {
  const auto name_in = [](const std::string& cell) {
    auto table =
        CsvTable::open(LineReader::over("name\n" + cell + "\n", "t.csv").value(), {{"name"}, {}});
    EXPECT_TRUE(table->next().has_value());
    const std::string name(table->name(0));
    const auto end = table->next();
    return end ? name : format(end.error());
  };
  EXPECT_EQ(name_in("'=1+1"), "=1+1");
  EXPECT_EQ(name_in("a b"), "a b");
  EXPECT_EQ(name_in("\"a\nb\""),
            "t.csv:2:1: error: \"name\" holds a line end (U+000A)\n"
            "  names are one line of visible characters: write it anew\n");
  EXPECT_NE(name_in("a\xE2\x80\xAE").find("holds a bidirectional mark (U+202E)"),
            std::string::npos);
}

}  // namespace
}  // namespace plimsoll
