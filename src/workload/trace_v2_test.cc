#include "workload/trace_v2.h"

#include <map>

#include <gtest/gtest.h>

#include "base/text.h"
#include "shared_data.h"
#include "workload/trace_v2_writer.h"

namespace plimsoll {
namespace {

constexpr const char* kHeaderLine =
    "request_id,client_id,tenant_id,slo_class,session_id,round_index,prefix_group,prefix_length,"
    "streaming,input_tokens,output_tokens,text_tokens,image_tokens,audio_tokens,video_tokens,"
    "reason_ratio,model,deadline_us,server_input_tokens,arrival_time_us,send_time_us,"
    "first_chunk_time_us,last_chunk_time_us,num_chunks,status,error_message,finish_reason\n";

// A row of unremarkable values but for those given.
std::string row(const std::map<std::string, std::string>& cells) {
  static const std::vector<std::pair<std::string, std::string>> kUsual{{"request_id", "0"},
                                                                       {"client_id", "c"},
                                                                       {"tenant_id", "t"},
                                                                       {"slo_class", ""},
                                                                       {"session_id", ""},
                                                                       {"round_index", "0"},
                                                                       {"prefix_group", ""},
                                                                       {"prefix_length", "0"},
                                                                       {"streaming", "false"},
                                                                       {"input_tokens", "100"},
                                                                       {"output_tokens", "10"},
                                                                       {"text_tokens", "0"},
                                                                       {"image_tokens", "0"},
                                                                       {"audio_tokens", "0"},
                                                                       {"video_tokens", "0"},
                                                                       {"reason_ratio", "0"},
                                                                       {"model", ""},
                                                                       {"deadline_us", "0"},
                                                                       {"server_input_tokens", "0"},
                                                                       {"arrival_time_us", "1000"},
                                                                       {"send_time_us", "0"},
                                                                       {"first_chunk_time_us", "0"},
                                                                       {"last_chunk_time_us", "0"},
                                                                       {"num_chunks", "0"},
                                                                       {"status", "ok"},
                                                                       {"error_message", ""},
                                                                       {"finish_reason", ""}};
  std::vector<std::string> values;
  for (const auto& [name, usual] : kUsual) {
    const auto given = cells.find(name);
    values.push_back(given == cells.end() ? usual : given->second);
  }
  return join(values, ",") + "\n";
}

Result<TraceV2> read_text(const std::string& text, bool refuse_unknown_classes = true) {
  Result<LineReader> lines = LineReader::over(text, "t.csv");
  if (!lines) return pass_on(lines);
  return read_trace_v2_data(std::move(*lines), {"qwen/qwen3-14b", refuse_unknown_classes});
}

TraceV2 read_rows(const std::string& rows) {
  Result<TraceV2> trace = read_text(kHeaderLine + rows);
  if (!trace) {
    ADD_FAILURE() << format(trace.error());
    return {};
  }
  return std::move(*trace);
}

TEST(TraceV2, are_requests_injected_when_sent_else_when_they_arrived) {
  const TraceV2 trace = read_rows(row({{"request_id", "7"}, {"arrival_time_us", "3000"}}) +
                                  row({{"request_id", "9"}, {"send_time_us", "2000"}}) +
                                  row({{"request_id", "8"}, {"arrival_time_us", "2000"}}));
  EXPECT_EQ(trace.workload.id, (std::vector<std::int64_t>{9, 8, 7}));  // ties in file order
  EXPECT_EQ(trace.workload.arrival, (std::vector<Time>{{2'000'000}, {2'000'000}, {3'000'000}}));
  EXPECT_EQ(trace.latest_injection, Time{3'000'000});
}

TEST(TraceV2, are_send_times_counted_from_1970_rebased_to_the_arrivals) {
  const TraceV2 trace = read_rows(
      row({{"arrival_time_us", "500"}, {"send_time_us", "1700000000002000"}, {"request_id", "1"}}) +
      row({{"arrival_time_us", "100"}, {"send_time_us", "1700000000000150"}}));
  EXPECT_EQ(trace.workload.arrival, (std::vector<Time>{{100'000}, {1'950'000}}));
}

TEST(TraceV2, do_prompts_include_the_first_positive_length_of_their_group) {
  const TraceV2 trace =
      read_rows(row({{"request_id", "0"}, {"prefix_group", "g"}, {"input_tokens", "10"}}) +
                row({{"request_id", "1"}, {"prefix_group", "g"}, {"prefix_length", "64"}}) +
                row({{"request_id", "2"},
                     {"prefix_group", "g"},
                     {"prefix_length", "32"},
                     {"server_input_tokens", "999"}}) +
                row({{"request_id", "3"}, {"server_input_tokens", "777"}}) +
                row({{"request_id", "4"}, {"prefix_group", "h"}}));
  const Workload& w = trace.workload;
  EXPECT_EQ(w.input_tokens, (std::vector<std::int32_t>{74, 164, 164, 777, 100}));
  EXPECT_EQ(w.prefix_count, (std::vector<std::uint32_t>{1, 1, 1, 0, 0}));
  EXPECT_EQ(w.prefix_begin[0], w.prefix_begin[2]);
  EXPECT_EQ(w.prefix_segments[w.prefix_begin[0]].tokens, 64);
}

TEST(TraceV2, are_budget_deadline_class_model_and_session_taken_over) {
  const TraceV2 trace =
      read_rows(row({{"request_id", "0"},
                     {"slo_class", "batch"},
                     {"deadline_us", "5000"},
                     {"session_id", "s"},
                     {"model", "Qwen/Qwen3-14B"}}) +
                row({{"request_id", "1"}, {"model", "other"}, {"round_index", "1"}}));
  const Workload& w = trace.workload;
  EXPECT_EQ(w.slo_class, (std::vector<SloClass>{SloClass::batch, SloClass::unset}));
  EXPECT_EQ(w.deadline, (std::vector<Time>{{5'000'000}, kNever}));
  EXPECT_EQ(w.max_output_tokens, (std::vector<std::int32_t>{10, 10}));
  EXPECT_EQ(w.other_model, (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(trace.other_model_requests, 1);
}

TEST(TraceV2, can_an_unknown_class_count_as_standard) {
  const auto trace = read_text(kHeaderLine + row({{"slo_class", "gold"}}), false);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->workload.slo_class, (std::vector<SloClass>{SloClass::standard}));
  EXPECT_EQ(trace->unknown_class_requests, 1);
}

TEST(TraceV2, does_each_bad_row_give_one_clear_error) {
  const struct {
    std::string rows;
    const char* error;
  } cases[] = {
      {"", "t.csv: error: the trace holds no requests"},
      {row({}) + row({}), "t.csv:3:1: error: the request id 0 appears twice"},
      {row({{"request_id", "x"}}), "t.csv:2:1: error: \"request_id\" must be"},
      {row({{"slo_class", "standart"}}), "t.csv:2:7: error: unknown SLO class"},
      {row({{"round_index", "-1"}}), "t.csv:2:9: error: \"round_index\" must be"},
      {row({{"prefix_length", "-1"}}), "t.csv:2:12: error: \"prefix_length\" must be"},
      {row({{"streaming", "no"}}), "t.csv:2:14: error: \"streaming\" must be true or false"},
      {row({{"input_tokens", "0"}}), "t.csv:2:20: error: \"input_tokens\" must be"},
      {row({{"output_tokens", ""}}), "t.csv:2:24: error: \"output_tokens\" must be"},
      {row({{"reason_ratio", "1.5"}}), "t.csv:2:35: error: \"reason_ratio\" must be"},
      {row({{"deadline_us", "999"}}), "t.csv:2:38: error: the deadline lies before the arrival"},
      {row({{"arrival_time_us", "1700000000000000"}}),
       "t.csv:2:42: error: \"arrival_time_us\" is more than a year after"},
      {row({}) + row({{"request_id", "1"}, {"send_time_us", "1700000000000000"}}) +
           row({{"request_id", "2"}, {"send_time_us", "5"}}),
       "t.csv: error: \"send_time_us\" reaches more than a year after"},
      {"1,2,3\n", "t.csv:2:6: error: the row has 3 fields where the header names 27"},
  };
  for (const auto& [rows, error] : cases) {
    const Result<TraceV2> trace = read_text(kHeaderLine + rows);
    ASSERT_FALSE(trace) << error;
    EXPECT_EQ(format(trace.error()).rfind(error, 0), 0u) << format(trace.error()) << error;
  }
}

TEST(TraceV2, are_columns_found_by_name_and_foreign_ones_skipped) {
  std::string header = kHeaderLine;
  header.insert(header.size() - 1, ",x_request_id,think_time_us");
  std::string first = row({});
  first.insert(first.size() - 1, ",some-id,5");
  EXPECT_TRUE(read_text(header + first));
  first.back() = 'x';
  Result<TraceV2> bad = read_text(header + first);
  ASSERT_FALSE(bad);
  EXPECT_NE(format(bad.error()).find("\"think_time_us\" must be"), std::string::npos);

  Result<TraceV2> missing = read_text("request_id,input_tokens\n");
  ASSERT_FALSE(missing);
  EXPECT_NE(format(missing.error()).find("missing column \"client_id\""), std::string::npos);
}

TEST(TraceV2Header, are_all_known_keys_accepted) {
  const auto header = parse_trace_v2_header(
      "trace_version: 3\ntime_unit: us\ncreated_at: 2026-01-01T00:00:00Z\nmode: real\n"
      "warm_up_requests: 5\nworkload_seed: 42\nworkload_spec: preset:chatbot\n"
      "session_context_growth: accumulate\nsessions_begin: true\n"
      "server: {type: vllm, model: m, tensor_parallel: 2, max_num_seqs: 256, block_size: 16,\n"
      "  gpu_memory_utilization: 0.9, max_model_len: 0}\n"
      "network: {measured_rtt_ms: 1.5}\n"
      "goodput_slo_targets: {critical: {ttft_ms: 500, itl_ms: 50, e2e_ms: 9000}}\n"
      "kv_offload: {anything: 1}\n"
      "observed_kv_metrics: {source: tiered, hit_rate: 0.5, block_hits: 1, block_queries: 2,\n"
      "  read_time_total: 0.1, write_time_total: 0.1, vllm_commit: abc}\n",
      "h.yaml");
  ASSERT_TRUE(header) << format(header.error());
  EXPECT_EQ(header->mode, "real");
  EXPECT_EQ(header->warm_up_requests, 5);
  EXPECT_TRUE(header->sessions_begin);
  const SloTargetsByClass targets{{SloClass::critical, {500.0, 50.0, 9000.0}}};
  EXPECT_EQ(header->goodput_slo_targets, targets);
  const auto again = parse_trace_v2_header(trace_v2_header_text(*header), "again");
  ASSERT_TRUE(again) << format(again.error());
  EXPECT_EQ(again->goodput_slo_targets, targets);
}

TEST(TraceV2Header, does_each_bad_header_give_its_error) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"time_unit: ms\n", "h.yaml:1:12: error:"},
      {"mod: real\n", "did you mean \"mode\"?"},
      {"mode: live\n", "h.yaml:1:7: error:"},
      {"warm_up_requests: -1\n", "h.yaml:1:19: error:"},
      {"server: {tp: 2}\n", "h.yaml:1:10: error: unknown key \"tp\""},
      {"goodput_slo_targets: {crtical: {}}\n", "did you mean \"critical\"?"},
      {"observed_kv_metrics: {source: tiered}\n", "the header has no kv_offload"},
      {"- a list\n", "h.yaml:1:1: error:"},
  };
  for (const auto& [text, error] : cases) {
    const auto header = parse_trace_v2_header(text, "h.yaml");
    ASSERT_FALSE(header) << text;
    EXPECT_NE(format(header.error()).find(error), std::string::npos) << format(header.error());
  }
}

TEST(TraceV2, are_the_recorded_conformance_inputs_read) {
  const auto shared = shared_data_folder();
  if (!shared) GTEST_SKIP() << "no recorded traces here";
  const auto inputs = *shared / "conformance/inputs";
  const auto read = [&](const std::string& name) {
    return read_trace_v2((inputs / (name + ".yaml")).string(), (inputs / (name + ".csv")).string(),
                         {"qwen/qwen3-14b"});
  };
  const Result<TraceV2> prefixes = read("tprefix");
  ASSERT_TRUE(prefixes) << format(prefixes.error());
  EXPECT_EQ(prefixes->workload.input_tokens[0], 1024 + 109);
  for (const char* name : {"t1", "t20", "t200", "t2000", "t2000hot", "t20burst", "tdeadline",
                           "tlong", "tsess", "tslo", "tslohot"}) {
    const Result<TraceV2> trace = read(name);
    EXPECT_TRUE(trace) << format(trace.error());
  }
}

}  // namespace
}  // namespace plimsoll
