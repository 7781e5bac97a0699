#include "planner/plan_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "fake_gpus.h"

namespace plimsoll {
namespace {

using test::deploy;
using test::plan_of;
using test::request_of;

const JournalHead kQuestion{"digest", "plimsoll plan"};

std::string temporary_journal() {
  return testing::TempDir() + "plan_" +
         testing::UnitTest::GetInstance()->current_test_info()->name() + ".journal";
}

std::string text_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

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
      if (probe) text += journal_line({c.id, 1, *probe});
    }
  }
  if (plan.headroom) text += journal_line({0, 1, *plan.headroom->at_bad});
  if (plan.model_rps) text += fmt::format("{} {}\n", plan.model_rps->low, plan.model_rps->high);
  for (const LoadProbe& probe : plan.best_probes) text += journal_line({0, 1, probe});
  return text;
}

struct JournaledPlan {
  Plan plan;
  std::int64_t tested = 0;
};

JournaledPlan plan_with(Result<PlanJournal> journal, const PlanRequest& request,
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
  const JournaledPlan whole = plan_with(PlanJournal::create(path, kQuestion), request);
  const std::string text = text_in(path);
  ASSERT_EQ(std::ranges::count(text, '\n'), whole.tested + 1);
  ASSERT_GE(whole.tested, 3);
  std::int64_t lines = -1;  // of tests
  for (std::size_t begin = 0; begin <= text.size(); lines += 1) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t cut = lines % 2 == 0 ? begin : (begin + end) / 2;
    put_text(path, text.substr(0, cut));
    const JournaledPlan resumed = plan_with(PlanJournal::resume(path, kQuestion), request);
    EXPECT_EQ(resumed.tested, whole.tested - std::max<std::int64_t>(lines, 0)) << cut;
    EXPECT_EQ(all_of(resumed.plan), all_of(whole.plan)) << cut;
    EXPECT_EQ(text_in(path).size(), text.size());
    begin = end + 1;
  }
}

TEST(PlanJournal, that_absorbs_another_needs_it_no_more) {
  const std::string lost = temporary_journal();
  const std::string path = lost + ".2";
  for (const std::string& file : {lost, path}) std::filesystem::remove(file);
  LoadProbe probe;
  probe.rate_rps = 10;
  PlanJournal::create(lost, kQuestion)->add({1, 1, probe});
  {
    auto journal = PlanJournal::create(path, kQuestion);
    ASSERT_TRUE(journal->absorb(lost, kQuestion));
    ASSERT_TRUE(journal->absorb(lost, kQuestion));  // nothing in it is new
  }
  std::filesystem::remove(lost);
  EXPECT_EQ(PlanJournal::resume(path, kQuestion)->tests(), 1);
  const std::string text = text_in(path);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
}

TEST(PlanJournal, of_a_plan_that_was_interrupted_holds_what_it_tested) {
  PlanRequest request = request_of({"slow"});
  request.space.tp = {1};
  request.space.max_num_seqs = {64};
  request.rate_rps = 900;
  request.space.replicas.clear();
  const std::string path = temporary_journal();
  std::filesystem::remove(path);
  const JournaledPlan cut = plan_with(PlanJournal::create(path, kQuestion), request, 1);
  EXPECT_TRUE(cut.plan.interrupted);
  const JournaledPlan rest = plan_with(PlanJournal::resume(path, kQuestion), request);
  const auto whole = plan_of(request);
  EXPECT_EQ(cut.tested + rest.tested, whole->probes);
  EXPECT_EQ(all_of(rest.plan), all_of(*whole));
}

TEST(PlanJournal, tells_the_models_of_a_fleet_apart) {
  const std::string path = temporary_journal();
  std::filesystem::remove(path);
  JournalEntry entry;
  entry.candidate = 3;
  entry.probe.rate_rps = 20;
  entry.probe.instances = 2;
  entry.probe.requests = 111;
  entry.model = 1;
  {
    auto journal = PlanJournal::create(path, kQuestion);
    ASSERT_TRUE(journal);
    journal->add(entry);
    entry.model = 2;
    entry.probe.requests = 222;
    journal->add(entry);
  }
  const auto again = PlanJournal::resume(path, kQuestion);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->tests(), 2u);
  ProbeJob job;
  job.rate_rps = 20;
  job.instances = 2;
  EXPECT_EQ(again->find(1, 3, job)->requests, 111);
  EXPECT_EQ(again->find(2, 3, job)->requests, 222);
  EXPECT_EQ(again->find(0, 3, job), nullptr);
}

TEST(PlanJournal, refuses_what_is_not_its_own) {
  const std::string path = temporary_journal();
  const auto refused = [&](const std::string& text) {
    put_text(path, text);
    const auto journal = PlanJournal::resume(path, kQuestion);
    EXPECT_FALSE(journal) << text;
    return journal ? "" : journal.error().diagnostics.front().message;
  };
  const std::string head = journal_line(kQuestion);
  EXPECT_EQ(refused("notes\n"), "this is no journal of a plan");
  EXPECT_EQ(refused("{}"), "this is no journal of a plan");
  EXPECT_EQ(refused(journal_record("{}")), "this is no journal of a plan");
  EXPECT_EQ(refused(journal_line(JournalHead{"other", "?"})),
            "this journal answers another question");
  EXPECT_EQ(refused(head + journal_record("{\"candidate\":1}")), "this is no test of a plan");
  put_text(path, head);
  EXPECT_FALSE(PlanJournal::create(path, kQuestion));
}

