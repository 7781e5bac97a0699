// What a forecast comes to: whether the deployment handles it, what runs out and when, what to add.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "forecast/outlook/event_paths.h"
#include "report/answer/reasons.h"
#include "report/forecast/forecast.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

std::string_view title_of(Resource resource) { return facts_of(resource).title; }

// With as many digits as it takes to tell them apart.
std::pair<std::string, std::string> amounts_apart(double one, double other) {
  std::pair<std::string, std::string> texts{amount_text(one), amount_text(other)};
  const auto exact = [](double value, int digits) {
    constexpr double kThousand = 1000;
    return value < kThousand ? fmt::format("{:.{}g}", value, digits) : grouped(std::llround(value));
  };
  for (int digits = 4; texts.first == texts.second && digits < 9; ++digits)
    texts = {exact(one, digits), exact(other, digits)};
  return texts;
}

std::string used_text(const SheetRow& row) {
  const std::string sign = row.resource == Resource::budget ? "$" : "";
  const double used = *row.utilisation();
  if (used > 1) {
    const auto [needed, there] = amounts_apart(*row.forecast_p95, *row.capacity);
    if (row.resource == Resource::queue_delay)
      return fmt::format("its p95 is {} ms, and the limit is {} ms", needed, there);
    return fmt::format("the forecast needs {}{}, and the capacity is {}{}", sign, needed, sign,
                       there);
  }
  return fmt::format("the forecast takes {} of {}", share_text(used),
                     amount_text(row.resource, *row.capacity));
}

std::string others_text(const ForecastReport& r, const SheetRow& row) {
  std::vector<std::string> others;
  for (const SheetRow& other : r.headroom.rows) {
    const double used = other.utilisation().value_or(0);
    if (other.resource == row.resource || used <= 1) continue;
    if (other.resource == Resource::queue_delay) {
      others.push_back(fmt::format("queue delay p95 {} ms, limit {} ms",
                                   amount_text(*other.forecast_p95), amount_text(*other.capacity)));
      continue;
    }
    others.push_back(std::isinf(used) ? fmt::format("{} (none handled)", title_of(other.resource))
                                      : fmt::format("{} ({} of capacity)", title_of(other.resource),
                                                    percent(used)));
  }
  return others.empty() ? "" : "; also short: " + join(others, ", ");
}

// The largest cached share of a route, where it is so large, or was counted by an engine, that
// sessions may be behind it; 0 of any other.
double shared_prefix(const ForecastReport& r) {
  constexpr double kLarge = 0.5;
  constexpr double kLargeIfCounted = 0.1;
  const bool is_counted =
      std::ranges::count(r.routes_ahead, RouteFigure::cached_share, &RouteOutlook::figure) > 0;
  double most = 0;
  for (const Route& route : r.request.forecast) {
    if (!route.from_provider && !route.sessions) most = std::fmax(most, route.cached_share);
  }
  return most >= (is_counted ? kLargeIfCounted : kLarge) ? most : 0;
}

void doubt(const ForecastReport& r, const RunwayRow* ahead, Decision* d) {
  if (r.headroom.interrupted) d->doubts.emplace_back(Doubt::interrupted);
  const auto& peak = r.headroom.forecast;
  if (peak && peak->line.is_known && peak->held().low < 1 && !is_short(r))
    d->doubts.emplace_back(Doubt::peak_share, std::fmax(0, peak->held().low));
  const bool chance_is_known = r.runway && !r.runway->too_short();  // which says as much
  double band = 0;
  for (const SheetRow& row : r.headroom.rows) {
    if (!chance_is_known && row.forecast_band && row.capacity && *row.capacity > 0)
      band = std::fmax(band, row.forecast_band->high / *row.capacity);
  }
  if (band > 1 && !is_short(r)) d->doubts.emplace_back(Doubt::band, band);
  if (ahead != nullptr && ahead->runway.probability() > kAcceptedRisk &&
      ahead->runway.probability() < kEvenOdds) {
    d->doubts.emplace_back(Doubt::run_out, ahead->runway.probability());
  }
  if (const double share = shared_prefix(r); share > 0 && !r.deployment.empty())
    d->doubts.emplace_back(Doubt::shared_prefix, share);
  if (!r.runway) return;
  for (const RunwayRow& row : r.runway->rows) {
    if (!row.outlook.too_short) continue;
    d->doubts.emplace_back(Doubt::short_history, row.outlook.enough_values);
    return;
  }
}

// Of a forecast that leaves even one GPU all but idle; empty of any other.
std::string tiny_text(const ForecastReport& r, const SheetRow* gpus) {
  constexpr double kTiny = 0.02;  // of one GPU
  const auto& peak = r.headroom.forecast;
  if (!peak || !peak->line.is_known || peak->line.factor <= 0) return {};
  if (gpus == nullptr || !gpus->forecast_p95) return {};
  const double share = *gpus->forecast_p95 / peak->line.factor;
  if (share >= kTiny) return {};
  return fmt::format("The peak takes {} of one GPU: buy an API", percent(share));
}

