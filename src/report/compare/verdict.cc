#include "report/compare/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/form/table.h"

namespace plimsoll {
namespace {

std::string quantity(const ComparedFigure& f, double value) {
  const Unit unit = unit_of(f, value);
  return unit.with(number_text(f, value, unit.scale));
}

// "109 ms [107, 111]"
std::string quantity(const ComparedFigure& f, const ReplicatedMean& m) {
  const Unit unit = unit_of(f, m.mean);
  std::string text = quantity(f, m.mean);
  if (!m.interval || m.interval->low == m.interval->high) return text;
  // None is below 0, and no share above all.
  const double low = m.mean < 0 ? m.interval->low : std::fmax(0, m.interval->low);
  const double high = f.unit == "%" ? std::fmin(1, m.interval->high) : m.interval->high;
  return text +
         fmt::format(" [{}, {}]", three_digits(low / unit.scale), three_digits(high / unit.scale));
}

std::size_t cost_figure() {
  const auto keys = compared_figure_keys();
  return static_cast<std::size_t>(std::ranges::find(keys, "usd_per_hour") - keys.begin());
}

class Judge {
 public:
  Judge(const Comparison& comparison, const ComparisonFacts& facts)
      : c_(comparison), facts_(facts) {}

  ComparisonVerdict verdict() const {
    if (!c_.best) return {ComparisonOutcome::no_figure, no_figure()};
    const ComparedVariant& best = c_.variants[*c_.best];
    ComparisonVerdict v = by_figure();
    if (!best.holds) {
      return {ComparisonOutcome::overloaded, "no variant holds this load. " + v.sentence};
    }
    if (best.turns_lengths_away()) {
      v = {ComparisonOutcome::too_long,
           fmt::format("no variant serves this load: {} of the requests are too long for {}. {}",
                       percent(best.too_long_share), best.name,
                       rivals().empty() ? best.name + " serves the most." : v.sentence)};
    } else if (best.misses_limits()) {
      v = {ComparisonOutcome::too_slow,
           fmt::format("no variant keeps its limits for {} of the requests. {}",
                       percent(kNearlyAll), v.sentence)};
    }
    const std::string doubt = doubt_of_model(c_, facts_, rivals());
    if (!doubt.empty() && v.outcome == ComparisonOutcome::better)
      v.outcome = ComparisonOutcome::undecided;
    v.sentence += doubt;
    if (const ComparedVariant* other = serves_more_than_best()) {
      if (v.outcome == ComparisonOutcome::better) v.outcome = ComparisonOutcome::undecided;
      v.sentence += fmt::format(
          " But {} leaves {} of the requests unserved, which no latency counts; {} leaves {}.",
          best.name, percent(best.unserved_share), other->name,
          other->unserved_share > 0 ? percent(other->unserved_share) : "none");
    }
    if (v.outcome != ComparisonOutcome::tie) v.sentence += too_short_to_tell(c_);
    std::vector<std::string> broken;
    for (const ComparedVariant& variant : c_.variants) {
      if (!variant.holds) broken.push_back(variant.name);
      if (!best.misses_limits() && variant.tier() == 1) v.sentence += miss_of(variant);
      if (variant.tier() == 2 && variant.too_long_share > best.too_long_share)
        v.sentence += too_long_of(variant);
    }
    const VerdictCounts& runs = c_.variants[*c_.best].verdicts;
    if (2 * runs.too_short > c_.seeds) {
      if (v.outcome == ComparisonOutcome::tie || v.outcome == ComparisonOutcome::better)
        v.outcome = ComparisonOutcome::too_short;
      v.sentence += " These runs are too short to say whether the load is held.";
    }
    if (broken.empty()) return v;
    v.sentence += fmt::format(" {} do{} not hold this load.", in_words(broken),
                              broken.size() == 1 ? "es" : "");
    return v;
  }

 private:
  const ComparedFigure& leading() const { return compared_figure(c_.leading); }
  const std::string& name(std::size_t variant) const { return c_.variants[variant].name; }
  const ReplicatedMean& mean(std::size_t variant) const {
    return c_.variants[variant].figures[c_.leading]->mean;
  }

