// The reference twin's serving instance, or one rank of it (ranks.h): the rules of
// docs/explanation/semantics.md, written down one after the other with no thought of speed. Every
// token, block, event and inter-token gap is an object of its own. Events, arrivals and departures
// are in instance.cc, the making of a batch in batch.cc, the step itself in step.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "base/semantics.h"
#include "engine/engine_config.h"
#include "engine/run_record.h"
#include "metrics/breakdown.h"
#include "perf/step_time_model.h"
#include "reference/blocks.h"
#include "workload/request.h"

namespace plimsoll::reference {

struct RequestResult {
  Outcome outcome = Outcome::unfinished;
  int instance = -1;
  int prefill_instance = -1;  ///< that computed the prompt for the other
  std::int64_t generated_tokens = 0;
  Duration scheduling_delay = kNoDuration;
  Duration ttft = kNoDuration;
  Duration e2e = kNoDuration;
  std::vector<Duration> itl;  ///< of completed requests
  Breakdown breakdown;        ///< of completed requests
  Breakdown before_answer;    ///< of those of two instances: what happened before the second part
};

/// What an instance has to say of a request of which another instance has a part, too.
struct Message {
  enum class Kind { prompt_done, room_found, gone };
  Kind kind;
  std::size_t row;
  Time token;               ///< of a prompt that is done: when its token appears
  Duration prefill;         ///< how long it took
  std::int64_t blocks = 0;  ///< to be sent, once there is room
};

struct InstanceResult {
  InstanceRecord counters;  ///< all but `itl` and `kv_block_us`
  std::vector<Duration> itl;
  std::int64_t kv_block_ns = 0;
  std::vector<std::int64_t> batch_sizes;  ///< after batch formation, one per step
  std::vector<std::int64_t> queue_lengths;
};

/// In the wait queue; lower is more urgent.
int priority_of(SloClass slo_class);

class Instance {
 public:
  /// `results` has one row per request of the run; the instance fills those of its own requests.
  Instance(int index, const EngineConfig& config, const Semantics& semantics,
           const StepTimeModel& step_time, Time horizon, std::vector<RequestResult>& results);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  enum class Part { whole, prompt, answer };

  /// Schedules the arrival of request number `row` at `time`.
  void inject(std::size_t row, const Request& request, Time time, Part part = Part::whole);

  // handoff.cc
  /// It is to be answered here once its prompt has come, whose prefill yielded `token`.
  void expect(std::size_t row, const Request& request, Time token, bool client_has_token, Time now);
  void prompt_came(std::size_t row, Time now);
  /// The blocks that are kept for another instance.
  void let_go(std::size_t row, Time now);
  bool could_answer(const Request& request) const;
  /// The gateway wants it back. False if it is not here: gone, or not in the queue yet.
  bool take_back(std::size_t row, Time now);
  std::vector<Message> take_messages() { return std::exchange(messages_, {}); }

  // In the order in which they happen at equal times. (The reference's marker event after each
  // admission is left out: it happens at the time of its step and changes nothing.)
  enum class EventKind { arrival = 0, queued = 1, step = 3, request_left = 5, timeout = 6 };
  struct Due {
    Time time;
    EventKind kind;
    auto operator<=>(const Due&) const = default;
  };
  /// The earliest event; none when nothing is left to happen.
  std::optional<Due> next_event() const;
  /// It is no step.
  void process_next_event();

  // step.cc
  /// It is a step: one ends, the next one starts. False if there is none.
  bool begin_step();
  BatchShape shape() const;
  /// `stall` of its duration is due to prompts.
  void run_step(Duration step, Duration stall);
  /// Room for prompts that come from elsewhere: to be called after a step.
  void find_homes();

  /// No step begins before that.
  void wait_until(Time time) { not_before_ = time; }
  /// Nobody gets into batches until the next call.
  void let_prompts_wait(bool wait) { prompts_wait_ = wait; }
  bool could_prefill() const;
  bool decodes() const;

  Time clock() const { return clock_; }
  std::int64_t queue_length() const { return static_cast<std::int64_t>(queue_.size()); }
  /// Sent here and not in the queue yet.
  std::int64_t coming() const { return coming_; }
  std::int64_t batch_length() const { return static_cast<std::int64_t>(batch_.size()); }
  std::int64_t used_blocks() const { return blocks_.used() + set_aside(); }
  std::int64_t total_blocks() const { return blocks_.total(); }
  std::set<HashChain> cached_content() const {
    return config_.prefix_caching ? blocks_.registered() : std::set<HashChain>{};
  }
  /// Completed, dropped or timed out.
  std::int64_t finished() const;

  InstanceResult result() const;

 private:
  struct Served;
  using Queue = std::deque<Served*>;
  Queue::iterator after_arrived_prompts();
  struct Event {
    Time time;
    EventKind kind;
    std::int64_t sequence;
    std::size_t row;  // unused by steps

    bool operator>(const Event& other) const;
  };

  enum class State {
    queued,
    running,
    completed,
    timed_out,
    dropped,
    taken_back,
    kept,
    homeless,
    receiving
  };

