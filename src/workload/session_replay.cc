#include "workload/session_replay.h"

#include <algorithm>

#include "base/lists.h"
#include "workload/length_distribution.h"

namespace plimsoll {
namespace {

std::int64_t tokens_of_prefix(const Request& request) {
  return total_of(request.prefix, &PrefixSegment::tokens);
}

}  // namespace

Result<SessionRows> sessions_of(const Workload& workload, const std::string& file) {
  const std::vector<std::string>& names = workload.labels.sessions;
  SessionRows sessions(names.size());
  for (std::size_t i = 0; i < workload.tags.size(); ++i) {
    const std::int32_t session = workload.tags[i].session;
    if (session >= 0)
      sessions[static_cast<std::size_t>(session)].push_back(static_cast<std::uint32_t>(i));
  }
  const auto round_of = [&](std::uint32_t i) { return workload.tags[i].round; };
  for (std::size_t s = 0; s < sessions.size(); ++s) {
    std::ranges::stable_sort(sessions[s], {}, round_of);
    for (std::size_t r = 0; r < sessions[s].size(); ++r) {
      const auto expected = static_cast<std::int32_t>(r);
      const std::int32_t found = round_of(sessions[s][r]);
      if (found == expected) continue;
      const std::string what = found < expected ? "round " + std::to_string(found) + " twice"
                                                : "no round " + std::to_string(expected);
      return fail_in(ErrorKind::spec, file, "the session \"" + names[s] + "\" has " + what,
                     "a closed loop needs all rounds of a session, counted from 0");
    }
  }
  return sessions;
}

SessionReplay::SessionReplay(const Workload& workload, SessionRows sessions,
                             const SessionReplayOptions& options)
    : workload_(workload),
      sessions_(std::move(sessions)),
      options_(options),
      shortest_think_time_(kMostThinkTime) {
  // At equal times sessions come before requests without one.
  for (const std::vector<std::uint32_t>& rounds : sessions_) initial_.push_back(rounds.front());
  for (std::size_t i = 0; i < workload.size(); ++i) {
    if (workload.tags.empty() || workload.tags[i].session < 0) {
      initial_.push_back(static_cast<std::uint32_t>(i));
    } else if (workload.tags[i].round > 0) {
      shortest_think_time_ = std::min(shortest_think_time_, workload.tags[i].think_time);
    }
  }
  std::ranges::stable_sort(initial_, {}, [&](std::uint32_t i) { return workload.arrival[i]; });
  if (options.think_time) shortest_think_time_ = options.think_time->shortest();
  if (options.accumulate) so_far_.resize(sessions_.size());
}

Time SessionReplay::last_recorded_arrival() const {
  return initial_.empty() ? Time{} : workload_.arrival[initial_.back()];
}

bool SessionReplay::next(Request* request) {
  if (position_ == initial_.size()) return false;
  *request = row(initial_[position_++]);
  if (request->tags.session < 0) return true;
  if (options_.accumulate) {
    SessionContext& context = so_far_[static_cast<std::size_t>(request->tags.session)];
    for (const PrefixSegment& segment : request->prefix) contexts_.append(&context, segment);
  }
  expect_answer(request);
  return true;
}

// Unless it is the last round.
void SessionReplay::expect_answer(Request* request) const {
  const auto& rounds = sessions_[static_cast<std::size_t>(request->tags.session)];
  if (static_cast<std::size_t>(request->tags.round) + 1 >= rounds.size()) return;
  request->awaited = true;
  request->reusable |= options_.accumulate;
}

bool SessionReplay::follow_up(const Departure& departure, Request* request) {
  if (!departure.completed) return false;
  const auto session = static_cast<std::size_t>(departure.tags.session);
  const auto round = static_cast<std::size_t>(departure.tags.round);
  const std::uint32_t last = sessions_[session][round];
  const std::uint32_t index = sessions_[session][round + 1];
  const RandomStream stream(options_.seed, Purpose::think_time, index);
  const Duration think =
      options_.think_time ? options_.think_time->draw(stream) : workload_.tags[index].think_time;
  const Time arrival = departure.at + think;

  *request = later_row(index, sessions_[session].front(), arrival);
  request->tags.think_time = think;
  if (options_.accumulate) {
    SessionContext& context = so_far_[session];
    const Request before = row(last);
    const std::int64_t answer =
        std::max(departure.generated_tokens - (options_.context_has_last_token ? 0 : 1), 0);
    contexts_.append(&context,
                     {before.own_content, before.input_tokens - tokens_of_prefix(before) + answer});
    request->input_tokens =
        at_most_max(context.tokens + request->input_tokens - tokens_of_prefix(*request));
    request->prefix = context.prefix();
    if (context.tokens >= kMaxTokens) return false;
  }
  expect_answer(request);
  return true;
}

// A deadline keeps its distance from the arrival. The reference knows only the lengths of later
// rounds: everything else is that of the first.
Request SessionReplay::later_row(std::size_t index, std::size_t first, Time arrival) const {
  Request request = row(index);
  const Time recorded = request.arrival;
  request.arrival = arrival;
  if (options_.follow_ups_as_recorded) {
    if (request.deadline != kNever) request.deadline = arrival + (request.deadline - recorded);
    return request;
  }
  const Request like = row(first);
  request.input_tokens =
      at_most_max(request.input_tokens - tokens_of_prefix(request) + tokens_of_prefix(like));
  request.prefix = like.prefix;
  request.slo_class = like.slo_class;
  request.other_model = like.other_model;
  request.tags.client = like.tags.client;
  request.tags.tenant = like.tags.tenant;
  request.deadline =
      options_.default_timeout == kNoDuration ? kNever : arrival + options_.default_timeout;
  return request;
}

}  // namespace plimsoll
