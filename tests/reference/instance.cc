#include "reference/instance.h"

#include <algorithm>
#include <cassert>
#include <tuple>

#include "base/units.h"

namespace plimsoll::reference {

int priority_of(SloClass slo_class) {
  switch (slo_class) {
    case SloClass::critical:
      return 0;
    case SloClass::unset:
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

bool Instance::Event::operator>(const Event& other) const {
  return std::tie(time, kind, sequence) > std::tie(other.time, other.kind, other.sequence);
}

Instance::Instance(int index, const EngineConfig& config, const Semantics& semantics,
                   const StepTimeModel& step_time, Time horizon,
                   std::vector<RequestResult>& results)
    : config_(config),
      semantics_(semantics),
      step_time_(step_time),
      horizon_(horizon),
      results_(results),
      index_(index),
      blocks_(config.total_kv_blocks, config.block_size, semantics.one_token_answer_blocks_cached,
              semantics.copies_stay_found) {
  result_.counters.total_kv_blocks = config.total_kv_blocks;
}

void Instance::inject(std::size_t row, const Request& request, Time time, Part part) {
  Served served;
  served.row = row;
  served.request = request;
  served.name = "request_" + std::to_string(request.id);
  served.tokens = all_tokens(request);
  served.to_prefill = request.input_tokens;
  served.part = part;
  served.shared = part == Part::prompt;
  requests_[row] = served;
  (part == Part::prompt ? results_[row].prefill_instance : results_[row].instance) = index_;
  ++coming_;
  schedule(time, EventKind::arrival, row);
}

std::optional<Instance::Due> Instance::next_event() const {
  if (events_.empty()) return std::nullopt;
  return Due{events_.top().time, events_.top().kind};
}

void Instance::process_next_event() {
  const Event event = events_.top();
  events_.pop();
  if (event.kind == EventKind::timeout) {
    const State state = requests_.at(event.row).state;
    // Without moving the clock: a deadline that was met must not stretch the run.
    if (state == State::completed || state == State::timed_out || state == State::dropped ||
        state == State::taken_back || state == State::kept) {
      return;
    }
  }
  clock_ = event.time;
  switch (event.kind) {
    case EventKind::arrival:
      on_arrival(requests_.at(event.row));
      break;
    case EventKind::queued:
      on_queued(requests_.at(event.row));
      break;
    case EventKind::step:
      assert(false && "the ranks of an instance begin their steps together");
      break;
    case EventKind::request_left:
      return;
    case EventKind::timeout:
      on_timeout(requests_.at(event.row));
      break;
  }
  find_homes();
}

std::int64_t Instance::finished() const {
  const InstanceRecord& counters = result_.counters;
  return counters.completed + counters.dropped + counters.timed_out + counters.evicted;
}

InstanceResult Instance::result() const {
  InstanceResult result = result_;
  result.counters.still_queued = queue_length() + std::ssize(homeless_);
  result.counters.still_running = batch_length();
  for (const auto& [row, served] : requests_) {
    if (served.state == State::receiving) ++result.counters.still_running;
  }
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

Duration Instance::ticks(double us) const { return duration_from_us(us); }

// ---- a request comes and goes

void Instance::on_arrival(const Served& served) {
  schedule(clock_ + ticks(step_time_.queueing_us(served.in())), EventKind::queued, served.row);
}

void Instance::on_queued(Served& served) {
  --coming_;
  served.has_entered = true;
  served.life.push_back({Happening::Kind::queued, clock_, {}, {}});
  if (can_never_be_served(served.request, served.part)) {
    drop(served);
  } else {
    result_.counters.total_input_tokens += served.in();
    const Time deadline = served.request.deadline;
    if (deadline <= clock_) {
      served.state = State::timed_out;
      results_[served.row].outcome = Outcome::timed_out;
      ++result_.counters.timed_out;
      say_gone(served);
    } else {
      served.priority = priority_of(served.request.slo_class);
      queue_.push_back(&served);
      if (deadline != kNever && deadline <= horizon_) {
        schedule(deadline, EventKind::timeout, served.row);
      }
      wake(clock_);
    }
  }
}

bool Instance::can_never_be_served(const Request& request, Part part) const {
  const std::int64_t in = request.input_tokens;
  const std::int64_t limit = config_.max_model_len;
  std::int64_t budget = request.max_output_tokens;
  if (budget == 0 && limit > 0 && in < limit) budget = limit - in;
  if (budget < 0) return true;
  if (limit > 0 && in >= limit) return true;
  if (limit > 0 && budget > 0 && in + budget > limit) return true;
  std::int64_t to_hold = in;
  if (semantics_.refuse_what_can_never_fit && part != Part::prompt) {
    to_hold = in + std::max<std::int64_t>(request.output_tokens, 1) -
              1;  // the last token is not read again
    if (limit > 0) to_hold = std::min(to_hold, limit - 1);
  }
  return to_hold > config_.block_size * config_.total_kv_blocks;
}

void Instance::drop(Served& served) {
  served.state = State::dropped;
  say_gone(served);
  results_[served.row].outcome = Outcome::dropped;
  ++result_.counters.dropped;
}

void Instance::on_timeout(Served& served) {
  served.state = State::timed_out;
  results_[served.row].outcome = Outcome::timed_out;
  ++result_.counters.timed_out;
  remove(served);
  if (served.part == Part::answer && !semantics_.transfers_time_out) {
    RequestResult& result = results_[served.row];
    if (result.ttft == kNoDuration) result.ttft = served.first_token;
    result.e2e = served.request.deadline - served.request.arrival;
  }
  wake(clock_);
}

bool Instance::take_back(std::size_t row, Time now) {
  const auto found = requests_.find(row);
  if (found == requests_.end()) return false;
  Served& served = found->second;
  const bool is_here = served.state == State::queued || served.state == State::running ||
                       served.state == State::homeless || served.state == State::receiving;
  if (!is_here || (served.part != Part::answer && !served.has_entered)) return false;
  clock_ = std::max(clock_, now);
  served.state = State::taken_back;
  results_[row].outcome = Outcome::shed;
  ++result_.counters.evicted;
  remove(served);
  wake(now);
  find_homes();
  return true;
}

void Instance::remove(Served& served) {
  blocks_.release(served.row);
  std::erase(batch_, &served);  // a step that is already scheduled stays scheduled
  std::erase(queue_, &served);
  std::erase(homeless_, &served);
  served.promised = 0;
  say_gone(served);
}

void Instance::wake(Time now) {
  if (!step_pending_ && !queue_.empty()) schedule_step(std::max(now, not_before_));
}

}  // namespace plimsoll::reference
