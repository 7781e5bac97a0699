// Flags of prefill and decode on different instances.
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "catalog/link.h"
#include "cli/flag_rows.h"
#include "cluster/pd_decider.h"
#include "cluster/scorer.h"
#include "setup/pools.h"
#include "setup/setup.h"
#include "setup/split.h"

namespace plimsoll {
namespace {

const Condition kSplits{splits, "without --prefill-instances and --decode-instances"};
const Condition kSends{[](const RunSpec& run) { return pd_decider_name(run) != "never"; },
                       "with --pd-decider never: no prompt is computed elsewhere"};

constexpr NumberRange kGbPerS{0, 1e6, true};

template <class Field>
Place<Field> of_side(PoolSpec SplitSpec::*side, Field PoolSpec::*field) {
  return {[=](const Options& o) -> const Field& { return o.run.split.*side.*field; },
          kAsks<SplitSpec>};
}
template <class Field>
Place<Field> for_prefill(Field PoolSpec::*field) {
  return of_side(&SplitSpec::prefill, field);
}
template <class Field>
Place<Field> for_decode(Field PoolSpec::*field) {
  return of_side(&SplitSpec::decode, field);
}

void add_pool_flags(const Rows& rows) {
  const std::vector<Condition> splits{kSplits};
  rows.add("--prefill-tp", integer(for_prefill(&PoolSpec::tp), {1, 1024}).usually("--tp"), "N",
           "Tensor parallelism of the instances for prefill", {}, splits);
  rows.add("--decode-tp", integer(for_decode(&PoolSpec::tp), {1, 1024}).usually("--tp"), "N",
           "Tensor parallelism of decode instances", {}, splits);
  rows.add("--prefill-dp", integer(for_prefill(&PoolSpec::dp), {1, 1024}).usually("--dp"), "N",
           "Data-parallel ranks of the instances for prefill", {}, splits);
  rows.add("--decode-dp", integer(for_decode(&PoolSpec::dp), {1, 1024}).usually("--dp"), "N",
           "Data-parallel ranks of decode instances", {}, splits);
  rows.add("--prefill-enable-expert-parallel", on_off(&SplitSpec::prefill_expert_parallel), "",
           "Spread the experts over the GPUs of the instances for prefill", {}, splits);
  rows.add("--decode-enable-expert-parallel", on_off(&SplitSpec::decode_expert_parallel), "",
           "Spread the experts over the GPUs of decode instances", {}, splits);
  rows.add("--prefill-hardware", text(for_prefill(&PoolSpec::gpu), gpu_names).usually("--hardware"),
           "GPU", "GPU of the instances for prefill", {}, splits);
  rows.add("--decode-hardware", text(for_decode(&PoolSpec::gpu), gpu_names).usually("--hardware"),
           "GPU", "GPU of decode instances", {}, splits);
  const auto scorers_at = [](auto place) {
    return scorer_list(place).with_items(names_of(scorers()), ":1");
  };
  rows.add("--prefill-routing-scorers",
           scorers_at(&SplitSpec::prefill_scorers).usually("as for all requests"),
           "NAME:WEIGHT,...", "Scorers that choose the instance for prefill", {},
           {kSplits, kSends});
  rows.add("--decode-routing-scorers",
           scorers_at(&SplitSpec::decode_scorers).usually("as for all requests"), "NAME:WEIGHT,...",
           "Scorers that choose the decode instance", {}, splits);
}

// What travels from one pool to the other, and how; a plan says it of all candidates that split.
void add_transfer_flags(const Rows& rows) {
  const std::vector<Condition> sends{kSplits, kSends};
  rows.add("--pd-transfer-link", text(&SplitSpec::link, link_names), "NAME",
           "Link for KV transfers (plimsoll list links); sets --pd-transfer-bandwidth", {}, sends);
  rows.add("--pd-transfer-bandwidth", number(&SplitSpec::transfer_gb_per_s, kGbPerS), "GB/S",
           "Bandwidth of KV transfers into or out of each GPU, in gigabytes per second", {}, sends);
  for (const auto& [side, name, whose] :
       {std::tuple(&SplitSpec::prefill, "--prefill-transfer-", "the instances for prefill"),
        std::tuple(&SplitSpec::decode, "--decode-transfer-", "decode instances")}) {
    rows.add(
        fmt::format("{}link", name),
        text(of_side(side, &PoolSpec::transfer_link), link_names).usually("--pd-transfer-link"),
        "NAME", fmt::format("Link for KV transfers of {}", whose), {}, sends);
    rows.add(fmt::format("{}bandwidth", name),
             number(of_side(side, &PoolSpec::transfer_gb_per_s), kGbPerS)
                 .usually("--pd-transfer-bandwidth"),
             "GB/S", fmt::format("Bandwidth of KV transfers of each GPU of {}", whose), {}, sends);
  }
  rows.add("--pd-network-bandwidth",
           number(&SplitSpec::network_gb_per_s, kGbPerS).usually("without limit"), "GB/S",
           "Bandwidth of all KV transfers together, in gigabytes per second", {}, sends);
  rows.add("--pd-transfer-base-latency", number(&SplitSpec::transfer_latency_ms, {0, 1e6}), "MS",
           "Fixed milliseconds of a KV transfer, whatever its size", {}, sends);
  rows.add("--pd-transfer-contention", on_off(&SplitSpec::contention), "",
           "KV transfers share the bandwidth with --semantics blis; otherwise they always do", {},
           {kSplits,
            kSends,
            {[](const RunSpec& run) { return !semantics_of(run).transfers_are_retimed; },
             "without --semantics blis: transfers share bandwidth always"}});
  rows.add("--pd-transfer-mode", one_of(&SplitSpec::mode, transfer_modes()), "MODE",
           "When KV blocks are sent: bulk (after the prefill) or layerwise (each layer when it is "
           "computed)",
           {}, sends);
  rows.add("--pd-first-token", one_of(&SplitSpec::first_token, first_token_makers()), "WHO",
           "Who sends the first token: decode (as vLLM's proxies) or prefill (as Dynamo)", {},
           sends);
}

}  // namespace

void add_split_flags(std::vector<Flag>& all) {
  const Rows rows{all, FlagGroup::split};
  rows.add("--fleet", text(&FleetSpec::file), "FILE",
           "Pools of unlike instances from a YAML file; replaces flags that count instances");
  rows.add("--prefill-instances", integer(for_prefill(&PoolSpec::instances), {0, kMostInstances}),
           "P",
           "Instances that prefill for others; replaces --num-instances; with "
           "--decode-instances");
  rows.add("--decode-instances", integer(for_decode(&PoolSpec::instances), {0, kMostInstances}),
           "D", "Instances that decode prompts that others computed");
  rows.add("--pd-decider",
           one_of(&SplitSpec::decider, names_of(pd_deciders()))
               .usually("always; with --semantics blis never"),
           "NAME", "Which prompts go to prefill instances (plimsoll list pd-deciders)", {},
           {kSplits});
  add_parameter_flags(rows, "--pd-decider", {kSplits});
  add_pool_flags(rows);
  add_transfer_flags({all, FlagGroup::transfer});
}

}  // namespace plimsoll
