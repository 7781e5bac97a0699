#include "reference/instance.h"

#include <algorithm>
#include <tuple>

#include "base/units.h"

namespace plimsoll::reference {
namespace {

constexpr Duration kTick = microseconds(1);

int priority_of(SloClass slo_class) {
  switch (slo_class) {
    case SloClass::critical:
      return 0;
    case SloClass::standard:
      return 1;
    case SloClass::batch:
      return 5;
    case SloClass::sheddable:
      return 6;
    case SloClass::background:
      return 7;
  }
  return 1;
}

/// Prompt and answer, token by token: the shared segments, then the request's own content, which
/// runs on from the rest of the prompt into the answer.
std::vector<Token> all_tokens(const Request& request) {
  std::vector<Token> tokens;
  for (const PrefixSegment& segment : request.prefix) {
    for (std::int64_t i = 0; i < segment.tokens; ++i) tokens.push_back({segment.content, i});
  }
  const auto total = static_cast<std::size_t>(request.input_tokens + request.output_tokens);
  for (std::int64_t i = 0; tokens.size() < total; ++i) tokens.push_back({request.own_content, i});
  return tokens;
}

}  // namespace

bool Instance::Event::operator>(const Event& other) const {
  return std::tie(time, kind, sequence) > std::tie(other.time, other.kind, other.sequence);
}

Instance::Instance(int index, const EngineConfig& config, const StepTimeModel& step_time,
                   Time horizon, std::vector<RequestResult>& results)
    : config_(config),
      step_time_(step_time),
      horizon_(horizon),
      results_(results),
      index_(index),
      blocks_(config.total_kv_blocks, config.block_size) {
  result_.counters.total_kv_blocks = config.total_kv_blocks;
}

void Instance::inject(std::size_t row, const Request& request, Time time) {
  Served served;
  served.row = row;
  served.request = request;
  served.name = "request_" + std::to_string(request.id);
  const std::vector<Token> tokens = all_tokens(request);
  const auto answer = tokens.begin() + request.input_tokens;
  served.input.assign(tokens.begin(), answer);
  served.output.assign(answer, tokens.end());
  requests_[row] = served;
  results_[row].instance = index_;
  schedule(time, EventKind::arrival, row);
}

std::optional<Time> Instance::next_event() const {
  if (events_.empty()) return std::nullopt;
  return events_.top().time;
}

void Instance::process_next_event() {
  const Event event = events_.top();
  events_.pop();
  if (event.kind == EventKind::timeout) {
    const State state = requests_.at(event.row).state;
    // Without moving the clock: a deadline that was met must not stretch the run.
    if (state == State::completed || state == State::timed_out) return;
  }
  clock_ = event.time;
  switch (event.kind) {
    case EventKind::arrival:
      return on_arrival(requests_.at(event.row));
    case EventKind::queued:
      return on_queued(requests_.at(event.row));
    case EventKind::step:
      return on_step();
    case EventKind::request_left:
      return;
    case EventKind::timeout:
      return on_timeout(requests_.at(event.row));
  }
}

std::int64_t Instance::finished() const {
  const InstanceRecord& counters = result_.counters;
  return counters.completed + counters.dropped + counters.timed_out;
}

InstanceResult Instance::result() const {
  InstanceResult result = result_;
  result.counters.still_queued = queue_length();
  result.counters.still_running = batch_length();
  result.counters.cache_hit_blocks = blocks_.hits();
  result.counters.cache_miss_blocks = blocks_.misses();
  result.counters.end = std::min(clock_, horizon_);
  return result;
}

void Instance::schedule(Time time, EventKind kind, std::size_t row) {
  events_.push({time, kind, sequence_++, row});
}

void Instance::schedule_step(Time time) {
  schedule(time, EventKind::step);
  step_pending_ = true;
}

Duration Instance::ticks(double us) const { return duration_from_us(us, kTick); }

// ---- a request comes and goes

void Instance::on_arrival(const Served& served) {
  schedule(clock_ + ticks(step_time_.queueing_us(served.in())), EventKind::queued, served.row);
}

void Instance::on_queued(Served& served) {
  if (can_never_be_served(served)) {
    drop(served);
  } else {
    result_.counters.total_input_tokens += served.in();
    const Time deadline = served.request.deadline;
    if (deadline <= clock_) {
      served.state = State::timed_out;
      results_[served.row].outcome = Outcome::timed_out;
      ++result_.counters.timed_out;
    } else {
      served.priority = priority_of(served.request.slo_class);
      queue_.push_back(&served);
      if (deadline != kNever && deadline <= horizon_) {
        schedule(deadline, EventKind::timeout, served.row);
      }
    }
  }
  if (!step_pending_ && !queue_.empty()) schedule_step(clock_);
}

bool Instance::can_never_be_served(const Served& served) const {
  const std::int64_t in = served.in();
  const std::int64_t limit = config_.max_model_len;
  std::int64_t budget = served.request.max_output_tokens;
  if (budget == 0 && limit > 0 && in < limit) budget = limit - in;
  if (budget < 0) return true;
  if (limit > 0 && in >= limit) return true;
  if (limit > 0 && budget > 0 && in + budget > limit) return true;
  return (in + config_.block_size - 1) / config_.block_size > config_.total_kv_blocks;
}

void Instance::drop(const Served& served) {
  results_[served.row].outcome = Outcome::dropped;
  ++result_.counters.dropped;
}

void Instance::on_timeout(Served& served) {
  served.state = State::timed_out;
  results_[served.row].outcome = Outcome::timed_out;
  ++result_.counters.timed_out;
  blocks_.release(served.row);
  std::erase(batch_, &served);  // a step that is already scheduled stays scheduled
  std::erase(queue_, &served);
  if (batch_.empty() && !step_pending_ && !queue_.empty()) schedule_step(clock_);
}

// ---- one step

void Instance::on_step() {
  if (batch_.empty() && queue_.empty()) {
    step_pending_ = false;
    return;
  }
  ++result_.counters.steps;
  sort_queue();
  form_batch();
  result_.queue_lengths.push_back(queue_length());
  result_.batch_sizes.push_back(batch_length());
  result_.counters.batch_request_steps += batch_length();
  const Duration step = execute();
  finish_step(step);
}

void Instance::sort_queue() {
  const auto sort_by = [this](auto key) {
    std::stable_sort(queue_.begin(), queue_.end(), [&](const Served* a, const Served* b) {
      return std::tuple(key(*a), a->request.arrival, a->name) <
             std::tuple(key(*b), b->request.arrival, b->name);
    });
  };
  switch (config_.scheduler) {
    case SchedulerPolicy::fcfs:
      return;
    case SchedulerPolicy::priority_fcfs:
      return sort_by([](const Served& served) { return served.priority; });
    case SchedulerPolicy::sjf:
      return sort_by([](const Served& served) { return served.in(); });
    case SchedulerPolicy::reverse_priority:
      return sort_by([](const Served& served) { return -served.priority; });
  }
}

void Instance::form_batch() {
  std::int64_t budget = config_.max_num_batched_tokens;
  for (Served* served : batch_) served->granted = 0;
  const bool preempted = grant_to_running(&budget);
  if (!preempted) admit_from_queue(&budget);
}

/// Phase 1. True when it preempted anyone.
bool Instance::grant_to_running(std::int64_t* budget) {
  bool preempted = false;
  for (std::size_t position = 0; position < batch_.size() && *budget > 0; ++position) {
    Served& served = *batch_[position];
    std::int64_t tokens = 0;
    if (served.prefilling()) {
      tokens = limit_prefill(served.in() - served.progress, served.progress, *budget);
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
  while (batch_length() < config_.max_num_seqs && !queue_.empty() && *budget > 0) {
    Served& served = *queue_.front();
    const std::vector<std::size_t> cached = blocks_.find_prefix(served.input);
    const std::int64_t start = static_cast<std::int64_t>(cached.size()) * config_.block_size;
    const std::int64_t tokens = limit_prefill(served.in() - start, start, *budget);
    if (!allocate(served, start, tokens, cached)) return;
    queue_.pop_front();
    batch_.push_back(&served);
    served.state = State::running;
    served.granted = tokens;
    served.computed = start + tokens;
    *budget -= tokens;
    results_[served.row].scheduling_delay = clock_ - served.request.arrival;
  }
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
  while (!allocate(requester, requester.progress, tokens, {})) {
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
                        const std::vector<std::size_t>& cached) {
  const bool prefill = served.prefilling();
  const std::vector<Token>& source = prefill ? served.input : served.output;
  const auto first = source.begin() + (prefill ? start : start - served.in());
  return blocks_.allocate(served.row, std::vector<Token>(first, first + tokens),
                          prefill ? BlockPool::Phase::prefill : BlockPool::Phase::decode, cached);
}

std::size_t Instance::choose_victim() const {
  std::size_t victim = batch_.size() - 1;
  if (config_.preemption == PreemptionPolicy::fcfs) return victim;
  const auto urgency = [this](std::size_t position) {
    return std::pair(batch_[position]->priority, batch_[position]->request.arrival);
  };
  for (std::size_t position = batch_.size(); position-- > 0;) {
    if (urgency(position) > urgency(victim)) victim = position;
  }
  return victim;
}

void Instance::preempt(std::size_t position, std::int64_t* budget) {
  Served& victim = *batch_[position];
  batch_.erase(batch_.begin() + static_cast<std::ptrdiff_t>(position));
  *budget += victim.granted;
  victim.state = State::queued;
  victim.progress = 0;
  victim.computed = 0;
  victim.granted = 0;
  victim.itl.clear();
  victim.has_first_token = false;  // the reported TTFT stays until the next prefill ends
  blocks_.release(victim.row);
  queue_.push_front(&victim);
  ++result_.counters.preemptions;
}

// ---- work and completion

Duration Instance::execute() {
  BatchShape shape;
  for (const Served* served : batch_) {
    if (served->granted == 0) continue;
    if (served->prefilling()) {
      shape.add_prefill(served->granted, served->progress, served->in());
    } else {
      shape.decode_requests += 1;
      shape.decode_context += served->progress;
    }
  }
  const Duration step = std::max(ticks(step_time_.step_us(shape)), kTick);
  const Duration latency = step + ticks(step_time_.output_token_us());
  for (Served* served : batch_) {
    if (served->prefilling()) {
      served->progress = served->computed;
    } else if (served->granted > 0) {
      served->progress += 1;
      served->itl.push_back(latency);
    }
    if (served->progress == served->in() && !served->has_first_token) {
      served->has_first_token = true;
      served->first_token = clock_ + latency - served->request.arrival;
      results_[served->row].ttft = served->first_token;
    }
  }
  InstanceRecord& counters = result_.counters;
  counters.prefill_tokens += shape.prefill_tokens;
  counters.decode_tokens += shape.decode_requests;
  counters.busy += step;
  if (shape.prefill_tokens > 0) counters.prefill_busy += step;
  counters.peak_kv_blocks = std::max(counters.peak_kv_blocks, blocks_.used());
  result_.kv_block_ns += blocks_.used() * step.ns;
  return step;
}

/// All effects of the step happen at its start; only the next step waits for its end. An instance
/// that has run empty is therefore idle at once.
void Instance::finish_step(Duration step) {
  std::vector<Served*> remaining;
  for (Served* served : batch_) {
    const bool answered =
        served->progress >= served->in() + std::max<std::int64_t>(served->out(), 1) - 1;
    const bool capped = config_.max_model_len > 0 && served->progress >= config_.max_model_len - 1;
    if (answered || capped) {
      complete(*served, !answered, step);
    } else {
      remaining.push_back(served);
    }
  }
  batch_ = remaining;
  step_pending_ = false;
  if (!batch_.empty() || !queue_.empty()) schedule_step(clock_ + step);
}

void Instance::complete(Served& served, bool length_capped, Duration step) {
  InstanceRecord& counters = result_.counters;
  served.state = State::completed;
  if (!length_capped && served.out() > 0 && served.progress < served.in() + served.out()) {
    if (!allocate(served, served.progress, 1, {})) ++counters.kv_allocation_failures;
  }
  blocks_.release(served.row);
  schedule(clock_ + step, EventKind::request_left, served.row);

  RequestResult& result = results_[served.row];
  result.outcome = length_capped ? Outcome::length_capped : Outcome::completed;
  result.itl = served.itl;
  result.e2e = served.first_token;
  for (const Duration gap : served.itl) result.e2e += gap;
  if (served.out() > 0) result.e2e += ticks(step_time_.post_decode_us());
  result.generated_tokens = served.progress - served.in();
  if (result.generated_tokens < served.out()) ++result.generated_tokens;

  ++counters.completed;
  if (length_capped) ++counters.length_capped;
  counters.total_output_tokens += result.generated_tokens;
  result_.itl.insert(result_.itl.end(), served.itl.begin(), served.itl.end());
}

}  // namespace plimsoll::reference
