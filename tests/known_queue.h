// Queues whose answers are known, by Lindley's recursion on random draws of their own.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "stats/steady_state.h"

namespace plimsoll::test {

/// splitmix64 (Steele, Lea and Flood 2014).
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed * 0x632BE59BD9B4E019ULL + 1) {}

  double uniform() {  // in (0, 1)
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return (static_cast<double>((z ^ (z >> 31)) >> 12) + 0.5) / 4503599627370496.0;
  }
  double exponential() { return -std::log(uniform()); }

 private:
  std::uint64_t state_;
};

enum class Service { exponential, constant };

/// The columns of a run; `observed()` shows them to the code under test.
struct QueueRun {
  std::vector<Time> arrival;
  std::vector<Stay> stay;
  std::vector<Duration> residence;
  std::vector<Duration> first_token;
  Time end = kNever;

  ObservedRun observed() const { return {arrival, stay, residence, first_token, end}; }

  void add(double arrival_s, double waiting_s, double service_s) {
    arrival.push_back(Time{static_cast<std::int64_t>(arrival_s * 1e9)});
    first_token.push_back(Duration{static_cast<std::int64_t>(waiting_s * 1e9)});
    residence.push_back(Duration{static_cast<std::int64_t>((waiting_s + service_s) * 1e9)});
    stay.push_back(Stay::finished);
  }
};

/// One server, mean service time 1 s, Poisson arrivals at `rho` per second, starting empty. The
/// first token comes when service begins.
inline QueueRun single_server(Service service, double rho, std::size_t requests,
                              std::uint64_t seed) {
  Draws draws(seed);
  QueueRun run;
  double now = 0;
  double free_at = 0;
  for (std::size_t i = 0; i < requests; ++i) {
    now += draws.exponential() / rho;
    const double service_s = service == Service::constant ? 1 : draws.exponential();
    const double start = std::fmax(now, free_at);
    free_at = start + service_s;
    run.add(now, start - now, service_s);
  }
  return run;
}

/// Residence times of the same server in seconds, without the first 2,000.
inline std::vector<double> residences(Service service, double rho, std::size_t requests,
                                      std::uint64_t seed) {
  constexpr std::size_t kWarmup = 2000;
  const QueueRun run = single_server(service, rho, requests + kWarmup, seed);
  std::vector<double> values;
  for (std::size_t i = kWarmup; i < run.residence.size(); ++i) {
    values.push_back(to_seconds(run.residence[i]));
  }
  return values;
}

}  // namespace plimsoll::test
