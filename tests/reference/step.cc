#include <algorithm>

#include "reference/instance.h"

namespace plimsoll::reference {

bool Instance::begin_step() {
  clock_ = events_.top().time;
  events_.pop();
  if (semantics_.busy_until_step_ends) remove_finished(clock_);
  if (!decided_) {
    const bool nobody = batch_.empty() && queue_.empty();
    const bool preempted = !nobody && decide_batch();
    if (nobody || (batch_.empty() && !preempted)) {  // others hold the blocks
      step_pending_ = false;
      return false;
    }
  }
  return true;
}

void Instance::run_step(Duration step, Duration stall) {
  stall_ = stall;
  result_.queue_lengths.push_back(queue_length());
  result_.batch_sizes.push_back(batch_length());

  apply_effects(step);

  decided_ = false;
  if (semantics_.asynchronous_scheduling) {
    decide_batch();
    decided_ = std::any_of(batch_.begin(), batch_.end(),
                           [](const Served* served) { return served->granted > 0; });
  }
  if (semantics_.busy_until_step_ends) {
    schedule_step(clock_ + step);
  } else {
    // Only the next step waits for the end of this one: an instance that has run empty is idle.
    remove_finished(clock_ + step);
    step_pending_ = false;
    if (!batch_.empty() || !queue_.empty()) schedule_step(clock_ + step);
  }
}

BatchShape Instance::shape() const {
  BatchShape shape;
  for (const Served* served : batch_) {
    if (served->granted == 0) continue;
    if (served->prefilling()) {
      shape.add_prefill(served->granted, served->progress, served->to_prefill);
    } else {
      shape.decode_requests += 1;
      shape.decode_context += served->progress;
    }
  }
  return shape;
}

/// Something waits or is under way, and there is a place.
bool Instance::could_prefill() const {
  const bool prefills = std::any_of(batch_.begin(), batch_.end(),
                                    [](const Served* served) { return served->prefilling(); });
  return (prefills || !queue_.empty()) && batch_length() < config_.max_num_seqs;
}

bool Instance::decodes() const {
  return std::any_of(batch_.begin(), batch_.end(), [](const Served* served) {
    return !served->prefilling() && !served->finishing;
  });
}

void Instance::apply_effects(Duration step) {
  const bool has_decodes = std::any_of(batch_.begin(), batch_.end(), [](const Served* served) {
    return !served->prefilling() && served->granted > 0;
  });
  for (Served* served : batch_) {
    if (!has_decodes && !served->prefilling()) served->held_up += stall_;
    if (served->prefilling()) {
      served->progress = served->computed;
      if (!served->prefilling()) yield_token(*served, step);
    } else if (served->granted > 0) {
      served->progress += 1;
      yield_token(*served, step);
    }
    served->finishing = is_answered(*served) || is_capped(*served);
  }
}

bool Instance::is_answered(const Served& served) const {
  if (served.part == Part::prompt) return served.progress >= served.in();
  return served.progress >= served.in() + std::max<std::int64_t>(served.out(), 1) - 1;
}

bool Instance::is_capped(const Served& served) const {
  return config_.max_model_len > 0 && served.progress >= config_.max_model_len - 1;
}

void Instance::yield_token(Served& served, Duration step) {
  const Duration latency = step + ticks(step_time_.output_token_us());
  const Time token = clock_ + latency;
  ++served.generated;
  const bool as_the_reference = served.part == Part::answer && !semantics_.decode_makes_first_token;
  if (as_the_reference && (served.has_prompt || served.has_first_token) && served.itl.empty()) {
    Duration admitted;
    for (const Happening& happening : served.life) {
      if (happening.kind == Happening::Kind::admitted)
        admitted = happening.time - served.request.arrival;
    }
    if (!served.has_first_token) served.first_token = admitted;
    served.has_first_token = true;
    served.itl.push_back(latency);
    results_[served.row].ttft = admitted + latency;
  } else if (!served.has_first_token) {
    served.has_first_token = true;
    served.first_token = token - served.request.arrival;
    if (served.part != Part::prompt) results_[served.row].ttft = served.first_token;
  } else {
    served.itl.push_back(semantics_.true_gaps ? token - served.last_token : latency);
    if (semantics_.true_gaps) result_.itl.push_back(served.itl.back());
  }
  served.last_token = token;
  const Duration held_up = semantics_.true_gaps ? served.held_up : Duration{};
  served.held_up = {};
  served.life.push_back({Happening::Kind::token, token, latency, held_up + stall_});
}

void Instance::remove_finished(Time step_end) {
  const std::vector<Served*> batch = batch_;
  for (Served* served : batch) {
    if (!served->finishing) continue;
    if (served->part == Part::prompt) {
      keep_prompt(*served, step_end);
    } else {
      complete(*served, step_end);
    }
    std::erase(batch_, served);
  }
}

void Instance::complete(Served& served, Time step_end) {
  InstanceRecord& counters = result_.counters;
  const bool length_capped = !is_answered(served);
  served.state = State::completed;
  if (semantics_.last_token_takes_room && !length_capped && served.out() > 0 &&
      served.progress < served.in() + served.out()) {
    if (!allocate(served, served.progress, 1, {}, {})) ++counters.kv_allocation_failures;
  }
  blocks_.release(served.row);
  served.promised = 0;
  schedule(step_end, EventKind::request_left, served.row);

  RequestResult& result = results_[served.row];
  result.outcome = length_capped ? Outcome::length_capped : Outcome::completed;
  result.itl = served.itl;
  result.e2e = served.first_token;
  for (const Duration gap : served.itl) result.e2e += gap;
  if (served.out() > 0) result.e2e += ticks(step_time_.post_decode_us());
  result.generated_tokens = served.progress - served.in();
  if (result.generated_tokens < served.out()) ++result.generated_tokens;

  result.breakdown = break_down(served);
  if (served.part == Part::answer) {
    const Breakdown& before = result.before_answer;
    Breakdown& b = result.breakdown;
    b.gateway = before.gateway;
    b.queue = before.queue;
    b.decode_wait = before.decode_wait;
    b.transfer = before.transfer;
    b.decode_queue = before.decode_queue;
    if (!served.restarted) b.prefill = before.prefill;
    b.preemption += before.preemption;
    b.decode += result.e2e - b.total();  // between admission and first token, and overheads
  }

  ++counters.completed;
  if (length_capped) ++counters.length_capped;
  counters.total_output_tokens += result.generated_tokens;
  if (!semantics_.true_gaps) {
    result_.itl.insert(result_.itl.end(), served.itl.begin(), served.itl.end());
  }
}

/// Reads off the log of a completed request.
Breakdown Instance::break_down(const Served& served) const {
  using Kind = Happening::Kind;
  Breakdown b;
  Time queued;
  std::optional<Time> first_admitted;
  Time admitted;
  std::optional<Time> last_token;
  const bool answers = served.part == Part::answer;
  bool preempted = false;  // since the last token
  for (const Happening& happening : served.life) {
    switch (happening.kind) {
      case Kind::queued:
        queued = happening.time;
        break;
      case Kind::admitted:
        if (!first_admitted) first_admitted = happening.time;
        admitted = happening.time;
        break;
      case Kind::preempted:
        preempted = true;
        if (semantics_.resume_after_preemption) break;
        last_token.reset();  // all over again
        b = {};
        break;
      case Kind::token:
        if (!last_token && answers && !served.restarted) {
          b.prefill_stall += happening.stall;
        } else if (!last_token) {
          if (!answers) b.preemption = admitted - *first_admitted;
          b.prefill = happening.time - admitted;
        } else if (preempted) {
          b.preemption += happening.time - *last_token;
        } else {
          const Duration gap =
              semantics_.true_gaps ? happening.time - *last_token : happening.latency;
          b.prefill_stall += happening.stall;
          b.decode += gap - happening.stall;
        }
        last_token = happening.time;
        preempted = false;
        break;
    }
  }
  b.gateway = queued - served.request.arrival;
  b.queue = *first_admitted - queued;
  if (served.out() > 0) b.decode += ticks(step_time_.post_decode_us());
  return b;
}

}  // namespace plimsoll::reference
