// Does `observe` lose nothing that it recorded, and nothing that it recorded before?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "server/observing.h"

namespace plimsoll::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Observes until some requests were sent and `act` was done.
template <class Act>
Ran observe_until(const Recording& recording, const std::string& requests, Act act) {
  const StepLawServer server(quick_law());
  std::thread impatient([&] {
    constexpr std::size_t kSome = 2 + 5;  // two are to count words
    while (server.prompts().size() < kSome) std::this_thread::sleep_for(Ms(5));
    act();
  });
  Ran ran =
      observe(server.url(), recording,
              with_short({"--rate", "20", "--arrival", "constant", "--num-requests", requests}));
  impatient.join();
  return ran;
}

TEST(Observe, keeps_what_it_has_when_it_is_asked_to_end) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::signal(signal, SIG_DFL);  // whoever runs the tests may ignore some (nohup)
    const Recording recording;
    const Ran ran = observe_until(recording, "400", [&] { std::raise(signal); });
    EXPECT_EQ(ran.code, 128 + signal);
    EXPECT_THAT(ran.out, StartsWith("interrupted: "));
    EXPECT_GE(rows_of(recording.file("observed.csv")).size(), 3u);
  }
}

TEST(Observe, goes_on_after_a_hangup_that_nohup_keeps_from_it) {
  std::signal(SIGHUP, SIG_IGN);
  const Recording recording;
  const Ran ran = observe_until(recording, "8", [] { std::raise(SIGHUP); });
  std::signal(SIGHUP, SIG_DFL);
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("8 requests"));
}

TEST(Observe, tells_its_figures_when_its_folder_is_gone) {
  const Recording recording;
  const auto folder = std::filesystem::path(recording.prefix()).parent_path();
  // While it is open, no other test's folder gets its number, by which the run holds its files.
  const int number = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  const Ran ran = observe_until(recording, "8", [&] { std::filesystem::remove_all(folder); });
  close(number);
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.out, HasSubstr("8 requests"));
  EXPECT_THAT(ran.err, HasSubstr("error: cannot write " + recording.prefix() + ".csv"));
}

TEST(Observe, has_each_answer_in_a_file_as_soon_as_it_came) {
  const Recording recording;
  const std::string path = recording.file("observed.partial.csv");
  std::size_t rows = 0;
  const Ran ran = observe_until(recording, "40", [&] { rows = rows_of(path).size(); });
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_GE(rows, 1u + 3u);
  EXPECT_FALSE(std::filesystem::exists(path));  // the recording has them now
}

TEST(Observe, leaves_the_answers_where_the_recording_cannot_be_written) {
  const Recording recording;
  const std::string path = recording.file("observed.partial.csv");
  const Ran ran = observe_until(recording, "8", [&] {
    std::filesystem::create_directories(recording.file("observed.csv") + "/in the way");
  });
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr(path + " has what was measured"));
  const auto rows = rows_of(path);
  ASSERT_EQ(rows.size(), 1u + 8u);
  EXPECT_EQ(rows[1][7], "ok");
  std::filesystem::remove_all(recording.file("observed.csv"));
  const Ran second =
      observe("http://127.0.0.1:9", recording, with_short({"--rate", "50", "--num-requests", "2"}));
  EXPECT_EQ(second.code, 2);
  EXPECT_THAT(second.err, HasSubstr(path + " has what an earlier observation measured"));
}

TEST(Observe, overwrites_its_own_recordings_alone) {
  const StepLawServer server(quick_law());
  const auto observed = [&](const Recording& recording) {
    return observe(server.url(), recording, with_short({"--rate", "50", "--num-requests", "2"}));
  };
  const Recording own;
  EXPECT_EQ(observed(own).code, 0);
  EXPECT_EQ(observed(own).code, 0);
  const std::size_t asked = server.prompts().size();
  for (const std::string ending : {".csv", ".yaml", ".server.json", ".itl.csv"}) {
    const Recording other;
    std::ofstream(other.prefix() + ending) << "{\"mine\": 1}\n";
    const Ran ran = observed(other);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("--output would overwrite " + other.prefix() + ending));
    EXPECT_EQ(text_of(other.prefix() + ending), "{\"mine\": 1}\n");
  }
  EXPECT_EQ(server.prompts().size(), asked);
}

}  // namespace
}  // namespace plimsoll::test
