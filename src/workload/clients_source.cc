#include <algorithm>
#include <utility>

#include "workload/workload.h"
#include "workload/workload_spec.h"

namespace plimsoll {

ClientsSource::ClientsSource(const WorkloadSpec& spec, std::uint64_t seed, Duration timeout)
    : num_requests_(spec.num_requests) {
  for (std::size_t c = 0; c < spec.clients.size(); ++c) {
    SyntheticSpec client = spec.clients[c];
    // Far apart for any two seeds that people use, and the seed itself for the first client.
    client.seed = seed ^ (c * 0x9e3779b97f4a7c15u);
    client.num_requests = spec.num_requests;
    client.horizon = spec.horizon;
    client.timeout = timeout;
    clients_.push_back(std::make_unique<SyntheticSource>(client));
    pull(c);
  }
}

bool ClientsSource::later(const Head& a, const Head& b) {
  return std::pair(a.request.arrival, a.client) > std::pair(b.request.arrival, b.client);
}

void ClientsSource::pull(std::size_t client) {
  Head head{{}, client};
  if (!clients_[client]->next(&head.request)) return;
  heads_.push_back(head);
  std::push_heap(heads_.begin(), heads_.end(), later);
}

bool ClientsSource::next(Request* request) {
  if (heads_.empty() || generated_ >= num_requests_) return false;
  std::pop_heap(heads_.begin(), heads_.end(), later);
  const Head head = heads_.back();
  heads_.pop_back();
  *request = head.request;
  request->id = generated_;
  request->own_content = unique_content(static_cast<std::uint64_t>(generated_));
  generated_ += 1;
  pull(head.client);
  return true;
}

}  // namespace plimsoll
