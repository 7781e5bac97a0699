// The two parts of a request that one instance prefills and another one answers.
#include <algorithm>

#include "reference/instance.h"

namespace plimsoll::reference {

void Instance::say_gone(Served& served) {
  if (!served.shared) return;
  served.shared = false;
  messages_.push_back({Message::Kind::gone, served.row, {}, {}, 0});
}

/// Its prompt is done, and its blocks stay.
void Instance::keep_prompt(Served& served, Time step_end) {
  served.state = State::kept;
  served.shared = false;
  schedule(step_end, EventKind::request_left, served.row);
  ++result_.counters.handed_over;
  Time queued;
  std::optional<Time> first_admitted;
  Time admitted;
  for (const Happening& happening : served.life) {
    if (happening.kind == Happening::Kind::queued) queued = happening.time;
    if (happening.kind != Happening::Kind::admitted) continue;
    if (!first_admitted) first_admitted = happening.time;
    admitted = happening.time;
  }
  Breakdown& b = results_[served.row].before_answer;
  b.gateway = queued - served.request.arrival;
  b.queue = *first_admitted - queued;
  b.preemption = admitted - *first_admitted;
  b.prefill = clock_ - admitted;
  messages_.push_back({Message::Kind::prompt_done, served.row,
                       served.request.arrival + served.first_token, b.prefill, 0});
}

void Instance::let_go(std::size_t row, Time now) {
  blocks_.release(row);
  requests_.at(row).state = State::completed;
  wake(now);
}

bool Instance::could_answer(const Request& request) const {
  return !can_never_be_served(request, Part::answer);
}

void Instance::expect(std::size_t row, const Request& request, Time token, bool client_has_token,
                      Time now) {
  Served served;
  served.row = row;
  served.request = request;
  served.name = "request_" + std::to_string(request.id);
  served.tokens = all_tokens(request);
  served.part = Part::answer;
  served.shared = true;
  served.state = State::homeless;
  served.since = now;
  served.priority = priority_of(request.slo_class);
  served.first_token = token - request.arrival;
  served.last_token = token;
  served.to_prefill = request.input_tokens;
  if (semantics_.decode_makes_first_token) {
    if (client_has_token) {
      served.has_first_token = true;
      served.generated = 1;
    } else {
      served.to_prefill -= 1;  // the last token of the prompt is a decode's
    }
  }
  requests_[row] = served;
  clock_ = std::max(clock_, now);
  if (semantics_.transfers_time_out && request.deadline != kNever && request.deadline <= horizon_) {
    schedule(std::max(request.deadline, now), EventKind::timeout, row);
  }
  homeless_.push_back(&requests_.at(row));
  find_homes();
}

void Instance::find_homes() {
  const bool waits = semantics_.decode_waits_for_blocks;
  while (!homeless_.empty()) {
    if (waits && batch_length() == config_.max_num_seqs) return;
    Served& served = *homeless_.front();
    std::int64_t blocks = 0;
    const bool found = find_home(served, &blocks);
    if (!found && waits) return;
    homeless_.pop_front();
    if (found) {
      results_[served.row].before_answer.decode_wait = clock_ - served.since;
      served.since = clock_;
      served.state = State::receiving;
      messages_.push_back({Message::Kind::room_found, served.row, {}, {}, blocks});
    } else {
      results_[served.row].ttft = served.first_token;
      results_[served.row].e2e = clock_ - served.request.arrival;
      drop(served);
    }
  }
}

/// Blocks for its prompt and its first step; of those that are cached already none is to be sent.
bool Instance::find_home(Served& served, std::int64_t* blocks) {
  const auto blocks_for = [&](std::int64_t tokens) {
    return (tokens + config_.block_size - 1) / config_.block_size;
  };
  *blocks = blocks_for(served.in());
  if (!semantics_.decode_keeps_prefixes) {
    if (!allocate(served, 0, served.in(), {}, {})) return false;
    served.progress = served.in();
    return true;
  }
  std::vector<std::size_t> cached;
  if (config_.prefix_caching) {
    const auto first = served.tokens.begin();
    cached = blocks_.find_prefix(std::vector<Token>(first, first + served.to_prefill));
  }
  const std::int64_t to_begin = blocks_for(served.to_prefill + 1);
  const std::int64_t missing = to_begin - std::ssize(cached);
  if (blocks_.unused_of(cached) + missing > blocks_.total() - used_blocks()) return false;
  blocks_.claim_for(served.row, cached);
  *blocks -= std::ssize(cached);
  served.progress = std::ssize(cached) * config_.block_size;
  served.promised = to_begin;
  return true;
}

/// Prompts that came hold blocks, so they go before all others.
Instance::Queue::iterator Instance::after_arrived_prompts() {
  if (!semantics_.decode_waits_for_blocks) return queue_.begin();
  return std::find_if(queue_.begin(), queue_.end(),
                      [](const Served* served) { return !served->has_prompt; });
}

void Instance::prompt_came(std::size_t row, Time now) {
  Served& served = requests_.at(row);
  clock_ = std::max(clock_, now);
  if (semantics_.decode_keeps_prefixes) {
    const std::int64_t missing = served.to_prefill - served.progress;
    allocate(served, served.progress, missing, {}, {});
    served.progress = served.to_prefill;
  }
  results_[row].before_answer.transfer = now - served.since;
  served.since = now;
  served.shared = false;
  served.state = State::queued;
  served.computed = served.progress;
  queue_.insert(semantics_.decode_waits_for_blocks ? after_arrived_prompts() : queue_.end(),
                &served);
  served.has_prompt = true;
  const Time deadline = served.request.deadline;
  if (!semantics_.transfers_time_out && deadline != kNever && deadline <= horizon_) {
    schedule(std::max(deadline, now), EventKind::timeout, row);
  }
  wake(clock_);
  find_homes();
}

}  // namespace plimsoll::reference
