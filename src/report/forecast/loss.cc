// What a loss takes to survive, in words: a paragraph for each that the file asks about.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "report/forecast/words.h"

namespace plimsoll {
namespace {

// What the instances deployed are worth after it.
std::string left_text(const ForecastReport& r, const LossPlan& plan) {
  if (plan.instances_left == 0) return "Today it would leave nothing that could serve";
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

std::string quota_text(const ForecastReport& r, const LossPlan& plan) {
  const auto most = quota_of_gpus(r, plan.gpus);
  return most ? fmt::format(". The quota of {} has to be raised for that", counted(*most, "GPU"))
              : std::string();
}

}  // namespace

std::string peak_text(const ForecastReport& r, const LossPlan& plan) {
  return fmt::format("{} ({} requests/s)", r.runway ? "the p90 of demand" : "the forecast's peak",
                     amount_text(plan.peak_per_s));
}

std::optional<std::int64_t> quota_of_gpus(const ForecastReport& r, std::int64_t gpus) {
  const auto quota = std::ranges::find(r.headroom.rows, Resource::gpus, &SheetRow::resource);
  if (quota == r.headroom.rows.end() || !quota->capacity) return std::nullopt;
  const std::int64_t most = std::llround(*quota->capacity);
  return gpus > most ? std::optional(most) : std::nullopt;
}

std::string name_of(const Loss& loss) {
  switch (loss.kind) {
    case LossKind::instances:
      return counted(loss.count, "instance");
    case LossKind::zones:
      return "one of " + counted(loss.count, "zone");
    case LossKind::regions:
      break;
  }
  return "one of " + counted(loss.count, "region");
}

const LossPlan* dearest_loss(const ForecastReport& r) {
  const auto most = std::ranges::max_element(r.losses, {}, &LossPlan::add_gpus);
  return most == r.losses.end() || most->add_gpus == 0 ? nullptr : &*most;
}

const LossPlan* unsurvived_loss(const ForecastReport& r) {
  const auto never = std::ranges::find(r.losses, 0, &LossPlan::gpus);
  if (never != r.losses.end()) return &*never;
  const LossPlan* dearest = dearest_loss(r);
  if (dearest == nullptr || !dearest->is_close()) return dearest;
  const auto surely = std::ranges::find_if(
      r.losses, [](const LossPlan& plan) { return plan.add_gpus > 0 && !plan.is_close(); });
  return surely == r.losses.end() ? dearest : &*surely;
}

std::vector<std::string> loss_sentences(const ForecastReport& r) {
  std::vector<std::string> lines;
  for (const LossPlan& plan : r.losses) {
    const std::string start =
        fmt::format("to survive the loss of {} at {}", name_of(plan.loss), peak_text(r, plan));
    if (plan.gpus == 0) {
      lines.push_back(start + ", no number of instances is known to be enough");
      continue;
    }
    if (plan.add_gpus == 0) {
      lines.push_back(
          fmt::format("{}, you need {}, and they are deployed", start, counted(plan.gpus, "GPU")));
      continue;
    }
    std::string text = fmt::format("{}, you need {}", start, counted(plan.gpus, "GPU"));
    if (plan.short_from_s) {
      const bool is_over = *plan.short_from_s <= r.runway->now_s;
      text += ", and those deployed are too few " +
              (is_over ? "now" : "from " + moment_text(*r.runway, *plan.short_from_s) + " on");
    }
    text += ": " + order_text(r, fmt::format("{} more", plan.add_gpus), plan.order,
                              plan.add_usd_per_month, "");
    lines.push_back(text + ". " + left_text(r, plan) + quota_text(r, plan));
  }
  return lines;
}

}  // namespace plimsoll
