#include "validation/case.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

const std::string kExample = std::string(PLIMSOLL_SOURCE_DIR) + "/examples/case";

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The example with one piece of its case.yaml replaced.
class CaseFolder {
 public:
  CaseFolder(const std::string& from, const std::string& to) {
    fs::create_directories(folder_);
    std::string text = text_of(kExample + "/case.yaml");
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    std::ofstream(folder_ / "case.yaml") << text.replace(at, from.size(), to);
    fs::copy_file(kExample + "/requests.csv", folder_ / "requests.csv",
                  fs::copy_options::overwrite_existing);
  }
  ~CaseFolder() { fs::remove_all(folder_); }
  std::string path() const { return folder_.string(); }

 private:
  fs::path folder_ = fs::path(testing::TempDir()) / ("plimsoll_case." + std::to_string(getpid()));
};

std::string error_of(const std::string& from, const std::string& to) {
  const CaseFolder folder(from, to);
  const auto read = read_case(folder.path());
  return read ? "no error" : format(read.error());
}

TEST(CaseReader, reads_what_was_deployed_sent_and_measured) {
  const auto read = read_case(kExample);
  ASSERT_TRUE(read.has_value()) << format(read.error());
  EXPECT_EQ(read->kind, CaseKind::trace);
  EXPECT_EQ(read->deployment.kv_blocks, 26000);
  EXPECT_EQ(read->workload.requests.size(), 6u);
  EXPECT_EQ(read->measured.at("ttft_ms.p50"), 29);
  EXPECT_EQ(read->measured.at("stages[0].tpot_ms.mean"), 7.3);
  EXPECT_EQ(read->measured.at("saturated"), 0);
  EXPECT_TRUE(read->observed_by_client);
}

// Keys that are not known of a side are let be.
TEST(CaseReader, reads_the_workers_of_a_split) {
  const fs::path folder = fs::path(testing::TempDir()) / "plimsoll_split_case";
  fs::create_directories(folder);
  const auto write = [&](const std::string& sides) {
    std::ofstream(folder / "case.yaml")
        << "plimsoll_case: 1\nname: split\nkind: closed_loop_pd\n"
        << "deployment: {model: m, gpu: H100, " << sides << "}\n"
        << "workload:\n  closed_loop: {}\n  input_tokens: {constant: 100}\n"
        << "  output_tokens: {constant: 10}\n  osl: 20\nmeasured:\n  points:\n"
        << "    - {concurrency: 2, tpot_ms: 7, mean_output_tokens: 9.5, prefix_cache: warm, "
        << "measured_on: \"2026-01-14\"}\n"
        << "score: {use: [\"points[].tpot_ms\"]}\n";
  };
  write("prefill: {workers: 2, tensor_parallel: 4, odd: 1}, decode: {data_parallel: 8}");
  const auto read = read_case(folder.string());
  ASSERT_TRUE(read) << format(read.error());
  ASSERT_TRUE(read->deployment.split);
  EXPECT_EQ(read->deployment.split->prefill.workers, 2);
  EXPECT_EQ(read->deployment.split->prefill.layout.tp, 4);
  EXPECT_EQ(read->deployment.split->decode.workers, 1);
  EXPECT_EQ(read->deployment.split->decode.layout.dp, 8);
  EXPECT_EQ(read->points[0].mean_output_tokens, 9.5);
  EXPECT_EQ(read->points[0].cached, CasePoint::Cached::warm);
  EXPECT_EQ(read->points[0].measured_on, "2026-01-14");
  write("prefill: {workers: 2}");
  EXPECT_NE(format(read_case(folder.string()).error()).find("decode"), std::string::npos);
  fs::remove_all(folder);
}

TEST(CaseReader, takes_equal_prefix_ids_for_equal_contents) {
  const auto read = read_case(kExample);
  ASSERT_TRUE(read.has_value());
  const Workload& w = read->workload.requests;
  const auto content = [&](std::size_t i) { return request_at(w, i).prefix[0].content; };
  EXPECT_EQ(content(0), content(1));
  EXPECT_NE(content(0), content(3));
  EXPECT_TRUE(request_at(w, 2).prefix.empty());
}

