#include "stats/steady_state.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "stats/batch_means.h"
#include "stats/mser.h"
#include "stats/percentile.h"
#include "stats/trend.h"

namespace plimsoll {
namespace {

constexpr double kFewestResidences = 5;     // arrival span in mean residence times
constexpr double kFewestServices = 2;       // in mean service times, to look for a delay that rises
constexpr double kFilledServices = 10;      // likewise, to look for work that grows
constexpr double kFewestStretches = 20;     // residence times left after the warm-up
constexpr double kSkippedResidences = 2;    // where no warm-up can be told from the rest
constexpr double kWideSpread = 0.12;        // relative, of averages that should agree on a level
constexpr double kMostFillingUp = 0.1;      // of the span, before those averages begin
constexpr double kEnoughResidences = 40;    // what a longer run is advised to cover
constexpr double kEnoughServices = 4;       // likewise, where the delay rises from the start
constexpr double kFewestFillings = 10;      // of conversations that begin with the run
constexpr double kMostFilling = 0.5;        // of the span, to look for work that grows after them
constexpr double kToleratedDeficit = 0.03;  // arrivals may exceed completions by this share
constexpr double kToleratedGrowth = 0.10;   // of the work in the system, over two thirds of the run
constexpr std::size_t kFewestRequests = 100;
constexpr std::size_t kCells = 1000;  // of the work series
constexpr Duration kLongDelay = seconds(1);
constexpr double kGrownDelay = 5;

struct Load {
  ArrivalSpan span;
  std::size_t demand = 0;  // arrivals that could be served
  std::size_t gave_up = 0;
  std::size_t turned_away = 0;
  double span_s = 0;
  double rate_rps = 0;
  double residence_s = 0;  // mean; requests still inside count with their time so far
  double service_s = 0;    // mean time from first token to the end, likewise
  double filling_s = 0;
  double warmup_s = 0;
  bool settled = false;  // the warm-up has an end

  std::size_t lost() const { return gave_up + turned_away; }
};

SteadyCause why_lost(const Load& load) {
  if (load.turned_away == 0) return SteadyCause::gave_up;
  return load.gave_up == 0 ? SteadyCause::turned_away : SteadyCause::lost;
}

SteadyState verdict(SteadyVerdict v, const Because<SteadyCause>& reason) {
  return SteadyState{.verdict = v, .reason = reason};
}

// Two significant digits, rounded up: a length to type, not a measurement.
std::int64_t round_up(double requests) {
  double unit = 1;
  while (requests / unit > 100) unit *= 10;
  return static_cast<std::int64_t>(std::ceil(requests / unit) * unit);
}

// Of a run that covers so much time.
std::int64_t requests_for(double seconds, const Load& load) {
  return round_up(
      std::fmax(seconds * load.rate_rps, std::fmax(1000, 2.0 * static_cast<double>(load.demand))));
}

std::int64_t enough_requests(const Load& load) {
  return requests_for(kEnoughResidences * load.residence_s, load);
}

std::vector<double> seconds_of_finished(const ObservedRun& run, std::span<const Duration> column) {
  std::vector<double> values;
  values.reserve(run.arrival.size());
  for (std::size_t i = 0; i < run.arrival.size() && run.arrival[i] <= run.end; ++i) {
    if (run.stay[i] == Stay::finished) values.push_back(to_seconds(column[i]));
  }
  return values;
}

Load load_of(const ObservedRun& run) {
  Load load;
  load.span = arrival_span(run);
  load.span_s = to_seconds(load.span.length());
  load.filling_s = to_seconds(run.filling);
  double service = 0;
  double residence = 0;
  std::size_t present = 0;
  std::size_t served = 0;
  for (std::size_t i = 0; i < load.span.requests; ++i) {
    if (run.stay[i] == Stay::no_demand) continue;
    load.demand += 1;
    if (is_lost(run.stay[i])) {
      (run.stay[i] == Stay::gave_up ? load.gave_up : load.turned_away) += 1;
      continue;
    }
    const bool inside = run.stay[i] == Stay::inside;
    const Duration so_far = inside ? run.end - run.arrival[i] : run.residence[i];
    present += 1;
    residence += to_seconds(so_far);
    if (inside && run.first_token[i] == kNoDuration) continue;
    served += 1;
    service += to_seconds(so_far - run.first_token[i]);
  }
  if (present > 0) load.residence_s = residence / static_cast<double>(present);
  load.service_s =
      served > 0 ? service / static_cast<double>(served) : std::numeric_limits<double>::infinity();
  if (load.span_s > 0) load.rate_rps = static_cast<double>(load.demand) / load.span_s;
  return load;
}

// Median first-token delay of requests [first, last); lost ones count as infinite, and those that
// have none yet with the time they have waited.
double median_delay_s(const ObservedRun& run, std::size_t first, std::size_t last) {
  std::vector<double> delays;
  delays.reserve(last - first);
  for (std::size_t i = first; i < last; ++i) {
    if (run.stay[i] == Stay::no_demand) continue;
    if (is_lost(run.stay[i])) {
      delays.push_back(std::numeric_limits<double>::max());
    } else if (run.first_token[i] != kNoDuration) {
      delays.push_back(to_seconds(run.first_token[i]));
    } else {
      delays.push_back(to_seconds(run.end - run.arrival[i]));
    }
  }
  return Percentiles<double>(std::move(delays)).at(50);
}

struct Delays {
  double early_s = 0;  // median in the first fifth of the requests
  double late_s = 0;   // in the last

