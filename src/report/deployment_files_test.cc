#include "report/deployment_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "spec/spec_file.h"

namespace plimsoll {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;

RecommendedDeployment deployment() {
  RecommendedDeployment d;
  d.verdict = "8 x MI300X hold: \"it\"";
  d.model = "Org/Model-7B_v0.1";
  d.gpu = "H100";
  d.replicas = 3;
  d.gpus_per_replica = 4;
  d.tp = 2;
  d.pp = 2;
  d.engine_args = {"--max-num-seqs", "128", "--no-enable-prefix-caching"};
  d.unset = {{"--routing-policy least-loaded", "The balancer has to do so."}};
  d.weight_gib = 14.2;
  d.run_command = "plimsoll run --rate 4";
  d.observe_flags = "--prompt-tokens 512";
  d.rate_rps = 4;
  d.requests = 2400;
  d.model_error = 0.07;
  d.expected = {{"ttft_p99_ms", 180, 120, 260}};
  return d;
}

std::string text_of(const std::string& form, const std::string& name) {
  for (const DeploymentFile& file : deployment_files(form, deployment())) {
    if (file.name == name) return file.text;
  }
  return {};
}

/// Whole and valid YAML, read leniently.
SpecFile read_yaml(const std::string& form, const std::string& name) {
  auto file = SpecFile::parse(text_of(form, name), name);
  EXPECT_TRUE(file);
  return std::move(*file);
}

SpecMap in(SpecMap map, const std::vector<std::string>& path) {
  map.accept_foreign_keys();
  for (const std::string& key : path) {
    map = map.map(key);
    map.accept_foreign_keys();
  }
  return map;
}

TEST(DeploymentFiles, for_kubernetes_ask_for_the_gpus_and_replicas_of_the_plan) {
  SpecFile file = read_yaml("kubernetes", "deployment.yaml");
  SpecMap spec = in(file.top(), {"spec"});
  EXPECT_EQ(spec.integer("replicas"), 3);
  SpecMap pod = in(spec, {"template", "spec"});
  SpecMap container = pod.maps("containers").at(0);
  container.accept_foreign_keys();
  EXPECT_EQ(in(container, {"resources", "limits"}).integer("nvidia.com/gpu"), 4);
  EXPECT_EQ(in(container, {"readinessProbe", "httpGet"}).integer("port"), 8000);
  EXPECT_EQ(container.texts("command"),
            (std::vector<std::string>{"vllm", "serve", "Org/Model-7B_v0.1", "--port", "8000"}));
  EXPECT_EQ(container.texts("args"),
            (std::vector<std::string>{"--tensor-parallel-size", "2", "--pipeline-parallel-size",
                                      "2", "--max-num-seqs", "128", "--no-enable-prefix-caching"}));
  EXPECT_TRUE(file.ok());
  SpecFile service = read_yaml("kubernetes", "service.yaml");
  EXPECT_EQ(in(service.top(), {"spec", "selector"}).text("app"),
            in(file.top(), {"spec", "selector", "matchLabels"}).text("app"));
  EXPECT_EQ(in(file.top(), {"metadata"}).text("name"), "org-model-7b-v0-1");
}

TEST(DeploymentFiles, for_llm_d_are_values_of_its_chart) {
  SpecFile file = read_yaml("llm-d", "values.yaml");
  SpecMap decode = in(file.top(), {"decode"});
  EXPECT_EQ(decode.integer("replicas"), 3);
  EXPECT_EQ(in(decode, {"parallelism"}).integer("tensor"), 2);
  SpecMap container = decode.maps("containers").at(0);
  container.accept_foreign_keys();
  EXPECT_EQ(container.text("modelCommand"), "vllmServe");
  const std::vector<std::string> args = container.texts("args");
  EXPECT_THAT(args, IsSupersetOf({"--max-num-seqs", "--pipeline-parallel-size"}));
  EXPECT_EQ(std::ranges::count(args, "--tensor-parallel-size"), 0);  // the chart adds it
  EXPECT_EQ(in(container, {"resources", "limits"}).integer("nvidia.com/gpu"), 4);
  EXPECT_EQ(in(file.top(), {"modelArtifacts"}).text("uri"), "hf://Org/Model-7B_v0.1");
  EXPECT_FALSE(in(file.top(), {"prefill"}).flag("create"));
  EXPECT_TRUE(file.ok());
}

TEST(DeploymentFiles, for_vllm_give_each_replica_its_own_gpus) {
  const std::string text = text_of("vllm", "serve.sh");
  EXPECT_THAT(text, HasSubstr("CUDA_VISIBLE_DEVICES=0,1,2,3 PORT=8000 sh serve.sh"));
  EXPECT_THAT(text, HasSubstr("CUDA_VISIBLE_DEVICES=4,5,6,7 PORT=8001 sh serve.sh"));
  EXPECT_THAT(text, HasSubstr("--tensor-parallel-size 2 \\\n"));
  EXPECT_THAT(text, HasSubstr("# Not set here: --routing-policy least-loaded. The balancer"));
}

TEST(DeploymentFiles, have_a_load_test_that_says_what_to_expect) {
  EXPECT_THAT(text_of("vllm", "load_test.sh"), HasSubstr("ttft_p99_ms"));
}

TEST(DeploymentFiles, for_gpus_of_amd_ask_for_those) {
  RecommendedDeployment d = deployment();
  d.gpu = "MI300X";
  EXPECT_THAT(deployment_files("kubernetes", d).front().text, HasSubstr("amd.com/gpu: 4"));
  EXPECT_THAT(deployment_files("llm-d", d).front().text, HasSubstr("type: amd"));
}

TEST(DeploymentFiles, are_called_after_their_model_unless_they_have_a_name) {
  EXPECT_EQ(resource_name("Org/Model-7B_v0.1"), "org-model-7b-v0-1");
  RecommendedDeployment d = deployment();
  EXPECT_THAT(deployment_files("kubernetes", d).front().text, HasSubstr("name: org-model-7b-v0-1"));
  d.name = "chat";
  EXPECT_THAT(deployment_files("kubernetes", d).front().text, HasSubstr("name: chat"));
}

}  // namespace
}  // namespace plimsoll
