#include "engine/run_record.h"

#include <numeric>

namespace plimsoll {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::unfinished:
      return "unfinished";
    case Outcome::completed:
      return "completed";
    case Outcome::length_capped:
      return "length_capped";
    case Outcome::timed_out:
      return "timed_out";
    case Outcome::dropped:
      return "dropped";
    case Outcome::rejected:
      return "rejected";
  }
  return "unfinished";
}

void IdColumn::add(std::size_t row, std::int64_t id) {
  if (others_.empty()) {
    if (id == static_cast<std::int64_t>(row)) return;
    others_.resize(row);
    std::iota(others_.begin(), others_.end(), std::int64_t{0});
  }
  others_.push_back(id);
}

void RequestTable::add(const Request& request) {
  id.add(size(), request.id);
  arrival.push_back(request.arrival);
  input_tokens.push_back(request.input_tokens);
  output_tokens.push_back(request.output_tokens);
  generated_tokens.push_back(0);
  outcome.push_back(Outcome::unfinished);
  instance.push_back(-1);
  scheduling_delay.push_back(kNoDuration);
  ttft.push_back(kNoDuration);
  e2e.push_back(kNoDuration);
  itl_sum.push_back({});
  itl_count.push_back(0);
  slo_class.push_back(request.slo_class);
  tenant.push_back(request.tags.tenant);
  session.push_back(request.tags.session);
  round.push_back(request.tags.round);
  phases.push_back({});
}

}  // namespace plimsoll
