#include "metrics/instance_latencies.h"

#include <utility>
#include <vector>

namespace plimsoll {
namespace {

class RequestLatencies {
 public:
  RequestLatencies(const RequestTable& table, std::size_t first_row, Summary* summary)
      : table_(table),
        definitions_(summary->definitions),
        rows_(table.instance, summary->instances.size(), first_row),
        summary_(summary) {}

  void set_all() {
    each([&](std::uint32_t row) { return whole_us_of(table_.e2e[row]); }, kUsPerMs,
         [](const LatencySummary& l, GroupSummary* s) { s->e2e = l; });
    each([&](std::uint32_t row) { return ttft_us(table_, row, definitions_); }, kUsPerMs,
         [](const LatencySummary& l, GroupSummary* s) { s->ttft = l; });
    each([&](std::uint32_t row) { return whole_us_of(table_.scheduling_delay[row]); }, kUsPerMs,
         [](const LatencySummary& l, GroupSummary* s) { s->scheduling_delay = l; });
    each([&](std::uint32_t row) { return tpot_ns(table_, row, definitions_); }, kNsPerMs,
         [](const LatencySummary& l, GroupSummary* s) { s->tpot = l; });
    if (definitions_.itl == ItlOver::requests) {
      each([&](std::uint32_t row) { return mean_gap_ns(table_, row); }, kNsPerMs,
           [](const LatencySummary& l, GroupSummary* s) { s->itl = l; });
    } else if (definitions_.itl == ItlOver::requests_by_tokens) {
      weigh_gaps_by_tokens();
    }
  }

 private:
  template <class ValueOf, class Set>
  void each(ValueOf value_of, double per_ms, Set set) {
    std::vector<GroupSummary>& instances = summary_->instances;
    std::vector<std::int64_t> all;
    all.reserve(table_.size());
    for (std::size_t i = 0; i < instances.size(); ++i) {
      std::vector<std::int64_t> values = values_of(rows_.of(i), value_of);
      all.insert(all.end(), values.begin(), values.end());
      const bool shown = instances.size() > 1 && instances[i].completed > 0;
      if (shown) set(latency_of(std::move(values), per_ms), &instances[i]);
    }
    if (summary_->cluster.completed == 0) return;
    const LatencySummary figures = latency_of(std::move(all), per_ms);
    set(figures, &summary_->cluster);
    if (instances.size() == 1) set(figures, &instances.front());
  }

  void weigh_gaps_by_tokens() {
    std::vector<WeightedNs> all;
    for (std::size_t i = 0; i < rows_.groups(); ++i) {
      std::vector<WeightedNs> gaps;
      for (const std::uint32_t row : rows_.of(i)) {
        const std::int64_t ns = mean_gap_ns(table_, row);
        if (ns != kNoValue) gaps.push_back({ns, table_.itl_count[row]});
      }
      all.insert(all.end(), gaps.begin(), gaps.end());
      summary_->instances[i].itl = latency_of(std::move(gaps));
    }
    summary_->cluster.itl = latency_of(std::move(all));
  }

  const RequestTable& table_;
  const MetricDefinitions& definitions_;
  const GroupedRows rows_;  ///< by instance
  Summary* const summary_;
};

}  // namespace

void set_latencies(const RequestTable& table, std::size_t first_row, Summary* summary) {
  RequestLatencies(table, first_row, summary).set_all();
}

}  // namespace plimsoll