  /// What happens to a request, one entry each.
  struct Happening {
    enum class Kind { queued, admitted, token, preempted };
    Kind kind = Kind::queued;
    Time time;
    Duration latency;  ///< of a token: that of its step, output overhead included
    Duration stall;    ///< of a token: what its step lost to prompts
  };

  struct Served {
    std::size_t row = 0;
    Request request;
    std::string name;
    std::vector<Token> tokens;  // prompt and answer
    int priority = 0;           // lower is more urgent

    State state = State::queued;
    Part part = Part::whole;
    bool has_prompt = false;  // it came from elsewhere
    bool shared = false;      // another instance has a part in it now
    bool restarted = false;   // after a preemption, in the reference
    bool has_entered = false;
    Time since;
    std::int64_t to_prefill = 0;  // the prompt, and after a preemption the answer so far
    std::int64_t progress = 0;    // tokens processed up to and with the running step
    std::int64_t computed = 0;    // cached and granted so far
    std::int64_t granted = 0;     // tokens of the batch that is decided
    std::int64_t promised = 0;    // blocks in all that are its own, taken or not
    std::int64_t generated = 0;   // tokens up to and with that of the running step
    bool finishing = false;       // the running step yields its last token
    bool has_first_token = false;
    Duration first_token;  // since arrival
    Time last_token;
    Duration held_up;  // by steps of prompts alone, since then
    std::vector<Duration> itl;
    std::vector<Happening> life;

    std::int64_t in() const { return request.input_tokens; }
    std::int64_t out() const { return request.output_tokens; }
    bool prefilling() const { return progress < to_prefill; }
  };

  void schedule(Time time, EventKind kind, std::size_t row = 0);
  void schedule_step(Time time);
  Duration ticks(double us) const;

  void on_arrival(const Served& served);
  void on_queued(Served& served);
  void on_timeout(Served& served);

  bool can_never_be_served(const Request& request, Part part) const;
  void drop(Served& served);
  void remove(Served& served);
  void say_gone(Served& served);
  void wake(Time now);
  void keep_prompt(Served& served, Time step_end);
  bool find_home(Served& served, std::int64_t* blocks);

  void sort_queue();
  bool decide_batch();
  bool grant_to_running(std::int64_t* budget);
  void admit_from_queue(std::int64_t* budget);

  // batching.cc: the other batching rules.
  enum class Refusal { no_turn, tokens, blocks };
  struct Room {
    std::int64_t promise = 0;     // blocks for the request in all
    std::int64_t leave_free = 0;  // unless it is alone
  };
  bool form_batch();
  bool form_sarathi();
  bool form_vllm_v0();
  bool form_orca();
  bool form_fastertransformer();
  bool form_lightllm();
  bool form_sglang();
  bool form_trtllm();
  std::int64_t serve_chunks(std::int64_t left, bool let_in);
  bool decode_all();
  void admit_beside_longest();
  bool admit_first_in_queue(std::int64_t tokens, const Room& room);
  bool has_place_and_candidate() const;
  std::int64_t to_compute(const Served& served) const;
  std::int64_t last_progress(const Served& served) const;
  std::int64_t longest_request_blocks(const Served& served) const;
  std::int64_t most_tokens_ahead(const Served& entrant) const;
  std::int64_t set_aside() const;
  std::vector<std::size_t> find_cached(const Served& served) const;
  std::int64_t limit_prefill(std::int64_t tokens, std::int64_t start, std::int64_t budget) const;
  bool allocate_or_preempt(Served& requester, std::int64_t tokens, std::size_t* position,
                           std::int64_t* budget, bool* preempted);
  bool allocate(const Served& served, std::int64_t start, std::int64_t tokens,
                const std::vector<std::size_t>& cached, const Room& room);
  std::size_t choose_victim() const;
  void preempt(std::size_t position, std::int64_t* budget);

  void apply_effects(Duration step);
  bool is_capped(const Served& served) const;
  bool is_answered(const Served& served) const;
  void yield_token(Served& served, Duration step);
  void remove_finished(Time step_end);
  void complete(Served& served, Time step_end);
  Breakdown break_down(const Served& served) const;

  EngineConfig config_;
  Semantics semantics_;
  const StepTimeModel& step_time_;
  Time horizon_;
  std::vector<RequestResult>& results_;
  int index_;

  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::int64_t coming_ = 0;
  std::int64_t sequence_ = 0;
  Time clock_;
  bool step_pending_ = false;
  Time not_before_;
  bool prompts_wait_ = false;

  std::map<std::size_t, Served> requests_;
  Queue queue_;
  std::vector<Served*> batch_;  // in order of admission
  Duration stall_;              // of the running step
  Refusal refusal_ = Refusal::no_turn;
  std::int64_t decodes_since_look_ = 0;  // at the queue, in lightllm and sglang
  bool ran_prompts_ = false;             // in the last batch, in sglang
  bool received_wait_ = false;           // there is no room for those who were seen in the queue
  std::deque<Served*> homeless_;
  std::vector<Message> messages_;
  bool decided_ = false;  // the batch of the next step, while another one runs
  BlockPool blocks_;
  InstanceResult result_;
};

}  // namespace plimsoll::reference
