// Whatever a server does wrong is recorded as a failure with its reason, and never hangs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "server/observing.h"
#include "server/scripted_server.h"

namespace plimsoll::test {
namespace {

using testing::HasSubstr;

const std::string kStream =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n";
const std::string kToken = "data: {\"choices\":[{\"text\":\" a\",\"finish_reason\":null}]}\n\n";
const std::string kDone = "data: [DONE]\n\n";

std::string status(const std::string& line, const std::string& body) {
  return "HTTP/1.1 " + line +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

struct BadServer {
  std::string name;
  Script script;
  std::string reason;
  std::string detail = "";
};

void PrintTo(const BadServer& bad, std::ostream* out) { *out << bad.name; }

std::vector<BadServer> bad_servers() {
  std::string many_headers = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 300; ++i) {
    many_headers += "X-" + std::to_string(i) + ": " + std::string(1000, 'x') + "\r\n";
  }
  std::vector<Said> slow_headers{{0, "HTTP/1.1 200 OK\r\n"}};
  for (int i = 0; i < 100; ++i) slow_headers.push_back({50, "X: y\r\n"});
  std::vector<Said> forever{{0, kStream}};
  for (int i = 0; i < 200; ++i) forever.push_back({20, kToken});
  const std::string endless_event = kStream + "data: " + std::string(2 << 20, 'x');
  return {
      {"drops_at_once", {{}}, "connection lost"},
      {"resets", {{{0, kStream + kToken}}, true, true}, "connection lost"},
      {"drops_within_the_answer", {{{0, kStream + kToken}}}, "stream ended before the answer did"},
      {"drops_within_a_chunk",
       {{{0,
          "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
          "40\r\ndata: "}}},
       "connection lost"},
      {"never_answers", {{}, false}, "no first byte within 0.3 s"},
      {"sends_headers_alone", {{{0, kStream}}, false}, "no first byte within 0.3 s"},
      {"sends_headers_slowly", {slow_headers}, "no first byte within 0.3 s"},
      {"sends_endless_headers", {{{0, many_headers}}}, "endless headers"},
      {"sends_a_header_without_end",
       {{{0, "HTTP/1.1 200 OK\r\nX: " + std::string(200 << 10, 'x')}}},
       "endless headers"},
      {"stalls", {{{0, kStream + kToken}}, false}, "silent for 0.3 s"},
      {"never_ends", {forever}, "not done in 1 s"},
      {"answers_429",
       {{{0, status("429 Too Many Requests", "{\"error\":\"slow down\"}")}}},
       "HTTP 429",
       "{\"error\":\"slow down\"}"},
      {"answers_500", {{{0, status("500 Internal Server Error", "oh no")}}}, "HTTP 500", "oh no"},
      {"answers_500_without_a_body", {{{0, status("500 Internal Server Error", "")}}}, "HTTP 500"},
      {"redirects",
       {{{0, "HTTP/1.1 307 Go\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"}}},
       "HTTP 307"},
      {"sends_a_web_page",
       {{{0, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>hello\n"}}},
       "content is text/html, not text/event-stream",
       "<html>hello "},
      {"sends_json_instead_of_a_stream",
       {{{0, status("200 OK", "{\"choices\":[]}")}}},
       "content is application/json, not text/event-stream",
       "{\"choices\":[]}"},
      {"sends_no_content",
       {{{0, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}}},
       "content is no type, not text/event-stream"},
      {"speaks_no_http", {{{0, "SSH-2.0-OpenSSH_9.2\r\n\r\n"}}}, "Unsupported protocol"},
      {"sends_events_of_garbage",
       {{{0, kStream + "data: \x01\xff{\n\n"}}},
       "not the JSON of an answer",
       " ?{"},
      {"sends_an_error_within_the_stream",
       {{{0, kStream + kToken + "data: {\"error\":{\"message\":\"out of blocks\"}}\n\n" + kDone}}},
       "server error",
       "out of blocks"},
      {"sends_an_endless_event", {{{0, endless_event}}}, "event beyond 1 MiB"},
      {"sends_no_tokens", {{{0, kStream + kDone}}}, "answer without tokens"},
  };
}

class BadServers : public testing::TestWithParam<BadServer> {};

TEST_P(BadServers, are_recorded_as_failures_with_the_reason) {
  const BadServer& bad = GetParam();
  const ScriptedServer server(bad.script);
  const Recording recording;
  const Ran ran = observe(server.url(), recording,
                          {"--rate", "20", "--num-requests", "2", "--json", "--first-byte-timeout",
                           "300ms", "--stall-timeout", "300ms", "--request-timeout", "1s"});
  EXPECT_EQ(ran.code, 3) << ran.err;  // nothing was answered
  const auto observed = ran.json()["observed"];
  EXPECT_EQ(observed["sent"], 2);
  EXPECT_EQ(observed["answered"], 0);
  ASSERT_EQ(observed["failures"].size(), 1u) << observed["failures"].dump();
  EXPECT_EQ(observed["failures"][0]["reason"], bad.reason);
  EXPECT_EQ(observed["failures"][0]["requests"], 2);
  EXPECT_THAT(observed["failures"][0]["example"].get<std::string>(), HasSubstr(bad.detail));
  const auto data = read_file(recording.file("observed.csv"));
  ASSERT_TRUE(data.has_value());
  EXPECT_THAT(*data, HasSubstr(bad.reason));
}

INSTANTIATE_TEST_SUITE_P(Each, BadServers, testing::ValuesIn(bad_servers()),
                         [](const auto& param) { return param.param.name; });

TEST(Observe, sends_again_what_was_refused_only_if_asked_to) {
  const Script busy{{{0, status("503 Service Unavailable", "")}}};
  const ScriptedServer server(busy);
  const Recording recording;
  const std::vector<std::string> load{"--rate", "50", "--num-requests", "1", "--json"};
  EXPECT_EQ(observe(server.url(), recording, load).json()["observed"]["retries"], 0);
  EXPECT_EQ(server.streams_asked_for(), 1);
  std::vector<std::string> patient = load;
  patient.insert(patient.end(), {"--retries", "1"});
  EXPECT_EQ(observe(server.url(), recording, patient).json()["observed"]["retries"], 1);
  EXPECT_EQ(server.streams_asked_for(), 3);
}

TEST(Observe, says_so_when_there_is_no_server) {
  const Recording recording;
  const Ran ran = observe("http://127.0.0.1:1", recording, {"--rate", "1", "--num-requests", "1"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("error: cannot use http://127.0.0.1:1: no connection"));
  EXPECT_EQ(ran.out, "");
}

TEST(Observe, keeps_to_the_limits_in_its_first_questions_too) {
  StepLaw slow = quick_law();
  slow.base = Ms(4000);
  const StepLawServer server(slow);
  const Recording recording;
  const Ran ran = observe(server.url(), recording,
                          {"--rate", "1", "--num-requests", "1", "--first-byte-timeout", "300ms"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("no first byte within 1 s"));
}

TEST(Observe, speaks_tls_only_to_who_can) {
  const ScriptedServer server({});
  const Recording recording;
  const Ran ran =
      observe("https" + server.url().substr(4), recording, {"--rate", "1", "--num-requests", "1"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr(": TLS failed: "));
}

TEST(Observe, asks_another_server_for_its_own_model) {
  const ScriptedServer server({});
  const Recording recording;
  const Ran ran =
      run_plimsoll({"observe", "--server-url", server.url(), "--model", "lawn", "--output",
                    recording.prefix(), "--rate", "1", "--num-requests", "1"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("does not serve \"lawn\"\n  did you mean \"law\"?"));
}

}  // namespace
}  // namespace plimsoll::test
