// The reference twin's links: KV blocks on their way between two instances, each transfer looked at
// anew whenever one of them begins or ends.
#pragma once

#include <cstddef>
#include <cstdint>
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

  void begin(Time now, std::size_t row, std::size_t from, std::size_t to, double all, double left);
  void give_up(Time now, std::size_t row);
  Time next() const;
  /// What happens then: the row of a transfer that has ended, if one has.
  std::optional<std::size_t> happen(Time now);

  const TransferRecord& record() const { return record_; }

 private:
  struct Transfer {
    std::size_t row;
    std::size_t from;
    std::size_t to;
    double bytes;
    Time begun;
    bool at_ports = false;
    double left_ns = 0;      // at its ports: alone, it would take so long still
    std::int64_t share = 1;  // of so many it is one
    Time looked = {};
    Time until = {};         // it has left its ports, or has arrived
    std::int64_t order = 0;  // in which they left their ports
  };

  void look_again(Time now);
  std::int64_t at_port(std::size_t instance) const;
  std::size_t first() const;

  KvTransfer rules_;
  Semantics semantics_;
  std::vector<Transfer> transfers_;
  std::int64_t left_ports_ = 0;
  TransferRecord record_;
};

}  // namespace plimsoll::reference
