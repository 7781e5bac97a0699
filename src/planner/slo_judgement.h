// The judgement of one run on each SLO: its figure, how sure that is, and whether the limit is
// kept.
//
// The figures that an SLO is about, request by request in order of arrival, and gaps between tokens
// by stretches of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cluster/simulation.h"
#include "engine/itl_histogram.h"
#include "engine/run_record.h"
#include "planner/load_probe.h"
#include "planner/slo.h"
#include "stats/batch_means.h"

namespace plimsoll {

/// The requests of the class of the SLO that arrive after the warm-up and could be served.
struct SloSeries {
  std::vector<double> served_ms;   ///< the latency of those that have one
  std::vector<double> exceeds;     ///< 1 where it exceeds the limit or the request was not served
  std::vector<double> gap_sum_ms;  ///< itl: of each completed request
  std::vector<double> gap_count;
  std::int64_t without_gaps = 0;  ///< tpot and itl: completed with one token, in none of the above

  double exceeding_share() const;
  double unserved_share() const;
  std::optional<Interval> mean_gap_interval(double level) const;
};

SloSeries series_of(const RunRecord& record, const Slo& slo, double warmup_s);

/// All gaps of a run, and how many had exceeded each SLO on gaps at the ends of stretches of equal
/// length. Empty where no SLO is about gaps.
class GapStretches {
 public:
  void set_length(double seconds) { stretch_s_ = seconds; }
  /// Takes what there is at the end of the next stretch.
  void add(const ItlHistogram& so_far, const std::vector<Slo>& slos);

  double value_ms(const Slo& slo) const;
  double exceeding_share(std::size_t slo) const;
  /// The interval of the share of gaps above the limit, in stretches after the warm-up.
  std::optional<Interval> share_interval(std::size_t slo, double warmup_s, double level) const;

 private:
  double stretch_s_ = 0;
  ItlHistogram all_;
  std::vector<double> count_;                   ///< by stretch, cumulated
  std::vector<std::vector<double>> exceeding_;  ///< by SLO, then stretch; cumulated
};

/// Asked once, after two fifths of the expected span; false ends the run there. May be empty.
using EarlyLook = std::function<bool()>;

/// Advances to the end; where an SLO is about gaps, by stretches of the arrivals' expected span,
/// whose gaps are added. False if the monitor stopped it.
bool run_in_stretches(Simulation& simulation, const std::vector<Slo>& slos, double span_s,
                      Monitor* monitor, GapStretches* gaps, const EarlyLook& goes_on = {});

struct SloLook {
  double level = 0.95;    ///< of the interval that decides
  double share = 1;       ///< of the longest run that may come
  double warmup_s = 0;    ///< never counted, whatever the verdict
  bool is_whole = false;  ///< of all the traffic there is: no run can be longer
};

/// In the order of the SLOs.
std::vector<SloFigure> slo_figures(const std::vector<Slo>& slos, const RunRecord& record,
                                   const GapStretches& gaps, const SteadyState& state,
                                   const SloLook& look);

}  // namespace plimsoll
