#include "planner/candidate.h"

#include <fmt/format.h>

namespace plimsoll {
namespace {

// A list, or the one value that stands for it.
template <class T>
std::vector<T> or_one(const std::vector<T>& list, T otherwise) {
  return list.empty() ? std::vector<T>{otherwise} : list;
}

}  // namespace

std::string describe_layout(const Candidate& c) {
  std::string layout = "TP" + std::to_string(c.tp);
  if (c.pp > 1) layout += " PP" + std::to_string(c.pp);
  if (c.dp > 1) layout += " DP" + std::to_string(c.dp);
  return layout;
}

std::string describe_gpus(const Candidate& c) {
  const std::string layout = describe_layout(c);
  const std::string gpus = fmt::format("{} x {}", c.total_gpus(), c.gpu);
  if (c.replicas == 1 && c.spare == 0) return fmt::format("{} ({})", gpus, layout);
  if (c.spare == 0) return fmt::format("{} ({} instances x {})", gpus, c.replicas, layout);
  return fmt::format("{} ({} + {} spare instances x {})", gpus, c.replicas, c.spare, layout);
}

std::string describe(const Candidate& c) {
  std::string text = describe_gpus(c);
  if (!c.batching_rule.empty()) text += ", " + c.batching_rule;
  if (c.max_num_seqs > 0) text += ", batch " + std::to_string(c.max_num_seqs);
  if (c.max_num_batched_tokens > 0) {
    text += ", " + std::to_string(c.max_num_batched_tokens) + " tokens a step";
  }
  if (!c.router.empty()) text += ", " + c.router;
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
