// One serving instance, or one of its data-parallel ranks (engine/ranks.h): wait queue, batch
// formation, KV cache and the step loop, as in vLLM V1 and the BLIS reference. At most one event
// per engine step; a step costs O(1) however many sequences decode: only sequences that start,
// finish, prefill or lose their place are touched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <vector>

#include "base/semantics.h"
#include "engine/batching_rule.h"
#include "engine/decode_sums.h"
#include "engine/engine_config.h"
#include "engine/engine_log.h"
#include "engine/event_queue.h"
#include "engine/handoff.h"
#include "engine/kv_cache.h"
#include "engine/preemption.h"
#include "engine/run_record.h"
#include "engine/sequence.h"
#include "engine/wait_queue.h"
#include "perf/step_time_model.h"

namespace plimsoll {

class Instance {
 public:
  /// `model` and `results` must outlive the instance. Rows of `results` are filled for injected
  /// requests; nothing is scheduled past the horizon.
  Instance(const EngineConfig& config, const StepTimeModel& model, const Semantics& semantics,
           Time horizon, RequestTable& results);

  /// Tells `log` from now on what happens, as instance number `index`.
  void set_log(EngineLog* log, std::int32_t index) {
    log_ = log;
    index_ = index;
  }

  /// From now on every prefix is in the cache when its request is admitted
  /// (SimulationOptions::prefixes_are_cached).
  void cache_prefixes() { prefixes_are_cached_ = true; }

  using Slot = std::uint32_t;

  /// A request arrives here at `now`, not earlier than any event that has run. Of one that is here
  /// for its prefill the KV blocks are held until release_prompt().
  void inject(const Request& request, std::uint32_t row, Time now, Part part = Part::whole);

  // handoff.cc: answers to prompts that were computed elsewhere.
  /// A request is to be answered here; it waits for room for the KV blocks of its prompt. `token`
  /// is that of its prefill, and whether its client has it. Returns its name here.
  Slot expect_prompt(const Request& request, std::uint32_t row, Time token, bool client_has_token,
                     Time now);
  /// The blocks are here.
  void prompt_arrived(Slot slot, Time now);
  /// The other side: they are not needed any more.
  void release_prompt(Slot slot, Time now);
  /// Why it could never answer the request.
  Reason reason_to_refuse(const Request& r) const { return reason_to_drop(r, Part::decode); }
  bool has_handoffs() const { return !handoffs_.empty(); }
  /// As long as no prompt comes, nothing that happens here before this time frees a prompt that
  /// another instance holds: no prompt that waits finds room, none is given up.
  Time next_freed_prompt() const {
    if (!homeless_.empty()) return next_event();
    return timeouts_.earliest() > horizon_ ? kNever : timeouts_.earliest();
  }
  void take_handoffs(std::vector<HandoffNotice>* notices) {
    notices->clear();
    notices->swap(handoffs_);
  }

  /// Time of the next event; kNever when there is none up to the horizon.
  Time next_event() const;
  /// No request leaves in an event before this time, unless one arrives that is not here yet;
  /// kNever: none does up to the horizon.
  Time next_departure();
  /// Runs the earliest event, which is at `now`. At equal times: entries into the queue, the step,
  /// deadlines. If decode steps alone follow, those that start earlier than `before` may be run
  /// with it.
  void run_next_event(Time now, Time before);

  /// The gateway takes a request back, wherever it stands. False if it has left, or has not entered
  /// the queue yet.
  bool evict(std::uint32_t row, Time now);

  // The figures that routers and admission may look at.
  std::int64_t queue_depth() const { return queue_.size(); }
  std::int64_t batch_size() const { return static_cast<std::int64_t>(running_.size()); }
  std::int64_t used_kv_blocks() const { return cache_.used_blocks(); }
  std::int64_t total_kv_blocks() const { return cache_.total_blocks(); }
  /// From now on changes of the cached content are kept for take_cache_changes().
  void log_cache_changes() { cache_.log_changes(); }
  void take_cache_changes(std::vector<ContentChange>* changes) { cache_.take_changes(changes); }
  /// Requests that have left: completed, dropped, timed out or evicted.
  std::int64_t left() const { return left_; }

