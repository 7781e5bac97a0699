#include "engine/run_record.h"

#include <algorithm>
#include <numeric>

namespace plimsoll {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::unfinished:
      return "unfinished";
    case Outcome::completed:
      return "completed";
    case Outcome::length_capped:
      return "length_capped";
    case Outcome::timed_out:
      return "timed_out";
    case Outcome::dropped:
      return "dropped";
    case Outcome::rejected:
      return "rejected";
    case Outcome::shed:
      return "shed";
  }
  return "unfinished";
}

std::string_view name_of(Reason reason) {
  switch (reason) {
    case Reason::none:
      return "";
    case Reason::admission_policy:
      return "admission-policy";
    case Reason::tenant_budget:
      return "tenant-budget";
    case Reason::gateway_full:
      return "gateway-queue-full";
    case Reason::displaced:
      return "gateway-displaced";
    case Reason::expired:
      return "gateway-expired";
    case Reason::evicted:
      return "gateway-evicted";
    case Reason::other_model:
      return "other-model";
    case Reason::too_long:
      return "max-model-len";
    case Reason::kv_cache:
      return "kv-cache";
  }
  return "";
}

void IdColumn::add(std::size_t row, std::int64_t id) {
  if (others_.empty()) {
    if (id == static_cast<std::int64_t>(row)) return;
    others_.resize(row);
    std::iota(others_.begin(), others_.end(), std::int64_t{0});
  }
  others_.push_back(id);
}

void RequestTable::add(const Request& request) {
  const std::size_t row = size();
  id.add(row, request.id);
  arrival.push_back(request.arrival);
  input_tokens.push_back(request.input_tokens);
  output_tokens.push_back(request.output_tokens);
  generated_tokens.push_back(0);
  outcome.push_back(Outcome::unfinished);
  instance.push_back(-1);
  scheduling_delay.push_back(kNoDuration);
  ttft.push_back(kNoDuration);
  e2e.push_back(kNoDuration);
  itl_sum.push_back({});
  itl_count.push_back(0);
  phases.push_back({});
  cached_tokens.add(row, 0);
  preemptions.add(row, 0);
  reason.add(row, Reason::none);
  slo_class.add(row, request.slo_class);
  client.add(row, request.tags.client);
  tenant.add(row, request.tags.tenant);
  session.add(row, request.tags.session);
  round.add(row, request.tags.round);
  handoff.add(row, {});
}

MeasuredRow RequestTable::measured(std::size_t row) const {
  return {outcome[row],          reason[row],        generated_tokens[row],
          itl_count[row],        cached_tokens[row], preemptions[row],
          scheduling_delay[row], ttft[row],          e2e[row],
          itl_sum[row],          phases[row]};
}

void RequestTable::set_measured(std::size_t row, const MeasuredRow& m) {
  outcome[row] = m.outcome;
  if (m.reason != reason[row]) reason.set(row, m.reason, size());
  generated_tokens[row] = m.generated_tokens;
  itl_count[row] = m.itl_count;
  if (m.cached_tokens != cached_tokens[row]) cached_tokens.set(row, m.cached_tokens, size());
  if (m.preemptions != preemptions[row]) preemptions.set(row, m.preemptions, size());
  scheduling_delay[row] = m.scheduling_delay;
  ttft[row] = m.ttft;
  e2e[row] = m.e2e;
  itl_sum[row] = m.itl_sum;
  phases[row] = m.phases;
}

void InstanceRecord::merge(const InstanceRecord& other) {
  using R = InstanceRecord;
  for (std::int64_t R::*count : {&R::completed,
                                 &R::length_capped,
                                 &R::timed_out,
                                 &R::dropped,
                                 &R::evicted,
                                 &R::handed_over,
                                 &R::still_queued,
                                 &R::still_running,
                                 &R::total_input_tokens,
                                 &R::total_output_tokens,
                                 &R::preemptions,
                                 &R::kv_allocation_failures,
                                 &R::cache_hit_blocks,
                                 &R::cache_miss_blocks,
                                 &R::steps,
                                 &R::prefill_tokens,
                                 &R::decode_tokens,
                                 &R::attended_tokens,
                                 &R::kv_tokens_read,
                                 &R::kv_block_us,
                                 &R::peak_kv_blocks,
                                 &R::total_kv_blocks,
                                 &R::batch_request_steps,
                                 &R::queued_request_steps,
                                 &R::max_num_seqs,
                                 &R::short_of_blocks,
                                 &R::short_of_places,
                                 &R::short_of_tokens,
                                 &R::short_of_turns}) {
    this->*count += other.*count;
  }
  busy += other.busy;
  prefill_busy += other.prefill_busy;
  prefill_work += other.prefill_work;
  lone_decode_step = std::max(lone_decode_step, other.lone_decode_step);
  end = std::max(end, other.end);
  itl.merge(other.itl);
}

}  // namespace plimsoll
