// Flow control in a running simulation: the gateway queue, when it is looked at, and what the looks
// lead to. The simulation asks for the time of the next event here and runs it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "base/semantics.h"
#include "base/units.h"
#include "cluster/deployment.h"
#include "cluster/gateway_queue.h"
#include "cluster/instance_views.h"
#include "cluster/saturation_signal.h"
#include "engine/run_record.h"

namespace plimsoll {

class Gateway {
 public:
  Gateway(const Deployment& deployment, const Semantics& semantics)
      : rules_(deployment.flow_control),
        priorities_(deployment.main().engine.priorities),
        signal_(make_policy(saturation_signals(), *rules_.signal, deployment.parameters)),
        queue_(rules_, priorities_, semantics) {}

  /// The figures of the instances that its looks read.
  ViewNeeds needs() const { return signal_->needs(); }

  /// A request comes in. What became of others, or of this one, is in the result; look() must
  /// follow if it was accepted.
  GatewayQueue::Entry enter(const Request& request, std::uint32_t row, Time now,
                            const Labels& labels);

  /// One look at the queue: at most one request goes.
  std::optional<GatewayQueue::Waiting> look(Time now, const InstanceViews& instances);

  /// When to look next although nobody enters; kNever while nothing waits.
  Time next_tick() const { return next_tick_; }
  /// To be called after the look that a tick led to.
  void tick_done(Time now) { next_tick_ = queue_.empty() ? kNever : now + rules_.tick_interval; }

  Time next_expiry() { return queue_.next_expiry(); }
  GatewayQueue::Waiting expire();

  /// Whom to take back so that a request that is not sheddable can go: the least urgent sheddable
  /// one, among equals the one dispatched last.
  std::optional<std::uint32_t> choose_eviction(const InstanceViews& instances) const;
  void note_eviction(std::uint32_t row);

  /// A dispatched request has reached its instance, or is done.
  void note_routed(const Request& request, std::uint32_t row);
  void note_departure(std::uint32_t row);

  bool empty() const { return queue_.empty(); }
  GatewayRecord record() const;

 private:
  using Rank = std::tuple<std::int32_t, std::int64_t>;  // priority, latest dispatch first

  const FlowControl rules_;
  const SloPriorities priorities_;
  const std::unique_ptr<SaturationSignal> signal_;
  GatewayQueue queue_;
  Time next_tick_ = kNever;
  GatewayRecord record_;
  std::map<Rank, std::uint32_t> sheddable_;  // in flight: rows
  std::unordered_map<std::uint32_t, Rank> rank_of_;
  std::int64_t routed_ = 0;
};

}  // namespace plimsoll
