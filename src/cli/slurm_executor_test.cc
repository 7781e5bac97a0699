// What does a plan do with Slurm, and when Slurm does not answer? Programs of the same names stand
// in.
#include "cli/slurm_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

class SlurmExecutorTest : public testing::Test {
 protected:
  void SetUp() override {
    top_ = testing::TempDir() + "slurm_" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(top_);
    fs::create_directories(top_ + "/bin");
    before_ = std::getenv("PATH");
    setenv("PATH", (top_ + "/bin:" + before_).c_str(), 1);
    spec_.between_looks = std::chrono::milliseconds(0);
  }
  void TearDown() override { setenv("PATH", before_.c_str(), 1); }

  void program(const std::string& name, const std::string& script) const {
    const std::string path = top_ + "/bin/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << script;
    fs::permissions(path, fs::perms::owner_all);
  }
  RunFolder folder() const {
    SharedQuestion question;
    question.verb = "plan";
    question.shards = 3;
    return *RunFolder::create(top_ + "/plan", question);
  }

  std::string top_;
  std::string before_;
  ExecutorSpec spec_;
};

TEST_F(SlurmExecutorTest, gives_sbatch_each_word_as_it_was_quoted) {
  program("sbatch", "for word; do echo \"<$word>\"; done >" + top_ + "/words; echo 7\n");
  spec_.sbatch_args = {"--comment=a b"};
  const RunFolder plan = folder();
  EXPECT_TRUE(slurm_executor("plimsoll", spec_)->submit(plan));
  EXPECT_THAT(*read_file(top_ + "/words"), testing::HasSubstr("<--comment=a b>\n"));
}

TEST_F(SlurmExecutorTest, says_in_one_line_why_sbatch_refused) {
  program("sbatch",
          "echo 'sbatch: error: no such partition'; echo; echo 'sbatch: failed'; exit 1\n");
  const RunFolder plan = folder();
  const auto refused = slurm_executor("plimsoll", spec_)->submit(plan);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().diagnostics.front().message,
            "sbatch refused the job: sbatch: error: no such partition; sbatch: failed");
}

TEST_F(SlurmExecutorTest, reads_the_job_id_beside_warnings_and_the_name_of_a_cluster) {
  program("sbatch", "echo 'sbatch: warning: fewer nodes' >&2; echo '7;north'\n");
  const RunFolder plan = folder();
  ASSERT_TRUE(slurm_executor("plimsoll", spec_)->submit(plan));
  EXPECT_EQ(plan.jobs()->front().id, "7");
}

TEST_F(SlurmExecutorTest, takes_nothing_else_for_a_job_id) {
  for (const char* printed : {"Submitted batch job 7", "warning: slow\\n7", ""}) {
    fs::remove_all(top_ + "/plan");
    program("sbatch", std::string("printf '") + printed + "'\n");
    const RunFolder plan = folder();
    const auto refused = slurm_executor("plimsoll", spec_)->submit(plan);
    ASSERT_FALSE(refused) << printed;
    EXPECT_THAT(format(refused.error()), testing::HasSubstr("sbatch printed no job id")) << printed;
    EXPECT_TRUE(plan.jobs()->empty()) << printed;
  }
}

TEST_F(SlurmExecutorTest, says_once_that_squeue_fails_and_ends_in_the_end) {
  program("sbatch", "echo 7\n");
  program("squeue", "echo 'squeue: error: Unable to contact slurm controller'; exit 1\n");
  const RunFolder plan = folder();
  const auto executor = slurm_executor("plimsoll", spec_);
  ASSERT_TRUE(executor->submit(plan));
  ASSERT_TRUE(executor->is_busy());
  EXPECT_THAT(executor->news(), testing::HasSubstr("Unable to contact slurm controller; waiting"));
  for (int look = 2; look < kMostFailedLooks; ++look) {
    ASSERT_TRUE(executor->is_busy()) << look;
    EXPECT_EQ(executor->news(), "");
  }
  const auto ended = executor->is_busy();
  ASSERT_FALSE(ended);
  EXPECT_THAT(format(ended.error()), testing::HasSubstr("--resume goes on"));
}

TEST_F(SlurmExecutorTest, counts_failed_looks_from_the_last_answer_on) {
  program("sbatch", "echo 7\n");
  program("squeue", "test -e " + top_ + "/up || exit 1; echo 0\n");
  const RunFolder plan = folder();
  const auto executor = slurm_executor("plimsoll", spec_);
  ASSERT_TRUE(executor->submit(plan));
  for (int look = 0; look < kMostFailedLooks - 1; ++look) ASSERT_TRUE(executor->is_busy());
  std::ofstream(top_ + "/up") << "";
  ASSERT_TRUE(executor->is_busy());
  fs::remove(top_ + "/up");
  executor->news();
  EXPECT_TRUE(executor->is_busy());
  EXPECT_NE(executor->news(), "");
}

TEST_F(SlurmExecutorTest, submits_nothing_twice_while_squeue_fails) {
  program("sbatch", "echo >>" + top_ + "/submitted; echo 7\n");
  program("squeue", "exit 1\n");
  const RunFolder plan = folder();
  ASSERT_TRUE(slurm_executor("plimsoll", spec_)->submit(plan));
  EXPECT_FALSE(slurm_executor("plimsoll", spec_)->submit(plan));
  EXPECT_EQ(*read_file(top_ + "/submitted"), "\n");
}

}  // namespace
}  // namespace plimsoll
