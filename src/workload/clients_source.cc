#include "workload/clients_source.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>

#include "base/text.h"
#include "workload/workload.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMaxMembers = 1'000'000;

bool ends(const CohortSpec& cohort) { return cohort.drain || (cohort.spike && !cohort.diurnal); }

bool ends(const ClientSpec& client) {
  const auto bounded = [](const WindowSpec& window) { return window.end != kNever; };
  const MultiTurnSpec* turns = client.multi_turn();
  return (turns != nullptr && turns->single_session) ||
         (!client.windows.empty() &&
          std::all_of(client.windows.begin(), client.windows.end(), bounded));
}

std::size_t size_of_population(const WorkloadSpec& spec) {
  std::size_t members = spec.clients.size();
  for (const CohortSpec& cohort : spec.cohorts) {
    members += static_cast<std::size_t>(cohort.population);
  }
  return members;
}

Duration timeout_of(const ClientSpec& client, const ClientsOptions& options) {
  if (options.timeout) return *options.timeout;
  if (client.timeout) return *client.timeout;
  return client.is_closed_loop() ? options.closed_loop_timeout : kNoDuration;
}

}  // namespace

bool ends_by_itself(const WorkloadSpec& spec) {
  if (spec.horizon != kNever) return true;
  const auto part_ends = [&](const ClientSpec& client) {
    const PartSpec* part = spec.part(client.part);
    return part != nullptr && part->horizon != kNever;
  };
  return std::all_of(spec.clients.begin(), spec.clients.end(),
                     [&](const ClientSpec& client) { return ends(client) || part_ends(client); }) &&
         std::all_of(spec.cohorts.begin(), spec.cohorts.end(), [&](const CohortSpec& cohort) {
           return ends(cohort) || part_ends(cohort.member);
         });
}

bool ends(const WorkloadSpec& spec) {
  return spec.num_requests != kUnlimited || ends_by_itself(spec);
}

Result<void> validate(const WorkloadSpec& spec) {
  if (spec.servegen || spec.inference_perf) {
    return fail(ErrorKind::usage, "servegen_data and inference_perf are not run directly",
                "make clients of them first: plimsoll convert");
  }
  if (size_of_population(spec) > kMaxMembers) {
    return fail(ErrorKind::usage, "the workload has more than " +
                                      grouped(static_cast<std::int64_t>(kMaxMembers)) +
                                      " clients and members");
  }
  if (!ends(spec)) {
    return fail(ErrorKind::usage, "nothing ends this run",
                "give --num-requests or --horizon, here or in the workload specification");
  }
  return {};
}

ClientsSource::ClientsSource(WorkloadSpec spec, const ClientsOptions& options)
    : spec_(std::move(spec)),
      plan_(spec_, options.arrival_scale_sets_rate),
      think_time_(options.think_time),
      context_has_last_token_(options.context_has_last_token) {
  members_.reserve(size_of_population(spec_));
  for (const ClientSpec& client : spec_.clients) add_members(client, nullptr, options);
  for (const CohortSpec& cohort : spec_.cohorts) add_members(cohort.member, &cohort, options);
  shortest_think_time_ = kMostThinkTime;
  bool has_users = false;
  for (std::uint32_t m = 0; m < members_.size(); ++m) {
    const ClientSpec& client = spec_of(members_[m]);
    const MultiTurnSpec* turns = client.multi_turn();
    begins_sessions_ = begins_sessions_ || (turns != nullptr && !turns->single_session);
    if (client.is_closed_loop()) {
      reacts_ = true;
      shortest_think_time_ = std::min(shortest_think_time_, think_time_of(client).shortest());
    }
    has_users = has_users || client.concurrency > 0;
    client.concurrency > 0 ? push_users(m, client) : push_arrival(m);
  }
  paces_sessions_ = begins_sessions_ && !has_users && !ends_by_itself(spec_);
  begins_sessions_ = paces_sessions_ && !reacts_;
}

void ClientsSource::pace_sessions(double factor) {
  assert(paces_sessions_ && made_ == 0 && factor > 0);
  pace_ = factor;
  for (Due& due : due_) due.at = paced(due.at);  // arrivals alone, whose order stays
}

Time ClientsSource::paced(Time moment) const {
  const double at_ns = static_cast<double>(moment.ns) * pace_;
  return at_ns < static_cast<double>(kEndOfClock.ns) ? Time{std::llround(at_ns)} : kEndOfClock;
}

