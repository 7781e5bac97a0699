// Does every form say what to expect of a deployment, under its name, in lines that can be read?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "emitted_files.h"
#include "report/emit/deployment_files.h"
#include "report/form/text_report.h"

namespace plimsoll {
namespace {

using test::deployment;
using test::text_of;
using test::unwrapped;
using testing::HasSubstr;
using testing::Not;

TEST(DeploymentFiles, have_a_load_test_that_says_what_to_expect) {
  const std::string text = text_of("vllm", "load_test.sh");
  EXPECT_THAT(text, HasSubstr("ttft_p99_ms                    180         113         288\n"));
  EXPECT_THAT(text, HasSubstr("about 10 minutes"));
  EXPECT_THAT(text, HasSubstr("--num-requests \"${REQUESTS:-2400}\" "));
}

TEST(DeploymentFiles, load_a_server_for_hours_at_most_with_bands_as_wide_as_that) {
  RecommendedDeployment d = deployment();
  d.rate_rps = 0.1;
  d.requests = 144'000;  // 400 hours
  const std::string text = deployment_files("vllm", d)[1].text;
  EXPECT_THAT(text, HasSubstr("--num-requests \"${REQUESTS:-1440}\" "));
  EXPECT_THAT(text, HasSubstr("It takes about 4 hours: 1,440 of the 144,000 requests"));
  // Ten times as wide: 700 on either side of 190; the model's part stays as it is.
  EXPECT_THAT(text, HasSubstr("ttft_p99_ms                    180           0         912\n"));
}

TEST(DeploymentFiles, say_where_slow_steps_do_not_hold_the_load_and_what_is_not_tested) {
  RecommendedDeployment d = deployment();
  d.expected.front().model->high = std::numeric_limits<double>::infinity();
  d.class_limits = {"critical: TTFT p99 < 500 ms"};
  const std::string text = deployment_files("vllm", d)[1].text;
  EXPECT_THAT(text, HasSubstr("ttft_p99_ms                    180         113         any\n"));
  EXPECT_THAT(text, HasSubstr("Limits of a class: critical: TTFT p99 < 500 ms. "));
}

TEST(DeploymentFiles, measure_what_was_simulated_which_is_without_spares) {
  RecommendedDeployment d = deployment();
  EXPECT_THAT(deployment_files("vllm", d)[1].text, Not(HasSubstr("spare")));
  d.spare = 1;
  EXPECT_THAT(deployment_files("vllm", d)[1].text,
              HasSubstr("Measure without the spare instance: with 2 of the 3 instances."));
}

TEST(DeploymentFiles, for_gpus_of_amd_ask_for_those) {
  RecommendedDeployment d = deployment();
  d.gpu = "MI300X";
  EXPECT_THAT(deployment_files("kubernetes", d).front().text, HasSubstr("amd.com/gpu: 4"));
  EXPECT_THAT(deployment_files("llm-d", d).front().text, HasSubstr("type: amd"));
}

TEST(DeploymentFiles, are_called_after_their_model_unless_they_have_a_name) {
  EXPECT_EQ(resource_name("Org/Model-7B_v0.1"), "org-model-7b-v0-1");
  EXPECT_EQ(resource_name("01-ai/Yi-34B"), "model-01-ai-yi-34b");  // services begin with a letter
  RecommendedDeployment d = deployment();
  EXPECT_THAT(deployment_files("kubernetes", d).front().text, HasSubstr("name: org-model-7b-v0-1"));
  d.name = "chat";
  EXPECT_THAT(deployment_files("kubernetes", d).front().text, HasSubstr("name: chat"));
}

TEST(DeploymentFiles, have_notes_and_commands_of_lines_that_can_be_read) {
  RecommendedDeployment d = deployment();
  for (int i = 0; i < 20; ++i) {
    d.verdict += " and so on";
    d.run_command += " --prompt-tokens 512";
  }
  for (const std::string& form : deployment_forms()) {
    for (const DeploymentFile& file : deployment_files(form, d)) {
      std::istringstream lines(file.text);
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), kEmittedColumns + 20) << file.name;
      }
      if (file.name == "service.yaml") continue;
      EXPECT_THAT(unwrapped(file.text), HasSubstr(d.verdict));
    }
  }
}

TEST(DeploymentFiles, find_what_lies_beside_them_from_anywhere) {
  RecommendedDeployment d = deployment();
  d.run_command += " --workload-spec \"$HERE/workload.yaml\"";
  d.beside_scripts = {{"workload.yaml", "clients: []\n"}};
  for (const std::string& form : deployment_forms()) {
    const std::vector<DeploymentFile> files = deployment_files(form, d);
    EXPECT_EQ(files.back().name, "workload.yaml");
    EXPECT_THAT(files[files.size() - 2].text,
                HasSubstr("HERE=$(dirname \"$0\")\nexec plimsoll run --rate 4"));
  }
}

}  // namespace
}  // namespace plimsoll
