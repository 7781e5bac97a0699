#include "cluster/view_keeper.h"

#include <utility>

#include "cluster/prompt_blocks.h"

namespace plimsoll {

ViewKeeper::ViewKeeper(const Deployment& deployment, ViewNeeds needs,
                       std::vector<Instance*> instances, std::size_t first)
    : block_size_(deployment.main().engine.block_size),
      needs_(needs),
      instances_(std::move(instances)),
      views_(instances_.size()) {
  views_.first = first;
  const Side side = deployment.splits() ? Side::prefills : Side::answers;  // it has one alone
  views_.speed = speeds_of(deployment, side);
  counters_.needed = needs.counters;
  counters_.interval = deployment.snapshot_refresh_interval;
  contents_.needed = needs.cached_blocks;
  contents_.interval = deployment.cache_signal_delay;
  for (Copies* copies : {&counters_, &contents_}) copies->is_changed.assign(views_.size(), 0);
}

template <class Copy>
void ViewKeeper::Copies::refresh(Time now, Copy copy) {
  if (!is_due(now)) return;
  last = now;
  for (const std::uint32_t i : changes) {
    is_changed[i] = 0;
    copy(i);
  }
  changes.clear();
}

void ViewKeeper::look_up(Time now) {
  counters_.refresh(now, [&](std::uint32_t i) { copy_counters(i, *instances_[i]); });
  contents_.refresh(now, [&](std::uint32_t i) { copy_contents(i, *instances_[i]); });
}

void ViewKeeper::copy_counters(std::size_t i, const Instance& instance) {
  views_.queue_depth[i] = static_cast<double>(instance.queue_depth());
  views_.batch_size[i] = static_cast<double>(instance.batch_size());
  views_.kv_utilization[i] = static_cast<double>(instance.used_kv_blocks()) /
                             static_cast<double>(instance.total_kv_blocks());
}

void ViewKeeper::copy_contents(std::uint32_t i, Instance& instance) {
  instance.take_cache_changes(&content_changes_);
  for (const ContentChange& change : content_changes_) {
    if (change.found) {
      cached_.add(change.path, i, change.first, change.end);
    } else {
      cached_.remove(change.path, i, change.first, change.end);
    }
  }
}

void ViewKeeper::find_cached(const Request& request) {
  if (!needs_.cached_blocks) return;
  const PromptBlocks blocks = prompt_blocks(request, block_size_, &pieces_);
  cached_.count_leading(pieces_, blocks.shareable, views_.cached_blocks);
}

}  // namespace plimsoll
