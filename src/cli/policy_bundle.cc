#include "cli/policy_bundle.h"

#include <algorithm>
#include <utility>

#include "base/lists.h"
#include "base/text.h"
#include "cli/flags.h"
#include "cli/parse.h"
#include "setup/fleet_file.h"
#include "setup/policies.h"
#include "spec/spec_file.h"

namespace plimsoll {
namespace {

// The reference sheds below this priority when a bundle names tier-shed and no other.
constexpr std::string_view kTierShedMinPriority = "3";

class BundleReader {
 public:
  explicit BundleReader(Options* options) : options_(options) {}

  void read(SpecMap top) {
    if (auto admission = top.optional_map("admission")) read_admission(*admission);
    if (auto routing = top.optional_map("routing")) {
      take_policy(*routing, "--routing-policy");
      if (routing->has("scorers")) take_scorers(*routing);
      take_parameters(*routing, "--routing-scorers");
    }
    take_name(top, "scheduler", "--scheduler");
    take_parameters(top, "--scheduler");
    if (auto preemption = top.optional_map("preemption")) {
      take_policy(*preemption, "--preemption-policy");
    }
    if (auto priority = top.optional_map("priority")) {
      priority->optional_text("policy");
      notes_.push_back("\"priority\" of the policy bundle changes nothing; slo_priorities does");
    }
    take_pairs(top, "tenant_budgets", "--tenant-budgets");
    for (const char* key : {"node_pools", "autoscaler", "instance_lifecycle"}) {
      if (top.has(key)) top.error(key, "\"" + std::string(key) + "\" is not supported yet");
    }
  }

  std::vector<std::string> take_notes() { return std::move(notes_); }

 private:
  void read_admission(SpecMap map) {
    take_policy(map, "--admission-policy");
    const bool sheds = options_->run.cluster.admission == "tier-shed";
    if (sheds && map.has("policy") && !map.has("tier_shed_min_priority")) {
      set(map, "policy", "--tier-shed-min-priority", std::string(kTierShedMinPriority));
    }
    take_pairs(map, "slo_priorities", "--slo-priorities");
    take_pairs(map, "slo_targets", "--slo-targets");
  }

  void take_policy(SpecMap map, std::string_view flag) {
    take_name(map, "policy", flag);
    take_parameters(map, flag);
  }

  // The key of a parameter is its flag's name with underscores.
  void take_parameters(SpecMap map, std::string_view flag) {
    for (const PolicyRow& row : policy_kind(flag).rows) {
      for (const PolicyParameter& parameter : row.parameters) {
        std::string key = parameter.name;
        std::ranges::replace(key, '-', '_');
        if (const auto number = map.optional_number(key)) {
          set(map, key, "--" + parameter.name, shortest(*number));
        }
      }
    }
  }

  void take_name(SpecMap map, std::string_view key, std::string_view flag) {
    const auto name = map.optional_text(key);
    if (name && !name->empty()) set(map, key, flag, *name);
  }

  void take_pairs(SpecMap map, std::string_view key, std::string_view flag) {
    auto pairs = map.optional_map(key);
    if (!pairs) return;
    std::vector<std::string> texts = mapped(pairs->keys(), [&](const std::string& name) {
      return name + "=" + shortest(pairs->number(name));
    });
    if (!texts.empty()) set(map, key, flag, join(texts, ","));
  }

  void take_scorers(SpecMap routing) {
    std::vector<std::string> texts;
    for (SpecMap scorer : routing.maps("scorers")) {
      const std::string name = scorer.text("name");
      texts.push_back(name + ":" + shortest(scorer.number("weight")));
    }
    if (!texts.empty()) set(routing, "scorers", "--routing-scorers", join(texts, ","));
  }

  void set(SpecMap map, std::string_view key, std::string_view name, const std::string& text) {
    const auto flag = std::ranges::find_if(flags(), [&](const Flag& f) { return f.name == name; });
    if (flag == flags().end()) {
      map.error(key, "\"" + std::string(key) + "\" is not supported yet");
      return;
    }
    if (flag->value.origin(*options_) == Origin::asked) return;
    if (const auto refusal = flag->value.set(*options_, text, Origin::file)) {
      const std::string why = refusal->must.empty() ? refusal->message : "must be " + refusal->must;
      map.error(key, "\"" + std::string(key) + "\" " + why, refusal->hint);
    }
  }

  Options* options_;
  std::vector<std::string> notes_;
};

}  // namespace

Result<std::vector<std::string>> apply_policy_bundle(const std::string& path, Options* options) {
  TRY(file, SpecFile::read(path));
  BundleReader reader(options);
  reader.read(file.top());
  return file.finish(reader.take_notes());
}

Result<std::vector<std::string>> apply_files(Options* options) {
  TRY_TO(read_fleet(&options->run));
  const std::string path = options->run.cluster.policy_config;
  if (path.empty()) return std::vector<std::string>{};
  return apply_policy_bundle(path, options);
}

Result<Options> with_files(Options options) {
  TRY_TO(apply_files(&options));
  return options;
}

Result<Options> options_of_run(const std::vector<std::string>& words) {
  TRY(command, parse_command(*find_verb("run"), words));
  return with_files(std::move(command.options));
}

}  // namespace plimsoll