void ClientsSource::add_members(const ClientSpec& client, const CohortSpec* cohort,
                                const ClientsOptions& options) {
  const auto number = static_cast<std::uint32_t>(makers_.size());
  const bool other =
      !client.model.empty() && to_lower(client.model) != to_lower(options.served_model);
  const PartSpec* part = spec_.part(client.part);
  last_.push_back(std::min({spec_.horizon, part ? part->horizon : kNever, kEndOfClock}));
  makers_.emplace_back(client, RequestMaker::Settings{tenants_.of(client.tenant, &labels_.tenants),
                                                      timeout_of(client, options), other});
  std::string id = client.id;
  if (id.empty()) id = (cohort == nullptr ? "client_" : "cohort_") + std::to_string(number);
  const std::int64_t population = cohort == nullptr ? 1 : cohort->population;
  const bool alone = population == 1 && spec_.clients.size() + spec_.cohorts.size() == 1;
  FirstGap first = alone ? FirstGap::residual : FirstGap::residual_in_crowd;
  if (!options.arrivals_start_in_mid_gap) first = FirstGap::whole;
  for (std::int64_t j = 0; j < population; ++j) {
    const std::string member = cohort == nullptr ? "" : "-" + std::to_string(j);
    const bool own_group = cohort != nullptr && cohort->prefix_per_member;
    const std::string group = client.prefix_group + (own_group ? member : "");
    labels_.clients.push_back({id + member, group, client.model, client.adapter, client.streaming,
                               client.slo_target.value_or(Duration{})});
    // Far apart for any two seeds that people use, and the seed itself for the first client.
    const std::uint64_t seed = options.seed ^ (members_.size() * 0x9e3779b97f4a7c15u);
    members_.push_back(
        {{seed, static_cast<std::int32_t>(members_.size()), prefix_of(client, group)},
         number,
         ArrivalClock(plan_, number, first)});
  }
}

PrefixSegment ClientsSource::prefix_of(const ClientSpec& client, const std::string& group) {
  if (group.empty()) return {};
  const std::int64_t tokens =
      client.prefix_tokens > 0 ? client.prefix_tokens : kDefaultPrefixTokens;
  const PrefixSegment fresh{shared_content(groups_.size()), tokens};
  return groups_.emplace(group, fresh).first->second;
}

bool ClientsSource::later(const Due& a, const Due& b) {
  return std::tie(a.at, a.member, a.number) > std::tie(b.at, b.member, b.number);
}

void ClientsSource::push(const Due& due) {
  due_.push_back(due);
  std::push_heap(due_.begin(), due_.end(), later);
}

void ClientsSource::push_arrival(std::uint32_t m) {
  Member& member = members_[m];
  const RequestMaker& maker = makers_[member.client];
  const std::int64_t number = member.clock.arrivals();
  if (!member.clock.advance(plan_, member.client, maker.gaps(), member.sender.seed,
                            last_of(member))) {
    return;
  }
  push({paced(member.clock.now()), number, m, kArrival});
}

// The users come in one after the other over the time that one thinks.
void ClientsSource::push_users(std::uint32_t m, const ClientSpec& client) {
  const Duration think = think_time_of(client).median();
  const std::int64_t users = std::min(client.concurrency, spec_.num_requests);
  for (std::int64_t u = 0; u < users; ++u) {
    const double share = static_cast<double>(u) / static_cast<double>(client.concurrency);
    const Time at = Time{} + duration_from_us(share * to_us(think));
    if (at <= last_of(members_[m])) push({at, u, m, kArrival});
  }
}

ThinkTime ClientsSource::think_time_of(const ClientSpec& client) const {
  if (think_time_) return *think_time_;
  const MultiTurnSpec* turns = client.multi_turn();
  return ThinkTime::of(turns != nullptr ? turns->think_time : client.think_time);
}

std::vector<std::int32_t> ClientsSource::clients_of_users() const {
  std::vector<std::int32_t> clients;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (spec_of(members_[m]).concurrency > 0) clients.push_back(static_cast<std::int32_t>(m));
  }
  return clients;
}

bool ClientsSource::next(Request* request) {
  if (due_.empty() || made_ >= spec_.num_requests) return false;
  std::pop_heap(due_.begin(), due_.end(), later);
  const Due due = due_.back();
  due_.pop_back();
  due.session == kArrival ? make_arrival(due, request) : make_round(due, request);
  return true;
}

void ClientsSource::number(Request* request) {
  if (!reacts_) request->id = made_;
  request->own_content = unique_content(static_cast<std::uint64_t>(made_));
  made_ += 1;
}

