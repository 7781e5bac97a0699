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
    case Outcome::shed:
      return "shed";
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
  const std::size_t row = size();
  id.add(row, request.id);
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
  phases.push_back({});
  slo_class.add(row, request.slo_class);
  tenant.add(row, request.tags.tenant);
  session.add(row, request.tags.session);
  round.add(row, request.tags.round);
}

}  // namespace plimsoll
