// The class behind the reference twin's simulate(): events in cluster.cc, admission and the gateway
// in gateway.cc, prompts that are computed apart from their answers in apart.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <vector>

#include "reference/cluster.h"
#include "reference/ranks.h"
#include "reference/routing.h"
#include "reference/transfers.h"

namespace plimsoll::reference {

enum class EventKind { arrival = 0, admission = 1, routing = 2, expiry = 6, tick = 7 };

struct Event {
  Time time;
  EventKind kind;
  std::int64_t sequence;
  std::size_t row;

  bool operator>(const Event& other) const {
    return std::tie(time, kind, sequence) > std::tie(other.time, other.kind, other.sequence);
  }
};

/// A request in the gateway queue, which is nothing but a list in the order of entry.
struct Held {
  std::size_t row;
  Time entered;
  std::int32_t priority;
  Time deadline;
};

class Cluster {
 public:
  Cluster(const Deployment& deployment, const Semantics& semantics,
          const std::vector<Request>& requests, Time horizon, const TieBreak& break_tie);

  Record run();

 private:
  void schedule(Time time, EventKind kind, std::size_t row);

  /// Index of the instance with the earliest event, the lowest one at equal times.
  std::optional<std::size_t> earliest_instance() const;

  /// The earliest event of all, cluster events first at equal times. False when there is none up
  /// to the horizon.
  bool process_next_event();

  double& in_flight(std::size_t index);

  // ---- prompts computed apart

  struct Apart {
    std::size_t prompt;
    std::size_t answer;
    bool prompt_is_done = false;
    bool is_kept = false;
    bool is_sent = false;
    Duration prefill;
    Time done_at = {};
  };

  bool goes_apart(std::size_t row, std::size_t answer);

  std::int64_t uncached_tokens(std::size_t row, std::size_t answer) const;

  void send_prompt(std::size_t row, std::size_t answer, Time now);

  void hear(std::size_t index, Time now);

  Transfers::Sent sent(const Apart& apart, const Message& message) const;
  std::size_t port(std::size_t instance, std::size_t row) const;

  void prompt_is_done(const Message& message, Apart* apart, Time now);

  void prompt_came(std::size_t row, Time now);

  void let_go(std::size_t row, Apart* apart, Time now);

  void forget(std::size_t row, Time now);

  void process(const Event& event);

  std::int32_t priority(std::size_t row) const;

  void enter_gateway(std::size_t row, Time now);

  /// Among the least urgent of all, the newest.
  bool shed_for(std::size_t row);

  bool leave_gateway(std::size_t row);

  /// As chosen, else the value that the user guide names as the usual one.
  double parameter(const char* name, double usual) const;

  double saturation() const;

  /// Below this saturation requests of the priority may go.
  double ceiling(std::int32_t of) const;

  void look_at_gateway(Time now);

  /// Whether one of the least urgent of all that are under way, the one sent last, has made room
  /// for those that wait and may not be turned away.
  bool takes_one_back(Time now);

  /// A look-up reads again what was read long enough ago; before, there is nothing to be seen.
  void look_at_instances(Time now);

  bool sheds() const;

  bool admits(Time now, const Request& request);

  std::size_t choose(Routing& routing, const std::vector<Seen>& seen, std::size_t row,
                     bool for_prompt);

  const Deployment& deployment_;
  const FlowControl& rules_;
  const Semantics semantics_;
  const std::vector<Request>& requests_;
  Time horizon_;
  const TieBreak& break_tie_;

  Record record_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::int64_t sequence_ = 0;
  std::deque<Ranks> instances_;
  std::vector<const Pool*> pools_;  // by instance
  std::size_t first_answer_;        // those before compute prompts
  const Deployment answers_;
  const Deployment prompts_;
  Routing routing_;
  std::vector<Seen> seen_;  // in flight: routed there and not finished, always exact
  Routing prompt_routing_;
  std::vector<Seen> prompt_seen_;
  Transfers transfers_;
  std::map<std::size_t, Apart> apart_;
  Time counted_;
  Time content_copied_;
  std::vector<Held> held_;
  std::vector<std::size_t>
      sheddable_;                 // sent to instances, in that order, and not known to be gone
  std::set<std::int32_t> bands_;  // priorities that ever entered the gateway
  bool ticking_ = false;
  double bucket_;
  Time bucket_filled_;
};

}  // namespace plimsoll::reference
