#include "net/metrics_text.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

constexpr std::string_view kBefore =
    "# HELP vllm:cache_config_info how the cache is set up\n"
    "# TYPE vllm:cache_config_info gauge\n"
    "vllm:cache_config_info{block_size=\"16\",cache_dtype=\"auto\",gpu_memory_utilization=\"0.9\","
    "num_gpu_blocks=\"27,000\"} 1.0\r\n"
    "vllm:prefix_cache_queries_total{engine=\"0\"} 1000.0\n"
    "vllm:prefix_cache_queries_total{engine=\"1\"} 200.0\n"
    "vllm:prefix_cache_hits_total{engine=\"0\"} 100.0\n"
    "vllm:e2e_bucket{le=\"0.3\"} 7\n"
    "nonsense\n"
    "empty \n"
    "python_info{version=\"3.12 final\"} 1 1700000000000\n";

TEST(MetricsText, reads_samples_and_skips_the_rest) {
  const auto samples = read_metrics(kBefore);
  ASSERT_EQ(samples.size(), 5u);
  EXPECT_EQ(metric_sum(samples, "vllm:prefix_cache_queries"), 1200);
  EXPECT_EQ(metric_sum(samples, "vllm:prefix_cache"), std::nullopt);
  EXPECT_EQ(metric_label(samples, "vllm:cache_config_info", "block_size"), "16");
  EXPECT_EQ(metric_label(samples, "vllm:cache_config_info", "num_gpu_blocks"), "27,000");
  EXPECT_EQ(metric_label(samples, "vllm:cache_config_info", "size"), "");
  EXPECT_EQ(metric_label(samples, "python_info", "version"), "3.12 final");
  EXPECT_EQ(read_metrics(kBefore, 2).size(), 2u);
}

TEST(MetricsText, knows_how_much_a_prefix_cache_held) {
  const auto before = read_metrics(kBefore);
  const auto after =
      read_metrics("vllm:prefix_cache_queries_total 2200\nvllm:prefix_cache_hits_total 350\n");
  EXPECT_DOUBLE_EQ(prefix_hit_rate(before, after).value(), 0.25);
  EXPECT_FALSE(prefix_hit_rate(before, before).has_value());
  EXPECT_FALSE(prefix_hit_rate(after, before).has_value());  // restarted in between
  EXPECT_FALSE(prefix_hit_rate({}, {}).has_value());
}

}  // namespace
}  // namespace plimsoll
