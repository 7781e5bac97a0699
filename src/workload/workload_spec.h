// `run --workload-spec FILE`: traffic of several clients, in version 2 of the reference
// simulator's (BLIS) YAML. So far: clients with an arrival process, constant or gaussian lengths
// and a shared prefix. All other keys of that format are errors that say so.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "workload/request.h"
#include "workload/synthetic.h"

namespace plimsoll {

/// What the file says. The command line may override seed, num_requests and horizon.
struct WorkloadSpec {
  std::optional<std::uint64_t> seed;
  std::int64_t num_requests = SyntheticSpec::kUnlimited;
  Time horizon = kNever;
  /// Rate, arrivals, lengths and prefix of each client; the rest is filled in by ClientsSource.
  std::vector<SyntheticSpec> clients;
};

Result<WorkloadSpec> read_workload_spec(const std::string& path);
Result<WorkloadSpec> parse_workload_spec(const std::string& text, const std::string& file);

/// The clients' requests merged by arrival (at equal times in the order of the clients), numbered
/// from 0, at most spec.num_requests of them. One client gives what SyntheticSource gives.
class ClientsSource final : public RequestSource {
 public:
  /// Either num_requests or horizon must bound the run. `timeout` applies to every request.
  ClientsSource(const WorkloadSpec& spec, std::uint64_t seed, Duration timeout = kNoDuration);

  bool next(Request* request) override;

 private:
  struct Head {
    Request request;
    std::size_t client = 0;
  };
  static bool later(const Head& a, const Head& b);
  void pull(std::size_t client);

  std::int64_t num_requests_;
  std::vector<std::unique_ptr<SyntheticSource>> clients_;
  std::vector<Head> heads_;  // a heap: the next request of each client
  std::int64_t generated_ = 0;
};

}  // namespace plimsoll
