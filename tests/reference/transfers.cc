#include "reference/transfers.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::reference {
namespace {

Duration rounded_up(double ns) { return nanoseconds(static_cast<std::int64_t>(std::ceil(ns))); }

}  // namespace

double Transfers::network_ns(const Sent& what) const {
  return rules_.network_gb_per_s > 0 ? what.whole / rules_.network_gb_per_s : 0;
}

/// The slowest of the sender's port, the receiver's and the network decides.
double Transfers::alone_ns(const Sent& what) const {
  return std::max(
      {what.sent / what.from_gb_per_s, what.received / what.to_gb_per_s, network_ns(what)});
}

/// Layers that went while later ones were computed, in what others had left of both ports.
double Transfers::sent_ahead_ns(const Sent& what) {
  if (!rules_.layerwise) return 0;
  const auto first = static_cast<double>(what.computed_from.ns);
  double free_from = first;
  const auto take = [&](double* taken, double ns) {
    free_from = std::max(free_from, *taken);
    *taken = std::max(*taken, first) + ns;
  };
  if (rules_.shared && semantics_.transfers_are_retimed) {
    take(&port_is_taken_until_[what.from], what.sent / what.from_gb_per_s);
    take(&port_is_taken_until_[what.to], what.received / what.to_gb_per_s);
  }
  const double free_ns = static_cast<double>(what.computed_until.ns) - free_from;
  const double all_but_last = alone_ns(what) * (1 - 1 / static_cast<double>(rules_.layers));
  return std::min(std::max(free_ns, 0.0), all_but_last);
}

void Transfers::begin(Time now, std::size_t row, const Sent& what) {
  Transfer transfer{row, what, now};
  record_.begun_at_port.push_back(what.sent + what.received);  // compared by its sum
  record_.begun_whole += what.whole;
  transfer.looked = now;
  const std::int64_t with_it = std::ssize(transfers_) + 1;
  ++record_.begun;
  record_.under_way_at_starts += with_it;
  record_.most_at_once = std::max(record_.most_at_once, with_it);
  transfer.left_ns = alone_ns(what) - sent_ahead_ns(what);
  if (!semantics_.transfers_are_retimed) {
    const double sharing = rules_.shared ? static_cast<double>(with_it) : 1.0;
    const double left =
        rules_.layerwise ? transfer.left_ns * rules_.gb_per_s : std::max(what.sent, what.received);
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

double Transfers::at_port(std::size_t port) const {
  return static_cast<double>(std::count_if(
      transfers_.begin(), transfers_.end(),
      [&](const Transfer& t) { return t.at_ports && (t.what.from == port || t.what.to == port); }));
}

double Transfers::at_ports() const {
  return static_cast<double>(std::count_if(transfers_.begin(), transfers_.end(),
                                           [](const Transfer& t) { return t.at_ports; }));
}

void Transfers::look_again(Time now) {
  for (Transfer& t : transfers_) {
    if (!t.at_ports) continue;
    t.left_ns = std::max(0.0, t.left_ns - static_cast<double>((now - t.looked).ns) / t.slower);
    t.looked = now;
    const double alone = alone_ns(t.what);
    t.slower = std::max({1.0, at_port(t.what.from) * (t.what.sent / t.what.from_gb_per_s / alone),
                         at_port(t.what.to) * (t.what.received / t.what.to_gb_per_s / alone),
                         at_ports() * (network_ns(t.what) / alone)});
    t.until = now + rounded_up(t.left_ns * t.slower);
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
  record_.bytes.sent += t.what.sent;
  record_.bytes.received += t.what.received;
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
