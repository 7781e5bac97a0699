#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "workload/clients_source.h"
#include "workload/workload.h"

namespace plimsoll {

namespace {

bool is_gaussian(const LengthDistribution& length) {
  return std::holds_alternative<GaussianLength>(length) ||
         std::holds_alternative<ConstantLength>(length);
}

GaussianLength gaussian(const LengthDistribution& length) {
  const auto* constant = std::get_if<ConstantLength>(&length);
  return constant != nullptr ? GaussianLength::constant(constant->tokens)
                             : std::get<GaussianLength>(length);
}

bool is_built(const ClientSpec& client) {
  return client.windows.empty() && client.concurrency == 0 && !client.multimodal &&
         !client.reasoning && !client.timeout && client.slo_class == SloClass::unset &&
         client.model.empty() && client.adapter.empty() && is_gaussian(client.input) &&
         is_gaussian(client.output) && client.arrival.shape == 0;
}

}  // namespace

Result<void> check_built(const WorkloadSpec& spec) {
  bool built = spec.cohorts.empty() && !spec.servegen && !spec.inference_perf;
  for (const ClientSpec& client : spec.clients) built = built && is_built(client);
  if (built) return {};
  return fail(ErrorKind::usage,
              "this version makes requests only for clients with constant or gaussian lengths, "
              "without windows, classes, sessions and parts");
}

ClientsSource::ClientsSource(const WorkloadSpec& spec, std::uint64_t seed, Duration timeout)
    : num_requests_(spec.num_requests) {
  double fractions = 0;
  std::map<std::string, std::size_t> groups;
  std::vector<std::int64_t> group_tokens;
  for (const ClientSpec& client : spec.clients) fractions += client.rate_fraction;
  for (std::size_t c = 0; c < spec.clients.size(); ++c) {
    const ClientSpec& from = spec.clients[c];
    SyntheticSpec client;
    // Far apart for any two seeds that people use, and the seed itself for the first client.
    client.seed = seed ^ (c * 0x9e3779b97f4a7c15u);
    client.rate_rps = spec.aggregate_rate_rps * from.rate_fraction / fractions;
    client.arrival = from.arrival;
    client.num_requests = spec.num_requests;
    client.horizon = spec.horizon;
    client.timeout = timeout;
    client.prompt = gaussian(from.input);
    client.output = gaussian(from.output);
    if (!from.prefix_group.empty()) {
      const auto [group, fresh] = groups.emplace(from.prefix_group, groups.size());
      if (fresh) {
        group_tokens.push_back(from.prefix_tokens > 0 ? from.prefix_tokens : kDefaultPrefixTokens);
      }
      client.prefix_number = group->second;
      client.prefix_tokens = group_tokens[group->second];
    }
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
