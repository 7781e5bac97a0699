// Does a key stay a secret, whatever a server does with it?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/observing.h"
#include "server/scripted_server.h"

namespace plimsoll::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kKey = "sk-0123456789/abcdefghijklmnopqrstuvwxyz";

std::string answer(const std::string& line, const std::string& type, const std::string& body) {
  return "HTTP/1.1 " + line + "\r\nContent-Type: " + type + "\r\n\r\n" + body;
}

std::string event(const std::string& data) {
  return answer("200 OK", "text/event-stream", "data: " + data + "\n\ndata: [DONE]\n\n");
}

// Where servers may say a key again; at the end of what is kept of an error, too.
std::vector<std::string> echoes() {
  const std::string filler(110, 'x');
  return {answer("401 Unauthorized", "application/json", "{\"error\": \"bad key " + kKey + "\"}"),
          answer("401 Unauthorized", "application/json",
                 "{\"error\": \"sk-0123456789\\/abcdefghijklmnopqrstuvwxyz\"}"),
          answer("500 Oh", "text/plain", filler + kKey),
          answer("200 OK", "text/" + kKey, "x"),
          answer("200 OK", "text/html", filler + kKey),
          event("{\"error\": {\"message\": \"" + filler + kKey + "\"}}"),
          event("garbage " + filler + kKey),
          event("{\"choices\": [{\"text\": \"a\", \"finish_reason\": \"" + kKey + "\"}]}")};
}

TEST(Secrets, reach_neither_the_terminal_nor_the_recording) {
  setenv("PLIMSOLL_TEST_KEY", kKey.c_str(), 1);
  for (const std::string& echo : echoes()) {
    const ScriptedServer server({{{0, echo}}});
    const Recording recording;
    for (const char* form : {"--json", "--color=never"}) {
      const Ran ran = observe(
          server.url(), recording,
          {"--rate", "20", "--num-requests", "2", "--api-key-env", "PLIMSOLL_TEST_KEY", form});
      EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("sk-01"))) << echo;
    }
    for (const char* file : {"observed.csv", "observed.yaml", "observed.server.json"}) {
      EXPECT_THAT(text_of(recording.file(file)), Not(HasSubstr("sk-01"))) << file << echo;
    }
  }
  unsetenv("PLIMSOLL_TEST_KEY");
}

TEST(Secrets, are_sent_only_as_one_word) {
  const ScriptedServer server({{{0, event("{}")}}});
  const Recording recording;
  for (const char* key : {"sk-0\r\nX-Evil: 1", "sk-0 two",
                          "sk-0\x01"
                          "e",
                          "zo\xC3\xAB", "sk-0\n"}) {
    setenv("PLIMSOLL_TEST_KEY", key, 1);
    const Ran ran =
        observe(server.url(), recording,
                {"--rate", "20", "--num-requests", "2", "--api-key-env", "PLIMSOLL_TEST_KEY"});
    EXPECT_EQ(ran.code, 2) << key;
    EXPECT_THAT(ran.err, HasSubstr("PLIMSOLL_TEST_KEY holds "));
    EXPECT_THAT(ran.err, Not(HasSubstr("sk-0")));
  }
  unsetenv("PLIMSOLL_TEST_KEY");
  EXPECT_EQ(server.streams_asked_for(), 0);
}

}  // namespace
}  // namespace plimsoll::test
