#include "metrics/steadiness.h"

#include <algorithm>
#include <vector>

namespace plimsoll {
namespace {

Stay stay_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed:
    case Outcome::length_capped:
      return Stay::finished;
    case Outcome::unfinished:
      return Stay::inside;
    case Outcome::timed_out:
    case Outcome::rejected:
    case Outcome::shed:
      return Stay::lost;
    case Outcome::dropped:
      return Stay::no_demand;
  }
  return Stay::inside;
}

// Where observation ended: at the horizon, or when everything was over.
Time end_of(const RunRecord& record) {
  Time end;
  for (const InstanceRecord& r : record.instances) end = std::max(end, r.end);
  if (!record.requests.arrival.empty()) end = std::max(end, record.requests.arrival.back());
  return std::min(end, record.horizon);
}

}  // namespace

SteadyState judge_record(const RunRecord& record) {
  const RequestTable& table = record.requests;
  const auto all = static_cast<std::int64_t>(table.size());
  if (all > 0 && record.rejected_routing == all) {
    SteadyState none;
    none.verdict = SteadyVerdict::no_load;
    none.reason = {SteadyCause::model_is_missing, all};
    return none;
  }
  std::vector<Stay> stay(table.size());
  std::transform(table.outcome.begin(), table.outcome.end(), stay.begin(), stay_of);
  return judge({table.arrival, stay, table.e2e, table.ttft, end_of(record)});
}

}  // namespace plimsoll