TEST(PlanJournal, of_another_version_is_called_that) {
  const std::string path = temporary_journal();
  const auto refused = [&](const std::string& text) {
    put_text(path, text);
    const auto journal = PlanJournal::resume(path, kQuestion);
    return journal ? "" : journal.error().diagnostics.front().message;
  };
  for (const char* version : {"1", "2", "3", "4"}) {  // they had no checksums
    const std::string head = std::string("{\"plimsoll_plan_journal\":") + version;
    EXPECT_EQ(refused(head + ",\"digest\":\"digest\",\"command\":\"plimsoll plan\"}\n{}\n"),
              std::string("this journal has version ") + version +
                  "; this program reads and writes version 14");
  }
  EXPECT_EQ(refused(journal_record("{\"plimsoll_plan_journal\":7,\"of\":[]}")),
            "this journal has version 7; this program reads and writes version 14");
}

// A journal of four tests with figures of all kinds.
std::string some_journal(const std::string& path) {
  std::filesystem::remove(path);
  auto journal = PlanJournal::create(path, kQuestion);
  EXPECT_TRUE(journal);
  for (std::int32_t instances : {1, 2, 3, 4}) {
    JournalEntry entry;
    entry.candidate = 3;
    entry.probe.rate_rps = 20.0 / 3;
    entry.probe.instances = instances;
    entry.probe.reason = {ProbeCause::slo_figure, 1};
    journal->add(entry);
  }
  EXPECT_TRUE(journal->state());
  return text_in(path);
}

TEST(PlanJournal, names_the_line_of_every_flipped_bit) {
  const std::string path = temporary_journal();
  const std::string whole = some_journal(path);
  // All bits of the first 40 bytes and of all newlines, and every 97th bit of the file.
  std::size_t flips = 0;
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    const std::size_t at = bit / 8;
    if (at >= 40 && whole[at] != '\n' && bit % 97 != 0) continue;
    flips += 1;
    std::string text = whole;
    text[at] = static_cast<char>(text[at] ^ (1 << bit % 8));
    put_text(path, text);
    const auto line = 1 + std::ranges::count(whole.substr(0, at), '\n');
    const auto journal = PlanJournal::resume(path, kQuestion);
    if (at + 1 == whole.size()) {  // as if it had not been written whole
      ASSERT_TRUE(journal) << bit;
      EXPECT_EQ(journal->cut_line(), line);
    } else {
      ASSERT_FALSE(journal) << bit;
      EXPECT_EQ(journal.error().diagnostics.front().line, line) << bit;
      EXPECT_THAT(format(journal.error()), testing::HasSubstr("this line is damaged")) << bit;
      EXPECT_EQ(text_in(path), text) << bit;  // left as it is
    }
  }
  EXPECT_GT(flips, 500u);
}

TEST(PlanJournal, goes_on_without_the_lines_that_were_damaged_once_they_are_removed) {
  const std::string path = temporary_journal();
  std::string text = some_journal(path);
  const std::size_t second = text.find('\n') + 1;
  text.erase(second, text.find('\n', second) + 1 - second);
  put_text(path, text);
  const auto journal = PlanJournal::resume(path, kQuestion);
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->tests(), 3u);
}

TEST(PlanJournal, says_which_line_was_cut_off) {
  const std::string path = temporary_journal();
  const std::string whole = some_journal(path);
  put_text(path, whole.substr(0, whole.size() - 5));
  const auto journal = PlanJournal::resume(path, kQuestion);
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->cut_line(), 5);
  EXPECT_EQ(journal->tests(), 3u);
  EXPECT_EQ(text_in(path), whole.substr(0, whole.rfind('\n', whole.size() - 2) + 1));
}

TEST(PlanJournal, is_written_by_one_at_a_time) {
  const std::string path = temporary_journal();
  std::filesystem::remove(path);
  {
    const auto first = PlanJournal::create(path, kQuestion);
    ASSERT_TRUE(first);
    for (const auto& second :
         {PlanJournal::resume(path, kQuestion), PlanJournal::create(path, kQuestion)}) {
      ASSERT_FALSE(second);
      EXPECT_EQ(second.error().diagnostics.front().message,
                "another run of plimsoll is writing " + path);
    }
  }
  EXPECT_TRUE(PlanJournal::resume(path, kQuestion));
}

std::optional<JournalEntry> written_and_read(const JournalEntry& entry) {
  const std::string line = journal_line(entry);
  const auto text = text_of_record(std::string_view(line).substr(0, line.size() - 1));
  return text ? parse_journal_entry(*text) : std::nullopt;
}

TEST(JournalLine, loses_nothing) {
  JournalEntry entry;
  entry.candidate = 7;
  entry.probe.rate_rps = 1.0 / 3;
  entry.probe.summary.cluster.name = "\"TTFT\" \n é";
  entry.probe.slos.resize(2);
  entry.probe.slos[0].interval_ms = Interval{0.1, std::numeric_limits<double>::infinity()};
  entry.probe.slos[1].answer = Answer::holds;
  entry.probe.summary.cluster.efficiency = Efficiency{0.1, 0.2, 0.3, 0.4};
  entry.probe.summary.intervals = {{"ttft_p99_ms", 1e-300, 2}};
  const auto again = written_and_read(entry);
  ASSERT_TRUE(again);
  EXPECT_EQ(journal_line(*again), journal_line(entry));
  EXPECT_EQ(again->probe.rate_rps, entry.probe.rate_rps);
  EXPECT_EQ(again->probe.slos[0].interval_ms->high, entry.probe.slos[0].interval_ms->high);
  EXPECT_FALSE(again->probe.slos[1].interval_ms);
  EXPECT_EQ(again->probe.summary.cluster.efficiency->mbu_of_run, 0.4);
}

}  // namespace
}  // namespace plimsoll
