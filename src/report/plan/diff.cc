#include "report/plan/diff.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "report/form/text_report.h"

namespace plimsoll {
namespace {

Json parsed_report(const std::string& text) { return Json::parse(text); }

std::string value_text(const Json& value) {
  if (value.is_null() || value == "") return "-";
  if (value.is_string()) return value.as_string();
  if (value.is_number_float()) return three_digits(value.as_double());
  if (value.is_number_integer()) return grouped(value.as_integer());
  if (value.is_array() && value.empty()) return "-";
  if (!value.is_array()) return value.dump();
  return join(mapped(value, [](const Json& each) { return value_text(each); }), ", ");
}

/// How the reports for people label a key of --json.
struct Label {
  std::string_view key;
  std::string_view text;
};
constexpr Label kLabels[]{
    {"rate_rps", "rate"},
    {"num_replicas", "instances"},
    {"total_gpus", "GPUs"},
    {"promised_qps", "promised req/s"},
    {"max_sustainable_qps", "sustainable req/s"},
    {"p50_latency_ms", "E2E p50 ms"},
    {"p95_latency_ms", "E2E p95 ms"},
    {"p99_latency_ms", "E2E p99 ms"},
    {"p95_ttft_ms", "TTFT p95 ms"},
    {"p99_ttft_ms", "TTFT p99 ms"},
    {"p99_tbt_ms", "ITL p99 ms"},
    {"mean_mfu", "MFU"},
    {"mean_memory_util", "KV used"},
    {"utilization", "busy"},
    {"tokens_per_sec", "tokens/s"},
    {"cost_per_hour", "$/h"},
    {"cost_per_1k_requests", "$/1k req"},
    {"cost_per_million_output_tokens", "$/1M tokens"},
    {"qps_per_dollar", "req/s per $/h"},
    {"energy_wh_per_1k_output_tokens", "Wh/1k output tokens"},
};

// "ttft_p99_ms": "TTFT p99". Keys without a label, such as those of a request, stand as they are.
std::string label_of(const PlanChange& change) {
  const std::string_view key = change.key;
  const std::size_t first = key.find('_');
  const std::size_t last = key.rfind('_');
  if (change.section == "margins" && first != last) {
    std::string label(key.substr(0, first));
    std::ranges::transform(label, label.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return label + " " + std::string(key.substr(first + 1, last - first - 1));
  }
  const auto* label = std::ranges::find(kLabels, key, &Label::key);
  return std::string(label == std::end(kLabels) ? key : label->text);
}

// By which share it grew; null where that means nothing.
Json relative_change(const PlanChange& change) {
  const bool is_quantity = change.old_value.is_number() && change.new_value.is_number();
  if (!is_quantity || change.key == "seed") return nullptr;
  const double before = change.old_value.as_double();
  const double ratio = change.new_value.as_double() / before - 1;
  return before > 0 && std::isfinite(ratio) ? Json(ratio) : Json();
}

// Too little to be read; of inputs nothing is.
bool is_slight(const PlanChange& change) {
  constexpr double kSlight = 0.005;
  if (change.section == "inputs") return false;
  const Json relative = relative_change(change);
  return relative.is_number() && std::fabs(relative.as_double()) < kSlight;
}

bool is_share(const PlanChange& change) {
  constexpr std::string_view kShares[]{"headroom", "mean_mfu", "mean_memory_util", "utilization"};
  return change.section == "margins" || std::ranges::count(kShares, change.key) > 0;
}

std::string change_text(const PlanChange& change) {
  const bool share = is_share(change);
  const auto shown = [&](const Json& value) {
    return share && value.is_number() ? percent(value.as_double()) : value_text(value);
  };
  std::string text = fmt::format("{}: {} -> {}", label_of(change), shown(change.old_value),
                                 shown(change.new_value));
  const Json relative = relative_change(change);
  if (share || relative.is_null()) return text;
  const double grown = relative.as_double();
  return text + fmt::format(" ({}{})", grown >= 0 ? "+" : "-", percent(std::fabs(grown)));
}

bool is_plan_report(const Json& report) {
  const auto has = [&](const char* key) { return report.contains(key); };
  const auto is_structured = [&](const char* key) {
    return has(key) && report[key].is_structured();
  };
  if (!report.is_object() || !has("best_configuration")) return false;
  const Json& best = report["best_configuration"];
  return (best.is_null() || best.is_object()) && is_structured("pareto_frontier") &&
         is_structured("all_candidates") && is_structured("summary");
}

}  // namespace

Result<void> check_plan_json(const std::string& text, const std::string& file, bool of_fleet) {
  const Json report = parsed_report(text);
  if (of_fleet ? is_fleet_report(report) : is_plan_report(report)) return {};
  return fail_in(ErrorKind::spec, file,
                 of_fleet ? "this is not the report of a plan of several models"
                          : "this is not the report of a plan",
                 "`plimsoll plan ... --json > " + file + "` writes one");
}

std::string plan_diff_text(const std::string& old_json, const std::string& old_file,
                           const std::string& new_json, const Style& style) {
  const std::vector<PlanChange> changes =
      plan_changes(parsed_report(old_json), parsed_report(new_json));
  if (changes.empty()) return fmt::format("Nothing has changed since {}.\n", old_file);
  TextReport out(style);
  out.add(fmt::format("Since {}:\n", old_file));
  std::string model;
  std::string section;
  std::int64_t slight = 0;
  for (const PlanChange& change : changes) {
    slight += is_slight(change) ? 1 : 0;
    if (is_slight(change)) continue;
    if (change.model != model) {
      out.add(change.model + ":\n");
      section.clear();
    }
    out.line(change.section == section ? "" : change.section, change_text(change));
    model = change.model;
    section = change.section;
  }
  if (slight > 0) out.add("  " + counted(slight, "figure") + " changed by less than 0.5 %\n");
  return out.text();
}

std::string plan_diff_json(const std::string& old_json, const std::string& old_file,
                           const std::string& new_json) {
  Json report = parsed_report(new_json);
  Json changes = Json::array();
  for (const PlanChange& change : plan_changes(parsed_report(old_json), report)) {
    Json entry = {{"section", change.section},
                  {"key", change.key},
                  {"old", change.old_value},
                  {"new", change.new_value},
                  {"relative", relative_change(change)}};
    if (!change.model.empty()) entry["model"] = change.model;
    changes.push_back(std::move(entry));
  }
  report["diff"] = {{"against", old_file}, {"changes", std::move(changes)}};
  return report.dump(2) + "\n";
}

}  // namespace plimsoll