void ClientsSource::make_arrival(const Due& due, Request* request) {
  const Member& member = members_[due.member];
  const Sender& sender = member.sender;
  const std::size_t shape = member.clock.shape();
  makers_[member.client].make(sender, due.number, 0, shape, sender.prefix.tokens, due.at, request);
  if (sender.prefix.tokens > 0) request->prefix = {&sender.prefix, 1};
  number(request);
  const ClientSpec& client = spec_of(member);
  const MultiTurnSpec* turns = client.multi_turn();
  rounds_begun_ += turns == nullptr ? 1 : turns->max_rounds;
  if (turns == nullptr && client.concurrency == 0) return push_arrival(due.member);

  Session session{sessions_begun_++, 0, shape, {}};
  request->tags.session = session.index;
  if (turns != nullptr && turns->accumulate) contexts_.append(&session.context, sender.prefix);
  if (turns != nullptr && !turns->single_session) push_arrival(due.member);
  if (client.is_closed_loop()) return await_answer(due, session, request);
  plan_next_round(due, *turns, session, request);
}

void ClientsSource::make_round(const Due& due, Request* request) {
  const Member& member = members_[due.member];
  const Session session = sessions_[static_cast<std::size_t>(due.session)];
  free_sessions_.push_back(due.session);
  const MultiTurnSpec& turns = *spec_of(member).multi_turn();
  fill_round(member, due.number, session, due.at, request);
  request->tags.think_time = turns.think_time;
  plan_next_round(due, turns, session, request);
}

void ClientsSource::fill_round(const Member& member, std::int64_t number_of_arrival,
                               const Session& session, Time at, Request* request) {
  const Sender& sender = member.sender;
  const MultiTurnSpec* turns = spec_of(member).multi_turn();
  const bool accumulate = turns != nullptr && turns->accumulate;
  const std::int64_t context = accumulate ? session.context.tokens : sender.prefix.tokens;
  makers_[member.client].make(sender, number_of_arrival, session.round, session.shape, context, at,
                              request);
  if (accumulate) {
    request->prefix = session.context.prefix();
  } else if (sender.prefix.tokens > 0) {
    request->prefix = {&sender.prefix, 1};
  }
  request->tags.session = session.index;
  request->tags.round = session.round;
  number(request);
}

// Open loop: the next round comes when its author has read an answer of a microsecond per token.
void ClientsSource::plan_next_round(const Due& due, const MultiTurnSpec& turns, Session session,
                                    Request* request) {
  const Time at = due.at + turns.think_time + microseconds(request->output_tokens);
  if (++session.round >= turns.max_rounds || at > paced(last_of(members_[due.member]))) return;
  if (turns.accumulate) {
    contexts_.append_round(&session.context, *request, request->output_tokens);
    if (session.context.tokens >= kMaxTokens) return;
    request->reusable = true;
  }
  std::int32_t place = static_cast<std::int32_t>(sessions_.size());
  if (free_sessions_.empty()) {
    sessions_.push_back(session);
  } else {
    place = free_sessions_.back();
    free_sessions_.pop_back();
    sessions_[static_cast<std::size_t>(place)] = session;
  }
  push({at, due.number, due.member, place});
}

// Closed loop: unless this is the last round, another one follows when the answer is there.
void ClientsSource::await_answer(const Due& due, const Session& session, Request* request) {
  const MultiTurnSpec* turns = spec_of(members_[due.member]).multi_turn();
  if (turns != nullptr && session.round + 1 >= turns->max_rounds) return;
  request->awaited = true;
  request->reusable = turns != nullptr && turns->accumulate;
  waiting_.emplace(session.index, Waiting{session, due.number, due.member, request->own_content,
                                          request->input_tokens});
}

bool ClientsSource::follow_up(const Departure& departure, Request* request) {
  const auto found = waiting_.find(departure.tags.session);
  if (found == waiting_.end()) return false;
  Waiting last = found->second;
  waiting_.erase(found);
  if (!departure.completed) return false;

  const Member& member = members_[last.member];
  const ClientSpec& client = spec_of(member);
  if (made_ >= spec_.num_requests) {
    const MultiTurnSpec* turns = client.multi_turn();
    if (turns != nullptr) rounds_left_out_ += turns->max_rounds - last.session.round - 1;
    return false;
  }
  Session& session = last.session;
  ++session.round;
  const RandomStream stream(member.sender.seed, Purpose::think_time,
                            RequestMaker::draw_index(last.number, session.round));
  const Duration think = think_time_of(client).draw(stream);
  const Time at = departure.at + think;
  if (at > last_of(member)) return false;
  if (const MultiTurnSpec* turns = client.multi_turn(); turns != nullptr && turns->accumulate) {
    const std::int64_t answer =
        std::max(departure.generated_tokens - (context_has_last_token_ ? 0 : 1), 0);
    const std::int64_t new_input = last.input_tokens - session.context.tokens;
    contexts_.append(&session.context, {last.own_content, new_input + answer});
    if (session.context.tokens >= kMaxTokens) return false;
  }
  fill_round(member, last.number, session, at, request);
  request->tags.think_time = think;
  await_answer({at, last.number, last.member, kArrival}, session, request);
  return true;
}

}  // namespace plimsoll
