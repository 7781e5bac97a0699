// The requests of a workload specification, made on demand: request i of a client is a function of
// (seed, client, i), whatever the other clients do. At another aggregate rate the same requests
// arrive at other times (common random numbers).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "workload/rate_plan.h"
#include "workload/request.h"
#include "workload/request_maker.h"
#include "workload/think_time.h"
#include "workload/workload.h"
#include "workload/workload_spec.h"

namespace plimsoll {

struct ClientsOptions {
  std::uint64_t seed = 42;
  /// The timeout of every request, whatever the specification says; kNoDuration = none.
  std::optional<Duration> timeout;
  Duration closed_loop_timeout = kNoDuration;  ///< where the specification says nothing
  std::string served_model;                    ///< requests for others cannot be routed
  std::optional<ThinkTime> think_time;         ///< of all closed loops instead of their own
  bool context_has_last_token = true;          ///< see Semantics
  bool arrival_scale_sets_rate = false;        ///< see Semantics
  bool arrivals_start_in_mid_gap = true;       ///< see Semantics
};

/// Every client ends, or the whole at its horizon.
bool ends_by_itself(const WorkloadSpec& spec);

/// Something bounds the run: a number of requests, or its end.
bool ends(const WorkloadSpec& spec);

/// An error if nothing bounds the run, or if the specification needs what is not built yet.
Result<void> validate(const WorkloadSpec& spec);

/// The clients' requests merged by arrival (at equal times in the order of the clients), numbered
/// from 0, at most spec.num_requests of them, later rounds of sessions included. In closed loops,
/// which number requests as they arrive, a round follows the answer to the one before; a session
/// ends with its last round, with a request that fails, or where the next one would come too late.
class ClientsSource final : public RequestSource {
 public:
  /// A valid specification.
  ClientsSource(WorkloadSpec spec, const ClientsOptions& options);
  ClientsSource(const ClientsSource&) = delete;  // requests point into it
  ClientsSource& operator=(const ClientsSource&) = delete;

  bool next(Request* request) override;
  bool reacts() const override { return reacts_; }
  Duration reaction_time() const override { return shortest_think_time_; }
  bool follow_up(const Departure& departure, Request* request) override;
  std::int64_t rounds_left_out() const override { return rounds_left_out_; }
  /// All rounds of what has begun so far: of a session that of its client, of others one.
  std::int64_t rounds_begun() const { return rounds_begun_; }
  bool begins_sessions() const override { return begins_sessions_; }
  bool paces_sessions() const override { return paces_sessions_; }
  void pace_sessions(double factor) override;
  const Labels& labels() const override { return labels_; }

  /// Indices (RequestTags::client, ascending) of the clients that are a number of users, who send
  /// again and again until one of their requests fails.
  std::vector<std::int32_t> clients_of_users() const;

 private:
  struct Member {
    Sender sender;
    std::uint32_t client;  // as RatePlan numbers them
    ArrivalClock clock;
  };
  // A session whose next round is due.
  struct Session {
    std::int32_t index = -1;  // RequestTags::session
    std::int32_t round = 0;
    std::size_t shape = 0;
    SessionContext context;
  };
  // A closed-loop session whose client waits for an answer.
  struct Waiting {
    Session session;
    std::int64_t number;  // of the arrival that began it
    std::uint32_t member;
    std::uint64_t own_content;  // of the request under way
    std::int32_t input_tokens;
  };
  static constexpr std::int32_t kArrival = -1;
  // The next act of a member: its next arrival, or the next round of an open session.
  struct Due {
    Time at;
    std::int64_t number;  // of the arrival that it is, or that began the session
    std::uint32_t member;
    std::int32_t session;  // place in sessions_, or kArrival
  };
  static bool later(const Due& a, const Due& b);

  void add_members(const ClientSpec& client, const CohortSpec* cohort,
                   const ClientsOptions& options);
  PrefixSegment prefix_of(const ClientSpec& client, const std::string& group);
  void push(const Due& due);
  void push_arrival(std::uint32_t member);
  void push_users(std::uint32_t member, const ClientSpec& client);
  void make_arrival(const Due& due, Request* request);
  void make_round(const Due& due, Request* request);
  void fill_round(const Member& member, std::int64_t number, const Session& session, Time at,
                  Request* request);
  void await_answer(const Due& due, const Session& session, Request* request);
  ThinkTime think_time_of(const ClientSpec& client) const;
  void plan_next_round(const Due& due, const MultiTurnSpec& turns, Session session,
                       Request* request);
  void number(Request* request);
  const ClientSpec& spec_of(const Member& member) const { return spec_.client(member.client); }
  Time last_of(const Member& member) const { return last_[member.client]; }
  Time paced(Time moment) const;  // of an arrival, or its end

  WorkloadSpec spec_;
  RatePlan plan_;
  std::optional<ThinkTime> think_time_;
  bool context_has_last_token_;
  std::vector<Time> last_;            // arrival, by client
  std::vector<RequestMaker> makers_;  // by client
  std::vector<Member> members_;
  std::vector<Due> due_;  // a heap
  std::vector<Session> sessions_;
  std::vector<std::int32_t> free_sessions_;
  std::unordered_map<std::int32_t, Waiting> waiting_;  // by Session::index
  SessionContexts contexts_;
  bool reacts_ = false;
  bool begins_sessions_ = false;
  bool paces_sessions_ = false;
  std::int64_t rounds_left_out_ = 0;
  std::int64_t rounds_begun_ = 0;
  double pace_ = 1;  // on the moments of arrivals, not on those of later rounds
  Duration shortest_think_time_;
  std::int32_t sessions_begun_ = 0;
  std::int64_t made_ = 0;
  std::map<std::string, PrefixSegment> groups_;
  LabelNumbers tenants_;
  Labels labels_;
};

}  // namespace plimsoll
