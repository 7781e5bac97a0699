// The decision that a forecast comes to: whether the deployment handles it, what runs out and when,
// what to add.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "forecast/answer/choices.h"
#include "forecast/outlook/ways.h"
#include "report/answer/reasons.h"
#include "report/forecast/forecast.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

std::string_view title_of(Resource resource) { return facts_of(resource).title; }

// Both amounts, with as many digits as it takes to tell them apart.
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
  const double used = *row.utilisation();
  if (used > 1) {
    const auto [needed, there] = amounts_apart(*row.forecast_p95, *row.capacity);
    if (row.resource == Resource::queue_delay)
      return fmt::format("its p95 is {} ms, and the limit is {} ms", needed, there);
    if (row.resource == Resource::budget)
      return fmt::format("the forecast needs ${} a month, and the capacity is ${}", needed, there);
    return fmt::format("the forecast needs {} {}, and the capacity is {}", needed,
                       title_of(row.resource), there);
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

void add_doubts(const ForecastReport& r, const RunwayRow* ahead, Decision* d) {
  const auto doubt_if = [&](bool is_doubted, Doubt doubt, double figure = 0) {
    if (is_doubted) d->doubts.emplace_back(doubt, figure);
  };
  const bool holds = !r.is_short();
  const double held = r.least_at_peak();
  const double after_loss = r.least_after_loss();
  const double band = r.high_end_of_band();
  const double chance = ahead != nullptr ? ahead->runway.probability() : 0;
  const double shared = r.deployment.empty() ? 0 : r.shared_prefix();
  doubt_if(r.headroom.interrupted, Doubt::interrupted);
  doubt_if(holds && held < 1, Doubt::peak_share, std::fmax(0, held));
  if (holds && held >= 1 && after_loss < 1)
    d->doubts.emplace_back(Doubt::peak_share, after_loss, 1);
  doubt_if(holds && band > 1, Doubt::band, band);
  doubt_if(kAcceptedRisk < chance && chance < kEvenOdds, Doubt::run_out, chance);
  doubt_if(shared > 0, Doubt::shared_prefix, shared);
  if (const RunwayRow* row = r.with_short_history())
    d->doubts.emplace_back(Doubt::short_history, row->outlook.enough_values);
}

std::string nearest_text(Resource resource) {
  if (resource == Resource::budget) return "the monthly bill comes nearest to its limit";
  if (resource == Resource::queue_delay) return "the queue delay comes nearest to its limit";
  return std::string(title_of(resource)) + " come nearest to their capacity";
}

// Says that only odd days exceed the capacity, so that what is ordered is for them; empty where
// usual days do, too.
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
      "leave them out by \"events\"",
      counted(std::ssize(odd), "odd day"), moment_text(*r.runway, last_s),
      three_digits(odd.back().times), odd.size() == 1 ? "is" : "are");
}

// Says that demand fell a few days ago and may return; empty where it did not.
std::string young_fall_text(const RunwayRow* ahead) {
  if (ahead == nullptr || !ahead->outlook.events.undecided) return {};
  const Events& events = ahead->outlook.events;
  if (events.shifts.back().log_size >= 0) return {};
  return fmt::format("demand fell {} ago, and returns with a chance of {}",
                     counted(static_cast<std::int64_t>(*events.undecided), "day"),
                     percent(1 - chance_to_stay(*events.undecided)));
}

// " by 2026-12-02 (50 % chance)": when it is as likely as not that this has run out.
std::string date_text(const RunwaySheet& sheet, const RunwayRow& row) {
  const auto moment = [&](double chance) {
    return moment_text(sheet, row.runway.time_at(chance).value_or(0));
  };
  const double even_s = *row.runway.time_at(kEvenOdds);
  const std::string date = moment(kEvenOdds);
  const std::string early = moment(0.1);
  if (even_s < sheet.now_s || (even_s == sheet.now_s && row.is_over_now)) return " already";
  if (moment(0.9) == early)
    return fmt::format(" by {} ({} chance)", date, percent(row.runway.probability()));
  if (early == date) return fmt::format(" by {} (50 % chance)", date);
  return fmt::format(" by {} (50 % chance; 10 % by {})", date, early);
}

