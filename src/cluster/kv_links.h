// KV blocks on their way from instances that computed prompts to those that answer. Each rank of an
// instance has a port: a link of each of its GPUs, as fast as its pool has them; all go through the
// network between the ports, whose bandwidth may be limited, too. Transfers through the same stage,
// a port or the network, share its bandwidth evenly at each moment, so that one goes as fast as the
// slowest of its three stages lets it (processor sharing): with n transfers at a stage that would
// need s ns for the bytes of one alone, the one takes max(n s). What a transfer leaves of its share
// is not given to others. Layer by layer, the time that both ports had left while the prompt was
// computed is taken first. As the reference has it: all that are under way share one bandwidth, and
// each keeps the share that it began with.
//
// Owned by Handoffs, which starts transfers and asks for the time of the next end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "base/units.h"
#include "cluster/deployment.h"
#include "engine/run_record.h"

namespace plimsoll {

class KvLinks {
 public:
  /// `retimed`: false for the shares of the reference. `gb_per_s`: by port.
  KvLinks(const KvTransfer& rules, bool retimed, std::vector<double> gb_per_s);

  /// What goes from port to port.
  struct Load {
    std::size_t from = 0;
    std::size_t to = 0;
    double sent = 0;      ///< bytes of each GPU on that side
    double received = 0;  ///< likewise; its TP may be another
    double whole = 0;     ///< bytes of all GPUs that receive
    Time computed = {};   ///< when the prompt was, which took so long
    Duration prefill = {};
  };
  /// Of a request, which has no other transfer.
  void start(Time now, std::uint32_t row, const Load& load);
  void cancel(Time now, std::uint32_t row);

  /// When something happens next: a transfer ends, or leaves its ports.
  Time next_event() const;
  struct Ended {
    bool any = false;  ///< false: one has left its ports, and its last bytes are on their way
    std::uint32_t row = 0;
  };
  /// The next event, which is at `now`.
  Ended run_event(Time now);

  const TransferRecord& record() const { return record_; }

 private:
  struct Stage {
    std::size_t at;   ///< a port, or behind all of them the network
    double alone_ns;  ///< for what goes through it
  };
  using Stages = std::array<Stage, 3>;
  struct Flow {
    std::uint32_t row;
    Load load;
    Stages stages;
    Time started;
    double alone_ns;  ///< with its stages to itself
    double left_ns;   ///< of that, as of `looked`
    Time looked;
    double slowdown;  ///< since then, by those that share its stages
    Time end;
  };

  Stages stages_of(const Load& load) const;
  void count_at_stages(const Flow& flow, int flows);
  /// Time that the flow would take alone, less what went layer by layer while it was computed.
  double left_ns(const Flow& flow);
  void retime(Time now);
  void arrive_at(Time at, const Flow& flow);
  Duration time_with_fixed_share(double bytes) const;
  std::int64_t under_way() const {
    return static_cast<std::int64_t>(flows_.size() + arriving_.size());
  }

  const KvTransfer rules_;
  const bool retimed_;
  std::vector<double> gb_per_s_;        ///< by stage
  std::vector<std::int64_t> at_stage_;  ///< flows
  std::vector<double> taken_until_ns_;  ///< by port: layer by layer, all before is somebody's
  std::vector<Flow> flows_;             ///< at their ports, in order of their start
  struct Arriving {
    Time at;
    std::int64_t order;
    std::uint32_t row;
    double sent;
    double received;
    Time started;
    auto key() const { return std::tie(at, order); }
    bool operator<(const Arriving& other) const { return key() < other.key(); }
  };
  std::set<Arriving> arriving_;  ///< have left their ports
  std::int64_t orders_ = 0;
  TransferRecord record_;
};

}  // namespace plimsoll
