// Does the reader of fleet files take what is right, and refuse what is wrong with one clear error?
#include "setup/fleet_file.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "setup/pools.h"
#include "setup/setup.h"

namespace plimsoll {
namespace {

Result<std::vector<PoolSpec>> read(const std::string& text) {
  TRY(file, SpecFile::parse(text, "fleet.yaml"));
  return read_pools(std::move(file), true);
}

/// A file with one pool, whose keys are these.
std::string pool(const std::string& keys) { return "pools:\n  - {" + keys + "}\n"; }
const std::string kA = "name: a, instances: 1";

struct BadFile {
  std::string text;
  std::string message;  ///< how the error begins
};

const std::vector<BadFile>& bad_files() {
  static const std::vector<BadFile> rows{
      {"{}", "missing key \"pools\""},
      {"pools: []", "\"pools\" is empty: nothing would serve"},
      {"pools: 3", "\"pools\" must be a list"},
      {"pools: {name: a}", "\"pools\" must be a list"},
      {"pools:\n  - 7\n", "\"pools\" must hold keys and values, got 7"},
      {"pools:\n  - {name: a, instances: 1\n", ""},
      {"- {name: a, instances: 1}", ""},
      {pool(kA) + "pool: 1", "unknown key \"pool\""},
      {pool(kA) + "pools: []", ""},
      {pool("instances: 1"), "missing key \"name\""},
      {pool("name: '', instances: 1"), "\"name\" is empty"},
      {pool("name: [a], instances: 1"), "\"name\" must be"},
      {pool("name: a b, instances: 1"), "\"name\" must be at most 30 letters"},
      {pool("name: -a, instances: 1"), "\"name\" must be at most 30 letters"},
      {pool("name: ../a, instances: 1"), "\"name\" must be at most 30 letters"},
      {pool("name: " + std::string(31, 'a') + ", instances: 1"), "\"name\" must be at most 30"},
      {pool(kA) + "  - {name: a, instances: 2}", "two pools are called \"a\""},
      {pool("name: prefill, instances: 1"), "a pool called \"prefill\" has the role serve"},
      {pool("name: serve, instances: 1, role: prefill") + "  - {" + kA + "}",
       "a pool called \"serve\" has the role prefill"},
      {pool(kA + ", role: server"), "\"role\" cannot be server"},
      {pool(kA + ", role: encode"), "no pool can encode images"},
      {pool(kA + ", role: 1"), "\"role\" cannot be 1"},
      {pool(kA + ", role: prefill"), "pools for prefill alone: nobody would answer"},
      {pool(kA + ", role: decode"), "a pool for decode without one for prefill"},
      {pool(kA) + "  - {name: b, role: decode, instances: 1}",
       "a pool for decode without one for prefill"},
      {pool("name: a"), "missing key \"instances\""},
      {pool("name: a, instances: 0"), "\"instances\" must be"},
      {pool("name: a, instances: -3"), "\"instances\" must be"},
      {pool("name: a, instances: 1.5"), "\"instances\" must be"},
      {pool("name: a, instances: many"), "\"instances\" must be"},
      {pool("name: a, instances: 100001"), "\"instances\" must be"},
      {pool("name: a, instances: 60000") + "  - {name: b, instances: 60000}",
       "the pools have 120,000 instances together"},
      {pool(kA + ", gpu: H1000"), "\"gpu\": unknown GPU \"H1000\""},
      {pool(kA + ", gpu: {name: H100}"), "\"gpu\" must be"},
      {pool(kA + ", hardware: H100"), "unknown key \"hardware\""},
      {pool(kA + ", tensor_parallel: 0"), "\"tensor_parallel\" must be"},
      {pool(kA + ", tensor_parallel: 2000"), "\"tensor_parallel\" must be"},
      {pool(kA + ", tensor_parallel: two"), "\"tensor_parallel\" must be"},
      {pool(kA + ", tp: 2"), "unknown key \"tp\""},
      {pool(kA + ", pipeline_parallel: 65"), "\"pipeline_parallel\" must be"},
      {pool(kA + ", data_parallel: 0"), "\"data_parallel\" must be"},
      {pool(kA + ", expert_parallel: 1"), "\"expert_parallel\" must be"},
      {pool(kA + ", max_num_seqs: 0"), "\"max_num_seqs\" must be"},
      {pool(kA + ", max_num_seqs: 1e3"), "\"max_num_seqs\" must be"},
      {pool(kA + ", max_num_batched_tokens: -1"), "\"max_num_batched_tokens\" must be"},
      {pool(kA + ", prompt_wait_steps: -1"), "\"prompt_wait_steps\" must be"},
      {pool(kA + ", role: prefill") + "  - {name: b, instances: 1, prompt_wait_steps: 5}",
       "\"prompt_wait_steps\" has no effect where prompts have instances of their own"},
      {pool(kA + ", total_kv_blocks: 0"), "\"total_kv_blocks\" must be"},
      {pool(kA + ", gpu_memory_utilization: 0"), "\"gpu_memory_utilization\" must be"},
      {pool(kA + ", gpu_memory_utilization: 90"), "\"gpu_memory_utilization\" must be"},
      {pool(kA + ", usd_per_gpu_hour: -1"), "\"usd_per_gpu_hour\" must be"},
      {pool(kA + ", usd_per_gpu_hour: $3"), "\"usd_per_gpu_hour\" must be"},
      {pool(kA + ", role: prefill, transfer_link: ethernet") + "  - {name: b, instances: 1}",
       "\"transfer_link\" cannot be ethernet"},
      {pool(kA + ", role: prefill, transfer_bandwidth: 0") + "  - {name: b, instances: 1}",
       "\"transfer_bandwidth\" must be"},
      {pool(kA + ", role: prefill, transfer_link: pcie-4, transfer_bandwidth: 3") +
           "  - {name: b, instances: 1}",
       "\"transfer_link\" and \"transfer_bandwidth\" both say the bandwidth"},
      {pool(kA + ", transfer_bandwidth: 3"), "a pool has a link for KV transfers, and no pool is"},
      {pool(kA + ", weight: 0"), "\"weight\" must be"},
      {pool(kA + ", weight: 2") + "  - {name: b, instances: 1}",
       "some of the pools have a \"weight\" and others none"},
      {pool(kA + ", max_model_len: 0"), "\"max_model_len\" must be"},
      {pool(kA + ", block_size: 32"), "unknown key \"block_size\""},
      {pool(kA + ", instances: 2"), ""},
      {pool(kA + ", gpu: *other"), ""},
  };
  return rows;
}

// What was measured of one pool says nothing of another.
TEST(FleetFile, a_calibration_is_of_its_pool_and_lies_beside_the_file) {
  auto file = SpecFile::parse(
      "pools: [{name: a, instances: 1, calibration: a.yaml}, {name: b, instances: 1}]",
      "fleets/two.yaml");
  const auto pools = read_pools(std::move(*file), true);
  ASSERT_TRUE(pools.has_value());
  RunSpec run;
  run.step_time.profile = "measured";
  EXPECT_EQ(run_of(run, pools->at(0)).step_time.calibration, "fleets/a.yaml");
  EXPECT_EQ(run_of(run, pools->at(0)).step_time.profile, "");
  EXPECT_EQ(run_of(run, pools->at(1)).step_time.calibration, "");
  EXPECT_EQ(run_of(run, pools->at(1)).step_time.profile, "measured");
}

TEST(FleetFile, that_is_wrong_has_one_error_with_its_place) {
  EXPECT_GE(bad_files().size(), 50u);
  for (const BadFile& bad : bad_files()) {
    const auto pools = read(bad.text);
    ASSERT_FALSE(pools) << bad.text;
    ASSERT_EQ(pools.error().diagnostics.size(), 1u) << format(pools.error());
    const Diagnostic& d = pools.error().diagnostics.front();
    EXPECT_EQ(d.file, "fleet.yaml") << bad.text;
    EXPECT_GE(d.line, 1) << bad.text;
    EXPECT_TRUE(d.message.starts_with(bad.message)) << bad.text << "\n" << d.message;
  }
}

TEST(FleetFile, that_is_right_says_what_flags_say) {
  const auto pools = read(
      "pools:\n"
      "  - {name: decode, role: decode, instances: 3, gpu: L40S, tensor_parallel: 2}\n"
      "  - {name: prefill, role: prefill, instances: 2, gpu: H100}\n");
  ASSERT_TRUE(pools) << format(pools.error());
  RunSpec flags;
  flags.model.id = "qwen/qwen3-14b";
  RunSpec file = flags;
  flags.split.prefill.instances = 2;
  flags.split.prefill.gpu = "H100";
  flags.split.decode.instances = 3;
  flags.split.decode.gpu = "L40S";
  flags.split.decode.tp = 2;
  file.fleet.pools = *pools;
  const auto by_flags = make_setup(flags);
  const auto by_file = make_setup(file);
  ASSERT_TRUE(by_flags && by_file);
  ASSERT_EQ(by_file->deployment.pools.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const Pool& a = by_flags->deployment.pools[i];
    const Pool& b = by_file->deployment.pools[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.role, b.role);
    EXPECT_EQ(a.num_instances, b.num_instances);
    EXPECT_EQ(a.gpu, b.gpu);
    EXPECT_EQ(a.gpus, b.gpus);
    EXPECT_EQ(a.engine.total_kv_blocks, b.engine.total_kv_blocks);
    EXPECT_EQ(a.kv.bytes_per_token, b.kv.bytes_per_token);
    EXPECT_EQ(a.speed, b.speed);
  }
  EXPECT_EQ(by_flags->gpus, by_file->gpus);
}

TEST(SplitPools, send_whole_windows_unless_the_hybrid_cache_is_asked_for) {
  RunSpec run;
  run.model.id = "google/gemma-3-27b-it";
  run.hardware.gpu = "H200";
  run.layout.tp = 1;
  run.split.prefill.instances = 1;
  run.split.decode.instances = 1;
  const auto usual = make_setup(run);
  run.engine.no_hybrid_cache = false;
  const auto hybrid = make_setup(run);
  ASSERT_TRUE(usual && hybrid);
  const KvLayers& all = usual->deployment.pools[0].kv;
  const KvLayers& kept = hybrid->deployment.pools[0].kv;
  EXPECT_TRUE(all.windowed.empty());
  EXPECT_EQ(all.bytes_per_token, kept.bytes_of_new_token());
  EXPECT_NEAR(kept.bytes_of_request(8192) / all.bytes_of_request(8192),
              (10 + 52 * 1024.0 / 8192) / 62, 1e-9);
}

// What a capacity or a plan prints of pools is the same fleet again.
TEST(FleetFile, is_read_as_it_was_written) {
  const auto pools = read(
      "pools:\n"
      "  - {name: fill, role: prefill, instances: 2, gpu: H100, tensor_parallel: 8, weight: 2,\n"
      "     transfer_link: infiniband-ndr}\n"
      "  - {name: answer, instances: 3, pipeline_parallel: 2, data_parallel: 8, weight: 1.5,\n"
      "     expert_parallel: true, max_num_seqs: 64, max_num_batched_tokens: 4096,\n"
      "     max_model_len: 8192, total_kv_blocks: 9000, gpu_memory_utilization: 0.8, "
      "usd_per_gpu_hour: 0.25}\n"
      "  - {name: other, role: decode, instances: 1, expert_parallel: false, weight: 1,\n"
      "     transfer_bandwidth: 12.5}\n");
  ASSERT_TRUE(pools) << format(pools.error());
  for (const std::string& text : {fleet_in_line(*pools), fleet_file(*pools)}) {
    const auto again = read(text);
    ASSERT_TRUE(again) << format(again.error());
    EXPECT_EQ(*again, *pools) << text;
  }
  const auto waiting = read(pool(kA + ", data_parallel: 2, prompt_wait_steps: 50"));
  ASSERT_TRUE(waiting);
  EXPECT_EQ(*read(fleet_in_line(*waiting)), *waiting);
}

TEST(Fleet, of_ranks_lets_the_prompts_of_each_pool_wait_as_it_says) {
  RunSpec run;
  run.model.id = "gpt-oss-20b";
  run.hardware.gpu = "H100";
  run.layout.dp = 2;
  run.engine.prompt_wait_steps = 20;
  run.fleet.pools = *read(
      "pools:\n  - {name: a, instances: 1, prompt_wait_steps: 50}\n  - {name: b, instances: 1}\n");
  const auto setup = make_setup(run);
  ASSERT_TRUE(setup) << format(setup.error());
  EXPECT_EQ(setup->deployment.pools[0].engine.prompt_wait_steps, 50);
  EXPECT_EQ(setup->deployment.pools[1].engine.prompt_wait_steps, 20);
}

TEST(Fleet, has_requests_as_long_as_each_pool_allows) {
  RunSpec run;
  run.model.id = "gpt-oss-20b";
  run.hardware.gpu = "H100";
  run.engine.max_model_len = 8'192;
  run.fleet.pools = *read(
      "pools:\n  - {name: a, instances: 1, max_model_len: 4096}\n  - {name: b, instances: 1}\n");
  const auto setup = make_setup(run);
  ASSERT_TRUE(setup) << format(setup.error());
  EXPECT_EQ(setup->deployment.pools[0].engine.max_model_len, 4'096);
  EXPECT_EQ(setup->deployment.pools[1].engine.max_model_len, 8'192);
}

RunSpec mixed(const std::string& text) {
  RunSpec run;
  run.model.id = "qwen/qwen3-14b";
  run.fleet.pools = *read(text);
  return run;
}

TEST(Fleet, of_unlike_gpus_has_limits_memory_and_speed_by_pool) {
  const auto setup = make_setup(
      mixed("pools:\n"
            "  - {name: new, instances: 1, gpu: H100}\n"
            "  - {name: old, instances: 2, gpu: L40S, max_num_seqs: 64, usd_per_gpu_hour: 0.5}\n"));
  ASSERT_TRUE(setup);
  const std::vector<Pool>& pools = setup->deployment.pools;
  EXPECT_EQ(pools[0].engine.max_num_seqs, 256);
  EXPECT_EQ(pools[1].engine.max_num_seqs, 64);
  EXPECT_GT(pools[0].engine.total_kv_blocks, 2 * pools[1].engine.total_kv_blocks);
  EXPECT_GT(pools[0].speed, 2 * pools[1].speed);
  EXPECT_EQ(pools[1].usd_per_gpu_hour, 0.5);
  EXPECT_EQ(setup->gpus, 3);
}

TEST(Fleet, with_weights_has_these_speeds) {
  const auto setup =
      make_setup(mixed("pools:\n"
                       "  - {name: new, instances: 1, gpu: H100, weight: 3}\n"
                       "  - {name: old, instances: 1, gpu: L40S, weight: 1}\n"));
  ASSERT_TRUE(setup);
  EXPECT_EQ(setup->deployment.pools[0].speed, 3);
  EXPECT_EQ(setup->deployment.pools[1].speed, 1);
}

TEST(Fleet, tells_which_pool_cannot_hold_the_model) {
  const auto setup =
      make_setup(mixed("pools:\n"
                       "  - {name: new, instances: 1, gpu: H100}\n"
                       "  - {name: small, instances: 1, gpu: L4}\n"));
  ASSERT_FALSE(setup);
  EXPECT_TRUE(setup.error().diagnostics.front().message.starts_with("pool \"small\": "))
      << format(setup.error());
}

TEST(Fleet, does_not_go_with_flags_that_count_instances) {
  RunSpec run = mixed(pool(kA));
  run.cluster.num_instances = 3;
  const auto setup = make_setup(run);
  ASSERT_FALSE(setup);
  EXPECT_TRUE(setup.error().diagnostics.front().message.starts_with(
      "--num-instances does not go with --fleet"));
}

}  // namespace
}  // namespace plimsoll
