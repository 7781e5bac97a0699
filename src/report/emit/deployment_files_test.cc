#include "report/emit/deployment_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "report/form/text_report.h"
#include "spec/spec_file.h"

namespace plimsoll {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

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
  d.expected = {{180, {"ttft_p99_ms", 120, 260}, MetricInterval{"ttft_p99_ms", 150, 250}}};
  return d;
}

std::string text_of(const std::string& form, const std::string& name) {
  for (const DeploymentFile& file : deployment_files(form, deployment())) {
    if (file.name == name) return file.text;
  }
  return {};
}

/// With its notes in one line.
std::string unwrapped(std::string text) {
  const std::string_view wrap = "\n# ";
  for (std::size_t at = text.find(wrap); at != text.npos; at = text.find(wrap, at))
    text.replace(at, wrap.size(), " ");
  return text;
}

/// 2 instances of 2 GPUs for prefill and 3 of 2 for decode.
RecommendedDeployment split_deployment() {
  RecommendedDeployment d = deployment();
  d.pp = 1;
  d.gpus_per_replica = 2;
  d.prefill = d;
  d.prefill->replicas = 2;
  return d;
}

TEST(DeploymentFiles, start_both_kinds_of_a_split_with_a_connector) {
  const RecommendedDeployment d = split_deployment();
  const std::vector<DeploymentFile> files = deployment_files("vllm", d);
  std::vector<std::string> names;
  for (const DeploymentFile& file : files) names.push_back(file.name);
  ASSERT_EQ(names, (std::vector<std::string>{"serve_prefill.sh", "serve_decode.sh", "proxy.sh",
                                             "load_test.sh", "simulate.sh"}));
  EXPECT_THAT(unwrapped(files[0].text),
              HasSubstr("Start 2 instances, each on 2 H100 GPUs of its own"));
  EXPECT_THAT(files[0].text, HasSubstr("CUDA_VISIBLE_DEVICES=2,3 PORT=8101 SIDE_PORT=5602"));
  EXPECT_THAT(files[1].text, HasSubstr("CUDA_VISIBLE_DEVICES=4,5 PORT=8200 SIDE_PORT=5604"));
  EXPECT_THAT(files[1].text, Not(HasSubstr("PORT=8202"))) << "on another machine";
  for (const std::size_t i : {0, 1}) {
    EXPECT_THAT(files[i].text,
                HasSubstr(R"(--kv-transfer-config '{"kv_connector":"NixlConnector",)"));
    EXPECT_THAT(files[i].text, HasSubstr("--max-num-seqs 128"));
  }
  EXPECT_THAT(files[2].text, HasSubstr("--prefiller-ports ${PREFILL_PORTS:-8100 8101}"));
  EXPECT_THAT(files[2].text, HasSubstr("--decoder-ports ${DECODE_PORTS:-8200 8201 8202}"));
}

