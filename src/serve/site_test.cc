// Requests as the server hands them over, without a socket and without a simulation.
#include "serve/site.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <sstream>
#include <thread>

namespace plimsoll {
namespace {

constexpr int kSitePort = 8642;

// Says what it was asked; "slow" works until it is told to stop.
ApiVerb echo() {
  ApiVerb verb{"echo",
               "what was said?",
               "Ask this to hear yourself.",
               {{"say", ApiField::Kind::text, "Anything", {}, true},
                {"times", ApiField::Kind::integer, "How often"}},
               {}};
  verb.answer = [](const Json& fields, const ApiListener& listener) {
    ApiAnswer answer;
    const std::string& said = fields["say"].as_string();
    if (said == "bad") {
      answer.exit_code = 2;
      answer.messages = "error: that is bad\n  say better\n";
      answer.problems = {{{}, 0, 0, "that is bad", "say better", {}}};
      return answer;
    }
    if (listener.on_progress) {
      listener.on_progress(Json{{"progress", "listening"}, {"elapsed_s", 2.0}, {"share", 0.25}});
    }
    while (said == "slow" && !listener.stopped()) std::this_thread::yield();
    answer.exit_code = said == "slow" ? 130 : 0;
    answer.json = Json{{"said", said}}.dump() + "\n";
    if (listener.draws) answer.charts = "<svg/>";
    if (listener.wants_page) answer.page = "<p>" + said + "</p>";
    answer.verdict = "It was " + said + ".";
    answer.command = "plimsoll echo --say " + said;
    return answer;
  };
  return verb;
}

class SiteTest : public ::testing::Test {
 protected:
  SiteTest() : site_({echo()}, {.time_limit_s = 5, .most_simulations = 2}, "1.2.3") {
    site_.protect({kSitePort, ""});
  }

  WebResponse ask(const std::string& method, const std::string& path, const std::string& body = "",
                  const std::string& type = "application/json") {
    WebRequest request{
        method, path, {}, {{"host", "127.0.0.1:8642"}, {"content-type", type}}, body};
    if (const std::size_t at = path.find('?'); at != path.npos) {
      request.path = path.substr(0, at);
      std::istringstream pairs(path.substr(at + 1));
      for (std::string pair; std::getline(pairs, pair, '&');)
        request.query[pair.substr(0, pair.find('='))] = pair.substr(pair.find('=') + 1);
    }
    return site_.respond(request);
  }

