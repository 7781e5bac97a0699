// The batching rules beside vLLM's, written from their descriptions
// (docs/explanation/scheduling.md).
#include <algorithm>

#include "reference/instance.h"

namespace plimsoll::reference {

/// True if anybody lost its place.
bool Instance::form_batch() {
  if (config_.batching_rule == "sarathi") return form_sarathi();
  if (config_.batching_rule == "vllm-v0") return form_vllm_v0();
  if (config_.batching_rule == "orca") return form_orca();
  if (config_.batching_rule == "fastertransformer") return form_fastertransformer();
  if (config_.batching_rule == "lightllm") return form_lightllm();
  if (config_.batching_rule == "sglang") return form_sglang();
  if (config_.batching_rule == "trtllm") return form_trtllm();
  std::int64_t budget = config_.max_num_batched_tokens;
  const bool preempted = grant_to_running(&budget);
  if (!preempted) admit_from_queue(&budget);
  return preempted;
}

bool Instance::form_sarathi() {
  const bool preempted = decode_all();
  std::int64_t granted = 0;
  for (const Served* served : batch_) granted += served->granted;
  const std::int64_t left = std::max<std::int64_t>(0, config_.max_num_batched_tokens - granted);
  serve_chunks(left, !preempted);
  return preempted;
}

/// Of prompts that were begun, then of those of newcomers, who get the blocks of their prompts at
/// once. Returns to how many sequences.
std::int64_t Instance::serve_chunks(std::int64_t left, bool let_in) {
  std::int64_t served_chunks = 0;
  for (Served* served : batch_) {
    if (served->finishing || !served->prefilling()) continue;
    const std::int64_t tokens =
        limit_prefill(served->to_prefill - served->progress, served->progress, left);
    allocate(*served, served->progress, tokens, {}, {});
    served->granted = tokens;
    served->computed += tokens;
    left -= tokens;
    if (tokens > 0) ++served_chunks;
  }
  while (let_in && has_place_and_candidate()) {
    if (left == 0) {
      refusal_ = Refusal::tokens;
      break;
    }
    const Served& served = *queue_.front();
    const std::int64_t missing = to_compute(served);
    const std::int64_t tokens = limit_prefill(missing, served.to_prefill - missing, left);
    Room room;
    room.promise = (served.to_prefill + config_.block_size - 1) / config_.block_size;
    room.leave_free = config_.total_kv_blocks / 100;
    if (!admit_first_in_queue(tokens, room)) break;
    left -= tokens;
    ++served_chunks;
  }
  return served_chunks;
}

/// The queue is looked at after prompts, when nothing runs, after so many decodes, and in each step
/// while somebody who was seen there finds no room.
bool Instance::form_sglang() {
  const auto chosen = config_.parameters.find("scheduler-recv-interval");
  const double interval = chosen == config_.parameters.end() ? 1 : *chosen->second;
  const bool receives =
      ran_prompts_ || batch_.empty() || static_cast<double>(decodes_since_look_) >= interval;
  if (receives) decodes_since_look_ = 0;
  if (receives || received_wait_) {
    ran_prompts_ = serve_chunks(config_.max_num_batched_tokens, true) > 0;
    received_wait_ = !queue_.empty();
    if (ran_prompts_) return false;
  }
  if (decodes()) ++decodes_since_look_;
  const bool preempted = decode_all();
  if (preempted) received_wait_ = true;
  return preempted;
}

bool Instance::form_vllm_v0() {
  std::vector<std::int64_t> prompts;
  while (has_place_and_candidate()) {
    std::vector<std::int64_t> with_next = prompts;
    with_next.push_back(to_compute(*queue_.front()));
    const std::int64_t padded =
        std::ssize(with_next) * *std::max_element(with_next.begin(), with_next.end());
    if (!prompts.empty() && padded > config_.max_num_batched_tokens) {
      refusal_ = Refusal::tokens;
      break;
    }
    if (!admit_first_in_queue(with_next.back(), {0, config_.total_kv_blocks / 100})) break;
    prompts = with_next;
  }
  return prompts.empty() && decode_all();
}

bool Instance::form_orca() {
  const bool preempted = decode_all();
  admit_beside_longest();
  return preempted;
}

/// A prompt after the first of a step enters only if all tokens of the step stay within the budget.
bool Instance::form_trtllm() {
  const bool preempted = decode_all();
  std::int64_t in_step = 0;
  for (const Served* served : batch_) in_step += served->granted;
  std::int64_t entered = 0;
  while (has_place_and_candidate()) {
    const Served& served = *queue_.front();
    const std::int64_t tokens = to_compute(served);
    if (entered > 0 && in_step + tokens > config_.max_num_batched_tokens) {
      refusal_ = Refusal::tokens;
      break;
    }
    const std::int64_t by_client = served.in() + served.request.max_output_tokens - 1;
    std::int64_t kept = std::max(last_progress(served), by_client);
    if (config_.max_model_len > 0) kept = std::min(kept, config_.max_model_len);
    const std::int64_t blocks = (kept + config_.block_size - 1) / config_.block_size;
    if (!admit_first_in_queue(tokens, {std::min(blocks, config_.total_kv_blocks), 0})) break;
    in_step += tokens;
    ++entered;
  }
  return preempted;
}

bool Instance::form_fastertransformer() {
  if (!batch_.empty()) return decode_all();
  admit_beside_longest();
  return false;
}

bool Instance::form_lightllm() {
  if (batch_.empty() || decodes_since_look_ >= 10) {
    decodes_since_look_ = 0;
    std::int64_t prompts = 0;
    while (has_place_and_candidate()) {
      const Served& next = *queue_.front();
      const std::int64_t tokens = to_compute(next);
      if (prompts > 0 && prompts + tokens > config_.max_num_batched_tokens) {
        refusal_ = Refusal::tokens;
        break;
      }
      const std::int64_t room = config_.total_kv_blocks * config_.block_size;
      if (!batch_.empty() && most_tokens_ahead(next) >= room) {
        refusal_ = Refusal::blocks;
        break;
      }
      if (!admit_first_in_queue(tokens, {})) break;
      prompts += tokens;
    }
    if (prompts > 0) return false;
  }
  if (decodes()) ++decodes_since_look_;
  return decode_all();
}

/// One token each, in order of admission. True if anybody lost its place.
bool Instance::decode_all() {
  bool preempted = false;
  std::int64_t unlimited = 0;
  for (std::size_t position = 0; position < batch_.size(); ++position) {
    Served& served = *batch_[position];
    if (served.finishing || served.prefilling()) continue;
    if (!allocate_or_preempt(served, 1, &position, &unlimited, &preempted)) break;
    served.granted = 1;
    served.computed += 1;
  }
  return preempted;
}

/// Whole prompts, as long as there is room for the longest request.
void Instance::admit_beside_longest() {
  while (has_place_and_candidate()) {
    const Served& served = *queue_.front();
    if (!admit_first_in_queue(to_compute(served), {longest_request_blocks(served), 0})) return;
  }
}

/// Tokens that have been processed when the last one of the answer appears.
std::int64_t Instance::last_progress(const Served& served) const {
  const std::int64_t last = served.in() + std::max<std::int64_t>(served.out(), 1) - 1;
  return config_.max_model_len > 0 ? std::min(last, config_.max_model_len - 1) : last;
}

std::int64_t Instance::longest_request_blocks(const Served& served) const {
  const std::int64_t tokens =
      config_.max_model_len > 0 ? config_.max_model_len : last_progress(served);
  return std::min((tokens + config_.block_size - 1) / config_.block_size, config_.total_kv_blocks);
}

/// In the KV cache at any time until all are done, if `entrant` enters now and nobody after it.
std::int64_t Instance::most_tokens_ahead(const Served& entrant) const {
  struct Member {
    std::int64_t tokens;
    std::int64_t last;
  };
  std::vector<Member> members{{entrant.to_prefill, last_progress(entrant)}};
  for (const Served* served : batch_) {
    if (served->finishing) continue;
    members.push_back(
        {served->prefilling() ? served->to_prefill : served->progress, last_progress(*served)});
  }
  std::int64_t most = 0;
  for (bool anybody = true; anybody;) {
    std::int64_t tokens = 0;
    for (const Member& member : members) tokens += member.tokens;
    most = std::max(most, tokens);
    std::erase_if(members, [](const Member& member) { return member.tokens == member.last; });
    for (Member& member : members) ++member.tokens;
    anybody = !members.empty();
  }
  return most;
}

std::int64_t Instance::set_aside() const {
  std::int64_t blocks = 0;
  for (const auto& [row, served] : requests_) {
    blocks += std::max<std::int64_t>(0, served.promised - blocks_.owned(row));
  }
  return blocks;
}

}  // namespace plimsoll::reference
