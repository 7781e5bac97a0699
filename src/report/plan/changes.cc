#include "report/plan/diff.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace plimsoll {
namespace {

class PlanDiff {
 public:
  explicit PlanDiff(std::string model) : model_(std::move(model)) {}

  std::vector<PlanChange> between(const Json& old_report, const Json& new_report) {
    compare("inputs", "model", old_report["model"], new_report["model"]);
    compare_inputs(old_report["inputs"], new_report["inputs"]);
    compare_assumed(old_report["assumed"], new_report["assumed"]);
    const Json& old_best = old_report["best_configuration"];
    const Json& new_best = new_report["best_configuration"];
    if (old_best.is_null() || new_best.is_null()) {
      if (old_best.is_null() != new_best.is_null()) {
        const auto said = [](const Json& report) { return report["summary"]["recommendation"]; };
        compare("pick", "recommendation", said(old_report), said(new_report));
      }
      return std::move(changes_);
    }
    compare_scalars("pick", old_best, new_best);
    compare_members("figures", old_best["performance"], new_best["performance"]);
    compare_members("cost", old_best["cost"], new_best["cost"]);
    compare_members("margins", margins(old_best), margins(new_best));
    compare("bound by", "bottleneck", old_best["bottleneck"], new_best["bottleneck"]);
    return std::move(changes_);
  }

  // Of two objects; details of both are compared elsewhere.
  std::vector<PlanChange> of_keys(const std::string& section, const Json& a, const Json& b,
                                  std::initializer_list<const char*> keys) {
    for (const char* key : keys) compare(section, key, a[key], b[key]);
    return std::move(changes_);
  }

 private:
  void compare(const std::string& section, const std::string& key, const Json& a, const Json& b) {
    if (a != b && !is_detail(a) && !is_detail(b)) changes_.push_back({model_, section, key, a, b});
  }

  // A list of objects, whose sums are compared.
  static bool is_detail(const Json& value) {
    return value.is_array() && !value.empty() && value.front().is_object();
  }

  // Of what an older report does not speak, nothing is known to have changed.
  void compare_inputs(const Json& a, const Json& b) {
    for (const auto& [key, value] : b.items()) {
      const Json& before = a[key];
      if (!a.is_object() || !a.contains(key)) continue;
      if (key == "prices") {
        compare_prices(prices(before), prices(value));
      } else if (value.is_object() && before.is_object()) {
        compare_members("inputs", before, value, key + ".");
      } else {
        compare("inputs", key, before, value);
      }
    }
  }

  // Which GPUs are considered is said by itself.
  void compare_prices(const Json& a, const Json& b) {
    for (const auto& [key, value] : b.items()) {
      if (a.contains(key)) compare("inputs", "price of " + key, a[key], value);
    }
  }

  // What stands in no more, and what newly does.
  void compare_assumed(const Json& a, const Json& b) {
    if (a.is_null()) return;
    const Json gone = without(a, b);
    const Json come = without(b, a);
    if (!gone.empty() || !come.empty())
      changes_.push_back({model_, "inputs", "assumed", gone, come});
  }

  static Json without(const Json& list, const Json& others) {
    Json out = Json::array();
    for (const Json& element : list) {
      if (std::ranges::count(others, element) == 0) out.push_back(element);
    }
    return out;
  }

  // Of both, in the order of the new one.
  void compare_members(const std::string& section, const Json& a, const Json& b,
                       const std::string& prefix = {}) {
    for (const auto& [key, value] : b.items()) {
      compare(section, prefix + key, a[key], value);
    }
    for (const auto& [key, value] : a.items()) {
      if (!b.contains(key)) compare(section, prefix + key, value, Json());
    }
  }

  // What the deployment consists of, without the number of a candidate and the command.
  void compare_scalars(const std::string& section, const Json& a, const Json& b) {
    const auto scalars = [](const Json& from) {
      Json out = Json::object();
      for (const auto& [key, value] : from.items()) {
        // Where a search stopped says nothing by itself.
        const bool is_other =
            key == "config_id" || key == "run" || key == "bottleneck" || key == "headroom_below";
        if (!value.is_structured() && !is_other) out[key] = value;
      }
      return out;
    };
    compare_members(section, scalars(a), scalars(b));
  }

  // By metric: by how much each limit is kept.
  static Json margins(const Json& best) {
    Json out = Json::object();
    for (const Json& slo : best["slo_compliance"]["slos"]) {
      const Json& metric = slo["metric"];
      if (metric.is_string()) out[metric.as_string()] = slo["margin"];
    }
    return out;
  }

  // By GPU type and how it is bought: dollars for a GPU and hour.
  static Json prices(const Json& list) {
    Json out = Json::object();
    for (const Json& price : list) {
      const Json& gpu = price["gpu_type"];
      const Json& kind = price["commitment"];
      if (!gpu.is_string() || !kind.is_string()) continue;
      out[gpu.as_string() + " " + kind.as_string()] = price["usd_per_gpu_hour"];
    }
    return out;
  }

  std::string model_;
  std::vector<PlanChange> changes_;
};

// A model of a fleet as a report of its own; the fleet's limits are not its own.
Json as_plan(const Json& model) {
  Json plan = {{"model", model["model"]},
               {"inputs", model["inputs"]},
               {"assumed", model["assumed"]},
               {"best_configuration", model["configuration"]},
               {"summary", {{"recommendation", model["shortage"]}}}};
  if (model["configuration"].is_object()) plan["summary"]["recommendation"] = "served";
  if (plan["inputs"].is_object()) {
    for (const char* key : {"max_gpus", "max_cost_per_hour"}) plan["inputs"].erase(key);
  }
  return plan;
}

const Json& model_called(const Json& report, const Json& name) {
  static const Json kNothing;
  for (const Json& model : report["models"]) {
    if (model["name"] == name) return model;
  }
  return kNothing;
}

std::string text_of(const Json& name) { return name.is_string() ? name.as_string() : ""; }

std::vector<PlanChange> fleet_changes(const Json& old_report, const Json& new_report) {
  std::vector<PlanChange> all =
      PlanDiff("").of_keys("fleet", old_report, new_report,
                           {"max_gpus", "max_cost_per_hour", "total_gpus", "cost_per_hour"});
  const auto add = [&](const std::vector<PlanChange>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const Json& model : new_report["models"]) {
    const Json& name = model["name"];
    const Json& before = model_called(old_report, name);
    if (before.is_null()) {
      all.push_back({text_of(name), "inputs", "models", Json(), "new"});
    } else {
      add(PlanDiff(text_of(name)).between(as_plan(before), as_plan(model)));
    }
  }
  for (const Json& model : old_report["models"]) {
    const Json& name = model["name"];
    if (!model_called(new_report, name).is_null()) continue;
    all.push_back({text_of(name), "inputs", "models", "there", Json()});
  }
  return all;
}

}  // namespace

bool is_fleet_report(const Json& report) { return report["models"].is_array(); }

std::vector<PlanChange> plan_changes(const Json& old_report, const Json& new_report) {
  return is_fleet_report(new_report) ? fleet_changes(old_report, new_report)
                                     : PlanDiff("").between(old_report, new_report);
}

}  // namespace plimsoll
