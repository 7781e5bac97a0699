#include "engine/scheduler.h"

namespace plimsoll {
namespace {

/// A rank that depends on the request alone.
template <std::int64_t (*rank_of)(const QueueKey&)>
class ByKey final : public Scheduler {
 public:
  std::int64_t rank(const QueueKey& key) const override { return rank_of(key); }
};

std::int64_t urgent_first(const QueueKey& key) { return key.priority; }
std::int64_t urgent_last(const QueueKey& key) { return -key.priority; }
std::int64_t short_first(const QueueKey& key) { return key.input_tokens; }

}  // namespace

const std::vector<SchedulerRow>& schedulers() {
  static const std::vector<SchedulerRow> rows{
      {"fcfs", "first come, first served", {}},
      {"priority-fcfs",
       "most urgent SLO class first, then by arrival",
       {},
       made<Scheduler, ByKey<urgent_first>>},
      {"sjf", "shortest prompt first", {}, made<Scheduler, ByKey<short_first>>},
      {"reverse-priority",
       "least urgent SLO class first (to study starvation)",
       {},
       made<Scheduler, ByKey<urgent_last>>},
  };
  return rows;
}

}  // namespace plimsoll