std::optional<double> headroom_of(const ForecastReport& r, const SheetRow& row) {
  const auto& peak = r.headroom.forecast;
  const double handled = peak && peak->line.is_known ? peak->line.factor : INFINITY;
  // More requests are no longer ones, and take no more GPUs until somebody adds them: neither row
  // says how many requests there may be.
  const bool is_load = row.resource != Resource::context_tokens && row.resource != Resource::gpus;
  const double most = is_load ? std::fmin(handled, 1 / *row.utilisation()) : handled;
  return std::isfinite(most) ? std::optional(most - 1) : std::nullopt;
}

std::string nearest_text(Resource resource) {
  if (resource == Resource::budget) return "the monthly bill comes nearest to its limit";
  if (resource == Resource::queue_delay) return "the queue delay comes nearest to its limit";
  return std::string(title_of(resource)) + " come nearest to their capacity";
}

// Where no usual day goes above a line, but odd ones do as they came: what is ordered is for these.
std::string odd_days_text(const ForecastReport& r, const RunwayRow* ahead) {
  if (ahead == nullptr || !r.history || ahead->peak[kNinety] <= ahead->line) return {};
  const Outlook& outlook = ahead->outlook;
  const bool is_usual = std::ranges::any_of(
      outlook.bands, [&](const BandQuantiles& band) { return band[kNinety] > ahead->line; });
  std::vector<Event> odd = outlook.events.odd;
  std::erase_if(odd, [](const Event& event) { return event.log_size <= 0; });
  if (is_usual || odd.empty()) return {};
  const History& history = r.history->history;
  const double last_s = history.start_s + history.step_s * static_cast<double>(odd.back().at);
  return fmt::format(
      "only {} like {} ({} times the usual) {} above the capacity: if they cannot come again, "
      "leave "
      "them out by \"events\"",
      counted(std::ssize(odd), "odd day"), moment_text(*r.runway, last_s),
      three_digits(odd.back().times), odd.size() == 1 ? "is" : "are");
}

// A fall of a few days that may be over soon.
std::string young_fall_text(const RunwayRow* ahead) {
  if (ahead == nullptr || !ahead->outlook.events.undecided) return {};
  const Events& events = ahead->outlook.events;
  if (events.shifts.back().log_size >= 0) return {};
  return fmt::format("demand fell {} ago, and returns with a chance of {}",
                     counted(static_cast<std::int64_t>(*events.undecided), "day"),
                     percent(1 - chance_to_stay(*events.undecided)));
}

// What runs out, and when where that is known.
void answer_shortage(const ForecastReport& r, const SheetRow& row, const RunwayRow* ahead,
                     Decision* d) {
  const bool is_dated =
      ahead != nullptr && ahead->resource == row.resource && ahead->runway.time_at(kEvenOdds);
  d->answer = run_out_text(row.resource);
  if (is_dated) {
    d->date = moment_text(*r.runway, *ahead->runway.time_at(kEvenOdds));
    const std::string early = moment_text(*r.runway, ahead->runway.time_at(0.1).value_or(0));
    const double even_s = *ahead->runway.time_at(kEvenOdds);
    if (even_s < r.runway->now_s || (even_s == r.runway->now_s && ahead->is_over_now)) {
      d->answer += " already";
    } else if (moment_text(*r.runway, ahead->runway.time_at(0.9).value_or(0)) == early) {
      d->answer += fmt::format(" by {} ({} chance)", d->date, percent(ahead->runway.probability()));
    } else if (early == d->date) {
      d->answer += fmt::format(" by {} (50 % chance)", d->date);
    } else {
      d->answer += fmt::format(" by {} (50 % chance; 10 % by {})", d->date, early);
    }
  }
  d->contrast = used_text(row) + others_text(r, row);
  if (!r.runway) {
    d->contrast += "; without a history no date is known";
  } else if (const RunwayRow* own = find_in(r.runway->rows, row.resource, &RunwayRow::resource);
             own != nullptr && own->runway.known && !is_dated && !own->outlook.point.empty()) {
    d->contrast += fmt::format("; within the horizon, to {}, the chance is {}",
                               moment_text(*r.runway, own->outlook.time_of(own->outlook.horizon())),
                               percent(own->runway.probability()));
  }
}

void add_contrast(std::string text, Decision* d) {
  if (text.empty()) return;
  d->contrast += (d->contrast.empty() ? "" : "; ") + std::move(text);
}

// A shortage that is not there today, and that a history of so few values only guesses at.
const RunwayRow* guess_of(const ForecastReport& r, const SheetRow& row) {
  if (!r.runway || row.baseline_p95.value_or(INFINITY) > row.capacity.value_or(0)) return nullptr;
  return find_where(r.runway->rows, [](const RunwayRow& each) { return each.outlook.too_short; });
}