TEST(DeploymentFiles, give_unlike_instances_of_a_split_their_own_gpus_and_layout) {
  RecommendedDeployment d = split_deployment();
  d.prefill->gpus_per_replica = d.prefill->tp = 1;
  const std::vector<DeploymentFile> alike = deployment_files("vllm", d);
  EXPECT_THAT(alike[0].text, HasSubstr("--tensor-parallel-size 1"));
  EXPECT_THAT(alike[1].text, HasSubstr("--tensor-parallel-size 2"));
  EXPECT_THAT(alike[1].text, HasSubstr("CUDA_VISIBLE_DEVICES=2,3 PORT=8200 SIDE_PORT=5602"));
  d.prefill->gpu = "L40S";
  const std::vector<DeploymentFile> unlike = deployment_files("vllm", d);
  EXPECT_THAT(unwrapped(unlike[0].text), HasSubstr("each on 1 L40S GPU of its own"));
  EXPECT_THAT(unlike[1].text, HasSubstr("CUDA_VISIBLE_DEVICES=0,1 PORT=8200 SIDE_PORT=5600"));
}

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
  for (const auto& [key, replicas, gpus] : {std::tuple("prefill", 2, 4), {"decode", 3, 2}}) {
    SpecMap pool = in(file.top(), {key});
    EXPECT_TRUE(pool.flag("create")) << key;
    EXPECT_EQ(pool.integer("replicas"), replicas) << key;
    EXPECT_EQ(in(pool, {"parallelism"}).integer("tensor"), gpus) << key;
    SpecMap container = first_container(pool);
    EXPECT_EQ(in(container, {"resources", "limits"}).integer("nvidia.com/gpu"), gpus) << key;
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

TEST(DeploymentFiles, for_vllm_give_each_replica_its_own_gpus) {
  const std::string text = text_of("vllm", "serve.sh");
  EXPECT_THAT(text, HasSubstr("CUDA_VISIBLE_DEVICES=0,1,2,3 PORT=8000 sh serve.sh"));
  EXPECT_THAT(text, HasSubstr("CUDA_VISIBLE_DEVICES=4,5,6,7 PORT=8001 sh serve.sh"));
  EXPECT_THAT(text, HasSubstr("--tensor-parallel-size 2 \\\n"));
  EXPECT_THAT(text, HasSubstr("# Not set here: --routing-policy least-loaded. The balancer"));
}

std::string serve_script(std::int64_t replicas, std::int64_t tp, std::int64_t pp, std::int64_t dp) {
  RecommendedDeployment d = deployment();
  d.replicas = replicas;
  d.tp = tp;
  d.pp = pp;
  d.dp = dp;
  d.gpus_per_replica = tp * pp * dp;
  return deployment_files("vllm", d).front().text;
}

TEST(DeploymentFiles, for_vllm_number_no_gpu_that_a_machine_does_not_have) {
  const std::string whole = serve_script(4, 1, 1, 8);
  EXPECT_THAT(unwrapped(whole),
              HasSubstr("each on 8 H100 GPUs of its own (4 machines of 8 GPUs):"));
  EXPECT_THAT(whole, HasSubstr("CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7 PORT=8000 sh serve.sh"));
  EXPECT_THAT(whole, Not(HasSubstr("8,9")));
  EXPECT_THAT(unwrapped(serve_script(5, 2, 2, 1)),
              HasSubstr("each on 4 H100 GPUs of its own (3 machines of 8 GPUs):"));
}

TEST(DeploymentFiles, for_vllm_share_the_ranks_of_a_wide_replica_out_among_machines) {
  const std::string ranks = serve_script(2, 2, 1, 12);  // 24 GPUs
  EXPECT_THAT(unwrapped(ranks),
              HasSubstr("on 3 machines of 8 H100 GPUs. Start 2 instances, each on"));
  EXPECT_THAT(ranks, HasSubstr("#   NODE=2 HEAD=10.0.0.1 sh serve.sh\n"));
  EXPECT_THAT(ranks, HasSubstr("--headless --data-parallel-start-rank \"$((NODE * 4))\""));
  EXPECT_THAT(ranks, HasSubstr("--data-parallel-size 12 "));
  EXPECT_THAT(ranks, HasSubstr("--data-parallel-size-local 4 "));
  const std::string group = serve_script(1, 8, 2, 1);
  EXPECT_THAT(group, HasSubstr("ray start --head"));
  EXPECT_THAT(group, HasSubstr("--distributed-executor-backend ray"));
}

TEST(DeploymentFiles, for_kubernetes_name_no_variable_of_the_pod) {
  RecommendedDeployment d = deployment();
  d.model = "org/$(HF_TOKEN)";
  const std::string text = deployment_files("kubernetes", d).front().text;
  EXPECT_THAT(text, HasSubstr("org/$$(HF_TOKEN)"));
}

TEST(DeploymentFiles, have_a_load_test_that_says_what_to_expect) {
  const std::string text = text_of("vllm", "load_test.sh");
  EXPECT_THAT(text, HasSubstr("ttft_p99_ms                    180         113         288\n"));
  EXPECT_THAT(text, HasSubstr("about 10 minutes"));
  EXPECT_THAT(text, HasSubstr("--num-requests 2400 "));
}

TEST(DeploymentFiles, load_a_server_for_hours_at_most_with_bands_as_wide_as_that) {
  RecommendedDeployment d = deployment();
  d.rate_rps = 0.1;
  d.requests = 144'000;  // 400 hours
  const std::string text = deployment_files("vllm", d)[1].text;
  EXPECT_THAT(text, HasSubstr("--num-requests 1440 "));
  EXPECT_THAT(text, HasSubstr("It takes about 240 minutes: 1,440 of the 144,000 requests"));
  // Ten times as wide: 700 on either side of 190; the model's part stays as it is.
  EXPECT_THAT(text, HasSubstr("ttft_p99_ms                    180           0         912\n"));
}

TEST(DeploymentFiles, say_where_slow_steps_do_not_hold_the_load_and_what_is_not_tested) {
  RecommendedDeployment d = deployment();
  d.expected.front().model->high = std::numeric_limits<double>::infinity();
  d.class_limits = {"critical: TTFT p99 < 500 ms"};
  const std::string text = deployment_files("vllm", d)[1].text;
  EXPECT_THAT(text, HasSubstr("ttft_p99_ms                    180         113         any\n"));
  EXPECT_THAT(text, HasSubstr("Not tested here: critical: TTFT p99 < 500 ms. "));
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
