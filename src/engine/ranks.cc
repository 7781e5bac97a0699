#include "engine/ranks.h"

#include <cassert>
#include <optional>
#include <utility>

namespace plimsoll {

EngineConfig share_of(EngineConfig limits, std::int64_t ranks) {
  for (std::int64_t* limit :
       {&limits.max_num_seqs, &limits.max_num_batched_tokens, &limits.total_kv_blocks}) {
    *limit = std::max<std::int64_t>(*limit / ranks, 1);
  }
  return limits;
}

// What ranks do in the same step is told as one.
class Ranks::StepLog final : public EngineLog {
 public:
  explicit StepLog(EngineLog& log) : log_(log) {}

  void steps(std::int32_t instance, const StepSpan& span) override {
    if (!span_) {
      span_ = span;
      instance_ = instance;
      return;
    }
    span_->prefill_tokens += span.prefill_tokens;
    span_->prefill_requests += span.prefill_requests;
    span_->decode_requests += span.decode_requests;
    span_->running += span.running;
    span_->waiting += span.waiting;
    span_->kv_blocks += span.kv_blocks;
  }
  void request(std::int32_t instance, const Request& request, Moment moment, Time at,
               Outcome outcome) override {
    log_.request(instance, request, moment, at, outcome);
  }
  void tell() {
    if (span_) log_.steps(instance_, *std::exchange(span_, std::nullopt));
  }

 private:
  EngineLog& log_;
  std::optional<StepSpan> span_;
  std::int32_t instance_ = 0;
};

Ranks::Ranks(const EngineConfig& limits, std::int64_t ranks, const StepTimeModel& model,
             const Semantics& semantics, Time horizon, RequestTable& results)
    : count_(static_cast<std::uint32_t>(ranks)),
      prompt_wait_steps_(limits.prompt_wait_steps),
      first_(share_of(limits, ranks), model, semantics, horizon, results),
      model_(model) {
  assert(ranks > 0);
  for (std::int64_t i = 1; i < ranks; ++i) {
    others_.emplace_back(share_of(limits, ranks), model, semantics, horizon, results);
  }
  if (is_alone()) return;
  loads_.resize(num_ranks());
  shapes_.resize(num_ranks());
}

Ranks::~Ranks() = default;

void Ranks::set_log(EngineLog* log, std::int32_t index) {
  if (log != nullptr && !is_alone()) {
    log_ = std::make_unique<StepLog>(*log);
    log = log_.get();
  }
  for_each([&](Instance& rank) { rank.set_log(log, index); });
}

void Ranks::cache_prefixes() { for_each(&Instance::cache_prefixes); }
void Ranks::watch() { for_each(&Instance::watch); }
void Ranks::log_cache_changes() { for_each(&Instance::log_cache_changes); }

std::size_t Ranks::next_rank(Time now) {
  constexpr Duration kTold = milliseconds(100);
  constexpr std::int64_t kOfOneThatWaits = 4;
  if (now - loads_seen_ >= kTold) {
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      const std::int64_t waiting = rank(i).queue_depth() + rank(i).coming();
      loads_[i] = kOfOneThatWaits * waiting + rank(i).batch_size();
    }
    loads_seen_ = now;
  }
  const auto least = std::ranges::min_element(loads_);
  *least += kOfOneThatWaits;
  return static_cast<std::size_t>(least - loads_.begin());
}

Ranks::Slot Ranks::expect_prompt(const Request& request, std::uint32_t row, Time token,
                                 bool client_has_token, Time now) {
  const std::size_t i = is_alone() ? 0 : next_rank(now);
  const Slot slot = rank(i).expect_prompt(request, row, token, client_has_token, now);
  return slot * count_ + static_cast<Slot>(i);
}

