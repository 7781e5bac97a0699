#include "planner/candidate.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

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

/// Instances for prefill as the space lists them.
struct PrefillShape {
  std::string gpu;
  std::int64_t tp = 0;
  std::int64_t dp = 0;
  std::optional<bool> expert_parallel;
};

std::vector<PrefillShape> prefill_shapes_of(const ConfigSpace& space) {
  const auto& experts = space.prefill_expert_parallel;
  const std::vector<std::optional<bool>> spread(experts.begin(), experts.end());
  std::vector<PrefillShape> all;
  for (const std::string& gpu : or_one(space.prefill_gpus, std::string())) {
    for (const std::int64_t tp : or_one(space.prefill_tp, std::int64_t{0})) {
      for (const std::int64_t dp : or_one(space.prefill_dp, std::int64_t{0})) {
        for (const auto& ep : or_one(spread, std::optional<bool>())) {
          all.push_back({gpu, tp, dp, ep});
        }
      }
    }
  }
  return all;
}

// Where pools are unlike and some prompts stay with their answer, no run tells how fast a request
// could be that is alone (planner/capacity.h): such candidates could not be ruled out by proof.
bool may_be_unlike(const Candidate& c) { return c.splits() && c.pd_decider == "always"; }

std::vector<Candidate> with_prefill_shapes(const std::vector<Candidate>& all,
                                           const std::vector<PrefillShape>& shapes) {
  std::vector<Candidate> shaped;
  for (const Candidate& c : all) {
    for (const PrefillShape& shape : may_be_unlike(c) ? shapes : std::vector<PrefillShape>(1)) {
      Candidate& own = shaped.emplace_back(c);
      if (shape.gpu != c.gpu) own.other_gpu = shape.gpu;
      if (shape.tp != c.tp) own.other_tp = shape.tp;
      if (shape.dp != c.dp) own.other_dp = shape.dp;
      if (shape.expert_parallel != c.expert_parallel)
        own.other_expert_parallel = shape.expert_parallel;
    }
  }
  return shaped;
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

std::vector<Candidate> with_small_chunks(const std::vector<Candidate>& all, std::int64_t tokens) {
  std::vector<Candidate> more;
  for (const Candidate& c : all) {
    more.push_back(c);
    const bool takes_chunks = c.batching_rule.empty() || c.batching_rule == "vllm";
    if (c.splits() || !takes_chunks || c.max_num_seqs > tokens) continue;
    more.push_back(c);
    more.back().max_num_batched_tokens = tokens;
  }
  return more;
}

std::string describe(const Parallelism& layout) {
  std::string text = "TP" + std::to_string(layout.tp);
  if (layout.pp > 1) text += " PP" + std::to_string(layout.pp);
  if (layout.dp > 1) text += " DP" + std::to_string(layout.dp);
  if (layout.ep > 1) text += " EP" + std::to_string(layout.ep);
  return text;
}

// Of instances that are not like those of the replicas.
std::string describe_other(const Candidate& c) {
  const std::string gpu = c.other_gpu.empty() ? "" : c.other_gpu + " ";
  return fmt::format("{} {}{}", c.splits() ? "prefill" : "beside", gpu,
                     describe(c.layout_of_other()));
}

// "4", "4 + 2 spare": so many of each replica.
std::string with_spare(const Candidate& c, std::int64_t each) {
  const std::string needed = std::to_string(each * c.replicas);
  return c.spare == 0 ? needed : fmt::format("{} + {} spare", needed, each * c.spare);
}

/// One of the two pools of a split or a mix.
struct PoolOfTwo {
  std::string name;    ///< "4 prefill", "4 + 1 spare decode", "3 L40S"
  std::string layout;  ///< "TP1"
  std::string gpus;    ///< "8 x H100"
  std::int64_t instances = 0;

  /// As it stands after their number.
  const char* noun() const { return instances == 1 ? "instance" : "instances"; }
};

// In the order in which they are named: that for prefill before that for decode, replicas before
// what serves beside them.
std::array<PoolOfTwo, 2> pools_of_two(const Candidate& c) {
  const std::int64_t groups = c.replicas + c.spare;
  const auto gpus = [](std::int64_t n, const std::string& gpu) {
    return fmt::format("{} x {}", n, gpu);
  };
  PoolOfTwo own{with_spare(c, c.own_instances(1)) + " " + (c.splits() ? "decode" : c.gpu),
                describe(c.layout()), gpus(c.own_instances(groups) * c.gpus_per_instance(), c.gpu),
                c.own_instances(groups)};
  PoolOfTwo other{c.splits() ? with_spare(c, c.prefill) + " prefill"
                             : fmt::format("{} {}", c.beside, c.gpu_of_other()),
                  describe(c.layout_of_other()),
                  gpus(c.other_instances(groups) * c.gpus_per_other(), c.gpu_of_other()),
                  c.other_instances(groups)};
  if (c.mixes()) return {std::move(own), std::move(other)};
  return {std::move(other), std::move(own)};
}

// What follows from the numbers of GPUs: each is an instance that does everything.
bool is_plain(const Candidate& c) {
  if (c.spare > 0 || c.splits()) return false;
  return c.mixes() ? c.gpus_per_instance() == 1 && c.gpus_per_other() == 1 : c.replicas == 1;
}

}  // namespace

