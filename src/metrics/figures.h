// The figures of a group, one row each: what --json, journals, intervals, comparisons, fitness,
// limits, histories and the prediction of a deployment know of them. A figure without a row does
// not compile. docs/reference/metrics.md defines each, for readers and for `plimsoll explain`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "metrics/group_summary.h"

namespace plimsoll {

struct Statistic {
  std::string_view name;
  double LatencySummary::*member;
  double percentile = 0;  ///< 0: the mean
};
inline constexpr std::array<Statistic, 5> kStatistics{{{"mean", &LatencySummary::mean_ms},
                                                       {"p50", &LatencySummary::p50_ms, 50},
                                                       {"p90", &LatencySummary::p90_ms, 90},
                                                       {"p95", &LatencySummary::p95_ms, 95},
                                                       {"p99", &LatencySummary::p99_ms, 99}}};
static_assert(sizeof(LatencySummary) == kStatistics.size() * sizeof(double));

using Latency = LatencySummary GroupSummary::*;
using Count = std::int64_t GroupSummary::*;
using Number = double GroupSummary::*;
using EfficiencyShare = double Efficiency::*;
/// A word for another figure, empty where that is not known; it is no figure itself.
using Wording = std::string_view (*)(const GroupSummary&);

/// Who knows it of a real server.
enum class KnownTo : std::int8_t { clients, server };

enum class Better : std::int8_t { less, more };

/// Whether a run has measured a latency: it is 0 where nothing was, which must not win.
enum class MeasuredIf : std::int8_t { positive, completed };

struct GroupFigure {
  std::string_view key;  ///< of --json; of a latency what comes before "_p99_ms"
  std::variant<Count, Number, Latency, EfficiencyShare, Wording> member;
  KnownTo known_to = KnownTo::clients;
  // For figures that are set against others:
  std::string_view title{};
  std::string_view unit{};  ///< "ms", "%" (of a share), "req/s", ...
  Better better = Better::less;
  MeasuredIf measured = MeasuredIf::completed;  ///< of latencies; numbers always are
};

std::string_view reading_of_kv_memory(const GroupSummary& group);
std::string_view reading_of_mfu(const GroupSummary& group);

namespace figure_rows {
using G = GroupSummary;
using E = Efficiency;
inline constexpr KnownTo kServer = KnownTo::server;
inline constexpr KnownTo kAll = KnownTo::clients;

// In the order of --json: that of the reference, then ours.
inline constexpr GroupFigure kGroupFigures[]{
    {"completed_requests", &G::completed},
    {"still_queued", &G::still_queued, kServer},
    {"still_running", &G::still_running},
    {"injected_requests", &G::injected},
    {"total_input_tokens", &G::total_input_tokens},
    {"total_output_tokens", &G::total_output_tokens},
    {"vllm_estimated_duration_s", &G::duration_s},
    {"responses_per_sec", &G::responses_per_sec, kAll, "requests/s", "req/s", Better::more},
    {"tokens_per_sec", &G::tokens_per_sec, kAll, "tokens/s", "tokens/s", Better::more},
    {"e2e", &G::e2e, kAll, "E2E", "ms"},
    {"ttft", &G::ttft, kAll, "TTFT", "ms", Better::less, MeasuredIf::positive},
    {"itl", &G::itl, kAll, "ITL", "ms"},
    {"tpot", &G::tpot, kAll, "TPOT", "ms"},
    {"scheduling_delay", &G::scheduling_delay, kServer},
    {"kv_allocation_failures", &G::kv_allocation_failures, kServer},
    {"preemption_count", &G::preemptions, kServer},
    {"cache_hit_rate", &G::cache_hit_rate, kServer},
    {"dropped_unservable", &G::dropped_unservable, kServer},
    {"length_capped_requests", &G::length_capped, kServer},
    {"timed_out_requests", &G::timed_out},
    {"utilization", &G::utilization, kServer},
    {"kv_utilization", &G::kv_utilization, kServer, "KV cache", "%"},
    {"kv_peak_utilization", &G::kv_peak_utilization, kServer},
    {"prefix_hit_rate", &G::prefix_hit_rate, kServer},
    {"mean_batch_size", &G::mean_batch_size, kServer},
    {"mean_queue_depth", &G::mean_queue_depth, kServer},
    {"queue_time", &G::queue_time, kServer, "queue", "ms"},
    {"kv_memory_reading", reading_of_kv_memory, kServer},
    {"mfu", &E::mfu},
    {"mfu_of_run", &E::mfu_of_run},
    {"mfu_reading", reading_of_mfu},
    {"mbu", &E::mbu},
    {"mbu_of_run", &E::mbu_of_run},
    {"gpu_power_w", &E::gpu_power_w},
    {"energy_j_per_output_token", &E::energy_j_per_output_token},
};

/// The bytes that the members of a struct that have a row take up.
template <class Struct>
constexpr std::size_t bytes_with_a_row() {
  std::size_t bytes = 0;
  for (const GroupFigure& row : kGroupFigures) {
    bytes += std::visit(
        []<class M>(M) -> std::size_t {
          if constexpr (requires(Struct s, M m) { s.*m; }) return sizeof(Struct{}.*M{});
          return 0;
        },
        row.member);
  }
  return bytes;
}
static_assert(sizeof(Efficiency) == bytes_with_a_row<Efficiency>() &&
                  sizeof(GroupSummary) == sizeof(GroupSummary::name) +
                                              sizeof(GroupSummary::efficiency) +
                                              bytes_with_a_row<GroupSummary>(),
              "a figure has no row: no report and no journal would carry it");
}  // namespace figure_rows

using figure_rows::kGroupFigures;

/// One number: a figure, and which statistic of it where it is a latency.
struct Figure {
  const GroupFigure* row = nullptr;  ///< null: there is no such figure
  const Statistic* statistic = nullptr;

  std::string key() const;    ///< "ttft_p99_ms"
  std::string title() const;  ///< "TTFT p99"
  bool is_latency() const { return statistic != nullptr; }
  /// 0 where it was not measured.
  double of(const GroupSummary& group) const;
  bool is_measured(const GroupSummary& group) const;
};

/// The row of a member.
constexpr const GroupFigure& row_of(const decltype(GroupFigure::member)& member) {
  const GroupFigure* row = kGroupFigures;
  while (row->member != member) ++row;
  return *row;
}

/// As Figure::key() has it.
constexpr Figure find_figure(std::string_view key) {
  constexpr std::string_view kEnd = "_ms";
  for (const GroupFigure& row : kGroupFigures) {
    if (!std::holds_alternative<Latency>(row.member)) {
      if (row.key == key) return {&row};
      continue;
    }
    if (!key.starts_with(row.key) || !key.ends_with(kEnd)) continue;
    for (const Statistic& s : kStatistics) {
      if (key.size() != row.key.size() + 1 + s.name.size() + kEnd.size()) continue;
      if (key.substr(row.key.size() + 1, s.name.size()) == s.name) return {&row, &s};
    }
  }
  return {};
}

/// One that is named in code: another name does not compile.
consteval Figure figure(std::string_view key) {
  const Figure found = find_figure(key);
  if (found.row == nullptr) throw "no figure has this key";
  return found;
}

/// A name of a figure as this program has it, its metric first and without its unit: "p99_ttft",
/// "p99_ttft_ms" and "ttft_p99_ms" are all "ttft_p99". Other names are as they are.
std::string usual_name(std::string_view name);

/// The keys of a row; of a latency those of its statistics.
std::vector<std::string> keys_of(const GroupFigure& row);

}  // namespace plimsoll