  /// All departures are reported, not only those of awaited requests.
  void watch() { watched_ = true; }
  /// Hands over the departures since the last call, in that order.
  void take_departures(std::vector<Departure>* departures) {
    departures->clear();
    departures->swap(departures_);
  }
  bool has_departures() const { return !departures_.empty(); }

  /// Counters as of now; sequences still here are in still_queued and still_running.
  InstanceRecord record() const;

  // One of several ranks (engine/ranks.h), whose steps begin and end together: in place of
  // run_next_event().
  /// On their way here, and not in the queue yet.
  std::int64_t coming() const { return arriving_.size(); }
  bool enters_queue_at(Time now) const { return !arriving_.empty() && arriving_.top().at == now; }
  bool begins_step_at(Time now) const { return next_step_ == now; }
  void run_earliest(Time now);  ///< no step
  /// Room may be left for prompts that wait for it.
  void look_for_room(Time now) {
    if (!homeless_.empty()) give_room(now);
  }

  /// Decides who is in the step that begins now; false: there is none.
  bool begin_shared_step(Time now) {
    note_event(now);
    return begin_step(now);
  }
  const BatchShape& shape() const { return shape_; }
  /// The step takes so long on all ranks, of which `stall` is due to prompts; or stand_by().
  void finish_shared_step(Time now, Duration step, Duration stall) {
    not_before_ = now + step;
    finish_step(now, step, stall);
  }
  void stand_by(Time begin, Time end, std::int64_t steps);
  static Duration whole_step(double us) { return std::max(duration_from_us(us), microseconds(1)); }
  bool has_prompt() const { return !(queue_.empty() && prefilling_.empty()) && !is_full(); }
  bool decodes() const { return decoding_.count() > 0; }
  /// So many batches let nobody in.
  void let_prompts_wait(std::int64_t batches) { prompts_wait_ = batches; }

  bool is_idle() const { return running_.empty() && queue_.empty() && next_step_ == kNever; }
  bool only_decodes_ahead() const;
  static constexpr std::int64_t kLongestLeap = 1 << 14;  ///< so that a watcher gets a turn
  /// The time before which nothing enters, so that what starts earlier is known already.
  Time undisturbed_until(Time before) const {
    before = std::min(before, std::min(arriving_.earliest(), timeouts_.earliest()));
    return horizon_ == kNever ? before : std::min(before, Time{horizon_.ns + 1});
  }
  /// For a rank with only_decodes_ahead(): when the next step begins, what is in it, and how many
  /// like it, at most `most`, nobody leaves or enters and find blocks.
  Time next_step() const { return next_step_; }
  BatchShape decodes_ahead() const {
    return {.decode_requests = decoding_.count(), .decode_context = decoding_.context()};
  }
  std::int64_t steps_like_next(std::int64_t most);
  /// Runs these steps, which take so long on all ranks. Returns the KV blocks used in the last one.
  std::int64_t leap_with_others(std::span<const double> us);

  BatchShape lone_decode() const;  ///< of the mean length of those here; of nobody if none was

 private:
  friend class BatchDraft;

