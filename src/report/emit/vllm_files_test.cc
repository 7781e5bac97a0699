// Do the scripts that start vLLM give each instance its own GPUs, on machines that have them?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emitted_files.h"
#include "report/emit/deployment_files.h"

namespace plimsoll {
namespace {

using test::deployment;
using test::split_deployment;
using test::text_of;
using test::unwrapped;
using testing::HasSubstr;
using testing::Not;

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
  for (const std::size_t i : {0U, 1U}) {
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

}  // namespace
}  // namespace plimsoll
