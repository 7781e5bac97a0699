#include "base/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/file.h"

namespace plimsoll {
namespace {

using testing::HasSubstr;

TEST(Process, hands_words_over_as_they_are) {
  const auto output = output_of({"printf", "%s|", "a b", "$HOME; 'c'", ""});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out, "a b|$HOME; 'c'||");
  EXPECT_EQ(output->code, 0);
}

TEST(Process, says_how_a_program_ended) {
  EXPECT_EQ(output_of({"sh", "-c", "echo no >&2; exit 3"})->code, 3);
  EXPECT_EQ(output_of({"sh", "-c", "kill -9 $$"})->code, 128 + SIGKILL);
}

TEST(Process, keeps_what_a_program_answers_apart_from_what_it_says) {
  // More of each than a pipe holds, one after the other.
  const auto output = output_of(
      {"sh", "-c", "head -c 200000 /dev/zero >&2; head -c 200000 /dev/zero; echo no >&2; echo 7"});
  ASSERT_TRUE(output);
  EXPECT_EQ(output->out.substr(200'000), "7\n");
  EXPECT_EQ(output->err.substr(200'000), "no\n");
}

TEST(Process, names_a_program_that_is_not_there) {
  const auto output = output_of({"no-such-program-of-plimsoll"});
  ASSERT_FALSE(output);
  EXPECT_THAT(format(output.error()), HasSubstr("cannot start no-such-program-of-plimsoll"));
}

TEST(Process, prints_to_a_file_and_is_stopped) {
  const std::string path = testing::TempDir() + "process_prints_to_a_file";
  std::remove(path.c_str());
  auto process = Process::start({"sh", "-c", "echo begun; exec sleep 100"}, path);
  ASSERT_TRUE(process);
  while (read_file(path).value_or("") != "begun\n") {
  }
  EXPECT_FALSE(process->ended());
  process->stop();
  EXPECT_EQ(process->ended(), 128 + SIGTERM);
}

}  // namespace
}  // namespace plimsoll
