#include "report/deployment_files.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "report/deployment_forms.h"

namespace plimsoll {
namespace {

std::string load_test(const RecommendedDeployment& d) {
  std::string text =
      "#!/bin/sh\n" + commented(d.verdict) +
      commented(
          "A figure outside its band refutes the plan. Bands: 90 % for a run "
          "of this length,") +
      commented(d.model_error > 0
                    ? fmt::format("times the error of the step times (+-{} of a step).",
                                  percent(d.model_error))
                    : "without any error of the step times: it is not known.") +
      commented(fmt::format("{:<22}{:>12}{:>12}{:>12}", "figure", "expected", "from", "to"));
  if (d.expected.empty()) text += commented("none: the run behind the plan has no intervals");
  for (const ExpectedFigure& f : d.expected) {
    text += commented(fmt::format("{:<22}{:>12}{:>12}{:>12}", f.metric, three_digits(f.value),
                                  three_digits(f.low), three_digits(f.high)));
  }
  text += commented(fmt::format("It takes about {:.0f} minutes. URL: where requests are balanced.",
                                std::ceil(static_cast<double>(d.requests) / d.rate_rps / 60)));
  return text + model_line(d) +
         fmt::format(
             "exec plimsoll observe --server-url \"${{URL:-http://localhost:{}}}\" \\\n"
             "  --model \"$MODEL\" --rate {} --num-requests {} \\\n"
             "  {} --output \"${{OUTPUT:-observed}}\" \"$@\"\n",
             kServingPort, shortest(d.rate_rps), d.requests, d.observe_flags);
}

std::string simulation(const RecommendedDeployment& d) {
  return "#!/bin/sh\n" + commented(d.verdict) + commented("The run behind the plan's figures.") +
         "exec " + d.run_command + " \"$@\"\n";
}

}  // namespace

const std::vector<std::string>& deployment_forms() {
  static const std::vector<std::string> forms{"vllm", "kubernetes", "llm-d"};
  return forms;
}

std::vector<DeploymentFile> deployment_files(const std::string& form,
                                             const RecommendedDeployment& d) {
  std::vector<DeploymentFile> files;
  if (form == "vllm") files = {{"serve.sh", serve_script(d)}};
  if (form == "kubernetes") {
    files = {{"deployment.yaml", kubernetes_deployment(d)},
             {"service.yaml", kubernetes_service(d)}};
  }
  if (form == "llm-d") files = {{"values.yaml", llm_d_values(d)}};
  files.push_back({"load_test.sh", load_test(d)});
  files.push_back({"simulate.sh", simulation(d)});
  return files;
}

}  // namespace plimsoll
