// Clients of tests that tick in step, and the requests that they make.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workload/clients_source.h"

namespace plimsoll {

inline ClientSpec client(const std::string& id, double rate_fraction = 1) {
  ClientSpec spec;
  spec.id = id;
  spec.rate_fraction = rate_fraction;
  spec.arrival.process = ArrivalProcess::constant;
  spec.input = ConstantLength{10};
  spec.output = ConstantLength{5};
  return spec;
}

inline WorkloadSpec workload(double rate_rps, std::vector<ClientSpec> clients,
                             std::int64_t requests) {
  WorkloadSpec spec;
  spec.aggregate_rate_rps = rate_rps;
  spec.clients = std::move(clients);
  spec.num_requests = requests;
  return spec;
}

inline std::vector<Request> all_of(ClientsSource* source) {
  std::vector<Request> requests;
  Request request;
  while (source->next(&request)) requests.push_back(request);
  return requests;
}

// Clients tick together: their arrivals are easy to foretell.
inline ClientsOptions in_step() {
  ClientsOptions options;
  options.arrivals_start_in_mid_gap = false;
  return options;
}

inline std::vector<Request> made(const WorkloadSpec& spec,
                                 const ClientsOptions& options = in_step()) {
  ClientsSource source(spec, options);
  std::vector<Request> requests = all_of(&source);
  for (Request& request : requests) request.prefix = {};  // the source that owns them is gone
  return requests;
}

std::int64_t us(Time time) { return time.ns / 1000; }

}  // namespace plimsoll
