#include "cli/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "cli/version.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

RunFolder new_folder(std::int64_t shards, const std::string& build = std::string(build_id())) {
  const std::string path = testing::TempDir() + "run_folder_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name();
  fs::remove_all(path);
  SharedQuestion question;
  question.head = {"digest", "plimsoll plan"};
  question.verb = "plan";
  question.version = version();
  question.build = build;
  question.shards = shards;
  question.sbatch_args = "--comment='a b'";
  return *RunFolder::create(path, question);
}

void touch(const std::string& path) { std::ofstream(path) << ""; }

TEST(RunFolder, misses_the_shards_of_which_no_attempt_came_to_its_end) {
  const RunFolder folder = new_folder(20'000);
  for (const char* name : {"shard-0001.2.journal", "shard-12345.1.journal", "shard-0002.1.part",
                           "shard-20000.1.journal", "shard-x.1.journal", "shard-.journal"}) {
    touch(folder.file(name));
  }
  const std::vector<std::int64_t> missing = folder.missing();
  EXPECT_EQ(missing.size(), 19'998);
  EXPECT_THAT(missing, testing::Not(testing::Contains(testing::AnyOf(1, 12345))));
  EXPECT_TRUE(folder.is_done(1));
  EXPECT_FALSE(folder.is_done(2));
}

TEST(RunFolder, keeps_what_the_command_said_to_slurm) {
  const RunFolder folder = new_folder(1);
  EXPECT_EQ(RunFolder::open(folder.path())->question().sbatch_args, "--comment='a b'");
}

TEST(RunFolder, is_for_the_program_that_began_it) {
  EXPECT_TRUE(new_folder(1).check_program());
  const auto other = new_folder(1, "0123456789abcdef").check_program();
  ASSERT_FALSE(other);
  EXPECT_THAT(format(other.error()), testing::HasSubstr("(build 0123456789abcdef)"));
}

TEST(RunFolder, loses_lost_attempts_once_one_is_delivered_but_none_that_is_written) {
  const RunFolder folder = new_folder(2);
  const std::string lost = *folder.begin_attempt(0);
  const std::string written = *folder.begin_attempt(0);
  const std::string other = *folder.begin_attempt(1);
  const int fd = ::open(written.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(fd, LOCK_EX | LOCK_NB), 0);
  ASSERT_TRUE(folder.deliver(0, *folder.begin_attempt(0)));
  EXPECT_TRUE(folder.is_done(0));
  EXPECT_FALSE(fs::exists(lost));
  EXPECT_TRUE(fs::exists(written));
  EXPECT_TRUE(fs::exists(other));
  close(fd);
  EXPECT_TRUE(folder.deliver(0, lost));  // its worker comes too late
}

TEST(RunFolder, reads_jobs_that_were_added_after_a_torn_line) {
  const RunFolder folder = new_folder(9);
  ASSERT_TRUE(folder.add_job({"7", {0, 1}}));
  std::ofstream(folder.file("jobs.record"), std::ios::app) << "0123abcd 20 {\"job\"";
  ASSERT_TRUE(folder.add_job({"8", {2}}));
  const auto jobs = folder.jobs();
  ASSERT_EQ(jobs->size(), 2);
  EXPECT_EQ(jobs->back().id, "8");
  EXPECT_EQ(jobs->front().shards, (std::vector<std::int64_t>{0, 1}));
}

}  // namespace
}  // namespace plimsoll
