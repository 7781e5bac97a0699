#include "report/emit/deployment_files.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "metrics/intervals.h"
#include "report/form/text_report.h"

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

}  // namespace plimsoll