std::string describe_disaggregation(const Candidate& c) {
  if (!c.splits()) return "aggregated";
  std::string text = fmt::format("split {}:{}, ", c.prefill, c.decode);
  if (c.has_unlike_pools()) text += describe_other(c) + ", ";
  text += c.pd_decider;
  if (!c.pd_link.empty()) text += ", " + c.pd_link;
  return text;
}

std::string describe_gpu_types(const Candidate& c) {
  if (c.other_gpu.empty()) return c.gpu;
  return c.mixes() ? c.gpu + " and " + c.other_gpu : c.other_gpu + " and " + c.gpu;
}

std::string describe_layout(const Candidate& c) {
  const std::string layout = describe(c.layout());
  return c.has_unlike_pools() ? layout + ", " + describe_other(c) : layout;
}

std::string describe_instances(const Candidate& c) {
  if (!c.splits() && !c.mixes()) {
    return with_spare(c, 1) + (c.replicas == 1 && c.spare == 0 ? " instance" : " instances");
  }
  const auto [first, second] = pools_of_two(c);
  return fmt::format("{} {} {} {}", first.name, c.spare == 0 ? "+" : "and", second.name,
                     second.noun());
}

std::string describe_pools(const Candidate& c) {
  if (!c.has_unlike_pools()) return describe_instances(c) + " x " + describe_layout(c);
  const auto [first, second] = pools_of_two(c);
  return fmt::format("{} x {} {} {} x {} {}", first.name, first.layout, c.spare == 0 ? "+" : "and",
                     second.name, second.layout, second.noun());
}

std::string describe_hardware(const Candidate& c) {
  if (c.other_gpu.empty()) return fmt::format("{} x {}", c.total_gpus(), c.gpu);
  const auto [first, second] = pools_of_two(c);
  return first.gpus + " + " + second.gpus;
}

std::string describe_gpus(const Candidate& c) {
  const bool has_number = c.replicas + c.spare > 0;  // one was found
  std::vector<std::string> how;
  if (!has_number || (is_plain(c) && !c.mixes())) {
    how.push_back(describe_layout(c));
  } else if (!is_plain(c)) {
    how.push_back(describe_pools(c));
  }
  if (c.quantizes()) how.push_back(c.quantization + " weights");
  const std::string gpus = has_number ? describe_hardware(c) : describe_gpu_types(c);
  return how.empty() ? gpus : gpus + " (" + join(how, ", ") + ")";
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

const std::string* short_of(const PlanRequest& request, const Candidate& candidate) {
  for (const auto& [gpu, most] : request.available_gpus) {
    if (candidate.gpus_of_type(gpu) > most) return &gpu;
  }
  return nullptr;
}

std::vector<Candidate> candidates_of(const PlanRequest& request) {
  const ConfigSpace& space = request.space;
  std::vector<Candidate> all{Candidate{}};
  // `set` is the member that a value goes to, or puts it there.
  const auto vary = [&](const auto& values, auto set) {
    std::vector<Candidate> more;
    for (const Candidate& candidate : all) {
      for (const auto& value : values) {
        Candidate& varied = more.emplace_back(candidate);
        if constexpr (std::is_member_object_pointer_v<decltype(set)>) {
          varied.*set = value;
        } else {
          set(varied, value);
        }
      }
    }
    all = std::move(more);
  };
  vary(space.gpus, &Candidate::gpu);
  vary(or_one(space.num_gpus, std::int64_t{0}), &Candidate::num_gpus);
  vary(or_one(space.tp, std::int64_t{0}), &Candidate::tp);
  vary(or_one(space.pp, std::int64_t{1}), &Candidate::pp);
  vary(or_one(space.dp, std::int64_t{1}), &Candidate::dp);
  vary(or_one(space.expert_parallel, false), &Candidate::expert_parallel);
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
  all = with_prefill_shapes(all, prefill_shapes_of(space));
  vary(or_one(space.quantizations, std::string()), &Candidate::quantization);
  vary(or_one(space.batching_rules, std::string()), &Candidate::batching_rule);
  vary(or_one(space.max_num_seqs, std::int64_t{0}), &Candidate::max_num_seqs);
  vary(or_one(space.max_num_batched_tokens, std::int64_t{0}), &Candidate::max_num_batched_tokens);
  if (space.small_chunks > 0) all = with_small_chunks(all, space.small_chunks);
  vary(or_one(space.routers, std::string()), &Candidate::router);
  vary(or_one(space.replicas, std::int64_t{0}), &Candidate::replicas);
  return all;
}

}  // namespace plimsoll
