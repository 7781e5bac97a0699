#include "reference/product_run.h"

#include <algorithm>
#include <cstddef>

#include "cluster/simulation.h"

namespace plimsoll::reference {
namespace {

Time time_or_never(std::int64_t us) { return us < 0 ? kNever : Time{} + microseconds(us); }

bool is_named_by_another(const Case& scenario, std::uint64_t content) {
  return std::any_of(
      scenario.requests.begin(), scenario.requests.end(), [&](const CaseRequest& request) {
        return std::any_of(request.prefix.begin(), request.prefix.end(),
                           [&](const PrefixSegment& s) { return s.content == content; });
      });
}

class VectorSource final : public RequestSource {
 public:
  explicit VectorSource(const std::vector<Request>& requests) : requests_(requests) {}
  bool next(Request* request) override {
    if (position_ == requests_.size()) return false;
    *request = requests_[position_++];
    return true;
  }

 private:
  const std::vector<Request>& requests_;
  std::size_t position_ = 0;
};

/// Ends a run that would not end: small cases have a few thousand events,
/// those that restart a request up to the horizon a million.
class Patience final : public Monitor {
 public:
  bool keep_going(const Progress& /*progress*/) override { return --polls_ > 0; }
  bool is_lost() const { return polls_ <= 0; }

 private:
  int polls_ = 2000;
};

}  // namespace

Time horizon_of(const Case& scenario) { return time_or_never(scenario.horizon_us); }

std::vector<Request> requests_of(const Case& scenario) {
  std::vector<Request> requests;
  for (const CaseRequest& row : scenario.requests) {
    Request request;
    request.id = static_cast<std::int64_t>(requests.size());
    request.arrival = time_or_never(row.arrival_us);
    request.input_tokens = row.input_tokens;
    request.output_tokens = row.output_tokens;
    request.max_output_tokens = row.max_output_tokens;
    request.slo_class = row.slo_class;
    request.deadline = time_or_never(row.deadline_us);
    request.prefix = row.prefix;
    request.own_content = own_content_of(requests.size());
    request.reusable = is_named_by_another(scenario, request.own_content);
    request.other_model = row.other_model;
    request.tags.session = row.session;
    requests.push_back(request);
  }
  return requests;
}

ProductRun run_product(const Case& scenario, const Deployment& deployment,
                       const std::vector<Request>& requests) {
  VectorSource source(requests);
  SimulationOptions options;
  options.semantics = scenario.semantics;
  options.horizon = horizon_of(scenario);
  options.threads = static_cast<std::size_t>(scenario.threads);
  Simulation simulation(deployment, source, options);
  Patience patience;
  AdvanceLimit limit;
  switch (scenario.drive) {
    case Drive::at_once:
      break;
    case Drive::by_time:
      limit.time = Time{};
      while (!simulation.advance(limit, &patience) && !patience.is_lost()) {
        limit.time = limit.time + microseconds(scenario.drive_step_us);
      }
      break;
    case Drive::by_requests:
      for (limit.requests = 0; limit.requests < std::ssize(requests); ++limit.requests) {
        simulation.advance(limit, &patience);
      }
      break;
  }
  simulation.advance({}, &patience);
  const Progress progress = simulation.progress();
  return {simulation.take_record(), progress};
}

}  // namespace plimsoll::reference
