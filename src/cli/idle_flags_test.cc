#include "cli/idle_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/parse.h"

namespace plimsoll {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> notes_on(const std::vector<std::string>& words) {
  const auto command = parse_command(*find_verb("run"), words);
  return command ? notes_on_idle_flags(command->options)
                 : std::vector<std::string>{format(command.error())};
}

TEST(IdleFlags, the_gateway_counts_when_it_is_switched_on) {
  EXPECT_THAT(notes_on({"--max-concurrency", "4", "--dispatch-order", "priority"}),
              ElementsAre("--max-concurrency has no effect without --flow-control; for a closed "
                          "loop of N users, use --concurrency N",
                          "--dispatch-order has no effect without --flow-control"));
  EXPECT_THAT(notes_on({"--flow-control", "--saturation-detector", "concurrency",
                        "--max-concurrency", "4", "--dispatch-order", "priority"}),
              IsEmpty());
}

TEST(IdleFlags, a_gateway_that_never_holds_back_is_no_gateway) {
  EXPECT_THAT(notes_on({"--flow-control"}),
              ElementsAre("--flow-control has no effect without --saturation-detector utilization "
                          "or concurrency: nothing is ever held back"));
  EXPECT_THAT(notes_on({"--flow-control=false"}), IsEmpty());
}

TEST(IdleFlags, thresholds_belong_to_their_detector_and_policy) {
  EXPECT_THAT(notes_on({"--flow-control", "--saturation-detector", "utilization",
                        "--max-concurrency", "4"}),
              ElementsAre("--max-concurrency has no effect without --saturation-detector "
                          "concurrency"));
  EXPECT_THAT(notes_on({"--admission-policy", "tier-shed", "--gaie-kv-threshold", "0.5",
                        "--tier-shed-threshold", "3"}),
              ElementsAre("--gaie-kv-threshold has no effect without --admission-policy "
                          "gaie-legacy"));
}

TEST(IdleFlags, the_gateway_takes_the_place_of_the_admission_policy) {
  EXPECT_THAT(notes_on({"--flow-control", "--saturation-detector", "utilization",
                        "--admission-policy", "reject-all"}),
              ElementsAre("--admission-policy has no effect with --flow-control: the gateway takes "
                          "the place of the admission policy"));
}

TEST(IdleFlags, each_flag_is_named_once) {
  EXPECT_THAT(notes_on({"--slo-targets", "critical=1000"}),
              ElementsAre("--slo-targets has no effect without --flow-control"));
  EXPECT_THAT(notes_on({"--flow-control", "--saturation-detector", "utilization", "--slo-targets",
                        "critical=1000", "--queue-shedding"}),
              ElementsAre("--slo-targets has no effect without --dispatch-order slo-deadline",
                          "--queue-shedding has no effect without --max-gateway-queue-depth or "
                          "--per-band-capacity"));
}

TEST(IdleFlags, names_that_no_request_has_are_told) {
  const auto command = parse_command(
      *find_verb("run"), std::vector<std::string>{"--slo-ttft", "critical=1s,2s,batch=9s",
                                                  "--tenant-budgets", "acme=0.5,amce=0.1"});
  ASSERT_TRUE(command);
  Summary summary;
  summary.goodput.emplace();
  summary.goodput->classes.resize(2);
  summary.goodput->classes[0].name = "critical";
  summary.goodput->classes[0].figures.arrived = 1;
  summary.goodput->classes[1].name = "batch";
  summary.tenants.resize(1);
  summary.tenants[0].name = "acme";
  EXPECT_THAT(notes_on_absent_names(command->options, summary),
              ElementsAre("--slo-ttft names class \"batch\", but no request has it",
                          "--tenant-budgets names tenant \"amce\", but no request has it"));
}

TEST(IdleFlags, a_way_to_exchange_tokens_needs_ranks_that_exchange_them) {
  EXPECT_THAT(notes_on({"--moe-comm-backend", "pplx"}),
              ElementsAre("--moe-comm-backend has no effect without --dp above 1: there is nothing "
                          "to exchange"));
  EXPECT_THAT(notes_on({"--moe-comm-backend", "pplx", "--dp", "2"}),
              ElementsAre("--moe-comm-backend has no effect without --enable-expert-parallel: "
                          "every rank has a slice of all experts, so all tokens"));
  EXPECT_THAT(notes_on({"--moe-comm-backend", "pplx", "--dp", "2", "--enable-expert-parallel"}),
              IsEmpty());
  EXPECT_THAT(
      notes_on({"--moe-comm-backend", "pplx", "--dp", "2", "--latency-model", "trained-physics"}),
      IsEmpty());
}

}  // namespace
}  // namespace plimsoll
