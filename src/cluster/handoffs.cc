#include "cluster/handoffs.h"

#include <algorithm>

#include "base/hash.h"

namespace plimsoll {
namespace {

std::vector<const Pool*> pools_by_instance(const Deployment& deployment) {
  std::vector<const Pool*> pools;
  for (const Pool& pool : deployment.pools) {
    pools.insert(pools.end(), static_cast<std::size_t>(pool.num_instances), &pool);
  }
  return pools;
}

// One policy for both parts, as the reference has it. What it remembers of instances counts where
// it remembers nothing but whose turn it is.
bool shares_router(const Deployment& deployment, const Semantics& semantics) {
  const Disaggregation& d = deployment.disaggregation;
  return !semantics.pools_route_apart && deployment.router == "round-robin" &&
         d.prefill_scorers.empty() && d.decode_scorers.empty();
}

// By instance, each rank of which has one; at the end how many there are.
std::vector<std::size_t> first_ports(const std::vector<const Pool*>& pools) {
  std::vector<std::size_t> ports{0};
  for (const Pool* pool : pools) {
    ports.push_back(ports.back() + static_cast<std::size_t>(pool->ranks));
  }
  return ports;
}

std::vector<double> gb_per_s_of_ports(const Deployment& deployment) {
  std::vector<double> all;
  for (const Pool& pool : deployment.pools) {
    all.insert(all.end(), static_cast<std::size_t>(pool.num_instances * pool.ranks),
               link_gb_per_s(deployment, pool));
  }
  return all;
}

}  // namespace

Handoffs::Handoffs(const Deployment& deployment, const Semantics& semantics, std::uint64_t seed,
                   Router& answers, InstanceGroup& instances, RequestTable& rows, DecisionLog* log)
    : deployment_(deployment),
      semantics_(semantics),
      pools_(pools_by_instance(deployment)),
      decider_(make_pd_decider(deployment)),
      shared_router_(answers),
      own_router_(shares_router(deployment, semantics)
                      ? nullptr
                      : make_router(part_of(deployment, Side::prefills), mix64(seed, 1))),
      instances_(instances),
      rows_(rows),
      log_(log),
      first_ports_(first_ports(pools_)),
      links_(deployment.disaggregation.transfer, semantics.transfers_are_retimed,
             gb_per_s_of_ports(deployment)) {}

bool Handoffs::split(const Request& request, std::uint32_t row, std::size_t answer,
                     std::size_t seen, Time now) {
  if (request.input_tokens == 0) return false;
  const InstanceViews& answers = instances_.views(Side::answers).views();
  const auto cached = static_cast<std::int64_t>(answers.cached_blocks[seen]);
  const std::int64_t uncached = request.input_tokens - cached * pool_of(answer).engine.block_size;
  const std::optional<std::size_t> chosen = instance_for_prompt(request, uncached, answer);
  if (log_ != nullptr) log_->division(request, now, uncached, chosen);
  if (!chosen) return false;
  const std::size_t prefill = *chosen;
  if (is_answered_by_prefill(request, answer)) {
    rows_.instance[row] = static_cast<std::int32_t>(prefill);
    instances_.hand_over(prefill, now, request, row);
    return true;
  }
  rows_.handoff.set(row, {.prefill_instance = static_cast<std::int32_t>(prefill)}, rows_.size());
  if (semantics_.decode_counts_from_routing) instances_.count_in_flight(answer, 1);
  splits_[row] = {.request = request, .prefill = prefill, .answer = answer};
  instances_.hand_over(prefill, now, request, row, Part::prefill);
  return true;
}

std::optional<std::size_t> Handoffs::instance_for_prompt(const Request& request,
                                                         std::int64_t uncached,
                                                         std::size_t answer) {
  ViewKeeper& views = instances_.views(Side::prefills);
  if (!decider_->splits(uncached, views.views())) return std::nullopt;
  // Whoever can never answer it says so itself.
  if (semantics_.decode_waits_for_blocks &&
      instances_.instances()[answer].reason_to_refuse(request) != Reason::none) {
    return std::nullopt;
  }
  views.find_cached(request);
  const std::size_t chosen = prefill_router().route(request, views.views());
  views.routed_to(chosen);
  return views.views().first + chosen;
}

// Nothing is left to be answered elsewhere: by its length, or as the model takes no more tokens.
bool Handoffs::is_answered_by_prefill(const Request& request, std::size_t answer) const {
  if (!deployment_.disaggregation.first_token_by_prefill) return request.output_tokens <= 0;
  return request.output_tokens <= 1 ||
         request.input_tokens + 1 == pool_of(answer).engine.max_model_len;
}

void Handoffs::told(std::span<HandoffNotice> notices, Time now) {
  if (!semantics_.handoffs_in_batch_order) {
    std::ranges::stable_sort(notices, {}, [&](const HandoffNotice& notice) {
      return std::to_string(rows_.id[notice.row]);
    });
  }
  for (const HandoffNotice& notice : notices) {
    switch (notice.kind) {
      case Kind::prefilled:
        prefilled(notice, now);
        break;
      case Kind::has_room:
        has_room(notice, now);
        break;
      case Kind::gone:
        gone(notice, now);
        break;
    }
  }
}

void Handoffs::prefilled(const HandoffNotice& notice, Time now) {
  Split& split = splits_[notice.row];
  split.prefill_slot = notice.slot;
  split.prefilled_at = now;
  split.prefill_time = notice.prefill;
  split.prefilled = true;
  split.holds = true;
  instances_.count_in_flight(split.prefill, -1);
  const bool client_has_token = deployment_.disaggregation.first_token_by_prefill;
  if (client_has_token) rows_.ttft[notice.row] = notice.token - split.request.arrival;
  if (!semantics_.prompts_are_held_until_sent) release(split, now);
  // Room may be found at once, but nobody is told of it before this is over.
  split.answer_slot = instances_.expect_prompt(split.answer, split.request, notice.row,
                                               notice.token, client_has_token, now);
  instances_.relay(split.answer, now);
}

void Handoffs::has_room(const HandoffNotice& notice, Time now) {
  Split& split = splits_[notice.row];
  if (notice.blocks == 0) return arrive(notice.row, now);
  split.sends = true;
  split.sent_from = now;
  links_.start(now, notice.row, load_of(split, notice));
}

// The reference looks at the first side alone.
KvLinks::Load Handoffs::load_of(const Split& split, const HandoffNotice& notice) const {
  const auto port = [&](std::size_t instance, Ranks::Slot slot) {
    return first_ports_[instance] + instances_.instances()[instance].rank_of(slot);
  };
  const Pool& from = pool_of(split.prefill);
  const Pool& to = pool_of(split.answer);
  const auto tokens = static_cast<double>(notice.blocks * to.engine.block_size);
  const double sent = from.kv.bytes_of_request(tokens);
  const double received = semantics_.transfers_are_retimed ? to.kv.bytes_of_request(tokens) : sent;
  return {port(split.prefill, split.prefill_slot),
          port(split.answer, notice.slot),
          sent,
          received,
          received * static_cast<double>(to.gpus / to.ranks),
          split.prefilled_at,
          split.prefill_time};
}

void Handoffs::gone(const HandoffNotice& notice, Time now) {
  Split& split = splits_[notice.row];
  if (!split.prefilled) {
    if (semantics_.decode_counts_from_routing) instances_.count_in_flight(split.answer, -1);
  } else {
    if (!semantics_.decode_counts_from_routing) instances_.count_in_flight(split.answer, 1);
    if (split.sends) links_.cancel(now, notice.row);
    release(split, now);
  }
  splits_.erase(notice.row);
}

void Handoffs::run_event(Time now) {
  const KvLinks::Ended ended = links_.run_event(now);
  if (ended.any) arrive(ended.row, now);
}

void Handoffs::arrive(std::uint32_t row, Time now) {
  Split& split = splits_[row];
  if (!semantics_.decode_counts_from_routing) instances_.count_in_flight(split.answer, 1);
  const std::size_t answer = split.answer;
  if (log_ != nullptr && split.sends)
    log_->transfer(split.request, now, split.prefill, answer, split.sent_from);
  instances_.prompt_arrived(answer, split.answer_slot, now);
  release(split, now);
  splits_.erase(row);
  instances_.relay(answer, now);
}

void Handoffs::release(Split& split, Time now) {
  if (!split.holds) return;
  split.holds = false;
  instances_.release_prompt(split.prefill, split.prefill_slot, now);
}

std::optional<std::size_t> Handoffs::holder(std::uint32_t row) const {
  const auto found = splits_.find(row);
  if (found == splits_.end()) return std::nullopt;
  return found->second.prefilled ? found->second.answer : found->second.prefill;
}

}  // namespace plimsoll