  bool rise() const { return late_s > to_seconds(kLongDelay) && late_s > kGrownDelay * early_s; }
};

Delays delays_of(const ObservedRun& run, const Load& load) {
  const std::size_t fifth = load.span.requests / 5;
  return {median_delay_s(run, 0, fifth),
          median_delay_s(run, load.span.requests - fifth, load.span.requests)};
}

// Of the work in the system since all conversations are under way; none where that is too short.
Growth growth_when_full(const Load& load, std::span<const double> work) {
  const double share = load.filling_s / load.span_s;
  if (share > kMostFilling) return {};
  return growth_of(
      work.subspan(static_cast<std::size_t>(share * static_cast<double>(work.size()))));
}

std::optional<SteadyState> if_overloaded(const ObservedRun& run, const Load& load,
                                         std::span<const double> work) {
  const Growth growth = growth_when_full(load, work);
  const double growth_rps = growth.per_cell * static_cast<double>(work.size()) / load.span_s;
  const auto overloaded = [&](const Because<SteadyCause>& reason) {
    SteadyState s = verdict(SteadyVerdict::overloaded, reason);
    if (growth.certain) s.backlog_growth_rps = growth_rps;
    return s;
  };
  if (static_cast<double>(load.lost()) > kToleratedLoss * static_cast<double>(load.demand)) {
    SteadyState s = overloaded({why_lost(load), load.lost(), load.demand});
    s.lost_share = static_cast<double>(load.lost()) / static_cast<double>(load.demand);
    return s;
  }
  if (load.span_s < kFewestServices * load.service_s || !never_came_back(work)) return std::nullopt;

  const Delays delays = delays_of(run, load);
  if (delays.rise()) return overloaded({SteadyCause::delay_rises, delays.early_s, delays.late_s});
  // A system that still fills up grows as an overloaded one does. Queueing stretches the residence
  // times of an overloaded run, so that it could never be long enough by them: pure service counts.
  const double full_s = load.span_s - load.filling_s;
  if (full_s < kFilledServices * load.service_s || !growth.certain) return std::nullopt;
  if (growth.share <= kToleratedGrowth && growth_rps <= kToleratedDeficit * load.rate_rps)
    return std::nullopt;
  return overloaded({SteadyCause::work_grows, growth.share});
}

// From that time after the first one on, which is less than all.
std::vector<double> arrivals_per_cell(const ObservedRun& run, const ArrivalSpan& span,
                                      Duration from) {
  std::vector<double> cells(kRateCells, 0);
  const Time first = span.first + from;
  const auto width = static_cast<double>((span.last - first).ns) / static_cast<double>(kRateCells);
  for (const Time arrival : run.arrival.first(span.requests)) {
    if (arrival < first) continue;
    const auto cell = static_cast<std::size_t>(static_cast<double>((arrival - first).ns) / width);
    cells[std::min(cell, kRateCells - 1)] += 1;
  }
  return cells;
}

// Where the warm-up of one series ends. MSER often finds no cut in the first half of a steady
// series whose noise is slow; such a series is settled all the same if its halves agree.
WarmupCut cut_of(std::span<const double> series, const Load& load) {
  const WarmupCut cut = mser5(series);
  if (cut.settled) return cut;
  const double share = kSkippedResidences * load.residence_s / load.span_s;
  const auto skipped = static_cast<std::size_t>(share * static_cast<double>(series.size()));
  constexpr std::size_t kFewest = 20;
  if (series.size() < skipped + kFewest || halves_differ(series.subspan(skipped))) return cut;
  return {skipped, true};
}

// The latest cut over first-token delay, residence time and work in the system.
void cut_warmup(const ObservedRun& run, std::span<const double> work, Load* load) {
  const WarmupCut by_work = cut_of(work, *load);
  const double cell_s = load->span_s / static_cast<double>(work.size());
  load->warmup_s = static_cast<double>(by_work.observations) * cell_s;
  load->settled = by_work.settled;
  for (const auto column : {run.first_token, run.residence}) {
    const std::vector<double> series = seconds_of_finished(run, column);
    const WarmupCut cut = cut_of(series, *load);
    load->settled = load->settled && cut.settled;
    std::size_t left = cut.observations;
    std::size_t i = 0;
    for (; i < load->span.requests && left > 0; ++i) left -= run.stay[i] == Stay::finished;
    if (i < load->span.requests) {
      load->warmup_s = std::fmax(load->warmup_s, to_seconds(run.arrival[i] - load->span.first));
    }
  }
}

// Does the level of a series walk about instead of being known better and better? Neighbouring
// averages are alike then, and far from each other in the long run: a queue near its limit forms
// for minutes and goes again. Averages that are alike but all close to the level do no harm;
// requests that stay long make them so. A long warm-up belongs to the question: a level that is
// still approached late in the run is not known.
bool wanders(std::span<const double> series, const Load& load) {
  const double share = std::fmin(load.warmup_s / load.span_s, kMostFillingUp);
  const auto skipped = static_cast<std::size_t>(share * static_cast<double>(series.size()));
  const auto measured = series.subspan(skipped);
  if (measured.size() < kFewestBatches) return false;
  const std::vector<double> averages = batch_averages(measured, kFewestBatches);
  return clearly_correlated(averages) && relative_spread(averages) > kWideSpread;
}

// A run that is too short even for an overload to show, although it looks like one. Queueing
// stretches the residence times, so that many of them are no length to aim at.
std::optional<SteadyState> if_overload_begins(const ObservedRun& run, const Load& load,
                                              std::span<const double> work) {
  const double needed_s = kFewestServices * load.service_s;
  if (!std::isfinite(needed_s) || load.span_s >= needed_s || !never_came_back(work))
    return std::nullopt;
  const Delays delays = delays_of(run, load);
  if (!delays.rise()) return std::nullopt;
  SteadyState s = verdict(
      SteadyVerdict::too_short,
      {SteadyCause::delay_begins_to_rise, delays.early_s, delays.late_s, load.span_s, needed_s});
  s.enough_requests = requests_for(kEnoughServices * load.service_s, load);
  return s;
}

// Conversations make much of the run their beginning.
std::optional<SteadyState> if_sessions_begin(const ObservedRun& run, const Load& load) {
  const bool is_short = load.span_s < kFewestFillings * load.filling_s;
  if (!is_short || !rate_changes(arrivals_per_cell(run, load.span, {}))) return std::nullopt;
  SteadyState s = verdict(SteadyVerdict::too_short, {SteadyCause::sessions_begin, load.span_s,
                                                     load.filling_s, kFewestFillings});
  // At the rate of the last third, which is the least that comes.
  const std::size_t late = load.span.requests / 3;
  const Time from = run.arrival[load.span.requests - 1 - late];
  const double late_rps = static_cast<double>(late) / to_seconds(load.span.last - from);
  constexpr double kMargin = 1.2;
  s.enough_requests = round_up(std::fmax(kMargin * kFewestFillings * load.filling_s * late_rps,
                                         2.0 * static_cast<double>(load.demand)));
  return s;
}

}  // namespace

const char* name_of(SteadyVerdict verdict) {
  switch (verdict) {
    case SteadyVerdict::steady:
      return "steady";
    case SteadyVerdict::transient:
      return "transient";
    case SteadyVerdict::overloaded:
      return "overloaded";
    case SteadyVerdict::too_short:
      return "too_short";
    case SteadyVerdict::no_load:
      return "no_load";
  }
  return "too_short";
}

SteadyState judge(const ObservedRun& run) {
  Load load = load_of(run);
  const auto too_short = [&](const Because<SteadyCause>& reason) {
    SteadyState s = verdict(SteadyVerdict::too_short, reason);
    if (load.span_s > 0) s.enough_requests = enough_requests(load);
    return s;
  };
  if (load.demand == 0) {
    if (run.arrival.empty()) return verdict(SteadyVerdict::no_load, SteadyCause::nothing_arrived);
    return verdict(SteadyVerdict::no_load, {SteadyCause::never_served, load.span.requests});
  }
  if (load.demand < kFewestRequests || load.span_s <= 0) {
    return too_short({SteadyCause::few_requests, load.demand});
  }
  const std::vector<double> work = work_in_system(run, kCells);
  if (auto overloaded = if_overloaded(run, load, work)) return *overloaded;
  if (auto begins = if_overload_begins(run, load, work)) return *begins;

  if (auto begin = if_sessions_begin(run, load)) return *begin;
  if (load.span_s < kFewestResidences * load.residence_s) {
    return too_short(
        {SteadyCause::short_of_stays, load.span_s, load.residence_s, kFewestResidences});
  }
  const Duration full_from = load.filling_s < load.span_s ? run.filling : Duration{};
  if (rate_changes(arrivals_per_cell(run, load.span, full_from))) {
    return verdict(SteadyVerdict::transient, SteadyCause::rate_changes);
  }
  cut_warmup(run, work, &load);
  load.warmup_s = std::fmax(load.warmup_s, load.filling_s);
  if (!load.settled) {
    SteadyState s = verdict(SteadyVerdict::transient, SteadyCause::warmup_is_long);
    s.warmup_s = load.warmup_s;
    s.enough_requests = enough_requests(load);
    return s;
  }
  const double measured_s = load.span_s - load.warmup_s;
  if (measured_s < kFewestStretches * load.residence_s) {
    return too_short({SteadyCause::little_is_left, measured_s, load.warmup_s, kFewestStretches,
                      load.residence_s});
  }
  // Long stays may hide in the work what shows in the delay.
  if (wanders(work, load) || wanders(seconds_of_finished(run, run.first_token), load)) {
    return too_short({SteadyCause::work_wanders, load.span_s});
  }
  SteadyState s =
      verdict(SteadyVerdict::steady, {SteadyCause::work_is_level, load.span_s / load.residence_s});
  s.warmup_s = load.warmup_s;
  return s;
}

}  // namespace plimsoll