  Json call(const std::string& method, const Json& parameters) {
    const Json message{{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", parameters}};
    return Json::parse(ask("POST", "/mcp", message.dump()).body);
  }

  Site site_;
};

TEST_F(SiteTest, answers_with_exactly_what_the_command_line_prints) {
  const WebResponse response = ask("POST", "/api/echo", R"({"say": "yes"})");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "{\"said\":\"yes\"}\n");
}

TEST_F(SiteTest, puts_verdict_and_command_beside_the_answer_where_asked) {
  const Json full = Json::parse(ask("POST", "/api/echo?form=full", R"({"say": "yes"})").body);
  EXPECT_EQ(full["verdict"].as_string(), "It was yes.");
  EXPECT_EQ(full["command"].as_string(), "plimsoll echo --say yes");
  EXPECT_EQ(full["answer"]["said"].as_string(), "yes");
}

TEST_F(SiteTest, tells_of_progress_where_asked) {
  const auto last_line = [&](const std::string& fields) {
    const WebResponse response = ask("POST", "/api/echo?form=stream", fields);
    std::string last;
    for (std::string line = response.stream->next(); !line.empty(); line = response.stream->next())
      if (line != "\n") last = line;
    return Json::parse(last);
  };
  EXPECT_EQ(last_line(R"({"say": "yes"})")["verdict"].as_string(), "It was yes.");
  EXPECT_EQ(last_line(R"({"say": "bad"})")["error"]["message"].as_string(), "that is bad");
  EXPECT_EQ(ask("POST", "/api/echo?form=x", R"({"say": "yes"})").status, 400);
}

TEST_F(SiteTest, hands_errors_on_in_parts_and_as_text) {
  const WebResponse response = ask("POST", "/api/echo", R"({"say": "bad"})");
  EXPECT_EQ(response.status, 400);
  const Json error = Json::parse(response.body)["error"];
  EXPECT_EQ(error["message"].as_string(), "that is bad");
  EXPECT_EQ(error["hint"].as_string(), "say better");
  EXPECT_EQ(error["text"].as_string(), "error: that is bad\n  say better\n");
}

TEST_F(SiteTest, stops_when_the_time_is_up_and_says_so) {
  const WebResponse response = ask("POST", "/api/echo?within=0.05", R"({"say": "slow"})");
  EXPECT_EQ(response.status, 200);
  const std::pair<std::string, std::string> cut("Plimsoll-Cut-Short", "true");
  EXPECT_EQ(std::ranges::count(response.headers, cut), 1);
}

TEST_F(SiteTest, stops_when_nobody_waits_any_more) {
  WebRequest request{"POST", "/api/echo", {}, {{"host", "127.0.0.1:8642"}}, R"({"say": "slow"})"};
  request.headers["content-type"] = "application/json";
  request.is_gone = [] { return true; };
  EXPECT_EQ(site_.respond(request).status, 503);
}

TEST_F(SiteTest, refuses_what_is_no_question) {
  EXPECT_EQ(ask("GET", "/api/echo").status, 405);
  EXPECT_EQ(ask("POST", "/api/echo", "{", "application/json").status, 400);
  EXPECT_EQ(ask("POST", "/api/echo", "[1]").status, 400);
  EXPECT_EQ(ask("POST", "/api/echo", "", "application/json").status, 400);
  EXPECT_EQ(ask("POST", "/api/echo", R"({"say": "x"})", "text/plain").status, 415);
  EXPECT_EQ(ask("POST", "/api/ecko", R"({"say": "x"})").status, 404);
  EXPECT_EQ(ask("POST", "/api/echo?within=soon", R"({"say": "x"})").status, 400);
  EXPECT_EQ(ask("POST", "/").status, 405);
  for (const char* path :
       {"/etc/passwd", "/../../etc/passwd", "/page.js/..", "/api/../page.js", "//"})
    EXPECT_EQ(ask("GET", path).status, std::string(path).starts_with("/api/") ? 405 : 404) << path;
}

TEST_F(SiteTest, has_a_page_that_brings_all_it_needs) {
  const WebResponse page = ask("GET", "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  for (const char* file : {"page.js", "page.css"}) {
    EXPECT_NE(page.body.find(file), std::string::npos);
    EXPECT_EQ(ask("GET", "/" + std::string(file)).status, 200);
  }
  EXPECT_EQ(page.body.find("http://"), std::string::npos);
  EXPECT_EQ(page.body.find("https://"), std::string::npos);
}

TEST_F(SiteTest, describes_itself) {
  const Json api = Json::parse(ask("GET", "/openapi.json").body);
  EXPECT_EQ(api["openapi"].as_string(), "3.1.0");
  const Json& progress = api["components"]["schemas"]["Progress"]["properties"];
  for (const char* key : {"phase", "done", "of", "elapsed_s", "lower", "upper", "tests"})
    EXPECT_TRUE(progress.find(key) != nullptr) << key;
  EXPECT_TRUE(api["paths"].contains("/api/echo"));
  const Json& schema = api["components"]["schemas"]["echo"];
  EXPECT_EQ(schema["properties"]["times"]["type"].as_string(), "integer");
  EXPECT_EQ(schema["required"].front().as_string(), "say");
}

TEST_F(SiteTest, speaks_mcp) {
  const Json begun = call("initialize", {{"protocolVersion", "2025-03-26"}})["result"];
  EXPECT_EQ(begun["protocolVersion"].as_string(), "2025-03-26");
  EXPECT_EQ(begun["serverInfo"]["version"].as_string(), "1.2.3");
  EXPECT_TRUE(call("ping", Json::object())["result"].is_object());
  const Json tool = call("tools/list", Json::object())["result"]["tools"].front();
  EXPECT_EQ(tool["name"].as_string(), "echo");
  EXPECT_EQ(tool["inputSchema"]["type"].as_string(), "object");
  const Json called =
      call("tools/call", {{"name", "echo"}, {"arguments", Json{{"say", "yes"}}}})["result"];
  EXPECT_FALSE(called["isError"].as_bool());
  EXPECT_EQ(called["content"].front()["text"].as_string(), "It was yes.");
  EXPECT_EQ(called["structuredContent"]["said"].as_string(), "yes");
}

TEST_F(SiteTest, tells_agents_of_progress_where_they_ask_for_it) {
  const Json call{{"name", "echo"},
                  {"arguments", Json{{"say", "yes"}}},
                  {"_meta", Json{{"progressToken", "t1"}}}};
  WebRequest request{"POST", "/mcp", {}, {{"host", "127.0.0.1:8642"}}, ""};
  request.headers["content-type"] = "application/json";
  request.is_gone = [] { return false; };
  request.body =
      Json{{"jsonrpc", "2.0"}, {"id", 7}, {"method", "tools/call"}, {"params", call}}.dump();
  EXPECT_EQ(site_.respond(request).type, "application/json") << "it takes no events";
  request.headers["accept"] = "application/json, text/event-stream";
  const WebResponse response = site_.respond(request);
  EXPECT_EQ(response.type, "text/event-stream");
  std::vector<Json> told;
  for (std::string piece; !(piece = response.stream->next()).empty();) {
    const std::string begin = "event: message\ndata: ";
    ASSERT_EQ(piece.substr(0, begin.size()), begin);
    told.push_back(Json::parse(piece.substr(begin.size())));
  }
  ASSERT_EQ(told.size(), 2);
  const Json& progress = told[0]["params"];
  EXPECT_EQ(told[0]["method"].as_string(), "notifications/progress");
  EXPECT_EQ(progress["progressToken"].as_string(), "t1");
  EXPECT_EQ(progress["progress"].as_double(), 2);
  EXPECT_EQ(progress["total"].as_double(), 8) << "a quarter is done after 2 s";
  EXPECT_EQ(told[1]["id"].as_integer(), 7);
  EXPECT_EQ(told[1]["result"]["structuredContent"]["said"].as_string(), "yes");
}

TEST_F(SiteTest, has_charts_only_where_they_are_asked_for) {
  EXPECT_FALSE(
      Json::parse(ask("POST", "/api/echo?form=full", R"({"say": "yes"})").body).contains("charts"));
  EXPECT_EQ(ask("POST", "/api/echo?charts=true", R"({"say": "yes"})").status, 400);
  EXPECT_EQ(ask("GET", "/chart.css").status, 200);
  EXPECT_EQ(ask("GET", "/chart.js").status, 200);
  EXPECT_EQ(ask("GET", "/report.js").status, 404);
}

TEST_F(SiteTest, keeps_the_pages_of_the_last_answers_that_were_asked_for_with_one) {
  const auto report = [&](const std::string& query) {
    const Json full = Json::parse(ask("POST", "/api/echo?" + query, R"({"say": "yes"})").body);
    return full.contains("report") ? full["report"].as_string() : "";
  };
  EXPECT_EQ(report("form=full"), "");
  EXPECT_EQ(ask("POST", "/api/echo?report=true", R"({"say": "yes"})").status, 400);
  const std::string first = report("form=full&report=true");
  const WebResponse page = ask("GET", first);
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "<p>yes</p>");
  const auto policy =
      std::ranges::find(page.headers, "Content-Security-Policy", [](auto& h) { return h.first; });
  EXPECT_NE(policy->second.find("sandbox allow-scripts"), std::string::npos)
      << "its scripts are strangers to the server";
  EXPECT_EQ(ask("POST", first, "{}").status, 405);
  for (std::size_t i = 0; i < KeptPages::kMost; ++i)
    EXPECT_NE(report("form=full&report=true"), first);
  EXPECT_EQ(ask("GET", first).status, 404);
}

TEST_F(SiteTest, draws_the_curves_of_two_settings_and_nothing_else) {
  const std::string curve =
      R"({"name": "TTFT p99", "limit_ms": null, "answer_rps": 8, "highest_rps": 10,)"
      R"( "highest_ms": 90, "points": [[2, 50, "brief"], [8, 70, "holds"]]})";
  const auto draw = [&](const std::string& a, const std::string& b) {
    return ask("POST", "/compared-charts", R"({"a": [)" + a + R"(], "b": [)" + b + "]}");
  };
  const WebResponse drawn = draw(curve, curve);
  EXPECT_EQ(drawn.status, 200);
  EXPECT_NE(Json::parse(drawn.body)["charts"].as_string().find("A 70.0 ms at 8.00 req/s, B 70.0"),
            std::string::npos);
  EXPECT_EQ(draw("", "").status, 200);
  EXPECT_EQ(draw("7", "").status, 400);
  EXPECT_EQ(ask("POST", "/compared-charts", "{").status, 400);
  EXPECT_EQ(ask("POST", "/compared-charts", "[]").status, 400);
  EXPECT_EQ(ask("GET", "/compared-charts").status, 405);
  EXPECT_EQ(ask("POST", "/compared-charts", "{}", "text/plain").status, 415);
}

TEST_F(SiteTest, stops_a_call_that_its_client_cancels) {
  const auto send = [&](const std::string& session, const Json& message) {
    WebRequest request{"POST", "/mcp", {}, {{"host", "127.0.0.1:8642"}}, message.dump()};
    request.headers["content-type"] = "application/json";
    request.headers["mcp-session-id"] = session;
    return site_.respond(request);
  };
  const Json slow{{"name", "echo"}, {"arguments", Json{{"say", "slow"}}}};
  std::atomic<bool> is_over = false;
  Json told;
  std::thread agent([&] {
    told = Json::parse(
        send("a", {{"jsonrpc", "2.0"}, {"id", 7}, {"method", "tools/call"}, {"params", slow}})
            .body);
    is_over = true;
  });
  const auto cancel = [&](const std::string& session, const Json& id) {
    const Json which{{"requestId", id}};
    EXPECT_EQ(send(session,
                   {{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", which}})
                  .status,
              202);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  };
  cancel("b", 7);
  cancel("a", 8);
  cancel("a", "7");
  EXPECT_FALSE(is_over) << "another one's, or an unknown one";
  for (int tries = 0; tries < 20 && !is_over; ++tries) cancel("a", 7);
  EXPECT_TRUE(is_over);
  agent.join();
  EXPECT_TRUE(told["result"]["isError"].as_bool());
}

TEST_F(SiteTest, names_a_session_for_each_client) {
  const auto session = [&] {
    const WebResponse begun =
        ask("POST", "/mcp", R"({"jsonrpc": "2.0", "id": 1, "method": "initialize"})");
    const auto header = std::ranges::find(begun.headers, std::string("mcp-session-id"),
                                          [](const auto& pair) { return pair.first; });
    return header == begun.headers.end() ? "" : header->second;
  };
  EXPECT_EQ(session().size(), 32);
  EXPECT_NE(session(), session());
}

TEST_F(SiteTest, tells_agents_what_was_wrong) {
  const Json bad = call("tools/call", {{"name", "echo"}, {"arguments", Json{{"say", "bad"}}}});
  EXPECT_TRUE(bad["result"]["isError"].as_bool());
  EXPECT_EQ(call("tools/call", {{"name", "none"}})["error"]["code"].as_integer(), -32602);
  EXPECT_EQ(call("resources/list", Json::object())["error"]["code"].as_integer(), -32601);
  const auto code_of = [&](const std::string& body) {
    return Json::parse(ask("POST", "/mcp", body).body)["error"]["code"].as_integer();
  };
  EXPECT_EQ(code_of("{"), -32700);
  EXPECT_EQ(code_of("[]"), -32600);
  EXPECT_EQ(code_of(R"({"id": 1, "method": "ping"})"), -32600);
  EXPECT_EQ(code_of(R"({"jsonrpc": "2.0", "id": {}, "method": "ping"})"), -32600);
  EXPECT_EQ(
      ask("POST", "/mcp", R"({"jsonrpc": "2.0", "method": "notifications/initialized"})").status,
      202);
  EXPECT_EQ(ask("GET", "/mcp").status, 405);
}

}  // namespace
}  // namespace plimsoll
