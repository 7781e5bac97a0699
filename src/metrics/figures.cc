#include "metrics/figures.h"

#include <type_traits>

#include "base/lists.h"

namespace plimsoll {

std::string_view reading_of_kv_memory(const GroupSummary& group) {
  return kv_memory_reading(group.kv_utilization);
}

std::string_view reading_of_mfu(const GroupSummary& group) {
  return group.efficiency ? mfu_reading(group.efficiency->mfu) : std::string_view();
}

std::string Figure::key() const {
  std::string key(row->key);
  return statistic == nullptr ? key : key + "_" + std::string(statistic->name) + "_ms";
}

std::string Figure::title() const {
  std::string title(row->title);
  return statistic == nullptr ? title : title + " " + std::string(statistic->name);
}

double Figure::of(const GroupSummary& group) const {
  return std::visit(
      [&]<class M>(M member) -> double {
        if constexpr (std::is_same_v<M, Latency>) {
          return group.*member.*(statistic->member);
        } else if constexpr (std::is_same_v<M, EfficiencyShare>) {
          return group.efficiency ? (*group.efficiency).*member : 0;
        } else if constexpr (std::is_same_v<M, Wording>) {
          return 0;
        } else {
          return static_cast<double>(group.*member);
        }
      },
      row->member);
}

bool Figure::is_measured(const GroupSummary& group) const {
  if (!is_latency()) return true;
  return row->measured == MeasuredIf::positive ? of(group) > 0 : group.completed > 0;
}

std::string usual_name(std::string_view name) {
  if (name.ends_with("_ms")) name.remove_suffix(3);
  const std::size_t end = name.find('_');
  const std::string_view first = name.substr(0, end);
  const bool is_percentile = first.size() > 1 && first[0] == 'p' &&
                             first.find_first_not_of("0123456789.", 1) == first.npos;
  if (end == name.npos || !(is_percentile || first == "mean")) return std::string(name);
  return std::string(name.substr(end + 1)) + "_" + std::string(first);
}

std::vector<std::string> keys_of(const GroupFigure& row) {
  if (!std::holds_alternative<Latency>(row.member)) return {std::string(row.key)};
  return mapped(kStatistics, [&](const Statistic& s) { return Figure{&row, &s}.key(); });
}

}  // namespace plimsoll
