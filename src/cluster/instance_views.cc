#include "cluster/instance_views.h"

#include "cluster/prompt_blocks.h"

namespace plimsoll {

InstanceViews::InstanceViews(const Deployment& deployment, ViewNeeds needs)
    : block_size_(deployment.engine.block_size) {
  const auto n = static_cast<std::size_t>(deployment.num_instances);
  counters_.needed = needs.counters;
  counters_.interval = deployment.snapshot_refresh_interval;
  contents_.needed = needs.cached_blocks;
  contents_.interval = deployment.cache_signal_delay;
  for (Copies* copies : {&counters_, &contents_}) copies->is_changed.assign(n, 0);
  for (auto* column : {&queue_depth_, &batch_size_, &kv_utilization_, &in_flight_}) {
    column->assign(n, 0);
  }
  cached_blocks_.assign(n, 0);
}

template <class Copy>
void InstanceViews::Copies::refresh(Time now, Copy copy) {
  if (!is_due(now)) return;
  last = now;
  for (const std::uint32_t i : changes) {
    is_changed[i] = 0;
    copy(i);
  }
  changes.clear();
}

void InstanceViews::look_up(Time now, std::deque<Instance>& instances) {
  counters_.refresh(now, [&](std::uint32_t i) { copy_counters(i, instances[i]); });
  contents_.refresh(now, [&](std::uint32_t i) { copy_contents(i, instances[i]); });
}

void InstanceViews::copy_counters(std::size_t i, const Instance& instance) {
  queue_depth_[i] = static_cast<double>(instance.queue_depth());
  batch_size_[i] = static_cast<double>(instance.batch_size());
  kv_utilization_[i] = static_cast<double>(instance.used_kv_blocks()) /
                       static_cast<double>(instance.total_kv_blocks());
}

void InstanceViews::copy_contents(std::uint32_t i, Instance& instance) {
  instance.take_cache_changes(&content_changes_);
  for (const ContentChange& change : content_changes_) {
    if (change.found) {
      cached_.add(change.path, i, change.first, change.end);
    } else {
      cached_.remove(change.path, i, change.first, change.end);
    }
  }
}

void InstanceViews::find_cached(const Request& request) {
  const PromptBlocks blocks = prompt_blocks(request, block_size_, &pieces_);
  cached_.count_leading(pieces_, blocks.shareable, cached_blocks_);
}

}  // namespace plimsoll
