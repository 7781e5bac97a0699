// What a forecast comes to: whether the deployment handles it, what runs out and when, what to add.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/answer/reasons.h"
#include "report/forecast/forecast.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

constexpr double kRunOutRisk = 0.05;  // that orders allow for as well
constexpr double kOddsEven = 0.5;

std::string_view title_of(Resource resource) { return facts_of(resource).title; }

const SheetRow* row_of(const ForecastReport& r, Resource resource) {
  return find_in(r.headroom.rows, resource, &SheetRow::resource);
}

std::string used_text(const SheetRow& row) {
  const std::string sign = row.resource == Resource::budget ? "$" : "";
  const double used = *row.utilisation();
  if (used > 1) {
    return fmt::format("the forecast needs {}{}, and the capacity is {}{}", sign,
                       amount_text(*row.forecast_p95), sign, amount_text(*row.capacity));
  }
  return fmt::format("the forecast takes {} of {}", share_text(used),
                     amount_text(row.resource, *row.capacity));
}

// What to do about a resource that runs out and that more GPUs are no help for.
std::string remedy_text(const ForecastReport& r, Resource resource) {
  const SheetRow* row = row_of(r, resource);
  const double used = row == nullptr ? 0 : row->utilisation().value_or(0);
  switch (resource) {
    case Resource::budget:
      return "Raise the budget";
    case Resource::context_tokens:
      return "Serve with a larger --max-model-len, or shorten the prompts";
    case Resource::provider_requests:
    case Resource::provider_tokens:
      return "Have the provider raise its limit";
    case Resource::gateway_requests:
      return "Raise the limit of the gateway";
    default:
      return fmt::format(
          "Order {}more capacity for {}",
          used > 1 && std::isfinite(used) ? "at least " + percent(used - 1) + " " : "",
          title_of(resource));
  }
}

std::string others_text(const ForecastReport& r, const SheetRow& row) {
  std::vector<std::string> others;
  for (const SheetRow& other : r.headroom.rows) {
    const double used = other.utilisation().value_or(0);
    if (other.resource == row.resource || used <= 1) continue;
    others.push_back(std::isinf(used) ? fmt::format("{} (none handled)", title_of(other.resource))
                                      : fmt::format("{} ({} of capacity)", title_of(other.resource),
                                                    percent(used)));
  }
  return others.empty() ? "" : "; also short: " + join(others, ", ");
}

// Nothing is short, and the peak was shown to hold where it was simulated.
bool is_held(const ForecastReport& r) {
  return !is_short(r) &&
         (!r.headroom.forecast || r.headroom.forecast->probe.answer == Answer::holds);
}

void doubt(const ForecastReport& r, const RunwayRow* ahead, Decision* d) {
  if (r.headroom.interrupted) d->doubts.emplace_back(Doubt::interrupted);
  const auto& peak = r.headroom.forecast;
  if (peak && peak->line.is_known && peak->line.interval.low < 1 && is_held(r))
    d->doubts.emplace_back(Doubt::peak_share, peak->line.interval.low);
  double band = 0;
  for (const SheetRow& row : r.headroom.rows) {
    if (row.forecast_band && row.capacity && *row.capacity > 0)
      band = std::fmax(band, row.forecast_band->high / *row.capacity);
  }
  if (band > 1 && !is_short(r)) d->doubts.emplace_back(Doubt::band, band);
  if (ahead != nullptr && ahead->runway.probability() >= kRunOutRisk &&
      ahead->runway.probability() < kOddsEven) {
    d->doubts.emplace_back(Doubt::run_out, ahead->runway.probability());
  }
  if (!r.runway) return;
  for (const RunwayRow& row : r.runway->rows) {
    if (!row.outlook.too_short) continue;
    d->doubts.emplace_back(Doubt::short_history, row.outlook.enough_values);
    return;
  }
}

