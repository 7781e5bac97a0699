#include "cluster/view_keeper.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/prompt_path.h"

namespace plimsoll {

ViewKeeper::ViewKeeper(const Deployment& deployment, ViewNeeds needs, std::vector<Ranks*> instances,
                       std::size_t first)
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
  std::uint32_t ranks = 0;
  for (const Ranks* instance : instances_) {
    first_ranks_.push_back(ranks);
    ranks += static_cast<std::uint32_t>(instance->num_ranks());
  }
  cached_blocks_.resize(ranks);
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

void ViewKeeper::copy_counters(std::size_t i, const Ranks& instance) {
  views_.queue_depth[i] = static_cast<double>(instance.queue_depth());
  views_.batch_size[i] = static_cast<double>(instance.batch_size());
  views_.kv_utilization[i] = static_cast<double>(instance.used_kv_blocks()) /
                             static_cast<double>(instance.total_kv_blocks());
}

void ViewKeeper::copy_contents(std::uint32_t i, Ranks& instance) {
  for (std::uint32_t rank = 0; rank < instance.num_ranks(); ++rank) {
    instance.take_cache_changes(rank, &content_changes_);
    for (const ContentChange& change : content_changes_) {
      const std::uint32_t holder = first_ranks_[i] + rank;
      if (change.found) {
        cached_.add(change.path, holder, change.first, change.end);
      } else {
        cached_.remove(change.path, holder, change.first, change.end);
      }
    }
  }
}

// Of an instance what the rank has that has most of it.
void ViewKeeper::find_cached(const Request& request) {
  if (!needs_.cached_blocks) return;
  const PromptBlocks blocks = prompt_blocks(request, block_size_, &pieces_);
  if (cached_blocks_.size() == views_.size()) {
    return cached_.count_leading(pieces_, blocks.shareable, views_.cached_blocks);
  }
  cached_.count_leading(pieces_, blocks.shareable, cached_blocks_);
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const auto own = std::span(cached_blocks_).subspan(first_ranks_[i], instances_[i]->num_ranks());
    views_.cached_blocks[i] = std::ranges::max(own);
  }
}

}  // namespace plimsoll
