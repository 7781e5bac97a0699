#include <algorithm>
#include <cassert>
#include <string>
#include <tuple>

#include "reference/instance.h"

namespace plimsoll::reference {

void Instance::sort_queue() {
  const auto sort_by = [this](auto key) {
    std::stable_sort(after_arrived_prompts(), queue_.end(), [&](const Served* a, const Served* b) {
      return std::tuple(key(*a), a->request.arrival, a->name) <
             std::tuple(key(*b), b->request.arrival, b->name);
    });
  };
  const std::string& order = config_.scheduler;
  if (order == "fcfs") return;
  if (order == "priority-fcfs")
    return sort_by([](const Served& served) { return served.priority; });
  if (order == "sjf") return sort_by([](const Served& served) { return served.in(); });
  assert(order == "reverse-priority" && "write new schedulers down here");
  sort_by([](const Served& served) { return -served.priority; });
}

/// True if somebody lost its place.
bool Instance::decide_batch() {
  sort_queue();
  for (Served* served : batch_) served->granted = 0;
  refusal_ = Refusal::no_turn;
  const bool preempted = form_batch();
  if (queue_.empty()) return preempted;
  InstanceRecord& counters = result_.counters;
  if (preempted) {
    ++counters.short_of_blocks;
  } else if (batch_length() == config_.max_num_seqs) {
    ++counters.short_of_places;
  } else if (refusal_ == Refusal::tokens) {
    ++counters.short_of_tokens;
  } else if (refusal_ == Refusal::blocks) {
    ++counters.short_of_blocks;
  } else {
    ++counters.short_of_turns;
  }
  return preempted;
}

/// Phase 1. True when it preempted anyone.
bool Instance::grant_to_running(std::int64_t* budget) {
  bool preempted = false;
  for (std::size_t position = 0; position < batch_.size() && *budget > 0; ++position) {
    Served& served = *batch_[position];
    if (served.finishing) continue;
    std::int64_t tokens = 0;
    if (served.prefilling()) {
      tokens = limit_prefill(served.to_prefill - served.progress, served.progress, *budget);
    } else if (served.out() > 0) {
      const std::int64_t limit = config_.max_model_len;
      tokens = limit > 0 && served.progress + 1 > limit - 1 ? 0 : 1;
    }
    if (tokens == 0) continue;
    if (!allocate_or_preempt(served, tokens, &position, budget, &preempted)) break;
    *budget -= tokens;
    served.granted = tokens;
    served.computed += tokens;
  }
  return preempted;
}

/// Phase 2.
void Instance::admit_from_queue(std::int64_t* budget) {
  while (has_place_and_candidate()) {
    if (*budget <= 0) {
      refusal_ = Refusal::tokens;
      return;
    }
    const Served& served = *queue_.front();
    const std::int64_t start =
        served.part == Part::answer ? 0 : served.to_prefill - to_compute(served);
    const std::int64_t tokens = limit_prefill(to_compute(served), start, *budget);
    if (!admit_first_in_queue(tokens, {})) return;
    *budget -= tokens;
  }
}

bool Instance::has_place_and_candidate() const {
  return batch_length() < config_.max_num_seqs && !queue_.empty() && !prompts_wait_;
}

std::int64_t Instance::to_compute(const Served& served) const {
  if (served.has_prompt || (served.part == Part::answer && !semantics_.decode_keeps_prefixes))
    return 1;
  return served.to_prefill - std::ssize(find_cached(served)) * config_.block_size;
}

/// With the first `tokens` of what is not cached. False if there are too few blocks.
bool Instance::admit_first_in_queue(std::int64_t tokens, const Room& room) {
  Served& served = *queue_.front();
  const std::vector<std::size_t> cached = find_cached(served);
  const std::int64_t start =
      served.has_prompt ? served.progress : std::ssize(cached) * config_.block_size;
  if (!allocate(served, start, tokens, cached, room)) {
    refusal_ = Refusal::blocks;
    return false;
  }
  queue_.pop_front();
  batch_.push_back(&served);
  served.state = State::running;
  served.life.push_back({Happening::Kind::admitted, clock_, {}, {}});
  served.granted = tokens;
  served.computed = start + tokens;
  served.promised = room.promise;
  if (served.part == Part::answer) {
    if (served.has_prompt) {
      results_[served.row].before_answer.decode_queue = clock_ - served.since;
    } else if (semantics_.cached_tokens_are_context) {
      served.progress = start;
    }
    return true;
  }
  if (semantics_.cached_tokens_are_context) served.progress = start;
  Duration& delay = results_[served.row].scheduling_delay;
  if (delay == kNoDuration || !semantics_.resume_after_preemption) {
    delay = clock_ - served.request.arrival;
  }
  return true;
}

std::vector<std::size_t> Instance::find_cached(const Served& served) const {
  if (!config_.prefix_caching || served.has_prompt) return {};
  if (served.part == Part::answer && !semantics_.decode_keeps_prefixes) return {};
  const std::int64_t length = served.to_prefill - (semantics_.recompute_last_token ? 1 : 0);
  const auto first = served.tokens.begin();
  return blocks_.find_prefix(std::vector<Token>(first, first + length));
}

std::int64_t Instance::limit_prefill(std::int64_t tokens, std::int64_t start,
                                     std::int64_t budget) const {
  const std::int64_t threshold = config_.long_prefill_token_threshold;
  if (threshold > 0) tokens = std::min(tokens, threshold);
  tokens = std::min(tokens, budget);
  const std::int64_t limit = config_.max_model_len;
  if (limit > 0) tokens = std::min(tokens, std::max<std::int64_t>(limit - 1 - start, 0));
  return tokens;
}

// ---- memory

/// Preempts until the allocation succeeds; false when the requester itself had to go. `position`
/// keeps pointing at the requester when others before it leave.
bool Instance::allocate_or_preempt(Served& requester, std::int64_t tokens, std::size_t* position,
                                   std::int64_t* budget, bool* preempted) {
  while (!allocate(requester, requester.progress, tokens, {}, {})) {
    if (batch_.empty()) return false;
    *preempted = true;
    const std::size_t victim = choose_victim();
    const bool requester_itself = batch_[victim] == &requester;
    preempt(victim, budget);
    if (requester_itself) return false;
    if (victim < *position) --*position;
  }
  return true;
}

bool Instance::allocate(const Served& served, std::int64_t start, std::int64_t tokens,
                        const std::vector<std::size_t>& cached, const Room& room) {
  const std::int64_t wanted = blocks_.wanted(served.row, static_cast<std::size_t>(tokens), cached);
  const std::int64_t blocks_then = (start + tokens + config_.block_size - 1) / config_.block_size;
  std::int64_t others = std::max<std::int64_t>(0, room.promise - blocks_then);
  if (!batch_.empty()) others += room.leave_free;
  for (const auto& [row, other_one] : requests_) {
    const Served* other = &other_one;
    if (other == &served) continue;
    others += std::max<std::int64_t>(0, other->promised - blocks_.owned(other->row));
  }
  if (tokens > 0 && wanted + others > blocks_.total() - blocks_.used()) return false;
  const auto first = served.tokens.begin() + start;
  return blocks_.allocate(
      served.row, std::vector<Token>(first, first + tokens),
      served.prefilling() ? BlockPool::Phase::prefill : BlockPool::Phase::decode, cached);
}

/// There is one: the requester is never finishing.
std::size_t Instance::choose_victim() const {
  const auto urgency = [this](std::size_t position) {
    return std::pair(batch_[position]->priority, batch_[position]->request.arrival);
  };
  std::optional<std::size_t> victim;
  for (std::size_t position = batch_.size(); position-- > 0;) {
    if (batch_[position]->finishing) continue;
    const bool by_urgency = config_.preemption == "priority";
    if (!victim || (by_urgency && urgency(position) > urgency(*victim))) victim = position;
  }
  return *victim;
}

void Instance::preempt(std::size_t position, std::int64_t* budget) {
  Served& victim = *batch_[position];
  batch_.erase(batch_.begin() + static_cast<std::ptrdiff_t>(position));
  *budget += victim.granted;
  victim.state = State::queued;
  victim.life.push_back({Happening::Kind::preempted, clock_, {}, {}});
  victim.progress = 0;
  victim.computed = 0;
  victim.granted = 0;
  victim.promised = 0;
  victim.held_up = {};
  victim.has_prompt = false;
  if (semantics_.resume_after_preemption) {
    victim.to_prefill = victim.in() + victim.generated;
  } else {
    victim.restarted = true;
    victim.to_prefill = victim.in();
    victim.generated = 0;
    victim.itl.clear();
    victim.has_first_token = false;  // the reported TTFT stays until the next prefill ends
  }
  blocks_.release(victim.row);
  queue_.insert(after_arrived_prompts(), &victim);
  ++result_.counters.preemptions;
}

}  // namespace plimsoll::reference
