// The losses and migrations that the file asks about, a paragraph for each: what a loss takes to
// survive, and what another deployment would handle and cost.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/lists.h"
#include "base/text.h"
#include "catalog/price.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

// ---- losses

// Says how much the instances that remain today would handle.
std::string left_text(const ForecastReport& r, const LossPlan& plan) {
  if (plan.instances_left == 0) return "Today nothing would be left to serve";
  if (plan.is_close()) {
    return fmt::format(
        "Today it would leave {}: whether they handle that peak is too close to call",
        counted(plan.instances_left, "instance"));
  }
  return fmt::format(
      "Today it would leave {}, which {} {} of that peak: {} requests wait or fail in the {} s "
      "until replacements serve",
      counted(plan.instances_left, "instance"), plan.instances_left == 1 ? "handles" : "handle",
      percent(plan.held), amount_text(plan.stranded), three_digits(r.request.history.cold_start_s));
}

// Where the model errs to their harm, those deployed may not survive.
std::string slow_end_text(const LossPlan& plan) {
  if (plan.held_at_slow_end >= 1) return {};
  return fmt::format(
      " (those left handle only {} of it if real steps are as slow as the model's error allows)",
      percent(plan.held_at_slow_end));
}

std::string quota_text(const ForecastReport& r, const LossPlan& plan) {
  const auto most = r.quota_of_gpus(plan.gpus);
  return most ? fmt::format(". The quota of {} has to be raised for that", counted(*most, "GPU"))
              : std::string();
}

// ---- migrations

constexpr double kDaysOfMonth = kHoursOfMonth / 24;
constexpr std::size_t kDateLength = 10;  // "2026-11-22"

// The share of the forecast that so many GPUs handle at the slow end of the model's error.
double least_held(const LeverResult& lever) {
  return lever.held_within ? lever.held_within->low * *lever.gpus_needed / lever.gpus : 1;
}

// The other fleet is paid for as well until the ramp is over.
std::string fleet_text(const ForecastReport& r, const Migration& migration,
                       const LeverResult& lever) {
  if (!lever.gpus_needed) return "; no number of its instances handles all of it";
  const std::optional<NeededGpus> today = r.needed_gpus();
  std::string text = fmt::format("; in full, {:.0f} GPUs", *lever.gpus_needed);
  if (const double low = least_held(lever); low < 1)
    text += fmt::format(" (only {} of it if real steps are as slow as the model's error allows)",
                        percent(low));
  const bool is_as_today = today && today->gpus == *lever.gpus_needed;
  const bool may_be_fewer = today && today->may_be_fewer;
  text += !today        ? " where no number does today"
          : is_as_today ? " as today"
          : may_be_fewer
              ? fmt::format(", where {:.0f} are deployed and fewer may be enough", today->gpus)
              : fmt::format(" instead of {:.0f}", today->gpus);
  const auto& usd = lever.usd_for_needed;
  if (!usd) return text;
  text += fmt::format(", ${}", amount_text(*usd));
  if (today && !may_be_fewer && today->usd_per_month &&
      amount_text(*today->usd_per_month) != amount_text(*usd))
    text += fmt::format(" instead of ${}", amount_text(*today->usd_per_month));
  text += " a month";
  if (migration.ramp_days <= 0) return text;
  return text + fmt::format("; while both run, for {} days, ${} more", plain(migration.ramp_days),
                            amount_text(*usd * migration.ramp_days / kDaysOfMonth));
}

// Until the other fleet begins to stand, today's has to do.
std::string crossed_before_text(const ForecastReport& r, const Migration& migration) {
  if (!r.runway || !migration.from_s || r.runway->rows.empty()) return {};
  const auto chance = [&](const RunwayRow& row) {
    return row.runway.known ? row.runway.chance_before(*migration.from_s) : 0.0;
  };
  const RunwayRow& row = *std::ranges::max_element(r.runway->rows, {}, chance);
  constexpr double kWorthTelling = 0.01;
  if (chance(row) < kWorthTelling) return {};
  return fmt::format("; the chance that {} before it begins is {}", run_out_text(row.resource),
                     percent(chance(row)));
}

}  // namespace

std::string peak_text(const ForecastReport& r, const LossPlan& plan) {
  return fmt::format("{} ({} requests/s)", r.runway ? "the p90 of demand" : "the forecast's peak",
                     amount_text(plan.peak_per_s));
}

std::string name_of(const Loss& loss) {
  if (loss.kind == LossKind::instances) return counted(loss.count, "instance");
  return "one of " + counted(loss.count, loss.kind == LossKind::zones ? "zone" : "region");
}

std::vector<std::string> loss_sentences(const ForecastReport& r) {
  std::vector<std::string> lines;
  int orders = 0;
  for (const LossPlan& plan : r.losses) {
    const std::string start =
        fmt::format("to survive the loss of {} at {}{}", name_of(plan.loss), peak_text(r, plan),
                    r.losses_allow_for_error() && !r.runway ? " and the model's error" : "");
    const std::string need =
        counted(plan.gpus, "GPU") +
        (r.losses_allow_for_error() && r.runway
             ? fmt::format(" ({}, the model's error included)", confidence_text())
             : "");
    if (plan.gpus == 0) {
      lines.push_back(start + ", no number of instances is known to be enough");
      continue;
    }
    if (plan.add_gpus == 0) {
      lines.push_back(fmt::format("{}, you need {}, and they are deployed{}", start, need,
                                  slow_end_text(plan)));
      continue;
    }
    std::string text = fmt::format("{}, you need {}", start, need);
    if (plan.short_from_s) {
      const bool is_over = *plan.short_from_s <= r.runway->now_s;
      text += ", and those deployed are too few " +
              (is_over ? "now" : "from " + moment_text(*r.runway, *plan.short_from_s) + " on");
    }
    text += ": " + order_text(r, fmt::format("{} more", plan.add_gpus), plan.order,
                              plan.add_usd_per_month, "");
    lines.push_back(text + ". " + left_text(r, plan) + quota_text(r, plan));
    orders += 1;
  }
  if (orders > 1)
    lines.push_back(fmt::format("one order of {} covers each of these losses",
                                counted(r.dearest_loss()->add_gpus, "GPU")));
  return lines;
}

std::vector<std::string> migration_sentences(const ForecastReport& r) {
  std::vector<std::string> lines;
  for (const Migration& migration : r.request.migrations) {
    const LeverResult* lever = find_where(r.levers, [&](const LeverResult& each) {
      return each.lever.kind == LeverKind::migration && each.lever.name == migration.name;
    });
    if (lever == nullptr) continue;
    std::string text = migration.name;
    if (migration.from_s) text += " from " + iso_time(*migration.from_s).substr(0, kDateLength);
    text += fmt::format(": handles {} of the forecast, {}", percent(lever->line.factor),
                        more_text(*lever));
    text += fleet_text(r, migration, *lever);
    text += crossed_before_text(r, migration);
    if (!migration.quality.empty()) {
      text += "; answers: " + migration.quality;
    } else if (lever->lever.changes_answers) {
      text += "; answers may change: evaluate them first";
    }
    lines.push_back(std::move(text));
  }
  return lines;
}

}  // namespace plimsoll
