#include "report/emit/deployment_files.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/quoting.h"
#include "base/text.h"
#include "catalog/gpu.h"
#include "metrics/intervals.h"
#include "report/form/text_report.h"
#include "spec/yaml_writer.h"

namespace plimsoll {
namespace {

// A test occupies real GPUs: days of it are no use, and the rate alone may ask for them.
constexpr double kLongestTestS = 4 * 3600;

std::int64_t requests_of_test(const RecommendedDeployment& d) {
  const auto fit = static_cast<std::int64_t>(std::ceil(d.rate_rps * kLongestTestS));
  return std::min(d.requests, fit);
}

// Fewer requests than those simulated have a wider interval, by the root of how many fewer.
MetricInterval sampled_by_test(const RecommendedDeployment& d, MetricInterval sampled) {
  const double wider =
      std::sqrt(static_cast<double>(d.requests) / static_cast<double>(requests_of_test(d)));
  const double middle = (sampled.low + sampled.high) / 2;
  const double half = wider * (sampled.high - sampled.low) / 2;
  return {sampled.metric, middle - half, middle + half};
}

std::string band(const RecommendedDeployment& d, const ExpectedFigure& f) {
  const MetricInterval sampled = sampled_by_test(d, f.sampled);
  const MetricInterval ends = f.model ? together(sampled, *f.model) : sampled;
  const std::string high = std::isinf(ends.high) ? "any" : three_digits(ends.high);
  return fmt::format("{:<22}{:>12}{:>12}{:>12}", ends.metric, three_digits(f.value),
                     three_digits(std::fmax(0, ends.low)), high);
}

// With the words that the script is given, and the folder it is in.
std::string script_command(const std::string& command) {
  const bool reads_beside = command.find("$HERE") != std::string::npos;
  return (reads_beside ? "HERE=$(dirname \"$0\")\n" : "") +
         command_lines("exec " + command + " \"$@\"", 0, kEmittedColumns);
}

std::string how_long(const RecommendedDeployment& d) {
  const std::int64_t requests = requests_of_test(d);
  const double minutes = std::ceil(static_cast<double>(requests) / d.rate_rps / 60);
  std::string text = minutes < 120 ? fmt::format("It takes about {:.0f} minutes", minutes)
                                   : fmt::format("It takes about {:.2g} hours", minutes / 60);
  if (requests < d.requests) {
    text += fmt::format(": {} of the {} requests that were simulated", grouped(requests),
                        grouped(d.requests));
  }
  return text + "; REQUESTS=1000 makes a short trial, which the bands do not fit.";
}

// Where the requests go.
std::string address(const std::string& form) {
  const std::string url = "URL: the load balancer in front of the instances.";
  if (form == "vllm") return url;
  return url + " Run the test inside the cluster: kubectl port-forward reaches a single pod.";
}

// Five bands that each hold nine runs in ten are missed somewhere more often than that.
std::string how_to_judge(const RecommendedDeployment& d) {
  std::string text = "Bands: nine in ten runs of this length lie within each, if the plan is right";
  text += d.model_error > 0
              ? fmt::format(" and step times are off by at most {}, as in simulate.sh",
                            percent(d.model_error))
              : " and step times are: their error is not known";
  text += ". One figure just outside proves little; several above their bands";
  if (!d.limits.empty()) text += ", or a limit that is missed (" + join(d.limits, ", ") + "),";
  return text + " refute the plan, and figures below theirs mean faster servers.";
}

std::string load_test(const RecommendedDeployment& d, const std::string& form) {
  std::string text = "#!/bin/sh\n" + comment_lines(d.verdict);
  if (d.spare > 0) {
    text += comment_lines(fmt::format(
        "Measure without the spare {}: with {} of the {}.", d.spare == 1 ? "instance" : "instances",
        all_instances(d) - d.spare, counted(all_instances(d), "instance")));
  }
  text +=
      comment_lines(how_to_judge(d)) +
      comment_lines(fmt::format("{:<22}{:>12}{:>12}{:>12}", "figure", "expected", "from", "to"));
  if (d.expected.empty()) text += comment_lines("none: the run behind the plan has no intervals");
  for (const ExpectedFigure& f : d.expected) text += comment_lines(band(d, f));
  if (!d.class_limits.empty()) {
    text += comment_lines(fmt::format(
        "Limits of a class: {}. observe prints the p99 of each class; what else there is of one is "
        "in its recording.",
        join(d.class_limits, ", ")));
  }
  text += comment_lines(how_long(d)) + comment_lines(address(form));
  const std::string flags = d.observe_flags.empty() ? "" : d.observe_flags + " ";
  return text + model_line(d) +
         script_command(
             fmt::format("plimsoll observe --server-url \"${{URL:-http://localhost:{}}}\" --model "
                         "\"$MODEL\" --rate {} --num-requests \"${{REQUESTS:-{}}}\" {}--output "
                         "\"${{OUTPUT:-observed}}\"",
                         kServingPort, shortest(d.rate_rps), requests_of_test(d), flags));
}

std::string simulation(const RecommendedDeployment& d) {
  return "#!/bin/sh\n" + comment_lines(d.verdict) +
         comment_lines(d.is_in_step ? "The plan's deployment without asynchronous scheduling, as "
                                      "vLLM 0.11 starts it: its figures are not those of the plan."
                                    : "The run behind the plan's figures.") +
         script_command(d.run_command);
}

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

const std::vector<std::string>& deployment_forms() {
  static const std::vector<std::string> forms{"vllm", "kubernetes", "llm-d", "dynamo"};
  return forms;
}

std::vector<DeploymentFile> deployment_files(const std::string& form,
                                             const RecommendedDeployment& d) {
  std::vector<DeploymentFile> files;
  if (form == "vllm" && is_split(d)) {
    files = split_scripts(d);
  } else if (form == "vllm" && d.beside) {
    files = mix_files(d);
  } else if (form == "vllm") {
    files = {{"serve.sh", serve_script(d)}};
  }
  if (form == "kubernetes") {
    files = {{"deployment.yaml", kubernetes_deployment(d)},
             {"service.yaml", kubernetes_service(d)}};
  }
  if (form == "dynamo") files = {{"graph.yaml", dynamo_graph(d)}};
  if (form == "llm-d") files = {{"values.yaml", llm_d_values(d)}};
  files.push_back({"load_test.sh", load_test(d, form)});
  files.push_back({"simulate.sh", simulation(d)});
  files.insert(files.end(), d.beside_scripts.begin(), d.beside_scripts.end());
  return files;
}

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
