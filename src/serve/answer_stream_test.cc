#include "serve/answer_stream.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(AnswerStream, TellsOfProgressAndThenTheAnswer) {
  AnswerStream stream(
      [](const AnswerStream::Listener& listener) {
        listener.on_progress(Json{{"progress", "half"}, {"share", 0.5}});
        return std::string(R"({"answer":1})");
      },
      [] { return false; });
  std::string all;
  for (std::string line = stream.next(); !line.empty(); line = stream.next()) all += line;
  EXPECT_EQ(all, "{\"progress\":\"half\",\"share\":0.5}\n{\"answer\":1}\n");
  EXPECT_EQ(stream.next(), "");
}

TEST(AnswerStream, StopsTheWorkThatNobodyWaitsFor) {
  std::atomic<bool> gone = false;
  std::atomic<bool> ended = false;
  {
    AnswerStream stream(
        [&](const AnswerStream::Listener& listener) {
          while (!listener.stopped()) std::this_thread::yield();
          ended = true;
          return std::string("{}");
        },
        [&] { return gone.load(); });
    gone = true;
    EXPECT_EQ(stream.next(), "");
  }
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace plimsoll
