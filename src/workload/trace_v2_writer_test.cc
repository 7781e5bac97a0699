#include "workload/trace_v2_writer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "workload/trace_v2.h"

namespace plimsoll {
namespace {

std::string text_of(std::span<const Request> requests, const Labels& labels = {}) {
  const TraceV2Rows rows(requests, labels);
  std::string text = rows.column_names();
  for (const Request& request : requests) rows.append(request, {}, &text);
  return text;
}

TraceV2 read_back(const std::string& text) {
  Result<LineReader> lines = LineReader::over(text, "t.csv");
  Result<TraceV2> trace = read_trace_v2_data(std::move(*lines), {"served"});
  if (!trace) {
    ADD_FAILURE() << format(trace.error()) << text;
    return {};
  }
  return std::move(*trace);
}

Request plain(std::int64_t id, std::int64_t arrival_ns) {
  Request request;
  request.id = id;
  request.arrival = {arrival_ns};
  request.input_tokens = 100;
  request.output_tokens = 10;
  request.max_output_tokens = 10;
  request.own_content = 1000 + static_cast<std::uint64_t>(id);
  return request;
}

bool has_column(const std::string& text, const std::string& name) {
  return text.substr(0, text.find('\n')).find(name) != std::string::npos;
}

TEST(TraceV2Writer, are_requests_read_back_as_they_were) {
  Labels labels;
  labels.clients.push_back({"a, \"b\"", "", "Served", "lora-1", true, microseconds(2500)});
  labels.clients.push_back({});
  labels.tenants = {"acme", "=line, end"};
  labels.sessions = {"chat"};
  Request first = plain(7, 1'234'567);
  first.slo_class = SloClass::critical;
  first.deadline = {9'000'000'001};
  first.max_output_tokens = 0;
  first.tags = {0, 1, 0, 2, 30, 20, 10, 0.3f, nanoseconds(1'500)};
  Request second = plain(3, 1'234'568);
  second.tags.client = 1;
  const Request requests[]{first, second};

  const TraceV2 trace = read_back(text_of(requests, labels));
  const Workload& w = trace.workload;
  EXPECT_EQ(w.id, (std::vector<std::int64_t>{7, 3}));
  EXPECT_EQ(w.arrival, (std::vector<Time>{{1'234'567}, {1'234'568}}));
  EXPECT_EQ(w.deadline, (std::vector<Time>{{9'000'000'001}, kNever}));
  EXPECT_EQ(w.slo_class, (std::vector<SloClass>{SloClass::critical, SloClass::unset}));
  EXPECT_EQ(w.max_output_tokens, (std::vector<std::int32_t>{0, 10}));
  EXPECT_EQ(w.other_model, (std::vector<std::uint8_t>{0, 0}));
  const RequestTags& tags = w.tags[0];
  const Labels::Client& client = w.labels.clients[static_cast<std::size_t>(tags.client)];
  EXPECT_EQ(client.id, "a, \"b\"");
  EXPECT_EQ(client.adapter, "lora-1");
  EXPECT_EQ(client.slo_target, microseconds(2500));
  EXPECT_TRUE(client.streaming);
  EXPECT_EQ(w.labels.tenants[static_cast<std::size_t>(tags.tenant)], "=line, end");
  EXPECT_EQ(w.labels.sessions[static_cast<std::size_t>(tags.session)], "chat");
  EXPECT_EQ(tags.round, 2);
  EXPECT_EQ(tags.image_tokens, 30);
  EXPECT_EQ(tags.audio_tokens, 20);
  EXPECT_EQ(tags.video_tokens, 10);
  EXPECT_EQ(tags.reason_ratio, 0.3f);
  EXPECT_EQ(tags.think_time, nanoseconds(1'500));
  EXPECT_EQ(w.tags[1].session, -1);
  EXPECT_EQ(w.tags[1].tenant, -1);
}

TEST(TraceV2Writer, do_columns_that_say_nothing_stay_away) {
  const Request requests[]{plain(0, 0)};
  const std::string text = text_of(requests);
  for (const char* name :
       {"slo_target_us", "adapter", "think_time_us", "max_output_tokens", "prefix_path"}) {
    EXPECT_FALSE(has_column(text, name)) << name;
  }
}

TEST(TraceV2Writer, is_a_prefix_of_one_length_a_group) {
  const PrefixSegment shared{5, 60};
  Request first = plain(0, 0);
  first.prefix = {&shared, 1};
  Request second = first;
  second.id = 1;
  second.input_tokens = 60;  // nothing else
  const Request requests[]{first, second};
  const std::string text = text_of(requests);
  EXPECT_FALSE(has_column(text, "prefix_path"));
  const Workload w = read_back(text).workload;
  EXPECT_EQ(w.input_tokens, (std::vector<std::int32_t>{100, 60}));
  EXPECT_EQ(w.prefix_count, (std::vector<std::uint32_t>{1, 1}));
  EXPECT_EQ(w.prefix_begin[0], w.prefix_begin[1]);
}

TEST(TraceV2Writer, do_two_groups_of_one_name_stay_apart) {
  Labels labels;
  labels.clients.push_back({"c", "manual", "", "", false, {}});
  const PrefixSegment contents[]{{5, 60}, {6, 60}};
  Request first = plain(0, 0);
  first.tags.client = 0;
  first.prefix = {&contents[0], 1};
  Request second = plain(1, 0);
  second.tags.client = 0;
  second.prefix = {&contents[1], 1};
  const Request requests[]{first, second};
  const std::string text = text_of(requests, labels);
  EXPECT_NE(text.find(",manual,60,"), std::string::npos);
  EXPECT_NE(text.find(",manual-2,60,"), std::string::npos);
}

TEST(TraceV2Writer, do_paths_name_shared_contents_and_earlier_requests) {
  // A conversation: a system prompt of 40, a question; then all of that, the answer, and more.
  const PrefixSegment first_path[]{{5, 40}};
  const PrefixSegment second_path[]{{5, 40}, {1000, 69}};
  Request first = plain(0, 0);
  first.prefix = first_path;
  first.reusable = true;
  Request second = plain(1, 1000);
  second.input_tokens = 150;
  second.prefix = second_path;
  const Request requests[]{first, second};
  const std::string text = text_of(requests);
  EXPECT_NE(text.find(",s0:40 +\n"), std::string::npos) << text;
  EXPECT_NE(text.find(",s0:40 r0:69\n"), std::string::npos) << text;

  const Workload w = read_back(text).workload;
  EXPECT_EQ(w.input_tokens, (std::vector<std::int32_t>{100, 150}));
  EXPECT_EQ(w.reusable, (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(w.prefix_count, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(w.prefix_segments[0].content, w.prefix_segments[1].content);
  EXPECT_EQ(w.prefix_segments[2].tokens, 69);
  EXPECT_EQ(w.prefix_segments[2].content, unique_content(0));
}

TEST(TraceV2Writer, do_references_follow_their_rows_when_these_are_sorted) {
  const PrefixSegment path[]{{1000, 10}};
  Request later = plain(0, 5000);
  later.reusable = true;
  Request sooner = plain(1, 0);
  sooner.prefix = path;
  const Request requests[]{later, sooner};
  const Workload w = read_back(text_of(requests)).workload;
  EXPECT_EQ(w.id, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(w.prefix_segments[0].content, unique_content(1));
}

TEST(TraceV2Writer, can_a_deadline_lie_before_the_arrival) {
  Request request = plain(0, 5'000'000);
  request.deadline = {3'000'000};
  const Request requests[]{request};
  const Workload w = read_back(text_of(requests)).workload;
  EXPECT_EQ(w.arrival[0], request.arrival);
  EXPECT_EQ(w.deadline[0], request.deadline);
}

TEST(TraceV2Writer, is_the_header_read_back_as_it_was) {
  TraceV2Header header;
  header.mode = "generated";
  header.workload_seed = 7;
  header.workload_spec = "a \"quoted\\path\".yaml";
  header.server = {"plimsoll", "org/model", 2, 256, 16, 0.9, 4096};
  const auto read = parse_trace_v2_header(trace_v2_header_text(header), "h.yaml");
  ASSERT_TRUE(read) << format(read.error());
  EXPECT_EQ(read->mode, header.mode);
  EXPECT_EQ(read->workload_seed, header.workload_seed);
  EXPECT_EQ(read->workload_spec, header.workload_spec);
  EXPECT_FALSE(read->context_accumulates);
  EXPECT_EQ(read->server.model, "org/model");
  EXPECT_EQ(read->server.tensor_parallel, 2);
  EXPECT_EQ(read->server.gpu_memory_utilization, 0.9);
  EXPECT_EQ(read->server.max_model_len, 4096);
}

TEST(TraceV2Writer, are_both_files_written_or_the_error_said) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "trace_v2_files";
  std::filesystem::create_directories(folder);
  const Request requests[]{plain(0, 0)};
  TraceV2Header header;
  header.mode = "generated";
  const auto nothing = [](std::size_t) { return TraceV2Result{}; };
  ASSERT_TRUE(check_trace_v2_prefix(folder / "t"));
  ASSERT_TRUE(write_trace_v2(folder / "t", header, requests, {}, nothing));
  EXPECT_TRUE(read_trace_v2(folder / "t.yaml", folder / "t.csv", {"m"}));
  const std::string nowhere = folder / "none" / "t";
  const auto checked = check_trace_v2_prefix(nowhere);
  ASSERT_FALSE(checked);
  EXPECT_EQ(exit_code(checked.error()), 3);
  EXPECT_FALSE(write_trace_v2(nowhere, header, requests, {}, nothing));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace plimsoll
