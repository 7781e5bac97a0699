#include "report/capacity/capacity.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/answer/words.h"
#include "report/form/table.h"

namespace plimsoll {
namespace {

std::string verdict_word(const LoadProbe& test) {
  const bool is_open = test.answer == Answer::unclear;
  if (test.turns_lengths_away()) return "too long";
  switch (test.state.verdict) {
    case SteadyVerdict::steady:
      return is_open ? "unclear" : test.answer == Answer::fails ? "too slow" : "steady";
    case SteadyVerdict::overloaded:
      return is_open ? "unclear" : test.state.lost_share > 0 ? "unserved" : "overloaded";
    case SteadyVerdict::transient:
      return "transient";
    case SteadyVerdict::too_short:
      return test.answer == Answer::fails ? "too slow" : "too short";
    case SteadyVerdict::no_load:
      break;
  }
  return "no load";
}

Mood mood_of(Answer answer) {
  if (answer == Answer::unclear) return Mood::doubtful;
  return answer == Answer::holds ? Mood::good : Mood::bad;
}

// Those next to the answer on both sides, what fails, the rate that was asked for, and what is to
// be deployed.
std::vector<const LoadProbe*> shown_tests(const CapacityReport& r) {
  constexpr std::size_t kBefore = 3;
  constexpr std::size_t kAfter = 4;
  const std::vector<LoadProbe>& tests = tests_of(r);
  std::size_t at = r.rate ? 0 : tests.size() - 1;
  if (const LoadProbe* best = r.best()) at = static_cast<std::size_t>(best - tests.data());
  std::vector<const LoadProbe*> shown;
  if (!r.holds() && r.idle && r.idle->answer == Answer::fails) shown.push_back(&*r.idle);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const bool near = i + kBefore >= at && i <= at + kAfter;
    const bool spare = r.fewest && (r.count_of(tests[i]) == r.instances_to_deploy() ||
                                    r.count_of(tests[i]) == r.instances_with_slow_steps());
    const bool named = &tests[i] == r.failing() || (r.rate && tests[i].rate_rps == r.rate_rps) ||
                       (r.holds() && &tests[i] == &r.as_promised());
    if (near || spare || named) shown.push_back(&tests[i]);
  }
  return shown;
}

std::string latency_cell(double value_ms, const std::optional<Interval>& interval, double unit) {
  std::string cell = three_digits(value_ms / unit);
  if (interval) {
    cell += " [" + three_digits(interval->low / unit) + ", " + three_digits(interval->high / unit) +
            "]";
  }
  return cell;
}

Column slo_column(const CapacityReport& r, const std::vector<const LoadProbe*>& tests,
                  std::size_t slo) {
  // In the unit of the limit: what runs away is beyond it anyway.
  const LatencyUnit unit = unit_for(to_ms(r.slos[slo].limit));
  Column column{name_of(r.slos[slo]) + " " + unit.name, {}};
  for (const LoadProbe* test : tests) {
    const SloFigure& figure = test->slos[slo];
    column.cells.push_back(
        test->state.grows() ? "grows" : latency_cell(figure.value_ms, figure.interval_ms, unit.ms));
  }
  return column;
}

constexpr const char* kShown[]{"hardware",
                               "tp",
                               "latency-model",
                               "max-model-len",
                               "max-num-seqs",
                               "max-num-batched-tokens",
                               "gpu-memory-utilization",
                               "total-kv-blocks",
                               "routing-policy",
                               "arrival"};
constexpr const char* kLengths[]{"prompt-tokens", "output-tokens"};

// The value that stands in; null: it was said, or there is none.
const ConfigEntry* assumed_entry(const RunConfig& config, const std::string& key) {
  const ConfigEntry* entry = find_entry(config, key);
  if (entry == nullptr) return nullptr;
  const bool in_fleet = entry->origin == "file" && find_entry(config, "fleet") != nullptr;
  return entry->origin == "flag" || in_fleet ? nullptr : entry;
}

// "prompt-tokens 512 +- 256 from 2 to 7,000" for the key "prompt-tokens": the mean, and of the
// rest what was not said; empty: all of it was.
std::string assumed_length(const RunConfig& config, const std::string& key) {
  const ConfigEntry* deviation = find_entry(config, key + "-stdev");
  const bool varies = deviation != nullptr && typed(deviation->value) != "0";
  std::string text;
  const auto add = [&](const std::string& ending, const char* word) {
    const ConfigEntry* entry = assumed_entry(config, key + ending);
    if (entry == nullptr) return;
    const auto* tokens = std::get_if<std::int64_t>(&entry->value);
    text += word + (tokens == nullptr ? typed(entry->value) : grouped(*tokens));
  };
  add("", " ");
  const bool is_mean_said = text.empty();
  add("-stdev", " +- ");
  if (varies) {
    add("-min", " from ");
    add("-max", " to ");
  }
  if (text.empty()) return {};
  const ConfigEntry* mean = find_entry(config, key);
  if (is_mean_said && mean != nullptr) text = " " + typed(mean->value) + text;
  return key + text;
}

}  // namespace

