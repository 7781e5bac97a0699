// The scorers, one file each; listed in the table of cluster/scorer.cc.
#pragma once

#include <memory>

#include "cluster/scorer.h"

namespace plimsoll {

std::unique_ptr<Scorer> make_active_requests(const Deployment& deployment);
std::unique_ptr<Scorer> make_kv_utilization(const Deployment& deployment);
std::unique_ptr<Scorer> make_load_aware(const Deployment& deployment);
std::unique_ptr<Scorer> make_load_balance(const Deployment& deployment);
std::unique_ptr<Scorer> make_no_hit_lru(const Deployment& deployment);
std::unique_ptr<Scorer> make_precise_prefix_cache(const Deployment& deployment);
std::unique_ptr<Scorer> make_prefix_affinity(const Deployment& deployment);
std::unique_ptr<Scorer> make_queue_depth(const Deployment& deployment);
std::unique_ptr<Scorer> make_running_requests(const Deployment& deployment);
std::unique_ptr<Scorer> make_vllm_dp(const Deployment& deployment);

}  // namespace plimsoll