// What comes before an order where so many GPUs cannot be had.
std::string raised_quota_text(const ForecastReport& r, std::int64_t add) {
  const auto wanted = static_cast<std::int64_t>(std::llround(r.gpus)) + add;
  const auto quota = quota_of_gpus(r, wanted);
  return quota ? fmt::format("; first have the quota of GPUs raised from {} to {}", *quota, wanted)
               : std::string();
}

std::string order_for_loss(const ForecastReport& r, const LossPlan& loss) {
  return capitalised(
      order_text(r, counted(loss.add_gpus, "GPU"), loss.order, loss.add_usd_per_month, "") +
      " to survive the loss of " + name_of(loss.loss) + raised_quota_text(r, loss.add_gpus));
}

// Of all resources, the order that has to go out first; null: none has a date.
const RunwayRow* first_to_order(const ForecastReport& r) {
  const RunwayRow* first = nullptr;
  if (!r.runway) return first;
  for (const RunwayRow& row : r.runway->rows) {
    if (row.order.by_s && (first == nullptr || *row.order.by_s < *first->order.by_s)) first = &row;
  }
  return first;
}

// "Order 1 GPU by 2026-12-02 (90 % confidence, $2,340 a month)".
std::string action_of(const ForecastReport& r, const SheetRow* gpus) {
  std::int64_t add = 0;
  std::string confidence;
  std::optional<double> usd;
  if (gpus != nullptr && gpus->baseline_p95 && gpus->forecast_p95)
    add = std::llround(*gpus->forecast_p95 - *gpus->baseline_p95);
  if (r.runway && r.runway->gpu_plan.add_gpus > 0) {
    add = r.runway->gpu_plan.add_gpus;
    usd = r.runway->gpu_plan.add_usd_per_month;
    confidence = "90 % confidence";
  }
  if (const LossPlan* loss = dearest_loss(r); loss != nullptr && loss->add_gpus > add)
    return order_for_loss(r, *loss);
  const RunwayRow* first = first_to_order(r);
  // Requests do not get shorter by more GPUs.
  const bool is_length = is_short(r) && r.headroom.binding == Resource::context_tokens;
  if (add > 0 && (first != nullptr || !is_length)) {
    const Order order = first == nullptr ? Order() : first->order;
    return capitalised(order_text(r, counted(add, "GPU"), order, usd, confidence) +
                       raised_quota_text(r, add));
  }
  if (first != nullptr)
    return remedy_text(r, first->resource) + " " + order_moment_text(r, first->order);
  return is_short(r) && r.headroom.binding ? remedy_text(r, *r.headroom.binding) : std::string();
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
  // More requests are no longer ones: the context window says nothing of how many there may be.
  const bool is_load = row.resource != Resource::context_tokens;
  const double most = is_load ? std::fmin(handled, 1 / *row.utilisation()) : handled;
  return std::isfinite(most) ? std::optional(most - 1) : std::nullopt;
}

// What runs out, and when where that is known.
void answer_shortage(const ForecastReport& r, const SheetRow& row, const RunwayRow* ahead,
                     Decision* d) {
  const bool is_dated = ahead != nullptr && ahead->runway.time_at(kOddsEven);
  const Resource what = is_dated ? ahead->resource : row.resource;
  d->answer = run_out_text(what);
  if (is_dated) {
    d->date = moment_text(*r.runway, *ahead->runway.time_at(kOddsEven));
    const std::string early = moment_text(*r.runway, ahead->runway.time_at(0.1).value_or(0));
    if (*ahead->runway.time_at(kOddsEven) <= r.runway->now_s) {
      d->answer += " already";
    } else if (early == d->date) {
      d->answer += fmt::format(" by {} (50 % chance)", d->date);
    } else {
      d->answer += fmt::format(" by {} (50 % chance; 10 % by {})", d->date, early);
    }
  }
  // The figures are of the resource that was named.
  const SheetRow* named = row_of(r, what);
  const SheetRow& shown = named != nullptr && named->utilisation() ? *named : row;
  d->contrast = used_text(shown) + others_text(r, shown);
}