  std::string no_figure() const {
    return fmt::format("no variant has a {} in all its runs.", leading().title);
  }

  std::string value_of_best() const {
    return fmt::format("{} {}", leading().title, quantity(leading(), mean(*c_.best)));
  }

  // "12.9 ms (10.3 %) less than least-loaded", or, of the first, which the table has as the base,
  // "12.9 ms (11.5 %) more with least-loaded".
  std::string distance_to(const Difference& d) const {
    const bool from_best = *c_.best == 0;
    const double base = std::fabs(mean(from_best ? *c_.best : d.variant).mean);
    const double distance = std::fabs(d.paired.mean);
    const bool is_share = leading().unit == "%";  // of which percents are points
    std::string text = is_share ? three_digits(100 * distance) + " percentage points"
                                : quantity(leading(), distance);
    if (base > 0 && !is_share) text += fmt::format(" ({})", percent(distance / base));
    const bool is_more = leading().more_is_better != from_best;
    return fmt::format("{} {} {} {}", text, is_more ? "more" : "less", from_best ? "with" : "than",
                       name(d.variant));
  }

  // What stands behind the best, of those that hold the load, and keep their limits, as it does.
  std::vector<Difference> rivals() const {
    std::vector<Difference> out;
    for (const Difference& d : c_.from_best) {
      const ComparedVariant& other = c_.variants[d.variant];
      const ComparedVariant& best = c_.variants[*c_.best];
      const bool serve_the_same =
          !best.turns_lengths_away() || other.too_long_share == best.too_long_share;
      if (other.tier() == best.tier() && serve_the_same) out.push_back(d);
    }
    std::ranges::stable_sort(out, {}, [](const Difference& d) { return std::fabs(d.paired.mean); });
    return out;
  }

  // The rival that serves most, where the best by a latency serves clearly fewer; else null.
  const ComparedVariant* serves_more_than_best() const {
    const ComparedVariant& best = c_.variants[*c_.best];
    if (leading().unit != "ms" || best.turns_lengths_away()) return nullptr;
    const ComparedVariant* most = &best;
    for (const Difference& d : rivals()) {
      const ComparedVariant& other = c_.variants[d.variant];
      if (other.unserved_share < most->unserved_share) most = &other;
    }
    return best.unserved_share > most->unserved_share + kManyUnserved ? most : nullptr;
  }

  ComparisonVerdict by_figure() const {
    const std::vector<Difference> behind = rivals();
    if (behind.empty()) return {ComparisonOutcome::better, alone()};
    std::vector<std::size_t> tied{*c_.best};
    bool equal = true;
    const Difference* next = nullptr;
    for (const Difference& d : behind) {
      const bool apart = c_.seeds > 1 ? d.matters() : !d.paired.equal;
      if (!apart) {
        tied.push_back(d.variant);
        equal = equal && d.paired.equal;
      } else if (next == nullptr) {
        next = &d;
      }
    }
    if (tied.size() > 1) {
      const bool is_open = std::ranges::any_of(
          tied, [this](std::size_t v) { return !not_shown_to_hold(v).empty(); });
      return {is_open ? ComparisonOutcome::undecided : ComparisonOutcome::tie,
              tie(tied, equal, next)};
    }
    return {c_.seeds > 1 ? ComparisonOutcome::better : ComparisonOutcome::undecided, apart(*next)};
  }

  std::string alone() const {
    const bool any_misses = std::ranges::any_of(
        c_.variants, [](const ComparedVariant& variant) { return variant.tier() == 1; });
    return fmt::format("{}, with {}, is the only one that {}.", name(*c_.best), value_of_best(),
                       c_.from_best.empty() ? "yields that figure in every run"
                       : 2 * c_.variants[*c_.best].verdicts.steady < c_.seeds ? "is not overloaded"
                       : any_misses && !c_.variants[*c_.best].misses_limits()
                           ? "holds this load within its limits"
                           : "holds this load");
  }

