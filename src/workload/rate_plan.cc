#include "workload/rate_plan.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "random/stream.h"

namespace plimsoll {
namespace {

constexpr Duration kHour = seconds(3600);

// cos(k * 15 degrees), k from 0 to 6: the C library's cos is not the same everywhere.
constexpr std::array<double, 7> kCosines{
    1, 0.96592582628906829, 0.86602540378443865, 0.70710678118654752, 0.5, 0.25881904510252076, 0};

double cosine_of_hour(std::int64_t hour) {
  const auto k = static_cast<std::size_t>(std::min(hour, 24 - hour));  // 0 to 12
  return k <= 6 ? kCosines[k] : -kCosines[12 - k];
}

// The share of the peak rate in the hour that holds `now`.
double diurnal_factor(const DiurnalSpec& diurnal, Time now, Time* end) {
  const std::int64_t hour = now.ns / kHour.ns;
  *end = std::min(*end, Time{(hour + 1) * kHour.ns});
  const double up = (1 + cosine_of_hour((hour % 24 - diurnal.peak_hour + 24) % 24)) / 2;
  const double trough = 1 / diurnal.peak_to_trough_ratio;
  return up * (1 - trough) + trough;
}

// 1 before the drain, then 1.0, 0.9, ..., 0.1 for a tenth of the ramp each.
double drain_factor(const DrainSpec& drain, Time now, Time* end) {
  if (now < drain.begin) {
    *end = std::min(*end, drain.begin);
    return 1;
  }
  const std::int64_t ramp_us = drain.ramp.ns / 1000;
  const std::int64_t step = (now - drain.begin).ns / 1000 * 10 / ramp_us;
  *end = std::min(*end, drain.begin + microseconds((ramp_us * (step + 1) + 9) / 10));
  return static_cast<double>(10 - step) / 10;
}

// The sum of many weights of which one changes at a time, without the rounding errors that adding
// and subtracting would pile up: a light client may remain when a heavy one goes.
class SumTree {
 public:
  explicit SumTree(std::size_t size) : leaves_(std::bit_ceil(size)), sums_(2 * leaves_) {}

  void set(std::size_t i, double weight) {
    i += leaves_;
    sums_[i] = weight;
    for (i /= 2; i > 0; i /= 2) sums_[i] = sums_[2 * i] + sums_[2 * i + 1];
  }
  double total() const { return sums_[1]; }

 private:
  std::size_t leaves_;
  std::vector<double> sums_;
};

}  // namespace

RatePlan::RatePlan(const WorkloadSpec& spec, bool scale_sets_rate)
    : spec_(spec), scale_sets_rate_(scale_sets_rate) {
  for (const ClientSpec& client : spec.clients) add_client(client);
  for (const CohortSpec& cohort : spec.cohorts) add_cohort(cohort);
  parts_.push_back({spec.aggregate_rate_rps, {}});
  for (const PartSpec& part : spec.parts) parts_.push_back({part.aggregate_rate_rps, {}});
  std::vector<std::vector<std::size_t>> clients(parts_.size());  // of each part
  for (std::size_t c = 0; c < activities_.size(); ++c) {
    const PartSpec* part = spec.part(spec.client(c).part);
    part_.push_back(part == nullptr ? 0 : static_cast<std::size_t>(part - spec.parts.data()) + 1);
    clients[part_[c]].push_back(c);
  }
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].aggregate_rate_rps > 0) parts_[p].borders = sum_weights(clients[p]);
  }
}

void RatePlan::add_client(const ClientSpec& client) {
  std::vector<Activity>& own = activities_.emplace_back();
  if (client.concurrency > 0) return;
  if (client.windows.empty()) own.push_back({{}, kNever, client.rate_fraction, 0, false});
  for (std::size_t w = 0; w < client.windows.size(); ++w) {
    const WindowSpec& window = client.windows[w];
    own.push_back(
        {window.begin, window.end, window.trace_rate.value_or(client.rate_fraction), w + 1, false});
  }
  std::sort(own.begin(), own.end(),
            [](const Activity& a, const Activity& b) { return a.begin < b.begin; });
}

void RatePlan::add_cohort(const CohortSpec& cohort) {
  std::vector<Activity>& own = activities_.emplace_back();
  const double fraction = cohort.member.rate_fraction;
  const Time last = cohort.drain ? cohort.drain->begin + cohort.drain->ramp : kNever;
  const bool only_spike = cohort.spike && !cohort.diurnal && !cohort.drain;
  const auto add = [&](Time begin, Time end, double weight, bool follows_day) {
    if (begin < end) own.push_back({begin, end, weight, 0, follows_day});
  };
  if (!cohort.spike) return add({}, last, fraction, true);
  const Time begin = cohort.spike->begin;
  const Time end = begin + cohort.spike->duration;
  if (!only_spike) add({}, std::min(begin, last), fraction, true);
  add(begin, end, cohort.spike->trace_rate.value_or(fraction), false);
  if (!only_spike) add(end, last, fraction, true);
}

