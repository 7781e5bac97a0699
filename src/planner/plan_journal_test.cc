// Does a plan that goes on with its journal end as one that was never interrupted?
#include "base/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "fake_gpus.h"
#include "journal_files.h"
#include "planner/probe_record.h"

namespace plimsoll {
namespace {

using test::deploy;
using test::plan_of;
using test::put_text;
using test::request_of;
using test::temporary_journal;
using test::text_in;

const JournalHead kQuestion{"digest", "plimsoll plan"};

/// All that reports print.
std::string all_of(const Plan& plan) {
  std::string text =
      std::to_string(plan.best.value_or(999)) + " " + std::to_string(plan.probes) + "\n";
  for (const CandidateResult& c : plan.candidates) {
    text += describe(c.candidate) + ", " + std::string(name_of(c.fate)) + ": ";
    text += std::to_string(static_cast<int>(c.reason.cause));
    for (const double figure : c.reason.figures) text += " " + std::to_string(figure);
    text += "\n";
    for (const auto& probe : {c.at_good, c.at_bad}) {
      if (probe) text += json_of_probe(*probe).dump();
    }
  }
  if (plan.headroom) text += json_of_probe(*plan.headroom->at_bad).dump();
  if (plan.model_rps) text += fmt::format("{} {}\n", plan.model_rps->low, plan.model_rps->high);
  for (const LoadProbe& probe : plan.best_probes) text += json_of_probe(probe).dump();
  return text;
}

struct JournaledPlan {
  Plan plan;
  std::int64_t tested = 0;
};

JournaledPlan plan_with(Result<Journal> journal, const PlanRequest& request,
                        std::int64_t most_tests = 1000) {
  EXPECT_TRUE(journal);
  JournaledPlan made;
  Execution execution;
  execution.tested = [&](const ProbeJob&, const LoadProbe&) { made.tested += 1; };
  execution.keep_going = [&] { return made.tested < most_tests; };
  made.plan = *make_plan(
      request, [&](const Candidate& c) { return deploy(c, request.slos); }, execution, &*journal);
  EXPECT_TRUE(journal->state());
  return made;
}

TEST(PlanJournal, cut_anywhere_ends_with_the_same_plan_and_tests_only_the_rest) {
  PlanRequest request = request_of({"fast"});
  request.space.tp = {1};
  request.space.max_num_seqs = {64};
  request.rate_rps = 900;
  request.space.replicas.clear();
  request.objective = Objective::least_cost;
  const std::string path = temporary_journal();
  std::filesystem::remove(path);
  const JournaledPlan whole = plan_with(Journal::create(path, kQuestion), request);
  const std::string text = text_in(path);
  ASSERT_EQ(std::ranges::count(text, '\n'), whole.tested + 1);
  ASSERT_GE(whole.tested, 3);
  std::int64_t lines = -1;  // of tests
  for (std::size_t begin = 0; begin <= text.size(); lines += 1) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t cut = lines % 2 == 0 ? begin : (begin + end) / 2;
    put_text(path, text.substr(0, cut));
    const JournaledPlan resumed = plan_with(Journal::resume(path, kQuestion), request);
    EXPECT_EQ(resumed.tested, whole.tested - std::max<std::int64_t>(lines, 0)) << cut;
    EXPECT_EQ(all_of(resumed.plan), all_of(whole.plan)) << cut;
    EXPECT_EQ(text_in(path).size(), text.size());
    begin = end + 1;
  }
}

TEST(PlanJournal, of_a_plan_that_was_interrupted_holds_what_it_tested) {
  PlanRequest request = request_of({"slow"});
  request.space.tp = {1};
  request.space.max_num_seqs = {64};
  request.rate_rps = 900;
  request.space.replicas.clear();
  const std::string path = temporary_journal();
  std::filesystem::remove(path);
  const JournaledPlan cut = plan_with(Journal::create(path, kQuestion), request, 1);
  EXPECT_TRUE(cut.plan.interrupted);
  const JournaledPlan rest = plan_with(Journal::resume(path, kQuestion), request);
  const auto whole = plan_of(request);
  EXPECT_EQ(cut.tested + rest.tested, whole->probes);
  EXPECT_EQ(all_of(rest.plan), all_of(*whole));
}

TEST(PlanJournal, tells_the_models_of_a_fleet_apart) {
  ProbeJob job;
  job.rate_rps = 20;
  job.instances = 2;
  ProbeJob longer = job;
  longer.step_factor = 1.5;
  const std::set<std::string> names{unit_of(0, 3, job), unit_of(1, 3, job), unit_of(2, 3, job),
                                    unit_of(2, 4, job), unit_of(2, 4, longer)};
  EXPECT_EQ(names.size(), 5U);
}

TEST(ProbeRecord, loses_nothing) {
  LoadProbe probe;
  probe.rate_rps = 1.0 / 3;
  probe.summary.cluster.name = "\"TTFT\" \n é";
  probe.slos.resize(2);
  probe.slos[0].interval_ms = Interval{0.1, std::numeric_limits<double>::infinity()};
  probe.slos[1].answer = Answer::holds;
  probe.summary.cluster.efficiency = Efficiency{0.1, 0.2, 0.3, 0.4};
  probe.summary.intervals = {{"ttft_p99_ms", 1e-300, 2}};
  const auto again = read_probe(Json::parse(json_of_probe(probe).dump()));
  ASSERT_TRUE(again);
  EXPECT_EQ(json_of_probe(*again).dump(), json_of_probe(probe).dump());
  EXPECT_EQ(again->rate_rps, probe.rate_rps);
  EXPECT_EQ(again->slos[0].interval_ms->high, probe.slos[0].interval_ms->high);
  EXPECT_FALSE(again->slos[1].interval_ms);
  EXPECT_EQ(again->summary.cluster.efficiency->mbu_of_run, 0.4);
}

}  // namespace
}  // namespace plimsoll
