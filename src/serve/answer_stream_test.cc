#include "serve/answer_stream.h"

#include <gtest/gtest.h>

#include <latch>

namespace plimsoll {
namespace {

std::string line_of(const Json& progress) { return progress.dump() + "\n"; }

TEST(AnswerStream, TellsOfProgressAndThenTheAnswer) {
  AnswerStream stream(
      [](const ApiListener& listener) {
        listener.on_progress(Json{{"progress", "half"}, {"share", 0.5}});
        return std::string("{\"answer\":1}\n");
      },
      line_of, [] { return false; });
  std::string all;
  for (std::string line = stream.next(); !line.empty(); line = stream.next()) all += line;
  EXPECT_EQ(all, "{\"progress\":\"half\",\"share\":0.5}\n{\"answer\":1}\n");
  EXPECT_EQ(stream.next(), "");
}

TEST(AnswerStream, KeepsTheNewestChartsAmidProgress) {
  std::latch told(1);
  AnswerStream stream(
      [&](const ApiListener& listener) {
        EXPECT_TRUE(listener.draws);
        listener.on_progress(Json{{"charts", "old"}});
        listener.on_progress(Json{{"charts", "new"}});
        listener.on_progress(Json{{"progress", "half"}});
        told.count_down();
        return std::string("end\n");
      },
      line_of, [] { return false; }, true);
  told.wait();
  EXPECT_EQ(stream.next(), "{\"charts\":\"new\"}\n");
  EXPECT_EQ(stream.next(), "{\"progress\":\"half\"}\n");
  EXPECT_EQ(stream.next(), "end\n");
}

TEST(AnswerStream, StopsTheWorkThatNobodyWaitsFor) {
  std::atomic<bool> gone = false;
  std::atomic<bool> ended = false;
  {
    AnswerStream stream(
        [&](const ApiListener& listener) {
          while (!listener.stopped()) std::this_thread::yield();
          ended = true;
          return std::string("{}");
        },
        line_of, [&] { return gone.load(); });
    gone = true;
    EXPECT_EQ(stream.next(), "");
  }
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace plimsoll