  // instance.cc: the life of a request around the steps.
  Slot open(const Request& request, std::uint32_t row, Part part);
  void enter_queue(Slot slot, Time now);
  bool needs_no_slot_yet(const Sequence& s) const;
  Slot first_in_queue();
  bool can_time_out(Time deadline) const { return deadline <= horizon_ && deadline != kNever; }
  Reason reason_to_drop(const Request& request, Part part) const;
  void arm_deadline(Slot slot, Time now);
  void drop(Slot slot, Reason reason, Time at);
  void run_timeout(Slot slot, Time now);
  void withdraw(Slot slot);
  void run_step(Time now);
  bool begin_step(Time now);  ///< decides who is in the step; false: there is none
  /// The rest of it. `stall` of its duration is due to prompts.
  void finish_step(Time now, Duration step, Duration stall);
  std::int64_t withdraw_grant(Slot slot);
  void leave(Slot slot, Outcome outcome, Time at);
  void drop_void_timeouts();
  void tell(const Sequence& s, Moment moment, Time at, Outcome outcome = Outcome::unfinished) {
    if (log_ != nullptr) log_->request(index_, s.request, moment, at, outcome);
  }
  void note_event(Time now) { end_ = now > end_ ? now : end_; }

  // handoff.cc
  void hand_over(Slot slot, Time now);
  void give_room(Time now);
  bool take_room(Sequence& sequence, std::int64_t* blocks);
  void drop_homeless(Slot slot, Time now);
  void give_up(Slot slot);
  bool admit_with_prompt(Slot slot);
  void begin_answers(Duration gap);
  void wake(Time now) {
    if (next_step_ == kNever && !queue_.empty()) next_step_ = std::max(now, not_before_);
  }
  HandoffTimes handoff_of(const Sequence& s) const { return results_.handoff[s.row]; }
  void note_handoff(const Sequence& s, const HandoffTimes& times) {
    results_.handoff.set(s.row, times, results_.size());
  }

  // batch.cc: who gets how many tokens in this step, as the batching rule says (batch_draft.h).
  struct Candidate {
    Slot slot = 0;
    std::int64_t cached = 0;      ///< leading blocks of its prompt in the KV cache
    std::int64_t to_prefill = 0;  ///< prompt and, after a preemption, what had been generated
    std::int64_t to_compute = 0;  ///< of that, what is not cached
    std::int64_t decodes = 0;     ///< steps for its answer after the prefill
    std::int64_t longest = 0;     ///< tokens in the KV cache, if the answer is as long as allowed
  };
  struct Member {
    std::int64_t tokens = 0;  ///< in the KV cache
    std::int64_t decodes_left = 0;
  };
  /// Why somebody waits while there are places.
  enum class Shortage { turns, tokens, blocks };
  void form_batch(Time now);
  bool is_full() const { return batch_size() >= config_.max_num_seqs; }
  void serve_in_order();
  void serve_decodes();
  void serve_prompts();
  void hold_decodes();
  Candidate candidate();
  bool admit(const Candidate& candidate, std::int64_t tokens, KvCache::Room room);
  std::vector<Member> members() const;
  bool grant_at_once();
  void grant_one_by_one(bool decodes_alone);
  bool grant_one(std::size_t& index);
  void compute_granted(Sequence& sequence);
  bool take_blocks(Sequence& sequence, std::int64_t tokens);
  /// False, with nothing taken, if there are too few; there are enough of those set aside.
  bool take_answer_blocks(std::int64_t blocks) {
    if (blocks == 0) return true;
    if (answers_set_aside_) {
      cache_.take_set_aside(blocks);
      return true;
    }
    if (blocks > cache_.free_blocks()) return false;
    cache_.take(blocks);
    return true;
  }
  void count_shortage();
  std::int64_t prefill_grant(std::int64_t tokens, std::int64_t budget) const;
  std::size_t choose_victim() const;
  void preempt(std::size_t index);
  std::size_t position_in_batch(const Sequence& s) const;

  // leap.cc: many steps that only decode.
  struct Leap;
  void leap(Time before);
  template <class Price>
  Leap run_decodes(std::int64_t most, Time limit, const Price& price);
  std::int64_t decodes_with_room(std::int64_t most) const;
  void account_for(const Leap& leap);
  std::int64_t batches_nobody_enters() const;
  std::int64_t steps_to_first_finish();
  bool foresees_steps() const;
  void foresee_steps(std::int64_t most);