void Ranks::take_handoffs(std::vector<HandoffNotice>* notices) {
  first_.take_handoffs(notices);
  if (is_alone()) return;
  std::vector<HandoffNotice> own;
  for (HandoffNotice& notice : *notices) notice.slot *= count_;
  for (std::uint32_t i = 1; i < count_; ++i) {
    rank(i).take_handoffs(&own);
    for (HandoffNotice& notice : own) notice.slot = notice.slot * count_ + i;
    notices->insert(notices->end(), own.begin(), own.end());
  }
}

void Ranks::take_departures(std::vector<Departure>* departures) {
  first_.take_departures(departures);
  if (is_alone()) return;
  std::vector<Departure> own;
  for (Instance& rank : others_) {
    rank.take_departures(&own);
    departures->insert(departures->end(), own.begin(), own.end());
  }
}

bool Ranks::evict(std::uint32_t row, Time now) {
  return first_.evict(row, now) ||
         std::ranges::any_of(others_, [&](Instance& rank) { return rank.evict(row, now); });
}

// ---- several ranks

void Ranks::run_next_event_of_all(Time now, Time before) {
  run_earliest(now);
  for_each([&](Instance& rank) { rank.look_for_room(now); });
  if (prompt_wait_steps_ > 0) {
    let_prompts_wait(prompts_may_begin() ? 0 : prompt_wait_steps_ - waited_);
  }
  if (only_decodes_ahead() && !has_departures() && !has_handoffs()) leap(before);
}

// At equal times as in an instance of one rank: entries into queues, the step, deadlines.
void Ranks::run_earliest(Time now) {
  const auto enters = [&](const Instance& rank) { return rank.enters_queue_at(now); };
  const auto steps = [&](const Instance& rank) { return rank.begins_step_at(now); };
  const auto find = [&](const auto& does) {
    std::size_t i = 0;
    while (i < num_ranks() && !does(rank(i))) ++i;
    return i;
  };
  if (const std::size_t entering = find(enters); entering < num_ranks()) {
    return rank(entering).run_earliest(now);
  }
  if (find(steps) < num_ranks()) return run_step(now);
  rank(find([&](const Instance& rank) { return rank.next_event() == now; })).run_earliest(now);
}

void Ranks::run_step(Time now) {
  if (prompt_wait_steps_ > 0) {
    waited_ = prompts_may_begin() ? 0 : (waited_ + 1) % prompt_wait_steps_;
    let_prompts_wait(waited_ == 0 ? 0 : prompt_wait_steps_ - waited_);
  }
  std::vector<bool> in_step(num_ranks());
  for (std::size_t i = 0; i < num_ranks(); ++i) {
    Instance& rank = this->rank(i);
    shapes_[i] = {};
    if (!rank.begins_step_at(now)) continue;
    in_step[i] = rank.begin_shared_step(now);
    if (in_step[i]) shapes_[i] = rank.shape();
  }
  if (std::ranges::find(in_step, true) == in_step.end()) return;
  const Duration step = Instance::whole_step(model_.ranks_us(shapes_));
  Duration stall;
  if (std::ranges::any_of(shapes_, [](const BatchShape& b) { return b.prefill_tokens > 0; })) {
    stall = part_of_prompts(step);
    prefill_busy_ += step;
    prefill_work_ += stall;
  }
  const std::int64_t used = used_kv_blocks();  // not those of the next batches
  for (std::size_t i = 0; i < num_ranks(); ++i) {
    in_step[i] ? rank(i).finish_shared_step(now, step, stall)
               : rank(i).stand_by(now, now + step, 1);
  }
  note_step(used);
}

// PyExecutor._balance_adp_requests() of TensorRT-LLM, without its wait for larger batches.
bool Ranks::prompts_may_begin() const {
  bool all_could = true;
  bool all_decode = true;
  for (std::size_t i = 0; i < num_ranks(); ++i) {
    all_could &= rank(i).has_prompt();
    all_decode &= rank(i).decodes();
  }
  return all_could || !all_decode;
}

void Ranks::let_prompts_wait(std::int64_t batches) {
  for_each([&](Instance& rank) { rank.let_prompts_wait(batches); });
}

