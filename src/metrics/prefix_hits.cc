#include "metrics/prefix_hits.h"

#include "metrics/latency.h"

namespace plimsoll {

void set_prefix_hits(const RequestTable& table, Summary* summary) {
  struct Tokens {
    std::int64_t found = 0;
    std::int64_t looked_up = 0;
    double share() const { return ratio_or_zero(found, looked_up); }
  };
  Tokens all;
  std::vector<Tokens> of_instances(summary->instances.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.scheduling_delay[row] == kNoDuration) continue;
    const std::int32_t apart = table.handoff[row].prefill_instance;
    const std::int32_t instance = apart >= 0 ? apart : table.instance[row];
    if (instance < 0) continue;
    for (Tokens* tokens : {&all, &of_instances[static_cast<std::size_t>(instance)]}) {
      tokens->found += table.cached_tokens[row];
      tokens->looked_up += table.input_tokens[row];
    }
  }
  summary->cluster.prefix_hit_rate = all.share();
  for (std::size_t i = 0; i < of_instances.size(); ++i)
    summary->instances[i].prefix_hit_rate = of_instances[i].share();
}

}  // namespace plimsoll
