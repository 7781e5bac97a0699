#include "report/plan_diff.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/table.h"

namespace plimsoll {
namespace {

using Json = nlohmann::ordered_json;

/// Null: it is not in that report.
struct PlanChange {
  std::string section;
  std::string key;
  Json old_value;
  Json new_value;
};

Json parsed_report(const std::string& text) { return Json::parse(text, nullptr, false); }

const Json& member(const Json& object, const char* key) {
  static const Json kNothing;
  const auto at = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && at != object.end() ? *at : kNothing;
}

class PlanDiff {
 public:
  PlanDiff(const Json& old_report, const Json& new_report) {
    compare("inputs", "model", member(old_report, "model"), member(new_report, "model"));
    // Reports of before they had inputs say nothing of them.
    if (!member(old_report, "inputs").is_null()) {
      compare_members("inputs", member(old_report, "inputs"), member(new_report, "inputs"));
    }
    compare("inputs", "assumed", member(old_report, "assumed"), member(new_report, "assumed"));
    const Json& old_best = member(old_report, "best_configuration");
    const Json& new_best = member(new_report, "best_configuration");
    if (old_best.is_null() || new_best.is_null()) {
      if (old_best.is_null() != new_best.is_null()) {
        const auto said = [](const Json& report) {
          return member(member(report, "summary"), "recommendation");
        };
        compare("pick", "recommendation", said(old_report), said(new_report));
      }
      return;
    }
    compare_scalars("pick", old_best, new_best);
    compare_members("figures", member(old_best, "performance"), member(new_best, "performance"));
    compare_members("cost", member(old_best, "cost"), member(new_best, "cost"));
    compare_members("margins", margins(old_best), margins(new_best));
    compare("bound by", "bottleneck", member(old_best, "bottleneck"),
            member(new_best, "bottleneck"));
  }

  const std::vector<PlanChange>& changes() const { return changes_; }

 private:
  void compare(const std::string& section, const std::string& key, const Json& a, const Json& b) {
    if (a != b && !is_detail(a) && !is_detail(b)) changes_.push_back({section, key, a, b});
  }

  // A list of objects, whose sums are compared.
  static bool is_detail(const Json& value) {
    return value.is_array() && !value.empty() && value.front().is_object();
  }

  // Of both, in the order of the new one.
  void compare_members(const std::string& section, const Json& a, const Json& b) {
    for (const auto& [key, value] : b.items()) compare(section, key, member(a, key.c_str()), value);
    for (const auto& [key, value] : a.items()) {
      if (!b.contains(key)) compare(section, key, value, Json());
    }
  }

  // What the deployment consists of, without the number of a candidate and the command.
  void compare_scalars(const std::string& section, const Json& a, const Json& b) {
    const auto scalars = [](const Json& from) {
      Json out = Json::object();
      for (const auto& [key, value] : from.items()) {
        const bool is_other = key == "config_id" || key == "run" || key == "bottleneck";
        if (!value.is_structured() && !is_other) out[key] = value;
      }
      return out;
    };
    compare_members(section, scalars(a), scalars(b));
  }

  // By metric: by how much each limit is kept.
  static Json margins(const Json& best) {
    Json out = Json::object();
    for (const Json& slo : member(member(best, "slo_compliance"), "slos")) {
      const Json& metric = member(slo, "metric");
      if (metric.is_string()) out[metric.get<std::string>()] = member(slo, "margin");
    }
    return out;
  }

  std::vector<PlanChange> changes_;
};

std::string value_text(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return three_digits(value.get<double>());
  if (value.is_number_integer()) return grouped(value.get<std::int64_t>());
  if (!value.is_array()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::vector<std::string> parts;
  for (const Json& element : value) parts.push_back(value_text(element));
  return join(parts, ", ");
}

// By which share it grew; null where that means nothing.
Json relative_change(const PlanChange& change) {
  if (!change.old_value.is_number() || !change.new_value.is_number()) return nullptr;
  const double before = change.old_value.get<double>();
  const double ratio = change.new_value.get<double>() / before - 1;
  return before > 0 && std::isfinite(ratio) ? Json(ratio) : Json();
}

// Too little to be read.
bool is_slight(const PlanChange& change) {
  constexpr double kSlight = 0.005;
  const Json relative = relative_change(change);
  return relative.is_number() && std::fabs(relative.get<double>()) < kSlight;
}

std::string change_text(const PlanChange& change) {
  const bool share = change.section == "margins" || change.key == "headroom";
  const auto shown = [&](const Json& value) {
    return share && value.is_number() ? percent(value.get<double>()) : value_text(value);
  };
  std::string text =
      fmt::format("{}: {} -> {}", change.key, shown(change.old_value), shown(change.new_value));
  const Json relative = relative_change(change);
  if (share || relative.is_null()) return text;
  const double grown = relative.get<double>();
  return text + fmt::format(" ({}{})", grown >= 0 ? "+" : "-", percent(std::fabs(grown)));
}

}  // namespace

Result<void> check_plan_json(const std::string& text, const std::string& file) {
  const Json report = parsed_report(text);
  bool is_plan = report.is_object() && report.contains("best_configuration");
  for (const char* key : {"pareto_frontier", "all_candidates", "summary"}) {
    is_plan = is_plan && member(report, key).is_structured();
  }
  const Json& best = member(report, "best_configuration");
  if (is_plan && (best.is_null() || best.is_object())) return {};
  return fail(ErrorKind::spec, {file,
                                0,
                                0,
                                "this is no report of a plan",
                                "`plimsoll plan ... --json > " + file + "` writes one",
                                {}});
}

std::string plan_diff_text(const std::string& old_json, const std::string& old_file,
                           const std::string& new_json) {
  constexpr std::size_t kIndent = 13;
  constexpr std::size_t kWidth = 100;
  const PlanDiff diff(parsed_report(old_json), parsed_report(new_json));
  if (diff.changes().empty()) return fmt::format("Nothing has changed since {}.\n", old_file);
  std::string text = fmt::format("Since {}:\n", old_file);
  std::string section;
  std::int64_t slight = 0;
  for (const PlanChange& change : diff.changes()) {
    slight += is_slight(change) ? 1 : 0;
    if (is_slight(change)) continue;
    const std::string label = change.section == section ? "" : "  " + change.section;
    text += paragraph(label, change_text(change), kIndent, kWidth);
    section = change.section;
  }
  if (slight > 0) text += "  " + counted(slight, "figure") + " by less than 0.5 %\n";
  return text;
}

std::string plan_diff_json(const std::string& old_json, const std::string& old_file,
                           const std::string& new_json) {
  Json report = parsed_report(new_json);
  const PlanDiff diff(parsed_report(old_json), report);
  Json changes = Json::array();
  for (const PlanChange& change : diff.changes()) {
    changes.push_back({{"section", change.section},
                       {"key", change.key},
                       {"old", change.old_value},
                       {"new", change.new_value},
                       {"relative", relative_change(change)}});
  }
  report["diff"] = {{"against", old_file}, {"changes", std::move(changes)}};
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace plimsoll