  std::string apart(const Difference& next) const {
    const std::string text =
        fmt::format("{} leads with {}: {}", name(*c_.best), value_of_best(), distance_to(next));
    if (c_.seeds > 1) {
      return fmt::format("{}, a real difference (95 %, {} seeds).{}{}{}", text, c_.seeds,
                         trade_off(c_, next.variant), costs_beside(next.variant), far_behind());
    }
    if (facts_.recorded) {
      return text + " on this trace. Whether that holds for other traffic, one trace cannot tell.";
    }
    return text + ". One seed cannot separate a difference from chance.";
  }

  // Where the better one has another price than the next.
  std::string costs_beside(std::size_t next) const {
    const ReplicatedMean* costs = cost_of(*c_.best);
    const ReplicatedMean* instead = cost_of(next);
    if (costs == nullptr || instead == nullptr || costs->mean == instead->mean) return {};
    const ComparedFigure& f = compared_figure(cost_figure());
    return fmt::format(" It costs {} per hour instead of {}.", quantity(f, costs->mean),
                       quantity(f, instead->mean));
  }

  // The last of several, if it has at best half of what the best one has.
  std::string far_behind() const {
    const Difference last = rivals().back();
    const double mean_of_last = mean(last.variant).mean;
    const double greater = std::fmax(std::fabs(mean_of_last), std::fabs(mean(*c_.best).mean));
    if (c_.variants.size() < 3 || 2 * std::fabs(last.paired.mean) < greater) return {};
    return fmt::format(" {} is far behind, with {}.", name(last.variant),
                       quantity(leading(), mean_of_last));
  }

  std::string names_of(const std::vector<std::size_t>& variants) const {
    return in_words(mapped(variants, [this](std::size_t v) { return name(v); }));
  }

  // What it costs, unless that is what is compared anyway.
  const ReplicatedMean* cost_of(std::size_t variant) const {
    const auto& costs = c_.variants[variant].figures[cost_figure()];
    return costs && leading().unit != "$" ? &costs->mean : nullptr;
  }

  // Of those that cannot be told apart the cheapest, where not all cost the same.
  std::string cheapest_of(const std::vector<std::size_t>& tied) const {
    std::vector<std::size_t> cheapest;
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const std::size_t variant : tied) {
      const ReplicatedMean* cost = cost_of(variant);
      if (cost == nullptr) return {};
      if (cost->mean < least) cheapest.clear();
      if (cost->mean <= least) cheapest.push_back(variant);
      least = std::fmin(least, cost->mean);
      most = std::fmax(most, cost->mean);
    }
    if (least == most) return {};
    const ComparedFigure& f = compared_figure(cost_figure());
    std::string text =
        fmt::format(" {} cost{} less: {} per hour instead of {}{}", names_of(cheapest),
                    cheapest.size() == 1 ? "s" : "", quantity(f, least),
                    tied.size() > cheapest.size() + 1 ? "up to " : "", quantity(f, most));
    return text + ".";
  }

  // Neither a figure nor a price is advice where most runs say nothing about a steady state; empty
  // if they do, or if the verdict says so of all.
  std::string not_shown_to_hold(std::size_t variant) const {
    const VerdictCounts& runs = c_.variants[variant].verdicts;
    const VerdictCounts& of_best = c_.variants[*c_.best].verdicts;
    if (2 * runs.steady >= c_.seeds || 2 * of_best.too_short > c_.seeds) return {};
    return fmt::format(
        " But {} was steady in {} of {} seeds: longer runs have to show that it holds this load.",
        name(variant), runs.steady == 0 ? "none" : std::to_string(runs.steady), c_.seeds);
  }

