// The reference twin's links: KV blocks on their way between two instances, each transfer looked at
// anew whenever one of them begins or ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/semantics.h"
#include "cluster/deployment.h"
#include "engine/run_record.h"

namespace plimsoll::reference {

class Transfers {
 public:
  Transfers(const KvTransfer& rules, const Semantics& semantics)
      : rules_(rules), semantics_(semantics) {}

  /// What goes from port to port: bytes of each GPU, sent and received, of a prompt that was
  /// computed in this time.
  struct Sent {
    std::size_t from;
    std::size_t to;
    double sent;
    double received;
    double whole;  ///< of all GPUs that receive
    double from_gb_per_s;
    double to_gb_per_s;
    Time computed_from;
    Time computed_until;
  };
  void begin(Time now, std::size_t row, const Sent& what);
  void give_up(Time now, std::size_t row);
  Time next() const;
  /// What happens then: the row of a transfer that has ended, if one has.
  std::optional<std::size_t> happen(Time now);

  const TransferRecord& record() const { return record_; }

 private:
  struct Transfer {
    std::size_t row;
    Sent what;
    Time begun;
    bool at_ports = false;
    double left_ns = 0;  // at its ports: alone, it would take so long still
    double slower = 1;   // so many times as long as alone
    Time looked = {};
    Time until = {};         // it has left its ports, or has arrived
    std::int64_t order = 0;  // in which they left their ports
  };

  void look_again(Time now);
  double at_port(std::size_t port) const;
  double at_ports() const;
  double network_ns(const Sent& what) const;
  double alone_ns(const Sent& what) const;
  double sent_ahead_ns(const Sent& what);
  std::size_t first() const;

  KvTransfer rules_;
  Semantics semantics_;
  std::vector<Transfer> transfers_;
  std::map<std::size_t, double> port_is_taken_until_;
  std::int64_t left_ports_ = 0;
  TransferRecord record_;
};

}  // namespace plimsoll::reference
