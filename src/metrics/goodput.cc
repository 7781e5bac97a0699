#include "metrics/goodput.h"

#include <algorithm>

#include "base/duration_text.h"
#include "base/text.h"
#include "metrics/latency.h"
#include "metrics/traffic_groups.h"
#include "workload/slo_class.h"

namespace plimsoll {
namespace {

constexpr Duration SloLimits::*kDimensions[] = {&SloLimits::ttft, &SloLimits::itl, &SloLimits::e2e};

tl::unexpected<Error> refuse(std::string_view flag, const std::string& what,
                             std::string hint = "for example critical=200ms,batch=5s or 500ms") {
  return fail(ErrorKind::usage, std::string(flag) + ": " + what, std::move(hint));
}

Result<SloClass> class_named(std::string_view flag, std::string_view name) {
  if (name == "default") return SloClass::unset;
  if (const auto known = value_of(slo_classes(), name)) return *known;
  if (name.empty()) return refuse(flag, "a limit has no class in front of its \"=\"");
  std::vector<std::string> names = names_of(slo_classes());
  names.emplace_back("default");
  return refuse(flag, "unknown SLO class \"" + std::string(name) + "\"", suggestion(name, names));
}

std::size_t place_of(SloClass slo_class) { return static_cast<std::size_t>(slo_class); }

Duration measured(const RequestTable& t, std::size_t row, Duration SloLimits::*dimension) {
  if (dimension == &SloLimits::ttft) return t.ttft[row];
  if (dimension == &SloLimits::e2e) return t.e2e[row];
  // An answer of one token has no gap that could be too long.
  return t.itl_count[row] > 0 ? Duration{mean_gap_ns(t, row)} : Duration{};
}

bool holds(const RequestTable& t, std::size_t row, const SloLimits& limits,
           Duration SloLimits::*dimension) {
  if (limits.*dimension == kNoDuration) return true;
  const Duration value = measured(t, row, dimension);
  return value != kNoDuration && value <= limits.*dimension;
}

void set_rates(double duration_s, GoodputFigures* f) {
  f->attainment = ratio_or_zero(f->good, f->arrived);
  f->goodput_rps = ratio_or_zero(static_cast<double>(f->good), duration_s);
}

struct Met {
  std::int64_t completed = 0;
  std::array<std::int64_t, std::size(kDimensions)> within{};
};

}  // namespace

bool any(const GoodputTargets& targets) {
  return std::ranges::any_of(targets, [](const SloLimits& limits) { return limits.any(); });
}

Result<void> parse_slo_limits(std::string_view flag, std::string_view text,
                              Duration SloLimits::*dimension, GoodputTargets* targets) {
  std::array<bool, std::tuple_size_v<GoodputTargets>> named{};
  Duration otherwise = kNoDuration;
  for (const std::string_view item : split_at(text, ',')) {
    if (item.empty()) return refuse(flag, "an item is empty");
    const std::size_t equals = item.find('=');
    const std::string_view time = equals == std::string_view::npos ? item : item.substr(equals + 1);
    Duration limit;
    if (!parse_duration(time, &limit) || limit <= Duration{}) {
      return refuse(
          flag, "\"" + std::string(time) + "\" is not " + std::string(kDurationForm) + " above 0");
    }
    if (equals == std::string_view::npos) {
      if (otherwise != kNoDuration) return refuse(flag, "two limits are without a class");
      otherwise = limit;
    } else {
      TRY(slo_class, class_named(flag, item.substr(0, equals)));
      const std::size_t place = place_of(slo_class);
      if (named[place]) return refuse(flag, "two limits for " + class_label(slo_class));
      named[place] = true;
      (*targets)[place].*dimension = limit;
    }
  }
  for (std::size_t place = 0; otherwise != kNoDuration && place < targets->size(); ++place) {
    if (!named[place]) (*targets)[place].*dimension = otherwise;
  }
  return {};
}

void fill_in(const GoodputTargets& others, GoodputTargets* targets) {
  for (std::size_t place = 0; place < targets->size(); ++place) {
    for (const auto dimension : kDimensions) {
      Duration& limit = (*targets)[place].*dimension;
      if (limit == kNoDuration) limit = others[place].*dimension;
    }
  }
}

std::vector<Good> judge_requests(const RequestTable& t, const GoodputTargets& targets) {
  std::vector<Good> judged(t.size(), Good::no_limits);
  for (std::size_t row = 0; row < t.size(); ++row) {
    const SloLimits& limits = targets[place_of(t.slo_class[row])];
    if (!limits.any()) continue;
    const bool good =
        is_completed(t.outcome[row]) && std::ranges::all_of(kDimensions, [&](auto dimension) {
          return holds(t, row, limits, dimension);
        });
    judged[row] = good ? Good::yes : Good::no;
  }
  return judged;
}

Goodput find_goodput(const RequestTable& t, const GoodputTargets& targets,
                     const std::vector<Good>& judged, double duration_s) {
  std::array<GoodputFigures, std::tuple_size_v<GoodputTargets>> figures{};
  std::array<Met, std::tuple_size_v<GoodputTargets>> met{};
  Goodput goodput;
  for (std::size_t row = 0; row < t.size(); ++row) {
    if (judged[row] == Good::no_limits) continue;
    const std::size_t place = place_of(t.slo_class[row]);
    for (GoodputFigures* f : {&figures[place], &goodput.all}) {
      f->arrived += 1;
      f->completed += is_completed(t.outcome[row]) ? 1 : 0;
      f->good += judged[row] == Good::yes ? 1 : 0;
    }
    if (!is_completed(t.outcome[row])) continue;
    ++met[place].completed;
    for (std::size_t i = 0; i < std::size(kDimensions); ++i) {
      met[place].within[i] += holds(t, row, targets[place], kDimensions[i]) ? 1 : 0;
    }
  }
  set_rates(duration_s, &goodput.all);
  for (const SloClass slo_class : classes_by_urgency()) {
    const std::size_t place = place_of(slo_class);
    if (!targets[place].any()) continue;
    ClassGoodput c{class_label(slo_class), targets[place], figures[place], {}, {}, {}};
    set_rates(duration_s, &c.figures);
    std::optional<double>* const attainments[] = {&c.ttft_attainment, &c.itl_attainment,
                                                  &c.e2e_attainment};
    for (std::size_t i = 0; i < std::size(kDimensions); ++i) {
      if (targets[place].*kDimensions[i] == kNoDuration) continue;
      *attainments[i] = ratio_or_zero(met[place].within[i], met[place].completed);
    }
    goodput.classes.push_back(std::move(c));
  }
  return goodput;
}

std::optional<KeptLimit> least_kept(const Goodput& goodput) {
  std::optional<KeptLimit> least;
  for (const ClassGoodput& c : goodput.classes) {
    if (c.figures.arrived == 0) continue;
    const double served = ratio_or_zero(c.figures.completed, c.figures.arrived);
    const bool is_alone = c.figures.arrived == goodput.all.arrived;
    const auto look = [&](std::string_view of, Duration limit, std::optional<double> attainment) {
      if (!attainment) return;
      const double share = *attainment * served;
      if (!least || share < least->share) least = {is_alone ? "" : c.name, of, limit, share};
    };
    look("TTFT", c.limits.ttft, c.ttft_attainment);
    look("ITL", c.limits.itl, c.itl_attainment);
    look("E2E", c.limits.e2e, c.e2e_attainment);
  }
  return least;
}

}  // namespace plimsoll