  std::string tie(const std::vector<std::size_t>& tied, bool equal, const Difference* next) const {
    std::string text = fmt::format("no clear difference between {}: {} with {}.", names_of(tied),
                                   value_of_best(), name(*c_.best));
    if (equal) {
      text = fmt::format("{} have the same {} in every run: {}.", names_of(tied), leading().title,
                         quantity(leading(), mean(*c_.best)));
    }
    if (next != nullptr) text += fmt::format(" That is {}.", distance_to(*next));
    text += cheapest_of(tied);
    for (const std::size_t variant : tied) text += not_shown_to_hold(variant);
    return text + uncertain();
  }

  // Of those that cannot be told apart, the one whose figure is least known, where that is why.
  std::string uncertain() const {
    constexpr double kApart = 0.10;
    const Difference* widest = nullptr;
    const double best = mean(*c_.best).mean;
    const std::vector<Difference> all = rivals();
    for (const Difference& d : all) {
      const bool tied = c_.seeds > 1 && !d.matters() && !d.paired.equal;
      if (!tied || std::fabs(d.paired.mean) <= kApart * std::fabs(best)) continue;
      if (widest == nullptr || std::fabs(d.paired.mean) > std::fabs(widest->paired.mean))
        widest = &d;
    }
    if (widest == nullptr) return {};
    const bool is_short = 2 * c_.variants[*c_.best].verdicts.too_short > c_.seeds;
    return fmt::format(" The {} of {}, {}, is too uncertain to rank: {} may settle it.",
                       leading().title, name(widest->variant),
                       quantity(leading(), mean(widest->variant)),
                       is_short ? "longer runs" : "more seeds");
  }

  const Comparison& c_;
  const ComparisonFacts& facts_;
};

}  // namespace

const ComparedFigure& compared_figure(std::size_t f) { return compared_figures()[f]; }

Unit unit_of(const ComparedFigure& f, double largest) {
  if (f.unit == "ms") return {unit_for(std::fabs(largest)).ms, unit_for(std::fabs(largest)).name};
  return {f.unit == "%" ? 0.01 : 1, std::string(f.unit)};
}

std::string number_text(const ComparedFigure& f, double value, double scale) {
  return f.key == "usd_per_hour" ? fmt::format("{:.2f}", value) : three_digits(value / scale);
}

std::string_view ComparisonVerdict::label() const {
  constexpr std::array kLabels{"better",   "undecided", "tie",        "too short",
                               "too slow", "too long",  "overloaded", "nothing to compare"};
  static_assert(kLabels.size() == static_cast<std::size_t>(ComparisonOutcome::no_figure) + 1);
  return kLabels[static_cast<std::size_t>(outcome)];
}

Mood ComparisonVerdict::mood() const {
  if (outcome == ComparisonOutcome::better) return Mood::good;
  const bool is_bad = outcome == ComparisonOutcome::overloaded ||
                      outcome == ComparisonOutcome::too_long ||
                      outcome == ComparisonOutcome::too_slow;
  return is_bad ? Mood::bad : Mood::doubtful;
}

ComparisonVerdict verdict_of(const Comparison& comparison, const ComparisonFacts& facts) {
  return Judge(comparison, facts).verdict();
}

Decision decision_of(const Comparison& comparison, const ComparisonFacts& facts) {
  const ComparisonVerdict verdict = verdict_of(comparison, facts);
  Decision d;
  d.question =
      fmt::format("which variant has the best {}", compared_figure(comparison.leading).title);
  d.answer = fmt::format("{}: {}", verdict.label(), verdict.sentence);
  if (d.answer.ends_with('.')) d.answer.pop_back();
  d.says_confidence = true;
  d.verdict = verdict.outcome == ComparisonOutcome::better ? DecisionVerdict::yes
              : verdict.mood() == Mood::bad                ? DecisionVerdict::no
                                                           : DecisionVerdict::not_shown;
  if (d.verdict == DecisionVerdict::yes && comparison.seeds > 1) d.confidence = kComparisonLevel;
  return d;
}

std::string comparison_verdict(const Comparison& comparison, const ComparisonFacts& facts) {
  const ComparisonVerdict verdict = verdict_of(comparison, facts);
  return fmt::format("{}: {}\n", verdict.label(), verdict.sentence);
}

}  // namespace plimsoll