const std::vector<LoadProbe>& tests_of(const CapacityReport& r) {
  return r.rate ? r.rate->tests : r.fewest->tests;
}

std::vector<Column> evidence(const CapacityReport& r) {
  const std::vector<const LoadProbe*> tests = shown_tests(r);
  std::vector<Column> columns;
  const std::int64_t spare = r.fewest ? r.instances_to_deploy() : 0;
  const auto is_spare = [&](const LoadProbe& t) {
    return r.fewest && r.count_of(t) == spare && spare > r.fewest->instances;
  };
  const bool has_pick =
      std::ranges::any_of(tests, [&](const LoadProbe* test) { return is_spare(*test); });
  const auto add = [&](std::string header, auto cell) {
    Column column{std::move(header), {}};
    for (const LoadProbe* test : tests) column.cells.push_back(cell(*test));
    columns.push_back(std::move(column));
  };
  if (r.fewest) {
    add(r.counts_groups() ? "groups" : "instances", [&](const LoadProbe& t) {
      return grouped(r.count_of(t)) + (is_spare(t) ? " <- pick" : "");
    });
  } else {
    add(r.unit.counts_users() ? "users" : "req/s", [&](const LoadProbe& t) {
      const bool is_answer = r.rate_rps <= 0 && r.holds() && &t == &r.as_promised();
      const std::string load =
          r.unit.counts_users() ? grouped(r.unit.users(t.rate_rps)) : four_digits(t.rate_rps);
      return load + (is_answer ? " <- answer" : "");
    });
  }
  add("verdict", verdict_word);
  columns.back().aligned_on_point = false;
  for (const LoadProbe* test : tests) {
    const bool picked = has_pick ? is_spare(*test) : r.holds() && test == &r.as_promised();
    columns.front().moods.push_back(picked ? Mood::good : Mood::none);
    columns.back().moods.push_back(mood_of(test->answer));
  }
  for (std::size_t i = 0; i < r.slos.size(); ++i) columns.push_back(slo_column(r, tests, i));
  if (std::ranges::none_of(r.slos, [](const Slo& s) { return s.metric == &GroupSummary::ttft; })) {
    add("TTFT p99 ms", [](const LoadProbe& t) {
      return t.state.grows() ? "grows" : three_digits(t.summary.cluster.ttft.p99_ms);
    });
  }
  if (std::ranges::none_of(r.slos, [](const Slo& s) { return s.metric == &GroupSummary::tpot; })) {
    add("TPOT ms", [](const LoadProbe& t) {  // none where all answers have one token
      const double ms = t.summary.cluster.tpot.mean_ms;
      return ms > 0 ? three_digits(ms) : "-";
    });
  }
  if (r.unit.counts_users()) {
    add("req/s",
        [](const LoadProbe& t) { return three_digits(t.summary.cluster.responses_per_sec); });
  }
  add("GPU busy", [](const LoadProbe& t) { return percent(t.summary.cluster.utilization); });
  add("KV used", [](const LoadProbe& t) { return percent(t.summary.cluster.kv_utilization); });
  if (!r.prices.empty()) {
    add("$/h", [&](const LoadProbe& t) {
      return fmt::format("{:.2f}", r.bill(r.count_of(t)).usd_per_hour());
    });
  }
  return columns;
}

std::vector<std::string> capacity_assumed(const CapacityReport& report) {
  std::vector<std::string> parts;
  for (const char* key : kShown) {
    if (const ConfigEntry* entry = assumed_entry(report.config, key)) {
      parts.push_back(entry_text(*entry));
    }
  }
  for (const char* key : kLengths) parts.push_back(assumed_length(report.config, key));
  for (const Price& price : report.prices) {
    const bool is_alone = report.prices.size() == 1;
    parts.push_back((is_alone ? "" : price.gpu + " ") + offer_text(price));
  }
  std::erase(parts, "");
  return parts;
}

}  // namespace plimsoll
