// Do the files for Kubernetes, llm-d and Dynamo ask for the GPUs, replicas and pools of the plan?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "emitted_files.h"
#include "report/emit/deployment_files.h"
#include "spec/spec_file.h"

namespace plimsoll {
namespace {

using test::deployment;
using test::split_deployment;
using test::text_of;
using testing::HasSubstr;
using testing::IsSupersetOf;

/// Whole and valid YAML, read leniently.
SpecFile parsed(const std::string& text, const std::string& name) {
  auto file = SpecFile::parse(text, name);
  EXPECT_TRUE(file);
  return std::move(*file);
}

SpecFile read_yaml(const std::string& form, const std::string& name) {
  return parsed(text_of(form, name), name);
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

SpecMap first_container(const SpecMap& pool) {
  SpecMap container = SpecMap(pool).maps("containers").at(0);
  container.accept_foreign_keys();
  return container;
}

const std::vector<std::string> kConnector{
    "--kv-transfer-config", R"({"kv_connector":"NixlConnector","kv_role":"kv_both"})"};

TEST(DeploymentFiles, for_llm_d_have_both_pools_of_a_split_and_the_proxy_between_them) {
  RecommendedDeployment d = split_deployment();
  d.prefill->gpus_per_replica = d.prefill->tp = 4;
  SpecFile file = parsed(llm_d_values(d), "values.yaml");
  SpecMap proxy = in(file.top(), {"routing", "proxy"});
  EXPECT_TRUE(proxy.flag("enabled"));
  EXPECT_EQ(proxy.text("connector"), "nixlv2");
  // The server of a decode pod stands behind its proxy, which has the port of the service.
  for (const auto& [key, replicas, gpus, port] :
       {std::tuple("prefill", 2, 4, 8000), {"decode", 3, 2, 8200}}) {
    SpecMap pool = in(file.top(), {key});
    EXPECT_TRUE(pool.flag("create")) << key;
    EXPECT_EQ(pool.integer("replicas"), replicas) << key;
    EXPECT_EQ(in(pool, {"parallelism"}).integer("tensor"), gpus) << key;
    SpecMap container = first_container(pool);
    EXPECT_EQ(in(container, {"resources", "limits"}).integer("nvidia.com/gpu"), gpus) << key;
    EXPECT_EQ(in(container, {"extraConfig", "readinessProbe", "httpGet"}).integer("port"), port);
    EXPECT_THAT(container.texts("args"), IsSupersetOf(kConnector)) << key;
    EXPECT_EQ(container.maps("env").at(0).text("name"), "VLLM_NIXL_SIDE_CHANNEL_HOST");
  }
}

// One worker of a graph, with what it is told.
struct Worker {
  std::int64_t replicas = 0;
  std::string gpus;
  std::string role;
  std::vector<std::string> words;
};

Worker worker_of(SpecFile& file, const std::string& name) {
  SpecMap service = in(file.top(), {"spec", "services", name});
  EXPECT_EQ(service.text("componentType"), "worker");
  SpecMap container = in(service, {"extraPodSpec", "mainContainer"});
  EXPECT_EQ(container.texts("command"), (std::vector<std::string>{"python3", "-m", "dynamo.vllm",
                                                                  "--model", "Org/Model-7B_v0.1"}));
  const std::string role = service.has("subComponentType") ? service.text("subComponentType") : "";
  return {service.integer("replicas"), in(service, {"resources", "limits"}).text("gpu"), role,
          container.texts("args")};
}

TEST(DeploymentFiles, for_dynamo_are_a_graph_with_a_frontend_and_workers) {
  SpecFile file = read_yaml("dynamo", "graph.yaml");
  EXPECT_EQ(file.top().text("apiVersion"), "nvidia.com/v1alpha1");
  EXPECT_EQ(file.top().text("kind"), "DynamoGraphDeployment");
  EXPECT_EQ(in(file.top(), {"spec", "services", "Frontend"}).text("componentType"), "frontend");
  const Worker worker = worker_of(file, "VllmWorker");
  EXPECT_EQ(worker.replicas, 3);
  EXPECT_EQ(worker.gpus, "4");
  EXPECT_EQ(worker.words, serve_args(deployment()));
}

TEST(DeploymentFiles, for_dynamo_have_workers_of_both_kinds_of_a_split) {
  RecommendedDeployment d = split_deployment();
  d.prefill->gpus_per_replica = d.prefill->tp = 4;
  SpecFile file = parsed(dynamo_graph(d), "graph.yaml");
  for (const auto& [name, role, replicas, gpus] :
       {std::tuple("VllmPrefillWorker", "prefill", 2, "4"),
        {"VllmDecodeWorker", "decode", 3, "2"}}) {
    const Worker worker = worker_of(file, name);
    EXPECT_EQ(worker.replicas, replicas);
    EXPECT_EQ(worker.gpus, gpus);
    EXPECT_EQ(worker.role, role);
    EXPECT_THAT(worker.words,
                IsSupersetOf({std::string("--tensor-parallel-size"), std::string(gpus),
                              std::string("--disaggregation-mode"), std::string(role)}));
    EXPECT_THAT(worker.words, IsSupersetOf(kConnector));
  }
}

TEST(DeploymentFiles, for_clusters_start_no_checkpoint_of_other_weights) {
  RecommendedDeployment d = deployment();
  d.weights = "int4";
  for (const char* form : {"kubernetes", "llm-d", "dynamo"}) {
    const std::string text = deployment_files(form, d).front().text;
    EXPECT_THAT(text, HasSubstr("Replace CHECKPOINT-WITH-int4-WEIGHTS with the name"));
    EXPECT_THAT(text,
                testing::ContainsRegex("[^e] CHECKPOINT-WITH-int4-WEIGHTS|/CHECKPOINT-WITH-int4"))
        << form;
    EXPECT_THAT(text, testing::Not(HasSubstr("hf://Org/"))) << form;
  }
}

TEST(DeploymentFiles, for_kubernetes_name_no_variable_of_the_pod) {
  RecommendedDeployment d = deployment();
  d.model = "org/$(HF_TOKEN)";
  const std::string text = deployment_files("kubernetes", d).front().text;
  EXPECT_THAT(text, HasSubstr("org/$$(HF_TOKEN)"));
}

}  // namespace
}  // namespace plimsoll