// Says why there is no date.
std::string undated_text(const ForecastReport& r, Resource resource) {
  if (!r.runway && r.request.history.path.empty()) return "; without a history no date is known";
  if (!r.runway) return {};
  const RunwayRow* row = find_in(r.runway->rows, resource, &RunwayRow::resource);
  if (row == nullptr || !row->runway.known || row->outlook.point.empty()) return {};
  return fmt::format("; within the horizon, to {}, the chance is {}",
                     moment_text(*r.runway, row->outlook.time_of(row->outlook.horizon())),
                     percent(row->runway.probability()));
}

// Answers with the resource that runs out, and with the date where that is known.
void answer_shortage(const ForecastReport& r, const SheetRow& row, const RunwayRow* ahead,
                     Decision* d) {
  const bool is_dated =
      ahead != nullptr && ahead->resource == row.resource && ahead->runway.time_at(kEvenOdds);
  d->answer = run_out_text(row.resource);
  d->contrast = used_text(row) + others_text(r, row);
  if (!is_dated) {
    d->contrast += undated_text(r, row.resource);
    return;
  }
  d->date = moment_text(*r.runway, *ahead->runway.time_at(kEvenOdds));
  d->answer += date_text(*r.runway, *ahead);
}

void add_contrast(std::string text, Decision* d) {
  if (text.empty()) return;
  d->contrast += (d->contrast.empty() ? "" : "; ") + std::move(text);
}

// A shortage that is not there today, and that a history of so few values only guesses at.
const RunwayRow* guess_of(const ForecastReport& r, const SheetRow& row) {
  const bool is_there = row.baseline_p95.value_or(INFINITY) > row.capacity.value_or(0);
  return is_there ? nullptr : r.with_short_history();
}

void answer_guess(const SheetRow& row, const RunwayRow& guess, Decision* d) {
  d->settle(Answer::unclear);
  std::stable_partition(d->doubts.begin(), d->doubts.end(), [](const Because<Doubt>& doubt) {
    return doubt.cause == Doubt::short_history;  // leads, as the reason
  });
  d->answer = "whether " + run_out_text(row.resource) + " is not known";
  d->contrast = used_text(row);
  d->action = fmt::format("Give a history of {} values or more", guess.outlook.enough_values);
  d->headroom.reset();
}

// Answers that the deployment handles the forecast, but not a loss that has to be survived.
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

// Answers with the share of the requests that are too long; the deployment handles the others.
void answer_refusal(const ForecastReport& r, double refused, Decision* d) {
  d->answer = percent(refused) + " of the requests exceed the context window and are refused";
  d->action = capitalised(remedy_text(r, Resource::context_tokens));
  if (const std::string order = gpu_order_text(r); !order.empty()) d->action += "; " + order;
  d->headroom.reset();
}

void answer_fit(const ForecastReport& r, const SheetRow& row, Decision* d) {
  const bool is_open = d->verdict == DecisionVerdict::not_shown;
  d->answer = fmt::format("{}: {}, at {} of {}{}",
                          is_open ? "whether the forecast fits is too close to call"
                                  : "the forecast " + d->likely("fits"),
                          nearest_text(row.resource), share_text(*row.utilisation()),
                          row.resource == Resource::budget ? "$" : "", amount_text(*row.capacity));
  if (!is_open) return;
  d->contrast = reason_text(r.headroom.forecast->probe, r.request.slos);
  d->headroom.reset();
}

