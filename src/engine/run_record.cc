#include "engine/run_record.h"

namespace plimsoll {

void RequestTable::add(const Request& request) {
  id.push_back(request.id);
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
