#include "report/emit/recommended_deployment.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/quoting.h"
#include "base/text.h"
#include "catalog/gpu.h"
#include "report/form/text_report.h"
#include "spec/yaml_writer.h"

namespace plimsoll {
namespace {

constexpr std::size_t kLongestName = 50;  // Kubernetes allows 63; replicas get an ending

bool holds_objects(const Json& list) { return list.size() > 0 && list.begin()->is_object(); }

void put_members(const Json& object, YamlWriter* yaml) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_boolean()) {
      yaml->flag(key, value.as_bool());
    } else if (value.is_number()) {
      yaml->integer(key, value.as_integer());
    } else if (value.is_string()) {
      yaml->text(key, value.as_string());
    } else if (value.is_object()) {
      yaml->open(key);
      put_members(value, yaml);
      yaml->close();
    } else if (holds_objects(value)) {
      yaml->open(key);
      for (const Json& item : value) {
        yaml->begin_item();
        put_members(item, yaml);
        yaml->end_item();
      }
      yaml->close();
    } else {
      std::vector<std::string> words;
      for (const Json& word : value) words.push_back(yaml_text(word.as_string()));
      yaml->flow(key, "[", words, "]");
    }
  }
}

}  // namespace

std::string resource_name(const std::string& text) {
  std::string name;
  for (const char c : to_lower(text)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (plain && name.empty() && std::isdigit(static_cast<unsigned char>(c)) != 0) name = "model-";
    if (plain) name += c;
    if (!plain && !name.empty() && name.back() != '-') name += '-';
  }
  name.resize(std::min(name.size(), kLongestName));
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "model" : name;
}

std::string resource_name(const RecommendedDeployment& d) {
  return resource_name(d.name.empty() ? d.model : d.name);
}

std::int64_t all_instances(const RecommendedDeployment& d) {
  std::int64_t all = d.replicas;
  for (const auto& other : {d.prefill, d.beside}) all += other ? other->replicas : 0;
  return all;
}

bool spans_machines(const RecommendedPool& p) { return p.gpus_per_replica > p.gpus_per_machine; }

bool is_amd(const RecommendedPool& p) { return is_of_amd(p.gpu); }

std::string gpu_resource(const RecommendedPool& p) {
  return is_amd(p) ? "amd.com/gpu" : "nvidia.com/gpu";
}

std::vector<std::string> serve_args(const RecommendedPool& p) {
  std::vector<std::string> args{"--tensor-parallel-size", std::to_string(p.tp)};
  const auto add = [&](const char* flag, std::int64_t size) {
    if (size > 1) args.insert(args.end(), {flag, std::to_string(size)});
  };
  add("--pipeline-parallel-size", p.pp);
  add("--data-parallel-size", p.dp);
  args.insert(args.end(), p.engine_args.begin(), p.engine_args.end());
  return args;
}

std::string notes_on_unset(const RecommendedDeployment& d) {
  std::string notes;
  if (d.spare > 0) {
    notes += comment_lines(fmt::format("{} of the {} {} spare. The plan's figures leave {} out.",
                                       d.spare, counted(all_instances(d), "instance"),
                                       d.spare == 1 ? "is" : "are", d.spare == 1 ? "it" : "them"));
  }
  for (const UnsetFlag& unset : d.unset) {
    notes += comment_lines("Not set here: " + unset.flag + ". " + unset.remedy);
  }
  return notes;
}

std::string wanted_checkpoint(const RecommendedDeployment& d) {
  return fmt::format("a checkpoint of {} with {} weights", d.model, d.weights);
}

std::string checkpoint_of(const RecommendedDeployment& d) {
  return d.weights.empty() ? d.model : fmt::format("CHECKPOINT-WITH-{}-WEIGHTS", d.weights);
}

std::string model_line(const RecommendedDeployment& d) {
  const std::string unless_set = "[ -n \"$MODEL\" ] || ";
  if (d.weights.empty()) return unless_set + "MODEL=" + shell_quoted(d.model) + "\n";
  const std::string wanted = "MODEL has to be " + wanted_checkpoint(d);
  return unless_set + "{ echo " + shell_quoted(wanted) + " >&2; exit 2; }\n";
}

Json pod_words(const std::vector<std::string>& words) {
  return Json::array_of(words, [](const std::string& word) {
    std::string plain;
    for (const char c : word) plain += c == '$' ? std::string("$$") : std::string(1, c);
    return plain;
  });
}

std::string yaml_of(const Json& object) {
  YamlWriter yaml;
  put_members(object, &yaml);
  return yaml.take();
}

}  // namespace plimsoll