void answer_guess(const SheetRow& row, const RunwayRow& guess, Decision* d) {
  d->settle(Answer::unclear);
  d->answer = "the history is too short to tell whether " + run_out_text(row.resource);
  d->contrast = used_text(row);
  d->action = fmt::format("Give a history of {} values or more", guess.outlook.enough_values);
  d->headroom.reset();
}

// Everything is there for the forecast itself, but not for a loss that has to be survived.
void answer_loss(const ForecastReport& r, const LossPlan& loss, Decision* d) {
  const std::string what =
      fmt::format("the loss of {} at {}", name_of(loss.loss), peak_text(r, loss));
  if (loss.is_close()) {
    d->answer = fmt::format("whether the deployment survives {} is too close to call", what);
  } else {
    d->answer = fmt::format("the deployment does not survive {}, {}", what,
                            loss.gpus > 0 ? fmt::format("which takes {}", counted(loss.gpus, "GPU"))
                                          : "and no number of instances is known to be enough");
  }
  d->headroom.reset();
}

}  // namespace

bool is_short(const ForecastReport& r) {
  const bool any = std::ranges::any_of(r.headroom.rows, [](const SheetRow& row) {
    return row.risk() == Risk::shortfall || row.risk() == Risk::memory_risk;
  });
  const auto& peak = r.headroom.forecast;
  return any || (peak && (peak->probe.answer == Answer::fails || refused_share(*peak)));
}

Decision decision_of(const ForecastReport& r) {
  Decision d;
  d.question = "the forecast " + (r.request.name.empty() ? r.request.file : r.request.name);
  if (!r.headroom.binding) {
    d.answer = "no resource has both a demand and a capacity";
    return d;
  }
  const SheetRow& row = *r.headroom.row_of(*r.headroom.binding);
  const RunwayRow* ahead = r.runway ? r.runway->first_to_run_out() : nullptr;
  const auto& peak = r.headroom.forecast;
  const bool runs_out = row.utilisation() > 1 || (ahead != nullptr && ahead->runway.time_at(0.5));
  doubt(r, ahead, &d);
  if (ahead != nullptr) d.confidence = std::fmin(0.99, 1 - ahead->runway.probability());
  if (!runs_out) d.headroom = headroom_of(r, row);
  d.action = action_of(r);
  if (const std::string tiny = tiny_text(r, r.headroom.row_of(Resource::gpus)); !tiny.empty())
    d.action = tiny;
  const RunwayRow* guess = guess_of(r, row);
  if (guess != nullptr && (runs_out || is_short(r))) {
    answer_guess(row, *guess, &d);
    return d;
  }
  const LossPlan* loss = unsurvived_loss(r);
  const bool is_lost = loss != nullptr && !loss->is_close();
  const bool is_unclear = loss != nullptr || (peak && peak->probe.answer != Answer::holds);
  d.settle(runs_out || is_short(r) || is_lost ? Answer::fails
           : is_unclear                       ? Answer::unclear
                                              : Answer::holds);
  if (runs_out) {
    answer_shortage(r, row, ahead, &d);
  } else if (peak && refused_share(*peak)) {
    d.answer = percent(*refused_share(*peak)) +
               " of the requests exceed the context window and are refused";
    d.action = capitalised(remedy_text(r, Resource::context_tokens));
    if (const std::string order = gpu_order_text(r); !order.empty()) d.action += "; " + order;
    d.headroom.reset();
  } else if (peak && peak->probe.answer == Answer::fails) {
    d.answer = "no resource runs out alone, but the whole forecast at once is not handled: " +
               reason_text(peak->probe, r.request.slos);
  } else if (loss != nullptr) {
    answer_loss(r, *loss, &d);
  } else {
    d.answer = fmt::format("{}: {}, at {} of {}{}",
                           d.verdict == DecisionVerdict::not_shown
                               ? "whether the forecast fits is too close to call"
                               : "the forecast " + d.likely("fits"),
                           nearest_text(row.resource), share_text(*row.utilisation()),
                           row.resource == Resource::budget ? "$" : "", amount_text(*row.capacity));
    if (d.verdict == DecisionVerdict::not_shown) {
      d.contrast = reason_text(peak->probe, r.request.slos);
      d.headroom.reset();
    }
  }
  add_contrast(odd_days_text(r, ahead), &d);
  if (std::string fall = young_fall_text(ahead); !fall.empty()) {
    if (d.headroom) d.headroom = std::fmin(*d.headroom, ahead->line / ahead->peak.back() - 1);
    add_contrast(std::move(fall), &d);
  }
  return d;
}

std::string forecast_verdict(const ForecastReport& r) { return decision_text(decision_of(r)); }

}  // namespace plimsoll
