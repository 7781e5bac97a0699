#include "workload/trace_formats.h"

#include <gtest/gtest.h>

#include "shared_data.h"

namespace plimsoll {
namespace {

Result<Workload> read_text(const std::string& text, TraceFormat format_of_text) {
  Result<LineReader> lines = LineReader::over(text, "t");
  if (!lines) return pass_on(lines);
  return read_trace(std::move(*lines), format_of_text);
}

std::string error_of(const std::string& text, TraceFormat format_of_text) {
  Result<Workload> workload = read_text(text, format_of_text);
  return workload ? "no error" : format(workload.error());
}

struct BadInput {
  std::string text;
  const char* error;  // what the message begins with
};

void expect_errors(TraceFormat format_of_text, const std::vector<BadInput>& cases) {
  for (const auto& [text, error] : cases) {
    const std::string message = error_of(text, format_of_text);
    EXPECT_EQ(message.rfind(error, 0), 0u) << message << "expected " << error;
  }
}

TEST(CsvTrace, are_rows_sorted_by_arrival_and_numbered) {
  const auto w = read_text("output_tokens,arrival_s,input_tokens\n5,2.5,100\n6,0,200\n0,1e-9,300\n",
                           TraceFormat::csv);
  ASSERT_TRUE(w) << format(w.error());
  EXPECT_EQ(w->id, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(w->arrival, (std::vector<Time>{{0}, {1}, {2'500'000'000}}));
  EXPECT_EQ(w->input_tokens, (std::vector<std::int32_t>{200, 300, 100}));
  EXPECT_EQ(w->output_tokens, (std::vector<std::int32_t>{6, 0, 5}));
  EXPECT_TRUE(w->prefix_count.empty());
}

TEST(CsvTrace, do_equal_prefix_ids_share_their_content) {
  const auto w = read_text(
      "arrival_s,input_tokens,output_tokens,prefix_id,prefix_tokens\n"
      "0,100,1,system,64\n1,200,1,other,32\n2,300,1,system,128\n3,400,1,,\n4,500,1,,0\n",
      TraceFormat::csv);
  ASSERT_TRUE(w) << format(w.error());
  EXPECT_EQ(w->prefix_count, (std::vector<std::uint32_t>{1, 1, 1, 0, 0}));
  const auto segment = [&](std::size_t i) { return w->prefix_segments[w->prefix_begin[i]]; };
  EXPECT_EQ(segment(0).content, segment(2).content);
  EXPECT_NE(segment(0).content, segment(1).content);
  EXPECT_EQ(segment(2).tokens, 128);
}

TEST(CsvTrace, does_each_bad_input_give_one_clear_error) {
  const std::string header = "arrival_s,input_tokens,output_tokens\n";
  const std::string prefixes = "arrival_s,input_tokens,output_tokens,prefix_id,prefix_tokens\n";
  expect_errors(
      TraceFormat::csv,
      {{"", "t:1: error: the file is empty"},
       {header, "t: error: the trace holds no requests"},
       {"0.5,100,20\n", "t:1:1: error: a number where the name of a column is expected"},
       {"arrival_s,input_tokens\n", "t:1:1: error: missing column \"output_tokens\""},
       {"arival_s,input_tokens,output_tokens\n", "t:1:1: error: unknown column \"arival_s\""},
       {"arrival_s,input_tokens,output_tokens,note\n", "t:1:38: error: unknown column \"note\""},
       {"arrival_s,arrival_s,input_tokens,output_tokens\n", "t:1:11: error: the column"},
       {"input_tokens,arrival_s,output_tokens\n0.5,100,20\n",
        "t:2:1: error: \"input_tokens\" must be a whole number"},
       {header + "nan,1,1\n", "t:2:1: error: \"arrival_s\" must be a number"},
       {header + "-1,1,1\n", "t:2:1: error: \"arrival_s\" must be a number"},
       {header + "1e999,1,1\n", "t:2:1: error: \"arrival_s\" must be a number"},
       {header + "1700000000,1,1\n", "t:2:1: error: \"arrival_s\" is more than a year after"},
       {header + "0,0,1\n", "t:2:3: error: \"input_tokens\" must be a whole number in [1, "},
       {header + "0,1,-1\n", "t:2:5: error: \"output_tokens\" must be a whole number in [0, "},
       {header + "0,4294967297,1\n", "t:2:3: error: \"input_tokens\" must be"},
       {header + "0,1,1.5\n", "t:2:5: error: \"output_tokens\" must be a whole number"},
       {header + "0,1,1\n1,1\n", "t:3:4: error: the row has 2 fields"},
       {header + "0,1,\n", "t:2:5: error: \"output_tokens\" must be a whole number"},
       {header + "0,1,\xE9\n", "t:2:5: error: this is not UTF-8 text"},
       {"arrival_s,input_tokens,output_tokens,prefix_id\n0,1,1,x\n",
        "t:1: error: the columns prefix_id and prefix_tokens need each other"},
       {prefixes + "0,10,1,x,11\n",
        "t:2:10: error: \"prefix_tokens\" must be a whole number in [0, 10]"},
       {prefixes + "0,10,1,,5\n", "t:2:9: error: \"prefix_tokens\" must be"}});
}

TEST(AzureTrace, does_time_start_at_the_earliest_row) {
  const auto w = read_text(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
      "2023-11-17 00:00:00.5000000,10,1\n2023-11-16 23:59:59.9999999,20,2\n"
      "2023-11-17 00:00:01,30,0\n2023-11-17 00:00:02+00:00,40,0\n",
      TraceFormat::azure);
  ASSERT_TRUE(w) << format(w.error());
  EXPECT_EQ(w->arrival, (std::vector<Time>{{0}, {500'000'100}, {1'000'000'100}, {2'000'000'100}}));
  EXPECT_EQ(w->input_tokens, (std::vector<std::int32_t>{20, 10, 30, 40}));
}

TEST(AzureTrace, are_leap_days_known) {
  const auto w = read_text(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n"
      "2024-02-28 00:00:00,1,1\n2024-02-29 00:00:00,1,1\n2024-03-01 00:00:00,1,1\n",
      TraceFormat::azure);
  ASSERT_TRUE(w) << format(w.error());
  EXPECT_EQ(w->arrival[2] - w->arrival[0], seconds(2 * 86'400));
}

TEST(AzureTrace, does_each_bad_input_give_one_clear_error) {
  const std::string header = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
  std::vector<BadInput> cases{
      {"ContextTokens,TIMESTAMP\n", "t:1:1: error: missing column \"GeneratedTokens\""},
      {"timestamp,ContextTokens,GeneratedTokens\n", "t:1:1: error: unknown column \"timestamp\""},
      {header + "2023-11-16 18:15:46.68,0,1\n", "t:2:24: error: \"ContextTokens\" must be"},
      {header + "2023-11-16 18:15:46,1,1\n2025-11-16 18:15:46,1,1\n",
       "t:3:1: error: \"TIMESTAMP\" is more than a year after"}};
  for (const char* time : {"12", "2023-11-16T18:15:46", "2023-13-01 00:00:00",
                           "2023-02-29 00:00:00", "2023-11-16 24:00:00", "2023-11-16 00:00:00.",
                           "2023-11-16 00:00:00.1234567890", "2023-11-16 00:00:0x", ""}) {
    cases.push_back({header + time + ",1,1\n", "t:2:1: error: \"TIMESTAMP\" must look like"});
  }
  expect_errors(TraceFormat::azure, cases);
}

TEST(MooncakeTrace, are_hash_ids_blocks_of_512_tokens) {
  const auto w = read_text(
      "{\"timestamp\": 0, \"input_length\": 1100, \"output_length\": 5, \"hash_ids\": [7, 8, 9]}\n"
      "{\"hash_ids\":[7],\"output_length\":0,\"input_length\":512,\"timestamp\":1.5}\r\n",
      TraceFormat::mooncake);
  ASSERT_TRUE(w) << format(w.error());
  EXPECT_EQ(w->arrival, (std::vector<Time>{{0}, {1'500'000}}));
  EXPECT_EQ(w->prefix_count, (std::vector<std::uint32_t>{3, 1}));
  EXPECT_EQ(w->prefix_segments[0].content, w->prefix_segments[3].content);
  EXPECT_EQ(w->prefix_segments[1].tokens, 512);
  EXPECT_EQ(w->prefix_segments[2].tokens, 76);
}

TEST(MooncakeTrace, does_each_bad_input_give_one_clear_error) {
  const auto line = [](const std::string& time, const std::string& input, const std::string& output,
                       const std::string& ids) {
    return "{\"timestamp\": " + time + ", \"input_length\": " + input +
           ", \"output_length\": " + output + ", \"hash_ids\": " + ids + "}";
  };
  ASSERT_EQ(error_of(line("0", "9", "1", "[1]"), TraceFormat::mooncake), "no error");
  expect_errors(
      TraceFormat::mooncake,
      {{"", "t: error: the trace holds no requests"},
       {"arrival_s,input_tokens\n", "t:1:1: error: expected a JSON object"},
       {"{}", "t:1:2: error: expected a key in quotes"},
       {"{\"timestamp\": 0}", "t:1:1: error: missing key \"input_length\""},
       {"{\"timestmp\": 0}", "t:1:2: error: unknown key \"timestmp\"\n"},
       {"{\"timestamp\" 0}", "t:1:14: error: expected : after the key"},
       {"{\"timestamp\": 0, \"timestamp\": 1}",
        "t:1:18: error: the key \"timestamp\" appears twice"},
       {"{\"timestamp\": 0", "t:1:16: error: expected , or }"},
       {line("\"0\"", "9", "1", "[1]"), "t:1:15: error: \"timestamp\" must be a number"},
       {line("-1", "9", "1", "[1]"), "t:1:15: error: \"timestamp\" must be a number"},
       {line("NaN", "9", "1", "[1]"), "t:1:15: error: \"timestamp\" must be a number"},
       {line("1700000000000", "9", "1", "[1]"), "t:1:15: error: \"timestamp\" is more than a"},
       {line("0", "0", "1", "[1]"), "t:1:34: error: \"input_length\" must hold whole numbers"},
       {line("0", "9.5", "1", "[1]"), "t:1:34: error: \"input_length\" must hold whole numbers"},
       {line("0", "9", "-1", "[1]"), "t:1:54: error: \"output_length\" must hold whole numbers"},
       {line("0", "99999999999", "1", "[1]"), "t:1:34: error: \"input_length\" must hold"},
       {line("0", "9", "1", "1"), "t:1:69: error: \"hash_ids\" must be a list"},
       {line("0", "9", "1", "[1, x]"), "t:1:73: error: \"hash_ids\" must hold whole numbers"},
       {line("0", "9", "1", "[1 2]"), "t:1:72: error: expected , or ]"},
       {line("0", "600", "1", "[1]"), "t:1:71: error: \"hash_ids\" has 1 id, but a prompt of 600"},
       {line("0", "9", "1", "[1]") + "\n" + line("0", "9", "1", "[1]") + " x",
        "t:2:74: error: text after the end of the object"}});
}

TEST(SharegptTrace, are_hash_ids_full_blocks_of_16_tokens) {
  const auto w = read_text(
      "{\"timestamp_us\":46926.8,\"input_length\":40,\"output_length\":5,\"hash_ids\":[7,8]}\n"
      "{\"timestamp_us\":50000.0,\"input_length\":15,\"output_length\":1,\"hash_ids\":[]}\n"
      "{\"timestamp_us\":50001,\"input_length\":16,\"output_length\":1,\"hash_ids\":[7]}\n",
      TraceFormat::sharegpt);
  ASSERT_TRUE(w) << format(w.error());
  EXPECT_EQ(w->arrival, (std::vector<Time>{{46'926'800}, {50'000'000}, {50'001'000}}));
  EXPECT_EQ(w->prefix_count, (std::vector<std::uint32_t>{2, 0, 1}));
  EXPECT_EQ(w->prefix_segments[0].content, w->prefix_segments[2].content);
  for (const PrefixSegment& segment : w->prefix_segments) EXPECT_EQ(segment.tokens, 16);
}

TEST(SharegptTrace, does_each_bad_input_give_one_clear_error) {
  const auto line = [](const std::string& time, const std::string& input, const std::string& output,
                       const std::string& ids) {
    return "{\"timestamp_us\":" + time + ",\"input_length\":" + input +
           ",\"output_length\":" + output + ",\"hash_ids\":" + ids + "}";
  };
  ASSERT_EQ(error_of(line("0", "9", "1", "[]"), TraceFormat::sharegpt), "no error");
  expect_errors(
      TraceFormat::sharegpt,
      {{"", "t: error: the trace holds no requests"},
       {"timestamp_us,input_length\n",
        "t:1:1: error: expected a JSON object: {\"timestamp_us\": ..."},
       {"[]", "t:1:1: error: expected a JSON object"},
       {"{\"timestamp\":0}", "t:1:2: error: unknown key \"timestamp\"\n"},
       {"{\"timestamp_us\":0}", "t:1:1: error: missing key \"input_length\""},
       {"{\"timestamp_us\":0,\"timestamp_us\":0}",
        "t:1:19: error: the key \"timestamp_us\" appears"},
       {line("-1", "9", "1", "[]"), "t:1:17: error: \"timestamp_us\" must be a number of micros"},
       {line("null", "9", "1", "[]"), "t:1:17: error: \"timestamp_us\" must be a number"},
       {line("1e999", "9", "1", "[]"), "t:1:17: error: \"timestamp_us\" must be a number"},
       {line("1700000000000000", "9", "1", "[]"), "t:1:17: error: \"timestamp_us\" is more"},
       {line("0", "0", "1", "[]"), "t:1:34: error: \"input_length\" must hold whole numbers"},
       {line("0", "1e3", "1", "[]"), "t:1:34: error: \"input_length\" must hold whole numbers"},
       {line("0", "\"9\"", "1", "[]"), "t:1:34: error: \"input_length\" must hold"},
       {line("0", "9", "-1", "[]"), "t:1:52: error: \"output_length\" must hold whole numbers"},
       {line("0", "9", "1.5", "[]"), "t:1:52: error: \"output_length\" must hold whole numbers"},
       {line("0", "9", "1", "{}"), "t:1:65: error: \"hash_ids\" must be a list"},
       {line("0", "16", "1", "[-1]"), "t:1:67: error: \"hash_ids\" must hold whole numbers"},
       {line("0", "16", "1", "[1,]"), "t:1:69: error: \"hash_ids\" must hold whole numbers"},
       {line("0", "16", "1", "[]"), "t:1:66: error: \"hash_ids\" has 0 ids, but a prompt of 16"},
       {line("0", "31", "1", "[1,2]"), "t:1:66: error: \"hash_ids\" has 2 ids, but a prompt of"},
       {line("0", "16", "1", "[1"), "t:1:68: error: expected , or ]"},
       {line("0", "9", "1", "[]") + "{}", "t:1:68: error: text after the end of the object"}});
}

// Row counts of the published traces, where they are at hand.
TEST(RealTraces, are_they_read_whole) {
  const auto shared = shared_data_folder();
  if (!shared) GTEST_SKIP() << "no recorded traces here";
  const struct {
    const char* file;
    TraceFormat format_of_file;
    std::size_t rows;
    double last_arrival_s;
  } traces[] = {
      {"azure-llm-2023/AzureLLMInferenceTrace_code.csv", TraceFormat::azure, 8819, 3435.948056},
      {"azure-llm-2023/AzureLLMInferenceTrace_conv.csv", TraceFormat::azure, 19'366, 3501.721937},
      {"mooncake-fast25/conversation_trace.jsonl.gz", TraceFormat::mooncake, 12'031, 3536.999},
      {"mooncake-fast25/synthetic_trace.jsonl.gz", TraceFormat::mooncake, 3993, 1022.025},
      {"sharegpt-llmservingsim/sharegpt-llama-3.1-8b-300-sps10.jsonl.gz", TraceFormat::sharegpt,
       300, 29.183763199999998},
      {"sharegpt-llmservingsim/sharegpt-qwen3-32b-300-sps10.jsonl.gz", TraceFormat::sharegpt, 300,
       29.183763199999998},
  };
  for (const auto& [file, format_of_file, rows, last_arrival_s] : traces) {
    const auto w = read_trace((*shared / "data/traces" / file).string(), format_of_file);
    ASSERT_TRUE(w) << format(w.error());
    EXPECT_EQ(w->size(), rows) << file;
    EXPECT_DOUBLE_EQ(to_seconds(w->arrival.back()), last_arrival_s) << file;
  }
}

}  // namespace
}  // namespace plimsoll
