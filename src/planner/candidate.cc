#include "planner/candidate.h"

#include <fmt/format.h>

namespace plimsoll {
namespace {

// A list, or the one value that stands for it.
template <class T>
std::vector<T> or_one(const std::vector<T>& list, T otherwise) {
  return list.empty() ? std::vector<T>{otherwise} : list;
}

std::vector<PoolRatio> or_usual(const std::vector<PoolRatio>& list) {
  return list.empty() ? std::vector<PoolRatio>{{1, 1}, {1, 2}, {2, 1}, {1, 3}, {3, 1}} : list;
}

// How prompts and answers are divided: both by the same instances, or each ratio in each way.
std::vector<Candidate> divisions_of(const ConfigSpace& space) {
  std::vector<Candidate> all;
  for (const Disaggregated way : or_one(space.disaggregation, Disaggregated::no)) {
    if (way == Disaggregated::no) {
      all.emplace_back();
      continue;
    }
    for (const PoolRatio& ratio : or_usual(space.pool_ratios)) {
      for (const std::string& decider : or_one(space.pd_deciders, std::string("always"))) {
        for (const std::string& link : or_one(space.pd_links, std::string())) {
          Candidate& c = all.emplace_back();
          c.prefill = ratio.prefill;
          c.decode = ratio.decode;
          c.pd_decider = decider;
          c.pd_link = link;
        }
      }
    }
  }
  return all;
}

}  // namespace

std::string describe_disaggregation(const Candidate& c) {
  if (!c.splits()) return "aggregated";
  std::string text = fmt::format("split {}:{}, {}", c.prefill, c.decode, c.pd_decider);
  if (!c.pd_link.empty()) text += ", " + c.pd_link;
  return text;
}

std::string describe_layout(const Candidate& c) {
  std::string layout = "TP" + std::to_string(c.tp);
  if (c.pp > 1) layout += " PP" + std::to_string(c.pp);
  if (c.dp > 1) layout += " DP" + std::to_string(c.dp);
  return layout;
}

std::string describe_instances(const Candidate& c) {
  const auto of = [&](std::int64_t each) {
    const std::string needed = std::to_string(each * c.replicas);
    return c.spare == 0 ? needed : fmt::format("{} + {} spare", needed, each * c.spare);
  };
  if (!c.splits()) return of(1) + (c.replicas == 1 && c.spare == 0 ? " instance" : " instances");
  return fmt::format("{} prefill {} {} decode instances", of(c.prefill), c.spare == 0 ? "+" : "and",
                     of(c.decode));
}

std::string describe_gpus(const Candidate& c) {
  const std::string layout = describe_layout(c);
  const std::string gpus = fmt::format("{} x {}", c.total_gpus(), c.gpu);
  if (c.replicas == 1 && c.spare == 0 && !c.splits()) return fmt::format("{} ({})", gpus, layout);
  return fmt::format("{} ({} x {})", gpus, describe_instances(c), layout);
}

std::string describe(const Candidate& c) {
  std::string text = describe_gpus(c);
  if (!c.batching_rule.empty()) text += ", " + c.batching_rule;
  if (c.max_num_seqs > 0) text += ", batch " + std::to_string(c.max_num_seqs);
  if (c.max_num_batched_tokens > 0) {
    text += ", " + std::to_string(c.max_num_batched_tokens) + " tokens a step";
  }
  if (!c.router.empty()) text += ", " + c.router;
  if (c.splits() && c.pd_decider != "always") text += ", decider " + c.pd_decider;
  if (!c.pd_link.empty()) text += ", over " + c.pd_link;
  return text;
}

std::vector<Candidate> candidates_of(const PlanRequest& request) {
  const ConfigSpace& space = request.space;
  std::vector<Candidate> all{Candidate{}};
  const auto vary = [&](const auto& values, auto set) {
    std::vector<Candidate> more;
    for (const Candidate& candidate : all) {
      for (const auto& value : values) {
        Candidate varied = candidate;
        set(varied, value);
        more.push_back(std::move(varied));
      }
    }
    all = std::move(more);
  };
  vary(space.gpus, [](Candidate& c, const std::string& gpu) { c.gpu = gpu; });
  vary(or_one(space.num_gpus, std::int64_t{0}),
       [](Candidate& c, std::int64_t n) { c.num_gpus = n; });
  vary(or_one(space.tp, std::int64_t{0}), [](Candidate& c, std::int64_t n) { c.tp = n; });
  vary(or_one(space.pp, std::int64_t{1}), [](Candidate& c, std::int64_t n) { c.pp = n; });
  vary(or_one(space.dp, std::int64_t{1}), [](Candidate& c, std::int64_t n) { c.dp = n; });
  // Without a list of TP, the number of GPUs says it.
  for (Candidate& c : all) {
    if (c.tp == 0) c.tp = std::max<std::int64_t>(1, c.num_gpus / (c.pp * c.dp));
  }
  vary(divisions_of(space), [](Candidate& c, const Candidate& divided) {
    c.prefill = divided.prefill;
    c.decode = divided.decode;
    c.pd_decider = divided.pd_decider;
    c.pd_link = divided.pd_link;
  });
  vary(or_one(space.batching_rules, std::string()),
       [](Candidate& c, const std::string& rule) { c.batching_rule = rule; });
  vary(or_one(space.max_num_seqs, std::int64_t{0}),
       [](Candidate& c, std::int64_t n) { c.max_num_seqs = n; });
  vary(or_one(space.max_num_batched_tokens, std::int64_t{0}),
       [](Candidate& c, std::int64_t n) { c.max_num_batched_tokens = n; });
  vary(or_one(space.routers, std::string()),
       [](Candidate& c, const std::string& router) { c.router = router; });
  const std::int64_t usual = request.rate_rps ? 0 : 1;
  vary(or_one(space.replicas, usual), [](Candidate& c, std::int64_t n) { c.replicas = n; });
  return all;
}

}  // namespace plimsoll
