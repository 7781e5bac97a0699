// Prompts that one instance computes for another one that answers.
#include <algorithm>
#include <string>

#include "reference/whole_cluster.h"

namespace plimsoll::reference {

double& Cluster::in_flight(std::size_t index) {
  return index < first_answer_ ? prompt_seen_[index].in_flight
                               : seen_[index - first_answer_].in_flight;
}

bool Cluster::goes_apart(std::size_t row, std::size_t answer) {
  if (!deployment_.splits() || requests_[row].input_tokens == 0) return false;
  const std::string& decider = deployment_.disaggregation.decider;
  bool apart = decider == "always";
  const auto uncached = static_cast<double>(uncached_tokens(row, answer));
  double waiting = 0;
  double shortest = prompt_seen_.front().queue;
  for (const Seen& seen : prompt_seen_) {
    waiting += seen.queue;
    shortest = std::min(shortest, seen.queue);
  }
  if (decider == "prefix-threshold") apart = uncached > parameter("pd-prefix-threshold", 16);
  if (decider == "prefill-queue") apart = shortest <= parameter("pd-prefill-queue", 2);
  if (decider == "conditional") {
    apart = uncached > parameter("pd-max-local-prefill", 1000) &&
            waiting < parameter("pd-max-prefill-queue", 2);
  }
  if (!apart) return false;
  return !semantics_.decode_waits_for_blocks ||
         instances_[first_answer_ + answer].could_answer(requests_[row]);
}

std::int64_t Cluster::uncached_tokens(std::size_t row, std::size_t answer) const {
  const std::vector<Token> tokens = all_tokens(requests_[row]);
  const auto block = static_cast<std::size_t>(answers_.main().engine.block_size);
  const auto in = static_cast<std::size_t>(requests_[row].input_tokens);
  std::size_t most = 0;
  for (const std::set<HashChain>& rank : seen_[answer].cached) {
    std::size_t cached = 0;
    while (cached + block <= in) {
      const HashChain chain(tokens.begin(),
                            tokens.begin() + static_cast<std::ptrdiff_t>(cached + block));
      if (!rank.contains(chain)) break;
      cached += block;
    }
    most = std::max(most, cached);
  }
  return static_cast<std::int64_t>(in - most);
}

void Cluster::send_prompt(std::size_t row, std::size_t answer, Time now) {
  const Request& request = requests_[row];
  std::size_t prompt = 0;
  if (!semantics_.pools_route_apart && routing_.goes_round() &&
      deployment_.disaggregation.prefill_scorers.empty() &&
      deployment_.disaggregation.decode_scorers.empty()) {
    const std::vector<int> next = routing_.candidates(request, seen_);
    (void)next;
    prompt = routing_.last_turn() % first_answer_;
  } else {
    prompt = choose(prompt_routing_, prompt_seen_, row, true);
  }
  prompt_seen_[prompt].in_flight += 1;
  const bool makes_token = deployment_.disaggregation.first_token_by_prefill;
  const bool is_longest =
      request.input_tokens + 1 == pools_[first_answer_ + answer]->engine.max_model_len;
  if (request.output_tokens <= (makes_token ? 1 : 0) || (makes_token && is_longest)) {
    instances_[prompt].inject(row, request, now);
    return;
  }
  if (semantics_.decode_counts_from_routing) seen_[answer].in_flight += 1;
  apart_[row] = {prompt, first_answer_ + answer, false, false, false, {}};
  record_.requests[row].instance = static_cast<int>(first_answer_ + answer);
  instances_[prompt].inject(row, request, now, Instance::Part::prompt);
}

void Cluster::hear(std::size_t index, Time now) {
  std::vector<Message> messages = instances_[index].take_messages();
  if (!semantics_.handoffs_in_batch_order) {
    std::stable_sort(messages.begin(), messages.end(), [&](const Message& a, const Message& b) {
      return std::to_string(requests_[a.row].id) < std::to_string(requests_[b.row].id);
    });
  }
  for (const Message& message : messages) {
    Apart& apart = apart_.at(message.row);
    if (message.kind == Message::Kind::prompt_done) {
      prompt_is_done(message, &apart, now);
    } else if (message.kind == Message::Kind::room_found) {
      if (message.blocks == 0) {
        prompt_came(message.row, now);
      } else {
        apart.is_sent = true;
        transfers_.begin(now, message.row, sent(apart, message));
      }
    } else {
      forget(message.row, now);
    }
  }
}

/// Of a rank.
std::size_t Cluster::port(std::size_t instance, std::size_t row) const {
  constexpr std::size_t kMostRanks = 1000;
  return instance * kMostRanks + instances_[instance].went_to(row);
}

Transfers::Sent Cluster::sent(const Apart& apart, const Message& message) const {
  const Pool& from = *pools_[apart.prompt];
  const Pool& to = *pools_[apart.answer];
  const auto bytes_of = [&](const Pool& pool) {
    double bytes = pool.kv.bytes_per_request;
    for (std::int64_t token = 0; token < message.blocks * to.engine.block_size; ++token) {
      bytes += pool.kv.bytes_per_token;
      for (const WindowedKv& layers : pool.kv.windowed) {
        if (static_cast<double>(token) < layers.window) bytes += layers.bytes_per_token;
      }
    }
    return bytes;
  };
  const double sent = bytes_of(from);
  const double received = semantics_.transfers_are_retimed ? bytes_of(to) : sent;
  return {port(apart.prompt, message.row),
          port(apart.answer, message.row),
          sent,
          received,
          received * static_cast<double>(to.gpus / to.ranks),
          from.link_gb_per_s.value_or(deployment_.disaggregation.transfer.gb_per_s),
          to.link_gb_per_s.value_or(deployment_.disaggregation.transfer.gb_per_s),
          apart.done_at - apart.prefill,
          apart.done_at};
}

void Cluster::prompt_is_done(const Message& message, Apart* apart, Time now) {
  const bool has_token = deployment_.disaggregation.first_token_by_prefill;
  const Request& request = requests_[message.row];
  apart->prompt_is_done = true;
  apart->is_kept = true;
  apart->prefill = message.prefill;
  apart->done_at = now;
  prompt_seen_[apart->prompt].in_flight -= 1;
  if (has_token) record_.requests[message.row].ttft = message.token - request.arrival;
  if (!semantics_.prompts_are_held_until_sent) let_go(message.row, apart, now);
  const std::size_t answer = apart->answer;
  const std::int64_t finished = instances_[answer].finished();
  instances_[answer].expect(message.row, request, message.token, has_token, now);
  in_flight(answer) -= static_cast<double>(instances_[answer].finished() - finished);
  hear(answer, now);
}

void Cluster::prompt_came(std::size_t row, Time now) {
  Apart& apart = apart_.at(row);
  if (!semantics_.decode_counts_from_routing) in_flight(apart.answer) += 1;
  instances_[apart.answer].prompt_came(row, now);
  let_go(row, &apart, now);
  hear(apart.answer, now);
}

void Cluster::let_go(std::size_t row, Apart* apart, Time now) {
  if (!apart->is_kept) return;
  apart->is_kept = false;
  instances_[apart->prompt].let_go(row, now);
}

void Cluster::forget(std::size_t row, Time now) {
  Apart& apart = apart_.at(row);
  if (!apart.prompt_is_done) {
    if (semantics_.decode_counts_from_routing) in_flight(apart.answer) -= 1;
    return;
  }
  if (!semantics_.decode_counts_from_routing) in_flight(apart.answer) += 1;
  if (apart.is_sent) transfers_.give_up(now, row);
  let_go(row, &apart, now);
}

}  // namespace plimsoll::reference
