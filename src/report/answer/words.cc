#include "report/answer/words.h"

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "metrics/intervals.h"
#include "planner/headroom.h"
#include "report/answer/reasons.h"
#include "report/form/page.h"

namespace plimsoll {
namespace {

std::string filled_in(char how, std::string_view words, double figure) {
  const std::int64_t whole = std::llround(figure);
  switch (how) {
    case 'n':
      return words.empty() ? grouped(whole) : counted(whole, std::string(words.substr(1)));
    case 'i':
      return std::to_string(whole);
    case '%':
      return percent(figure);
    case 's':
      return ms_or_s(figure);
    case 'd':
      return three_digits(figure);
    case '$':
      return dollars(figure);
    case '?':
      return figure > 0 ? std::string(words) : "";
    default:
      return "";
  }
}

std::string kept_text(Answer answer) {
  return answer == Answer::holds ? "yes" : answer == Answer::fails ? "no" : "unclear";
}

}  // namespace

std::string spread_text(double log_error, std::string_view sign) {
  constexpr double kAlike = 0.2;  // up to which as much more and as much less are nearly the same
  const double share = std::expm1(log_error);
  return share < kAlike ? std::string(sign) + percent(share)
                        : "a factor of " + three_digits(1 + share);
}

std::string sentence(std::string_view form, const decltype(Because<int>::figures)& figures) {
  std::string text;
  for (std::size_t next = 0;; ++next) {
    const std::size_t open = form.find('{');
    text += form.substr(0, open);
    if (open == std::string_view::npos) return text;
    const std::size_t close = form.find('}', open);
    text += filled_in(form[open + 1], form.substr(open + 2, close - open - 2), figures.at(next));
    form.remove_prefix(close + 1);
  }
}

std::string four_digits(double rps) {
  constexpr double kWhole = 999.95;
  if (rps >= kWhole) return grouped(std::llround(rps));
  const int digits = rps > 0 ? static_cast<int>(std::floor(std::log10(rps))) : 0;
  return fmt::format("{:.{}f}", rps, std::clamp(3 - digits, 0, 9));
}

std::string kernels_text(Regime regime) {
  switch (regime) {
    case Regime::measured:
      return "measured kernels";
    case Regime::formats:
      return "measured kernels, here with experts or narrow weights";
    case Regime::transferred:
      return "transferred kernels";
    case Regime::unknown:
      return "unmeasured kernels";
    case Regime::calibrated:
      break;
  }
  return "calibrated";
}

std::string error_text(const ModelError& error, const std::vector<Slo>& slos) {
  const auto spread = [](double z, const char* preposition) {
    const std::string text = spread_text(z, "+-");
    return text.starts_with('+') ? text : preposition + text;
  };
  std::string text = "steps " + spread(error.step, "within ");
  std::vector<std::string> beside;
  for (const Slo& slo : slos) {
    const double z = error_beside_steps(error, slo.metric, slo.percentile.value_or(0));
    if (z <= 0) continue;
    const std::string by = spread(z, "");
    add_once(&beside, by + (by.starts_with('+') ? " of " : " for ") + name_of(slo));
  }
  return beside.empty() ? text : text + ", plus " + join(beside, ", ");
}

std::string dollars(double usd) { return fmt::format("${:.2f}", usd); }
std::string hourly_dollars(double usd) { return dollars(usd) + "/h"; }
std::string whole_dollars(double usd) { return "$" + grouped(std::llround(usd)); }

std::string unserved_text(double share) {
  constexpr double kFew = 0.001;
  return share < kFew ? "" : ", while " + percent(share) + " of the requests are not served";
}

std::string rate_text(double rps) {
  std::string digits = four_digits(rps);
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  return digits + " req/s";
}

std::string load_text(double rps, const LoadUnit& unit) {
  return unit.counts_users() ? counted(unit.users(rps), "user") : rate_text(rps);
}

std::string rough_load_text(double rps, const LoadUnit& unit) {
  return unit.counts_users() ? load_text(rps, unit) : three_digits(rps) + " req/s";
}

std::string seeds_text(const std::vector<Slo>& slos, const LoadProbe& held) {
  if (held.seeds == 1) return "held with one seed; others may sustain 2 % less";
  std::string text = fmt::format("held with {} seeds", held.seeds);
  for (std::size_t i = 0; i < slos.size(); ++i) {
    const auto& range = held.slos[i].over_seeds_ms;
    if (!range) continue;
    const std::string low = ms_or_s(range->low / 1e3);
    const std::string high = ms_or_s(range->high / 1e3);
    text += ", " + name_of(slos[i]) + " " + (low == high ? low : low + " to " + high);
  }
  return text;
}

std::string binding_text(const LoadProbe& held, const LoadProbe* failing,
                         const std::vector<Slo>& slos, std::string_view where) {
  const ShortResource binds = held.summary.bottleneck.resource;
  const std::string name(name_of(binds));
  if (failing == nullptr) return name;
  std::string what(name_of(failing->summary.bottleneck.resource));
  if (what == name && binds != ShortResource::nothing) return name;
  for (std::size_t i = 0; i < slos.size() && i < failing->slos.size(); ++i) {
    if (failing->slos[i].answer == Answer::fails && !failing->state.grows())
      what = name_of(slos[i]);
  }
  if (what == name) return name;
  // Where nothing binds at the limit, what gives way beyond it is named alone.
  what += " " + std::string(where);
  return binds == ShortResource::nothing ? what : fmt::format("{} ({})", name, what);
}

std::string headroom_text(double asked_rps, double good_rps, double bad_rps, const LoadUnit& unit) {
  if (good_rps > asked_rps) {
    constexpr double kManyTimes = 10;
    const double times = good_rps / asked_rps;
    return fmt::format("{} are sustainable, {} asked for", load_text(good_rps, unit),
                       times < kManyTimes ? percent(times - 1) + " more than"
                                          : three_digits(times) + " times what is");
  }
  if (std::isinf(bad_rps)) return "no headroom demonstrated";
  return fmt::format("no headroom demonstrated; it is below {}",
                     percent(headroom_below(asked_rps, bad_rps)));
}

std::string limits_table(const LoadProbe& probe, const std::vector<Slo>& slos,
                         const std::string& prefix, const LoadUnit& unit) {
  PageTable table(fmt::format("At {}, over {} requests", rough_load_text(probe.rate_rps, unit),
                              grouped(probe.requests)),
                  {"limit", "value", "90 % interval", "target", "margin", "kept?"});
  for (std::size_t i = 0; i < slos.size() && i < probe.slos.size(); ++i) {
    const SloFigure& f = probe.slos[i];
    const double target = to_ms(slos[i].limit);
    const auto text_of_ms = [](double ms) { return ms_or_s(ms / 1e3); };
    const bool by_share = slos[i].metric == &GroupSummary::itl && slos[i].percentile;
    const bool grows = probe.state.grows();  // latencies say how long the test was
    const std::string interval =
        grows           ? "none: latencies grow"
        : f.interval_ms ? text_of_ms(f.interval_ms->low) + " to " + text_of_ms(f.interval_ms->high)
        : by_share      ? "judged by the share of gaps above the target"
                        : "its runs vary too much for one";
    const double below = f.margin(slos[i]);
    const PageTable::Cell margin =
        grows ? PageTable::Cell{"-", std::nan("")} : PageTable::Cell{percent(below), below};
    table.add({{name_of(slos[i])},
               {grows ? "grows" : text_of_ms(f.value_ms), f.value_ms, prefix + key_of(slos[i])},
               {interval},
               {text_of_ms(target), target},
               margin,
               {kept_text(f.answer)}});
  }
  return table.markup();
}

std::string offer_origin(const Price& price) {
  const std::string seller =
      price.region.empty() ? price.vendor : price.vendor + " " + price.region;
  std::vector<std::string> parts{price.vendor.empty() ? price.source : seller, price.date};
  std::erase(parts, "");
  append(&parts, remarks_on(price));
  return join(parts, ", ");
}

std::string offer_text(const Price& price) {
  return fmt::format("${} per GPU-hour ({})", three_digits(price.usd_per_gpu_hour()),
                     offer_origin(price));
}

std::string remarks_text(const Bill& bill) {
  std::vector<std::string> all;
  for (const BillLine& line : bill.lines) {
    for (std::string& remark : remarks_on(line.price)) add_once(&all, std::move(remark));
  }
  return join(all, ", ");
}

void put_offer(const Price& price, Json* out) {
  Json& to = *out;
  to["usd_per_gpu_hour"] = price.usd_per_gpu_hour();
  to["vendor"] = price.vendor;
  to["region"] = price.region;
  to["instance"] = price.instance;
  to["commitment"] = price.commitment;
  to["kind"] = price.kind;
  to["date"] = price.date;
  to["remarks"] = join(remarks_on(price), "; ");
  to["source"] = price.source;
}

bool leaves_idle(const LoadProbe* test) {
  return test != nullptr && test->summary.bottleneck.lever.cause == Remedy::spread_requests;
}

Because<Remedy> bucket_alone(const Because<Remedy>& lever) {
  if (lever.cause != Remedy::refill_and_instances) return lever;
  return {Remedy::faster_refill, lever.figures[0], lever.figures[1], lever.figures[3]};
}

std::string let_more_in(const LoadProbe* failing, double wanted_rps) {
  if (failing == nullptr) return {};
  Limit limit = failing->summary.bottleneck;
  if (limit.resource != ShortResource::admission) return {};
  limit.lever = bucket_alone(limit.lever);
  // The tokens that arrive are those of the rate that was tested.
  if (limit.lever.cause == Remedy::faster_refill)
    limit.lever.figures[0] *= wanted_rps / failing->rate_rps;
  return capitalised(remedy_text(limit.lever)) + " at " + rate_text(wanted_rps);
}

}  // namespace plimsoll