// What the step takes longer than the decodes of all ranks alone would: a rank that only decodes
// waits for the prompts of others.
Duration Ranks::part_of_prompts(Duration step) {
  std::int64_t decodes = 0;
  for (BatchShape& rank : shapes_) {
    decodes += rank.decode_requests;
    rank = {.decode_requests = rank.decode_requests, .decode_context = rank.decode_context};
  }
  if (decodes == 0) return step;
  return step - std::min(step, Instance::whole_step(model_.ranks_us(shapes_)));
}

void Ranks::note_step(std::int64_t used_kv_blocks) {
  peak_kv_blocks_ = std::max(peak_kv_blocks_, used_kv_blocks);
  if (log_) log_->tell();
}

bool Ranks::only_decodes_ahead() const {
  bool some = false;
  for (std::size_t i = 0; i < num_ranks(); ++i) {
    if (rank(i).is_idle()) continue;
    if (!rank(i).only_decodes_ahead()) return false;
    some = true;
  }
  return some;
}

// As many steps as every rank that decodes can run of its own.
void Ranks::leap(Time before) {
  constexpr std::size_t kAtOnce = 32;
  Time limit = before;
  std::int64_t most = Instance::kLongestLeap;
  Time end = kNever;
  for (std::size_t i = 0; i < num_ranks(); ++i) {
    Instance& rank = this->rank(i);
    limit = rank.undisturbed_until(limit);
    shapes_[i] = {};
    if (rank.is_idle()) continue;
    end = rank.next_step();
    most = rank.steps_like_next(most);
    shapes_[i] = rank.decodes_ahead();
  }
  const Time begin = end;
  std::size_t steps = 0;
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(most, 0));
  leap_us_.clear();
  while (steps == leap_us_.size() && steps < wanted && end < limit) {
    leap_us_.resize(std::min(steps + kAtOnce, wanted));
    model_.decode_ranks_us(shapes_, std::span(leap_us_).subspan(steps));
    for (; steps < leap_us_.size() && end < limit; ++steps) {
      end = end + Instance::whole_step(leap_us_[steps]);
      for (BatchShape& rank : shapes_) rank.decode_context += rank.decode_requests;
    }
  }
  if (steps == 0) return;
  if (prompt_wait_steps_ > 0 && std::ranges::all_of(shapes_, &BatchShape::decode_requests)) {
    waited_ = (waited_ + static_cast<std::int64_t>(steps)) % prompt_wait_steps_;
  }
  std::int64_t used = 0;
  for_each([&](Instance& rank) {
    if (rank.is_idle()) rank.stand_by(begin, end, static_cast<std::int64_t>(steps));
    used += rank.is_idle() ? rank.used_kv_blocks()
                           : rank.leap_with_others(std::span(leap_us_).first(steps));
  });
  note_step(used);
}

// While the other ranks have nothing.
Duration Ranks::lone_decode_step(const Instance& rank) const {
  std::vector<BatchShape> shapes(num_ranks());
  shapes.front() = rank.lone_decode();
  return shapes.front().requests() > 0 ? Instance::whole_step(model_.ranks_us(shapes)) : Duration{};
}

InstanceRecord Ranks::record() const {
  InstanceRecord all = first_.record();
  if (is_alone()) return all;
  all.lone_decode_step = lone_decode_step(first_);
  for (const Instance& rank : others_) {
    InstanceRecord own = rank.record();
    // A step of several ranks is one.
    own.steps = 0;
    own.busy = {};
    own.lone_decode_step = lone_decode_step(rank);
    all.merge(own);
  }
  all.prefill_busy = prefill_busy_;
  all.prefill_work = prefill_work_;
  all.peak_kv_blocks = peak_kv_blocks_;
  for (std::int64_t* shortage :
       {&all.short_of_blocks, &all.short_of_places, &all.short_of_tokens, &all.short_of_turns}) {
    *shortage /= static_cast<std::int64_t>(num_ranks());
  }
  return all;
}

}  // namespace plimsoll
