// The two semantics and every difference between them. `blis` reproduces the public reference
// simulator, defaults included, so that runs can be compared number by number; `vllm` is the
// engine as it really behaves. Code elsewhere asks for a named behaviour, never for the mode.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace plimsoll {

enum class SemanticsMode { vllm, blis };

struct Semantics {
  SemanticsMode mode = SemanticsMode::vllm;

  /// The batch of step k+1 is decided when step k starts: vLLM prepares it while the GPU works.
  bool asynchronous_scheduling = true;

  /// The model that prices the steps unless --latency-model says otherwise.
  const char* latency_model = "kernel";

  /// The reference counts a drained instance as idle from the start of its last step.
  bool busy_until_step_ends = true;

  /// ITL is the time between two tokens, for every token emitted. The reference adds up the
  /// steps that gave the request a token, of completed requests only.
  bool true_gaps = true;

  /// Pooled ITL percentiles are exact to the microsecond, as the reference's are, instead of within
  /// 0.1 %: counts in classes stay in a processor's cache.
  bool exact_itl_counts = false;

  /// At least the last token of a cached prompt is computed. The reference computes nothing for
  /// a prompt that is cached whole, and claims no block.
  bool recompute_last_token = true;

  /// Whether the oldest of several KV blocks with the same content is found, and when it is evicted
  /// the next one. In the reference it is the youngest, and when any of them is evicted, none is
  /// found.
  bool copies_stay_found = true;

  /// A block of an answer that one token fills (block size 1) can be found again like any other.
  /// The reference registers it only if prefill filled it.
  bool one_token_answer_blocks_cached = true;

  /// The last token of an answer is never read, so nothing is stored for it. The reference takes a
  /// block for it, if that is needed and one is free.
  bool last_token_takes_room = false;

  /// A new prefill attends to what was cached before it; the reference prices it as if nothing was.
  bool cached_tokens_are_context = true;

  /// A preempted sequence prefills prompt and generated tokens and goes on; its first
  /// TTFT and scheduling delay stay. The reference starts again from the prompt.
  bool resume_after_preemption = true;

  /// KV capacity from the memory and the block bytes of each GPU. The reference divides the
  /// memory of all GPUs by the block bytes of one, so capacity grows with the square of TP.
  bool kv_budget_per_gpu = true;

  /// The activations that KV capacity leaves room for are those of vLLM's start-up profile with the
  /// limits of a step. The reference takes 5.5 GiB, 8 with experts, whatever the limits.
  bool activations_as_profiled = true;

  /// Weights, KV cache and step times from the layers as they are: head width, latent and linear
  /// attention, windows, dense layers among those with experts, quantised parts. The reference sees
  /// a plain transformer of the same width.
  bool exact_model_shapes = true;

  /// KV blocks of a GPU whose memory size nobody knows; 0: that is an error.
  std::int64_t kv_blocks_without_memory_size = 0;

  /// A request whose prompt and answer, but for the last token, exceed the whole KV cache can never
  /// finish. The reference preempts and restarts it for ever; true refuses it on arrival.
  bool refuse_what_can_never_fit = true;

  /// Batches can be formed by other rules than vLLM's; the reference has that one alone.
  bool other_batching_rules = true;

  /// A prompt whose KV blocks find no room where its answer is to come from waits for room there.
  /// The reference drops the request.
  bool decode_waits_for_blocks = true;

  /// Blocks of a prompt that the instance of the answer has already are not sent, and those that
  /// are sent are found from when they have arrived. The reference takes all anew before the
  /// transfer begins; after a preemption, too, one token at first.
  bool decode_keeps_prefixes = true;

  /// An instance that computed a prompt for another one keeps its KV blocks until they have arrived
  /// there. The reference's gives them up at once.
  bool prompts_are_held_until_sent = true;

  /// Prompts that were computed in one step go on in the order of their admission, in the reference
  /// in that of their names.
  bool handoffs_in_batch_order = true;

  /// The answer begins with its first token: unless the client has that one already, the instance
  /// of the answer computes the last token of the prompt again. The reference's makes one token
  /// less, but at least one, and takes the first of them for the first of the answer.
  bool decode_makes_first_token = true;

  /// A request that is to answer somewhere is in flight there from its routing on. In the reference
  /// only from the end of its transfer on.
  bool decode_counts_from_routing = true;

  /// A client whose time is up while KV blocks are on their way gives up then. The reference sees
  /// to it when they have arrived.
  bool transfers_time_out = true;

  /// Prompts and answers are routed by policies of their own. The reference has one for both unless
  /// their scorers are named: round-robin takes turns over all of their choices.
  bool pools_route_apart = true;

