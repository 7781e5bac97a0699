#include "reference/transfers.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::reference {
namespace {

Duration rounded_up(double ns) { return nanoseconds(static_cast<std::int64_t>(std::ceil(ns))); }

}  // namespace

void Transfers::begin(Time now, std::size_t row, std::size_t from, std::size_t to, double all,
                      double left) {
  Transfer transfer{row, from, to, all, now};
  record_.begun_bytes += all;
  transfer.looked = now;
  const std::int64_t with_it = std::ssize(transfers_) + 1;
  ++record_.begun;
  record_.under_way_at_starts += with_it;
  record_.most_at_once = std::max(record_.most_at_once, with_it);
  transfer.left_ns = left / rules_.gb_per_s;
  if (!semantics_.transfers_are_retimed) {
    const double sharing = rules_.shared ? static_cast<double>(with_it) : 1.0;
    const double us = std::ceil(to_us(rules_.latency) + left / (rules_.gb_per_s * 1000 / sharing));
    transfer.until = now + microseconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(us)));
    transfer.order = left_ports_++;
  } else if (!rules_.shared) {
    transfer.until = now + rounded_up(transfer.left_ns) + rules_.latency;
    transfer.order = left_ports_++;
  } else {
    transfer.at_ports = true;
  }
  transfers_.push_back(transfer);
  look_again(now);
}

std::int64_t Transfers::at_port(std::size_t instance) const {
  return std::count_if(transfers_.begin(), transfers_.end(), [&](const Transfer& t) {
    return t.at_ports && (t.from == instance || t.to == instance);
  });
}

void Transfers::look_again(Time now) {
  for (Transfer& t : transfers_) {
    if (!t.at_ports) continue;
    const double sent = static_cast<double>((now - t.looked).ns) / static_cast<double>(t.share);
    t.left_ns = std::max(0.0, t.left_ns - sent);
    t.looked = now;
    t.share = std::max(at_port(t.from), at_port(t.to));
    t.until = now + rounded_up(t.left_ns * static_cast<double>(t.share));
  }
}

Time Transfers::next() const {
  Time next = kNever;
  for (const Transfer& t : transfers_) next = std::min(next, t.until);
  return next;
}

/// At equal times those that arrive go first, in the order in which they left their ports.
std::size_t Transfers::first() const {
  const auto before = [](const Transfer& a, const Transfer& b) {
    if (a.until != b.until) return a.until < b.until;
    if (a.at_ports != b.at_ports) return !a.at_ports;
    return !a.at_ports && a.order < b.order;
  };
  const auto found = std::min_element(transfers_.begin(), transfers_.end(), before);
  return static_cast<std::size_t>(found - transfers_.begin());
}

std::optional<std::size_t> Transfers::happen(Time now) {
  const std::size_t index = first();
  Transfer& t = transfers_[index];
  if (t.at_ports) {
    t.at_ports = false;
    t.order = left_ports_++;
    t.until = now + rules_.latency;
    look_again(now);
    return std::nullopt;
  }
  const std::size_t row = t.row;
  ++record_.ended;
  record_.bytes += t.bytes;
  record_.time += now - t.begun;
  transfers_.erase(transfers_.begin() + static_cast<std::ptrdiff_t>(index));
  return row;
}

void Transfers::give_up(Time now, std::size_t row) {
  ++record_.given_up;
  const auto transfer = std::find_if(transfers_.begin(), transfers_.end(),
                                     [&](const Transfer& t) { return t.row == row; });
  const bool frees_ports = transfer->at_ports;
  transfers_.erase(transfer);
  if (frees_ports) look_again(now);
}

}  // namespace plimsoll::reference