// Answers with the busy hour that is not handled, or is too close to call.
void answer_hour(const ForecastReport& r, const ScenarioRow& hour, Decision* d) {
  d->answer = d->verdict == DecisionVerdict::no
                  ? "the " + hour.name + " is not handled"
                  : "whether the " + hour.name + " is handled is too close to call";
  d->contrast = reason_text(hour.peak->probe, r.request.slos);
  d->headroom.reset();
}

// Says that the sheet is harder than any hour of the forecast; empty where it is not.
std::string hours_text(const ForecastReport& r) {
  const ScenarioRow* hour = r.headroom.hardest_hour();
  const auto& peak = r.headroom.forecast;
  const bool is_harder = hour != nullptr && peak->probe.answer == Answer::fails &&
                         hour->peak->probe.answer == Answer::holds;
  return is_harder ? "that takes peaks of different hours at once, and each hour alone is handled"
                   : "";
}

// Adds what odd days and a recent fall of demand mean for the answer.
void qualify(const ForecastReport& r, const RunwayRow* ahead, Decision* d) {
  add_contrast(hours_text(r), d);
  add_contrast(odd_days_text(r, ahead), d);
  std::string fall = young_fall_text(ahead);
  if (fall.empty()) return;
  if (d->headroom) d->headroom = std::fmin(*d->headroom, ahead->line / ahead->peak.back() - 1);
  add_contrast(std::move(fall), d);
}

}  // namespace

Decision decision_of(const ForecastReport& r) {
  Decision d;
  d.question = "the forecast " + r.name();
  if (!r.headroom.binding) {
    d.answer = "no resource has both a demand and a capacity";
    return d;
  }
  const SheetRow& row = *r.headroom.row_of(*r.headroom.binding);
  const RunwayRow* ahead = r.runway ? r.runway->first_to_run_out() : nullptr;
  const auto& peak = r.headroom.forecast;
  const Answer at_peak = peak ? peak->probe.answer : Answer::holds;
  const ScenarioRow* hour = r.headroom.hardest_hour();
  const bool is_hour_missed = hour != nullptr && hour->peak->probe.answer != Answer::holds;
  const std::optional<double> refused = peak ? refused_share(*peak) : std::nullopt;
  const LossPlan* loss = r.unsurvived_loss();
  const bool runs_out = row.utilisation() > 1 || (ahead != nullptr && ahead->runway.time_at(0.5));
  const bool is_missed = runs_out || r.is_short();

  add_doubts(r, ahead, &d);
  if (ahead != nullptr) d.confidence = std::fmin(0.99, 1 - ahead->runway.probability());
  if (!runs_out) d.headroom = r.headroom_with(row);
  const auto tiny = share_of_idle_gpu(r);
  d.action =
      tiny ? fmt::format("The peak takes {} of one GPU: buy an API", percent(*tiny)) : action_of(r);
  if (const RunwayRow* guess = guess_of(r, row); guess != nullptr && is_missed) {
    answer_guess(row, *guess, &d);
    return d;
  }
  const bool is_lost = loss != nullptr && !loss->is_close();
  const bool is_open = loss != nullptr || at_peak != Answer::holds || is_hour_missed;
  d.settle(is_missed || is_lost ? Answer::fails : is_open ? Answer::unclear : Answer::holds);
  if (runs_out) {
    answer_shortage(r, row, ahead, &d);
  } else if (refused) {
    answer_refusal(r, *refused, &d);
  } else if (at_peak == Answer::fails) {
    d.answer = "no resource runs out alone, but the whole forecast at once is not handled: " +
               reason_text(peak->probe, r.request.slos);
  } else if (is_hour_missed) {
    answer_hour(r, *hour, &d);
  } else if (loss != nullptr) {
    answer_loss(r, *loss, &d);
  } else {
    answer_fit(r, row, &d);
  }
  qualify(r, ahead, &d);
  return d;
}

std::string forecast_verdict(const ForecastReport& r) { return decision_text(decision_of(r)); }

}  // namespace plimsoll