TEST(CaseReader, says_where_and_how_to_mend_what_is_wrong) {
  EXPECT_NE(error_of("kind: trace", "kind: trce").find("did you mean \"trace\"?"),
            std::string::npos);
  EXPECT_NE(error_of("tensor_parallel: 1", "tensor_paralel: 1").find("tensor_parallel"),
            std::string::npos);
  EXPECT_NE(error_of("weight_dtype: bf16", "weight_dtype: bf15").find("bf16"), std::string::npos);
  EXPECT_NE(error_of("plimsoll_case: 1", "plimsoll_case: 2").find("plimsoll_case"),
            std::string::npos);
  EXPECT_NE(error_of("requests: requests.csv", "requests: gone.csv").find("gone.csv"),
            std::string::npos);
  EXPECT_NE(error_of("num_requests: 6", "num_requests: 7").find("after the last of the 6"),
            std::string::npos);
  EXPECT_NE(error_of("max_num_seqs: 128", "max_num_seqs: 0").find("max_num_seqs"),
            std::string::npos);
  EXPECT_NE(error_of("observer: client", "observer: nobody").find("client"), std::string::npos);
  EXPECT_NE(error_of("  saturated: false", "  window: {from_s: 5, to_s: 1}\n  saturated: false")
                .find("a window ends after it begins"),
            std::string::npos);
  EXPECT_NE(error_of("  use: [saturated", "  use: {").find("case.yaml"), std::string::npos);
}

TEST(CaseReader, a_prefix_without_its_length_is_an_error_with_its_place) {
  const CaseFolder folder("num_requests: 6", "num_requests: 6");
  std::ofstream(folder.path() + "/requests.csv")
      << "arrival_s,input_tokens,output_tokens,prefix_id\n0,540,120,1\n";
  const auto read = read_case(folder.path());
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(format(read.error()).find("requests.csv:2"), std::string::npos);
  EXPECT_NE(format(read.error()).find("needs the column \"prefix_tokens\""), std::string::npos);
}

TEST(CaseReader, stages_of_any_numbers_are_compared_with_the_rows_there_are) {
  const std::string most = "9223372036854775807";
  for (const std::string& stage :
       {"first_request: " + most + ", num_requests: 6", "first_request: 0, num_requests: " + most,
        "first_request: " + most + ", num_requests: " + most}) {
    EXPECT_NE(error_of("first_request: 0, num_requests: 6", stage).find("after the last of the 6"),
              std::string::npos)
        << stage;
  }
}

TEST(CaseReader, times_and_numbers_beyond_any_run_are_refused) {
  const std::string stage = "{rate_rps: 2, duration_s: 3,";
  for (const char* s : {"1e12", "1e308", "0"}) {
    EXPECT_NE(error_of(stage, "{rate_rps: 2, duration_s: " + std::string(s) + ",")
                  .find("\"duration_s\" must be"),
              std::string::npos);
  }
  EXPECT_NE(
      error_of("  stages:\n    - {rate", "  pause_between_stages_s: 4e9\n  stages:\n    - {rate")
          .find("the stages last more than"),
      std::string::npos);
  EXPECT_NE(error_of("  stages:\n    - {rate", "  client_timeout_s: 1e300\n  stages:\n    - {rate")
                .find("\"client_timeout_s\" must be"),
            std::string::npos);
}

TEST(CaseReader, finds_a_case_or_the_cases_of_a_folder) {
  EXPECT_EQ(*find_cases(kExample), std::vector<std::string>{kExample});
  const auto found = find_cases(std::string(PLIMSOLL_SOURCE_DIR) + "/examples");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->size(), 1u);
  EXPECT_FALSE(find_cases(std::string(PLIMSOLL_SOURCE_DIR) + "/docs").has_value());
  EXPECT_FALSE(find_cases("no/such/folder").has_value());
}

}  // namespace
}  // namespace plimsoll