// A shortage that is not there today, and that a history of so few values only guesses at.
const RunwayRow* guess_of(const ForecastReport& r, const SheetRow& row) {
  if (!r.runway || row.baseline_p95.value_or(INFINITY) > row.capacity.value_or(0)) return nullptr;
  return find_where(r.runway->rows, [](const RunwayRow& each) { return each.outlook.too_short; });
}

void answer_guess(const SheetRow& row, const RunwayRow& guess, Decision* d) {
  d->settle(Answer::unclear);
  d->answer =
      fmt::format("the history is too short to tell whether {} run out", title_of(row.resource));
  d->contrast = used_text(row);
  d->action = fmt::format("Give a history of {} values or more", guess.outlook.enough_values);
  d->headroom.reset();
}

// Everything is there for the forecast itself, but not for a loss that has to be survived.
void answer_loss(const ForecastReport& r, const LossPlan& loss, Decision* d) {
  d->answer = fmt::format("the deployment does not survive the loss of {} at {}",
                          name_of(loss.loss), peak_text(r, loss));
  d->contrast = loss.gpus > 0 ? fmt::format("that takes {}", counted(loss.gpus, "GPU"))
                              : "no number of instances is known to be enough";
  d->headroom.reset();
}

}  // namespace

const RunwayRow* first_to_run_out(const ForecastReport& r) {
  const RunwayRow* first = nullptr;
  const auto rank = [](const RunwayRow& row) {
    return row.runway.time_at(kOddsEven).value_or(INFINITY);
  };
  if (!r.runway) return nullptr;
  for (const RunwayRow& row : r.runway->rows) {
    if (!row.runway.known) continue;
    if (first == nullptr || rank(row) < rank(*first) ||
        (rank(row) == rank(*first) && row.runway.probability() > first->runway.probability())) {
      first = &row;
    }
  }
  return first;
}

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
  const SheetRow& row = *row_of(r, *r.headroom.binding);
  const RunwayRow* ahead = first_to_run_out(r);
  const auto& peak = r.headroom.forecast;
  const bool runs_out = row.utilisation() > 1 || (ahead != nullptr && ahead->runway.time_at(0.5));
  doubt(r, ahead, &d);
  if (ahead != nullptr) d.confidence = std::fmin(0.99, 1 - ahead->runway.probability());
  if (!runs_out) d.headroom = headroom_of(r, row);
  d.action = action_of(r, row_of(r, Resource::gpus));
  if (const std::string tiny = tiny_text(r, row_of(r, Resource::gpus)); !tiny.empty())
    d.action = tiny;
  const RunwayRow* guess = guess_of(r, row);
  if (guess != nullptr && (runs_out || is_short(r))) {
    answer_guess(row, *guess, &d);
    return d;
  }
  const LossPlan* loss = unsurvived_loss(r);
  d.settle(runs_out || is_short(r) || loss != nullptr    ? Answer::fails
           : peak && peak->probe.answer != Answer::holds ? Answer::unclear
                                                         : Answer::holds);
  if (runs_out) {
    answer_shortage(r, row, ahead, &d);
  } else if (peak && refused_share(*peak)) {
    d.answer = percent(*refused_share(*peak)) +
               " of the requests exceed the context window and are refused";
    d.action = remedy_text(r, Resource::context_tokens);
    d.headroom.reset();
  } else if (peak && peak->probe.answer == Answer::fails) {
    d.answer = "no resource runs out alone, but the whole forecast at once is not handled: " +
               reason_text(peak->probe, r.request.slos);
  } else if (loss != nullptr) {
    answer_loss(r, *loss, &d);
  } else {
    d.answer = fmt::format("the forecast {}: {} come nearest to their capacity, at {} of {}",
                           d.likely("fits"), title_of(row.resource), share_text(*row.utilisation()),
                           amount_text(*row.capacity));
  }
  if (d.verdict == DecisionVerdict::not_shown) {
    d.contrast = "whether the whole forecast at once is handled is too close to call: " +
                 reason_text(peak->probe, r.request.slos);
  }
  return d;
}

std::string forecast_verdict(const ForecastReport& r) { return decision_text(decision_of(r)); }

}  // namespace plimsoll
