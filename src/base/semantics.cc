#include "base/semantics.h"

namespace plimsoll {

Semantics Semantics::vllm() { return {}; }

Semantics Semantics::blis() {
  Semantics s;
  s.mode = SemanticsMode::blis;
  s.latency_model = "trained-physics";
  s.asynchronous_scheduling = false;
  s.busy_until_step_ends = false;
  s.true_gaps = false;
  s.exact_itl_counts = true;
  s.recompute_last_token = false;
  s.last_token_takes_room = true;
  s.copies_stay_found = false;
  s.one_token_answer_blocks_cached = false;
  s.cached_tokens_are_context = false;
  s.resume_after_preemption = false;
  s.kv_budget_per_gpu = false;
  s.activations_as_profiled = false;
  s.ranks_run_apart = false;
  s.exact_model_shapes = false;
  s.kv_blocks_without_memory_size = 1'000'000;
  s.refuse_what_can_never_fit = false;
  s.other_batching_rules = false;
  s.decode_waits_for_blocks = false;
  s.decode_keeps_prefixes = false;
  s.handoffs_in_batch_order = false;
  s.prompts_are_held_until_sent = false;
  s.decode_makes_first_token = false;
  s.decode_counts_from_routing = false;
  s.transfers_time_out = false;
  s.pools_route_apart = false;
  s.transfers_are_retimed = false;
  s.router_memory_blocks = 10'000;
  s.pd_decider = "never";
  s.rows_of_requests_on_their_way = false;
  s.clients_wait_for_last_token = false;
  s.gateway_fifo_over_classes = false;
  s.gateway_turns_go_on = false;
  s.context_has_last_token = false;
  s.follow_ups_as_recorded = false;
  s.think_times_exclude_service = false;
  s.refuse_unknown_slo_classes = false;
  s.replay_stops_at_twice_last_arrival = true;
  s.default_timeout = seconds(300);
  s.default_num_requests = 100;
  s.inversions_are_overtakings = false;
  s.queue_compared_with_others = false;
  s.latency_of_nothing_is_best = true;
  s.drift_by_standard_error = false;
  s.detectors_see_unfinished = false;
  s.arrival_scale_sets_rate = true;
  s.arrivals_start_in_mid_gap = false;
  s.lengths_follow_their_mean = false;
  s.last_of_repeated_flags_wins = true;
  s.constant_arrivals_by_default = true;
  return s;
}

Semantics Semantics::of(SemanticsMode mode) {
  return mode == SemanticsMode::blis ? blis() : vllm();
}

}  // namespace plimsoll