  /// Transfers that share bandwidth are timed anew whenever one begins or ends. The reference's
  /// keep the share that they began with, and share only if asked to.
  bool transfers_are_retimed = true;

  /// The scorer prefix-affinity remembers so many KV blocks of what it sent to an instance; 0: as
  /// many as the instance's cache holds, as routers that ask their engines do.
  std::int64_t router_memory_blocks = 0;

  /// Which requests have prompt and answer on different instances where pools for both exist and
  /// nobody says otherwise: one of pd_deciders().
  const char* pd_decider = "always";

  /// Result files have a row for a request that no instance had received when the run ended (it was
  /// waiting out admission or routing latency). The reference lists what instances know.
  bool rows_of_requests_on_their_way = true;

  /// The next round of a session starts when its client has the last token. The reference counts
  /// from the end of the last step, before the overheads of output.
  bool clients_wait_for_last_token = true;

  /// First in, first out at the gateway holds over all classes. The reference lets the most urgent
  /// class go first under the name of fifo.
  bool gateway_fifo_over_classes = true;

  /// Tenants take turns at the gateway in the order of their names. The reference starts again at
  /// the first name when the last one served has nothing waiting any more.
  bool gateway_turns_go_on = true;

  /// The prompt of an accumulating session holds all of the answers before. The reference leaves
  /// out the last token of each.
  bool context_has_last_token = true;

  /// Later rounds of a recorded session keep their class, labels and timeout. The reference knows
  /// only their lengths: the rest is that of the first round, with the default timeout.
  bool follow_ups_as_recorded = true;

  /// Where a trace states no think times they are the times from an answer to the next request. The
  /// reference takes the times between arrivals, which count the service again, and takes zeros for
  /// not stated.
  bool think_times_exclude_service = true;

  /// An SLO class that nobody knows is an error; the reference takes it for standard.
  bool refuse_unknown_slo_classes = true;

  /// A replay without --horizon stops at twice the last arrival, cutting off the tail.
  bool replay_stops_at_twice_last_arrival = false;

  /// Each data-parallel rank has requests, limits and a KV cache of its own (engine/ranks.h), and
  /// each micro-batch of a pipeline a limit on tokens, as in vLLM. The reference has one of
  /// everything for all.
  bool ranks_run_apart = true;

  /// A synthetic request without --timeout gives up after this long; kNoDuration: it waits.
  Duration default_timeout = kNoDuration;

  /// Requests of a synthetic workload without --num-requests: enough for a verdict at most loads.
  /// The reference makes 100, which never are.
  std::int64_t default_num_requests = 10'000;

  /// A priority inversion is a request put into a batch while a more urgent one waits. The
  /// reference counts pairs of one class with unequal latencies, and only for its priority-fcfs
  /// scheduler.
  bool inversions_are_overtakings = true;

  /// The wait queue of an instance is compared with the others' for head-of-line blocking. The
  /// reference compares it with the mean of all, so that of two instances none can ever stand out.
  bool queue_compared_with_others = true;

  /// Where no latency was measured, fitness takes the reference's zero for the best there can be;
  /// else it is worth nothing.
  bool latency_of_nothing_is_best = false;

  /// backlog-drift stops at the last arrival and takes a growth for noise by its standard error.
  /// The reference counts the drain and compares requests per window with 1 / sqrt(arrivals).
  bool drift_by_standard_error = true;

  /// Saturation detectors see requests that did not complete.
  bool detectors_see_unfinished = true;

  /// Gamma and Weibull arrivals with shape and scale come at the rate that these imply, as in the
  /// reference; else shape gives their form and the client's share of the load the rate.
  bool arrival_scale_sets_rate = false;

  /// Streams of arrivals have been going on when the run starts: the first gap is what is left of
  /// one (its residual life), so that each moment sees the rate asked for. The reference draws it
  /// like all others, as if every client had sent at time zero: with bursty gaps many more come.
  bool arrivals_start_in_mid_gap = true;

  /// The last value of a flag that is given twice counts; else it is an error.
  bool last_of_repeated_flags_wins = false;

  /// Where the mean of a length alone is given, deviation and limits are the usual shares of that
  /// mean. The reference keeps the deviation and the limits that go with a mean of 512 tokens.
  bool lengths_follow_their_mean = true;

  /// Flag-made workloads arrive at constant intervals unless told otherwise (else Poisson).
  bool constant_arrivals_by_default = false;

  static Semantics vllm();
  static Semantics blis();
  static Semantics of(SemanticsMode mode);
};

}  // namespace plimsoll
