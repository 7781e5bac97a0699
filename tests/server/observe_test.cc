// `plimsoll observe` against a server whose step times are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "base/file.h"
#include "server/observing.h"
#include "server/step_law_server.h"

namespace plimsoll::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::size_t column(const std::vector<std::vector<std::string>>& rows, const std::string& name) {
  const auto at = std::find(rows.front().begin(), rows.front().end(), name);
  EXPECT_NE(at, rows.front().end()) << name;
  return static_cast<std::size_t>(at - rows.front().begin());
}

// One request alone: a step for its prompt, then a step per token. On a busy machine only that it
// takes no less is certain.
TEST(Observe, measures_what_the_law_of_the_server_says) {
  const StepLawServer server(quick_law());
  const Recording recording;
  const Ran ran = observe(
      server.url(), recording,
      with_short({"--rate", "10", "--arrival", "constant", "--num-requests", "10", "--json"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto json = ran.json();
  EXPECT_EQ(json["completed_requests"], 10);
  EXPECT_EQ(json["total_input_tokens"], 1000);
  EXPECT_EQ(json["total_output_tokens"], 100);
  EXPECT_GE(json["ttft_mean_ms"], 5.0);  // 4 + 100 * 0.01
  EXPECT_GE(json["e2e_mean_ms"], 5.0 + 9 * 4.1);
  EXPECT_GE(json["tpot_p90_ms"], 0.9 * 4.1);  // less what the first token was late
  EXPECT_EQ(json["observed"]["prompt_tokens"]["had_mean"], 100.0);
  EXPECT_EQ(json["observed"]["tokens_per_event"], 1.0);
  EXPECT_FALSE(json.contains("kv_utilization"));
}

TEST(Observe, keeps_to_the_schedule_though_the_server_does_not_keep_up) {
  StepLaw law = quick_law();
  law.max_num_seqs = 1;
  law.base = Ms(10);
  const StepLawServer server(law);
  const Recording recording;
  const Ran ran = observe(server.url(), recording,
                          {"--rate", "100", "--arrival", "constant", "--num-requests", "20",
                           "--json", "--prompt-tokens", "10", "--prompt-tokens-stdev", "0",
                           "--output-tokens", "5", "--output-tokens-stdev", "0"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  // Sent within 0.2 s, served one after the other in 1 s: the last waits for most of it.
  const auto rows = rows_of(recording.file("observed.csv"));
  const std::size_t sent = column(rows, "send_time_us");
  EXPECT_LT(std::stod(rows.back()[sent]), 600'000);
  EXPECT_GE(ran.json()["ttft_p99_ms"], 500.0);
}

TEST(Observe, counts_waiting_for_a_place_as_the_servers_time) {
  const StepLawServer server(quick_law());
  const Recording recording;
  const Ran ran = observe(server.url(), recording,
                          with_short({"--rate", "200", "--arrival", "constant", "--num-requests",
                                      "10", "--max-concurrency", "1", "--json"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto generator = ran.json()["observed"]["generator"];
  EXPECT_EQ(generator["late"], true);
  EXPECT_GE(generator["held_back"], 5);
  EXPECT_GE(ran.json()["ttft_p99_ms"], 250.0);  // nine answers of 42 ms before it
  const Ran text = observe(server.url(), recording,
                           with_short({"--rate", "200", "--arrival", "constant", "--num-requests",
                                       "10", "--max-concurrency", "1"}));
  EXPECT_THAT(text.out, AllOf(StartsWith("generator late: "), HasSubstr("--max-concurrency")));
}

TEST(Observe, lets_users_wait_for_their_answers_and_think) {
  const StepLawServer server(quick_law());
  const Recording recording;
  const Ran ran = observe(
      server.url(), recording,
      with_short({"--concurrency", "2", "--think-time-ms", "30", "--num-requests", "6", "--json"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json()["completed_requests"], 6);
  const auto rows = rows_of(recording.file("observed.csv"));
  const std::size_t session = column(rows, "session_id");
  const std::size_t sent = column(rows, "send_time_us");
  const std::size_t last = column(rows, "last_chunk_time_us");
  for (std::size_t i = 2; i < rows.size(); ++i) {
    for (std::size_t j = 1; j < i; ++j) {
      if (rows[i][session] != rows[j][session]) continue;
      EXPECT_GE(std::stod(rows[i][sent]), std::stod(rows[j][last]) + 30'000) << i << " " << j;
    }
  }
}

TEST(Observe, sends_shared_prefixes_and_real_conversations) {
  StepLaw law = quick_law();
  law.tokens_around_prompt = 3;
  law.tokens_per_word = 1.25;
  const StepLawServer server(law);
  const Recording recording;
  std::ofstream(recording.file("chat.yaml")) << R"(version: "2"
num_requests: 4
aggregate_rate: 4
clients:
  - id: chat
    rate_fraction: 1
    arrival: {process: poisson}
    prefix_group: system
    prefix_length: 60
    input_distribution: {type: constant, params: {value: 20}}
    output_distribution: {type: constant, params: {value: 5}}
    reasoning:
      multi_turn: {max_rounds: 2, think_time_us: 1000, context_growth: accumulate, single_session: false}
    closed_loop: true
)";
  const Ran ran =
      observe(server.url(), recording, {"--workload-spec", recording.file("chat.yaml"), "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::vector<std::string> prompts = server.prompts();
  ASSERT_EQ(prompts.size(), 6u);  // two to count words
  const std::string system = prompts[2].substr(0, prompts[2].find(' ', 200));
  std::set<std::string> different(prompts.begin() + 2, prompts.end());
  EXPECT_EQ(different.size(), 4u);
  int follow_ups = 0;
  for (std::size_t i = 2; i < prompts.size(); ++i) {
    EXPECT_THAT(prompts[i], StartsWith(system)) << i;
    for (std::size_t j = 2; j < i; ++j) {
      follow_ups += prompts[i].starts_with(prompts[j] + " tok tok tok tok tok ") ? 1 : 0;
    }
  }
  EXPECT_GE(follow_ups, 1);
  const auto lengths = ran.json()["observed"]["prompt_tokens"];
  const double asked = lengths["asked_mean"];
  EXPECT_NEAR(lengths["had_mean"], asked, 0.05 * asked);
}

TEST(Observe, replays_in_the_simulator) {
  const StepLawServer server(quick_law());
  const Recording recording;
  ASSERT_EQ(observe(server.url(), recording,
                    with_short({"--rate", "40", "--num-requests", "8", "--prefix-tokens", "32"}))
                .code,
            0);
  const Ran replayed =
      run_plimsoll({"replay", "--model", "law", "--model-config",
                    std::string(PLIMSOLL_SOURCE_DIR) + "/tests/scenario/inputs/tiny_model.json",
                    "--hardware", "L4", "--trace-header", recording.file("observed.yaml"),
                    "--trace-data", recording.file("observed.csv"), "--json"});
  ASSERT_EQ(replayed.code, 0) << replayed.err;
  const auto json = replayed.json();
  EXPECT_EQ(json["completed_requests"], 8);
  EXPECT_EQ(json["total_output_tokens"], 80);
  EXPECT_EQ(json["total_input_tokens"], 8 * 132);
}

TEST(Observe, records_the_time_of_every_token_and_how_the_server_is_set_up) {
  const StepLawServer server(quick_law());
  const Recording recording;
  const Ran ran = observe(server.url(), recording,
                          with_short({"--rate", "50", "--num-requests", "3", "--record-itl",
                                      "--api-format", "chat", "--slo-ttft", "10s"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("3 of 3 requests within their limits"));
  const auto times = rows_of(recording.file("observed.itl.csv"));
  ASSERT_EQ(times.size(), 1u + 3 * 10);
  const auto rows = rows_of(recording.file("observed.csv"));
  for (const auto& [index, name] :
       {std::pair(0, "first_chunk_time_us"), std::pair(9, "last_chunk_time_us")}) {
    for (std::size_t i = 1; i < times.size(); ++i) {
      if (times[i][1] != std::to_string(index)) continue;
      const std::size_t row = 1 + std::stoul(times[i][0]);
      EXPECT_NEAR(std::stod(times[i][2]), std::stod(rows[row][column(rows, name)]), 1);
    }
  }
  EXPECT_EQ(rows[1][column(rows, "streaming")], "true");
  const auto facts = nlohmann::json::parse(text_of(recording.file("observed.server.json")));
  EXPECT_EQ(facts["model"], "law");
  EXPECT_EQ(facts["path"], "/v1/chat/completions");
  EXPECT_EQ(facts["max_model_len"], 32768);
  EXPECT_EQ(facts["metrics_before"]["law:generation_tokens_total"], 2.0);
  EXPECT_EQ(facts["metrics_after"]["law:generation_tokens_total"], 32.0);
  EXPECT_THAT(text_of(recording.file("observed.yaml")),
              AllOf(HasSubstr("mode: real\n"), HasSubstr("model: law\n"),
                    HasSubstr("max_model_len: 32768\n"), HasSubstr("{ttft_ms: 10000}\n")));
}

TEST(Observe, counts_the_tokens_of_words_though_the_context_is_short) {
  StepLaw law = quick_law();
  law.tokens_per_word = 6;
  law.max_model_len = 400;
  const StepLawServer server(law);
  const Recording recording;
  const Ran ran = observe(server.url(), recording,
                          with_short({"--rate", "50", "--num-requests", "3", "--json"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NEAR(ran.json()["observed"]["prompt_tokens"]["had_mean"], 100, 3);
}

TEST(Observe, takes_whole_answers_and_servers_without_exact_lengths) {
  StepLaw law = quick_law();
  law.takes_exact_length = false;
  const StepLawServer server(law);
  const Recording recording;
  const Ran ran = observe(server.url(), recording,
                          with_short({"--rate", "50", "--num-requests", "3", "--no-streaming"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("takes no min_tokens and ignore_eos"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("3 of 3 requests"), HasSubstr("E2E ms"),
                             testing::Not(HasSubstr("TTFT"))));
}

TEST(Observe, sends_a_key_from_the_environment_and_never_shows_it) {
  StepLaw law = quick_law();
  law.api_key = "secret-key";
  const StepLawServer server(law);
  const Recording recording;
  const std::vector<std::string> load = with_short({"--rate", "50", "--num-requests", "2"});
  const Ran locked = observe(server.url(), recording, load);
  EXPECT_EQ(locked.code, 3);
  EXPECT_THAT(locked.err, AllOf(HasSubstr("HTTP 401"), HasSubstr("--api-key-env")));
  setenv("PLIMSOLL_TEST_KEY", "secret-key", 1);
  std::vector<std::string> with_key = load;
  with_key.insert(with_key.end(), {"--api-key-env", "PLIMSOLL_TEST_KEY"});
  const Ran ran = observe(server.url(), recording, with_key);
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* file : {"observed.csv", "observed.yaml", "observed.server.json"}) {
    EXPECT_THAT(text_of(recording.file(file)), testing::Not(HasSubstr("secret-key"))) << file;
  }
  unsetenv("PLIMSOLL_TEST_KEY");
  EXPECT_EQ(observe(server.url(), recording, with_key).code, 2);
}

TEST(Observe, gives_up_when_the_workloads_clients_do) {
  StepLaw law = quick_law();
  law.base = Ms(300);
  const StepLawServer server(law);
  const Recording recording;
  const Ran ran =
      observe(server.url(), recording,
              with_short({"--rate", "50", "--num-requests", "2", "--timeout", "1", "--json"}));
  EXPECT_EQ(ran.code, 3);
  EXPECT_EQ(ran.json()["timed_out_requests"], 2);
  EXPECT_THAT(text_of(recording.file("observed.csv")), HasSubstr(",timeout,timed out,"));
}

TEST(Observe, asks_its_own_questions_whatever_the_limits_of_the_load) {
  StepLaw law = quick_law();
  law.base = Ms(20);
  const StepLawServer server(law);
  const Recording recording;
  const Ran ran = observe(
      server.url(), recording,
      with_short({"--rate", "50", "--num-requests", "2", "--request-timeout", "5ms", "--json"}));
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_EQ(ran.json()["observed"]["failures"][0]["reason"], "not done in 0.005 s");
}

TEST(Observe, wants_to_know_what_to_load_how_and_for_how_long) {
  const Recording recording;
  const auto message = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "observe");
    const Ran ran = run_plimsoll(words);
    EXPECT_EQ(ran.code, 2);
    return ran.err;
  };
  const std::string url = "http://127.0.0.1:1";
  EXPECT_THAT(message({}), HasSubstr("no server given"));
  for (const char* bad :
       {"localhost:8000", "ftp://x", "http://", "http://user:pw@host", "http://host/?key=1"}) {
    EXPECT_THAT(message({"--server-url", bad}), HasSubstr("is not the address of a server")) << bad;
  }
  EXPECT_THAT(message({"--server-url", url}), HasSubstr("no model given"));
  EXPECT_THAT(message({"--server-url", url, "--model", "m"}), HasSubstr("no load given"));
  EXPECT_THAT(message({"--server-url", url, "--model", "m", "--rate", "1"}),
              HasSubstr("no length of the run given"));
  EXPECT_THAT(message({"--server-url", url, "--model", "m", "--rate", "1", "--num-requests", "1"}),
              HasSubstr("--output PREFIX"));
  EXPECT_THAT(message({"--server-url", url, "--model", "m", "--no-streaming", "--record-itl"}),
              HasSubstr("exclude each other"));
  EXPECT_THAT(message({"--api-key", "secret"}), HasSubstr("did you mean --api-key-env?"));
  EXPECT_THAT(message({"--stall-timeout", "soon"}), HasSubstr("a time with its unit"));
}

// A certificate for 127.0.0.1 that no authority knows, and its key.
std::string self_signed(const Recording& recording) {
  const std::string file = recording.file("server.pem");
  const std::string command =
      "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext "
      "subjectAltName=IP:127.0.0.1 -keyout '" +
      file + "' -out '" + file + ".cert' 2>/dev/null && cat '" + file + ".cert' >> '" + file + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << "Debian package openssl";
  return file;
}

TEST(Observe, speaks_tls_to_a_server_whose_certificate_it_is_told_to_trust) {
  const Recording recording;
  StepLaw law = quick_law();
  law.certificate = self_signed(recording);
  const StepLawServer server(law);
  const std::vector<std::string> load =
      with_short({"--rate", "50", "--num-requests", "3", "--json"});
  std::vector<std::string> trusting = load;
  trusting.insert(trusting.end(), {"--ca-file", law.certificate + ".cert"});
  const Ran ran = observe(server.url(), recording, trusting);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.json()["completed_requests"], 3);

  const Ran unknown = observe(server.url(), recording, load);
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr(": TLS failed: "), HasSubstr("certificate")));
}

TEST(Observe, draws_how_its_latencies_are_distributed) {
  const StepLawServer server(quick_law());
  const Recording recording;
  const Ran ran = observe(server.url(), recording, with_page(recording, {}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string page = text_of(recording.file("page.html"));
  EXPECT_THAT(page,
              AllOf(HasSubstr("<h2>Latencies</h2>"), HasSubstr("<figcaption>TTFT is "),
                    HasSubstr("<figcaption>TPOT is "), HasSubstr("<figcaption>E2E latency is ")));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("class=\"band\"")), Not(HasSubstr("xpected"))));
}

}  // namespace
}  // namespace plimsoll::test