  // step.cc: what the step does to the sequences in it.
  void execute(Time now, Duration step, Duration stall);
  Duration part_of_prompts(Duration step) const;
  void advance_decodes(Duration gap, Duration stall);
  void hold_up_decodes(Duration step, Duration stall);
  void count_gaps(Duration gap);
  std::int64_t count_longer_gaps(Duration gap);
  void finish_prefills();
  void retire_finished();
  void clear_finished(Time now);
  void write_results(Sequence& sequence);
  void remove_from_batch(Slot slot);
  void start_decoding(Slot slot);
  void note_admission(Sequence& sequence, std::int64_t cached_tokens, Time now);
  void miss_step(Slot slot, Duration gap, Duration stall);
  void plan_finish(Slot slot);
  void forget_gaps();
  /// The reference counts gaps of completed requests only: not those of one that ends otherwise.
  void retract_gaps(const Sequence& s, ItlHistogram& from) const {
    if (!semantics_.true_gaps && s.state == SequenceState::decoding)
      decoding_.retract_gaps(s, from);
  }

  std::int64_t held_tokens(const Sequence& s) const;
  std::int64_t decodes_left(const Sequence& s) const;
  std::int64_t most_tokens(const Sequence& s) const;
  void remove_running(std::size_t index);

  const EngineConfig config_;
  const StepTimeModel& model_;
  const Semantics semantics_;
  const Time horizon_;
  RequestTable& results_;
  const Duration output_token_;
  const Duration post_decode_;
  const std::unique_ptr<BatchingRule> rule_;
  const bool answers_set_aside_;  ///< blocks for decodes are the sequence's already
  const std::unique_ptr<PreemptionRule> preemption_;  ///< none: whoever was admitted last

  std::vector<Sequence> sequences_;  ///< by slot; slots are used again
  std::vector<Slot> free_slots_;
  WaitQueue queue_;
  KvCache cache_;
  bool prefixes_are_cached_ = false;

  /// The batch in order of admission, and the part of it that is prefilling.
  std::vector<Slot> running_;
  std::vector<std::int64_t> running_admissions_;  ///< of the same, side by side for searches
  std::vector<Slot> prefilling_;
  std::int64_t admissions_ = 0;
  DecodeSums decoding_;

  // The step being run, or decided and not yet started.
  bool planned_ = false;
  BatchShape shape_;
  std::int64_t budget_ = 0;
  Time step_end_;
  Time decided_at_;  ///< when its batch was formed
  bool preempted_ = false;
  Shortage shortage_ = Shortage::turns;
  bool one_by_one_ = false;      ///< granted tokens of decoding sequences are set
  std::vector<Slot> missed_;     ///< decoding sequences without a token in this step
  std::vector<Slot> finished_;   ///< got their last token in this step
  std::vector<Slot> behind_;     ///< decoding sequences that got no token in the step before
  std::vector<Slot> beginning_;  ///< decode for the first time, their prompts came from elsewhere
  std::deque<Slot> homeless_;    ///< in order of arrival

  EventQueue<ArrivingSequence> arriving_;
  EventQueue<SequenceTimeout> timeouts_;  ///< the top is never void
  std::priority_queue<SequenceFinish, std::vector<SequenceFinish>, std::greater<>> finishes_;
  std::int64_t orders_ = 0;
  Time next_step_ = kNever;
  Time not_before_;                ///< no step begins before that of all of them ends
  std::int64_t prompts_wait_ = 0;  ///< so many batches let nobody in: other ranks have no prompt
  ForeseenSteps foreseen_;
  std::int64_t left_ = 0;
  bool watched_ = false;
  EngineLog* log_ = nullptr;
  std::int32_t index_ = 0;  ///< for the log
  std::vector<Departure> departures_;
  std::vector<HandoffNotice> handoffs_;
  InstanceRecord record_;
  Time end_;
};

}  // namespace plimsoll