std::vector<RatePlan::Border> RatePlan::sum_weights(const std::vector<std::size_t>& clients) const {
  struct Change {
    Time at;
    bool begins;         // at equal times, what ends goes first
    std::size_t client;  // place in `clients`
    double weight;
  };
  std::vector<Change> changes;
  for (std::size_t c = 0; c < clients.size(); ++c) {
    for (const Activity& a : activities_[clients[c]]) {
      changes.push_back({a.begin, true, c, a.weight});
      if (a.end != kNever) changes.push_back({a.end, false, c, 0});
    }
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tie(a.at, a.begins, a.client) < std::tie(b.at, b.begins, b.client);
  });
  std::vector<Border> borders;
  SumTree active(clients.size());
  for (const Change& change : changes) {
    active.set(change.client, change.weight);
    if (borders.empty() || borders.back().at != change.at) borders.push_back({change.at, 0});
    borders.back().weights = active.total();
  }
  return borders;
}

RateStretch RatePlan::at(std::size_t client, Time now) const {
  const std::vector<Activity>& own = activities_[client];
  const auto activity = std::upper_bound(own.begin(), own.end(), now,
                                         [](Time t, const Activity& a) { return t < a.end; });
  if (activity == own.end()) return {};
  if (activity->begin > now) return {activity->begin};

  RateStretch stretch{activity->end};
  stretch.shape = activity->shape;
  double rate_rps = activity->weight;
  if (const Shared& part = parts_[part_[client]]; !part.borders.empty()) {
    const auto next = std::upper_bound(part.borders.begin(), part.borders.end(), now,
                                       [](Time t, const Border& b) { return t < b.at; });
    if (next != part.borders.end()) stretch.end = std::min(stretch.end, next->at);
    rate_rps = part.aggregate_rate_rps * activity->weight / std::prev(next)->weights;
  }
  // In this order, as in the reference: 1e6 / rate would give 50,000 us at 20 requests per second
  // where it has 49,999.
  double gap_us = 1 / (rate_rps / 1e6);

  const bool cohort = client >= spec_.clients.size();
  const CohortSpec* crowd = cohort ? &spec_.cohorts[client - spec_.clients.size()] : nullptr;
  const ClientSpec& from = spec_.client(client);
  if (cohort) gap_us *= static_cast<double>(crowd->population);
  if (scale_sets_rate_) {
    const bool by_window = stretch.shape > 0 && from.windows[stretch.shape - 1].arrival;
    const double explicit_gap_us =
        mean_gap_us(by_window ? *from.windows[stretch.shape - 1].arrival : from.arrival);
    if (explicit_gap_us > 0) gap_us = explicit_gap_us;
  }
  if (activity->follows_day && crowd->drain) {
    gap_us /= drain_factor(*crowd->drain, now, &stretch.end);
  }
  if (activity->follows_day && crowd->diurnal) {
    // The mean over a day is half-way between peak and trough.
    const double mean_factor = (1 + 1 / crowd->diurnal->peak_to_trough_ratio) / 2;
    stretch.gaps_per_day = to_us(kDay) * mean_factor / gap_us;
    stretch.days_end = stretch.end;
    gap_us /= diurnal_factor(*crowd->diurnal, now, &stretch.end);
  }
  stretch.mean_gap_us = gap_us;
  return stretch;
}

bool ArrivalClock::enter_next_stretch(const RatePlan& plan, std::size_t client, Time last) {
  if (stretch_.end > last) return false;
  now_ = stretch_.end;
  stretch_ = plan.at(client, now_);
  return true;
}

// A rare request among a crowd may come years later: no walk through all their hours.
void ArrivalClock::skip_whole_days(const RatePlan& plan, std::size_t client, Time last,
                                   double* left) {
  if (stretch_.gaps_per_day == 0 || *left < stretch_.gaps_per_day) return;
  const auto room = static_cast<double>((std::min(stretch_.days_end, last) - now_).ns / kDay.ns);
  const double days = std::min(room, std::floor(*left / stretch_.gaps_per_day));
  if (days < 1) return;
  *left -= days * stretch_.gaps_per_day;
  now_ = now_ + kDay * static_cast<std::int64_t>(days);
  stretch_ = plan.at(client, now_);
}

bool ArrivalClock::advance(const RatePlan& plan, std::size_t client,
                           const std::vector<UnitGaps>& gaps, std::uint64_t seed, Time last) {
  while (stretch_.mean_gap_us == 0) {
    if (!enter_next_stretch(plan, client, last)) return false;
  }
  const RandomStream stream(seed, Purpose::arrival, static_cast<std::uint64_t>(arrivals_));
  const UnitGaps& drawn = gaps[stretch_.shape];
  // Of the gap, in units of its mean.
  double left = arrivals_ == 0 ? drawn.draw_first(stream, first_) : drawn.draw(stream);
  for (;;) {
    skip_whole_days(plan, client, last, &left);
    if (stretch_.mean_gap_us > 0) {
      const double gap_us = left * stretch_.mean_gap_us;
      const double room_us = to_us(std::min(stretch_.end, last) - now_);
      // Whole microseconds of at least one, as in the reference.
      if (gap_us < room_us + 1) {
        const Time arrival =
            now_ + std::max(microseconds(1), microseconds(static_cast<std::int64_t>(gap_us)));
        if (arrival < stretch_.end && arrival <= last) {
          now_ = arrival;
          arrivals_ += 1;
          return true;
        }
      }
      left = std::max(0.0, left - to_us(stretch_.end - now_) / stretch_.mean_gap_us);
    }
    if (!enter_next_stretch(plan, client, last)) return false;
  }
}

}  // namespace plimsoll
