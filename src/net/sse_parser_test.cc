#include "net/answer_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace plimsoll {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> events_of(std::string_view text, std::size_t piece = 1000) {
  SseParser parser;
  std::vector<std::string> events;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    parser.feed(text.substr(at, piece), [&](std::string_view data) { events.emplace_back(data); });
  }
  return events;
}

TEST(SseParser, gives_the_data_of_each_event) {
  EXPECT_THAT(events_of("data: {\"a\":1}\n\ndata: [DONE]\n\n"), ElementsAre("{\"a\":1}", "[DONE]"));
}

TEST(SseParser, takes_any_line_end_cut_anywhere) {
  const std::string text =
      "data: one\r\n\r\ndata: two\r\rdata: three\n\n: ping\r\n\r\ndata:four\n\n";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_THAT(events_of(text, piece), ElementsAre("one", "two", "three", "four")) << piece;
  }
}

TEST(SseParser, joins_the_lines_of_an_event) {
  EXPECT_THAT(events_of("data: a\ndata:\ndata:  b\n\n"), ElementsAre("a\n\n b"));
  EXPECT_THAT(events_of("data\n\n"), ElementsAre(""));
}

TEST(SseParser, skips_comments_names_and_events_without_data) {
  EXPECT_THAT(events_of(": hello\nevent: delta\nid: 3\nretry: 5\n\nevent: x\ndata: y\n\n\n\n"),
              ElementsAre("y"));
  EXPECT_THAT(events_of("database: no\n\n"), IsEmpty());
}

TEST(SseParser, waits_for_the_empty_line_that_ends_an_event) {
  EXPECT_THAT(events_of("data: half"), IsEmpty());
  EXPECT_THAT(events_of("data: half\n"), IsEmpty());
}

TEST(SseParser, skips_one_byte_order_mark) {
  EXPECT_THAT(events_of("\xef\xbb\xbf"
                        "data: a\n\n"),
              ElementsAre("a"));
  EXPECT_THAT(events_of("\n\xef\xbb\xbf"
                        "data: a\n\n"),
              IsEmpty());
}

TEST(SseParser, refuses_an_event_that_never_ends) {
  SseParser lines(100);
  const SseParser::OnData ignore = [](std::string_view) {};
  EXPECT_TRUE(lines.feed("data: " + std::string(90, 'x'), ignore));
  EXPECT_FALSE(lines.feed("xxxxx", ignore));
  SseParser events(100);
  bool good = true;
  for (int i = 0; i < 100; ++i) good = good && events.feed("data: x\n", ignore);
  EXPECT_FALSE(good);
  EXPECT_FALSE(events.feed("\n\ndata: later\n\n", [](std::string_view) { FAIL(); }));
}

}  // namespace
}  // namespace plimsoll
