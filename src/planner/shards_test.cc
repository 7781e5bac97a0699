// A plan whose tests are shared out among processes is the plan that one process makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "base/file.h"
#include "base/journal.h"
#include "base/record.h"
#include "plan_spaces.h"
#include "planner/plan_search.h"
#include "planner/probe_record.h"
#include "slow_sanitized.h"

namespace plimsoll {
namespace {

using test::Space;
using test::space_of;
using testing::HasSubstr;

const JournalHead kAsked{"digest", "plimsoll plan"};

std::string shard_file(const std::string& name) {
  const std::string path = testing::TempDir() + "shards_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + name;
  std::filesystem::remove(path);
  return path;
}

/// What reports print of it.
std::string said_of(const Plan& plan) {
  std::string text = fmt::format("{} {}\n", plan.best.value_or(999), plan.probes);
  for (const CandidateResult& c : plan.candidates) {
    text += fmt::format("{} {} {} {} {}\n", c.id, name_of(c.fate), static_cast<int>(c.reason.cause),
                        c.good_rps, c.usd_per_hour);
    for (const auto& probe : {c.at_good, c.at_bad}) {
      if (probe) text += json_of_probe(*probe).dump();
    }
  }
  for (const LoadProbe& probe : plan.best_probes) text += json_of_probe(probe).dump();
  return text;
}

struct Counted {
  Execution execution;
  std::int64_t tests = 0;

  Counted() {
    execution.tested = [this](const ProbeJob&, const LoadProbe&) { tests += 1; };
  }
};

TEST(Shards, of_any_number_end_with_the_same_plan) {
  SLOW_SANITIZED();
  std::int64_t left_to_the_last = 0;
  std::int64_t in_all = 0;
  for (std::uint64_t seed = 101; seed <= 103; ++seed) {
    Space space = space_of(seed);
    if (seed % 4 == 3) {  // as much as possible for the money, not a rate
      space.request.rate_rps.reset();
      space.request.space.replicas = {1, 2};
      space.request.objective = Objective::qps_per_dollar;
    }
    const auto deploy = [&](const Candidate& c) { return space.deployed(c); };
    Counted alone;
    const auto plain = make_plan(space.request, deploy, alone.execution);
    ASSERT_TRUE(plain) << seed;
    in_all += alone.tests;

    auto journal = Journal::create(shard_file("all"), kAsked);
    ASSERT_TRUE(journal);
    const auto count = static_cast<std::int64_t>(seed % 3 + 1);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string path = shard_file(std::to_string(i));
      auto own = Journal::create(path, kAsked);
      ASSERT_TRUE(own);
      Counted part;
      PlanSearch search(space.request, part.execution, &*own);
      ASSERT_TRUE(search.test_shard(deploy, {i, count})) << seed;
      ASSERT_TRUE(journal->take_over(path, kAsked));
      ASSERT_TRUE(journal->take_over(path, kAsked));  // delivered twice
    }
    Counted last;
    const auto merged = make_plan(space.request, deploy, last.execution, &*journal);
    ASSERT_TRUE(merged) << seed;
    EXPECT_EQ(said_of(*merged), said_of(*plain)) << seed;
    left_to_the_last += last.tests;
  }
  // The comparison of the best, and what shards could not know: a small part.
  EXPECT_LT(left_to_the_last, in_all / 2);
}

TEST(Shards, that_contradict_each_other_are_refused) {
  const Space space = space_of(102);
  const auto deploy = [&](const Candidate& c) { return space.deployed(c); };
  const std::string path = shard_file("one");
  Counted part;
  {
    auto own = Journal::create(path, kAsked);
    ASSERT_TRUE(own);
    PlanSearch search(space.request, part.execution, &*own);
    ASSERT_TRUE(search.test_shard(deploy, {0, 1}));
  }
  const std::string text = *read_file(path);
  const std::size_t second = text.find('\n') + 1;
  std::string line = text.substr(second, text.find('\n', second) - second);
  auto entry = parse_journal_entry(*text_of_record(line));
  ASSERT_TRUE(entry);
  entry->result["requests"] = entry->result["requests"].as_integer() + 1;
  const std::string other = shard_file("other");
  std::ofstream(other) << text.substr(0, second) << journal_line(*entry);

  auto journal = Journal::create(shard_file("all"), kAsked);
  ASSERT_TRUE(journal->take_over(path, kAsked));
  const auto refused = journal->take_over(other, kAsked);
  ASSERT_FALSE(refused);
  EXPECT_THAT(format(refused.error()),
              HasSubstr(other + ":2: error: two workers got different results"));
}

TEST(Shards, of_another_question_are_refused_and_torn_ones_taken_as_far_as_they_go) {
  const std::string path = shard_file("one");
  { ASSERT_TRUE(Journal::create(path, {"another", "plimsoll plan --rate 2"})); }
  auto journal = Journal::create(shard_file("all"), kAsked);
  const auto refused = journal->take_over(path, kAsked);
  ASSERT_FALSE(refused);
  EXPECT_THAT(format(refused.error()), HasSubstr("answers another question"));
  std::ofstream(path, std::ios::trunc) << journal_line(kAsked) << "0123";
  EXPECT_TRUE(journal->take_over(path, kAsked));
  EXPECT_EQ(journal->size(), 0U);
}

}  // namespace
}  // namespace plimsoll
