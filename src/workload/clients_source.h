// The requests of a workload specification, made on demand.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "workload/request.h"
#include "workload/synthetic.h"
#include "workload/workload_spec.h"

namespace plimsoll {

/// An error if the specification needs what is not built yet.
Result<void> check_built(const WorkloadSpec& spec);

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
