#include "report/run/results_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "run_record_maker.h"

namespace plimsoll {
namespace {

using test::add_row;

class ResultsFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }

  std::filesystem::path folder_;
};

RunRecord every_outcome() {
  RunRecord record;
  add_row(&record, {.arrival = 0, .delay = 0, .ttft = 51.103, .e2e = 251.103, .output = 8});
  add_row(&record, {.arrival = 49.999,
                    .outcome = Outcome::length_capped,
                    .instance = 1,
                    .delay = 2,
                    .ttft = 10,
                    .e2e = 40,
                    .output = 4});
  add_row(&record, {.arrival = 100'000, .outcome = Outcome::timed_out, .delay = 1, .ttft = 12.5});
  add_row(&record, {.arrival = 100'001, .outcome = Outcome::dropped});
  add_row(&record, {.arrival = 100'002, .outcome = Outcome::rejected, .instance = -1});
  add_row(&record, {.arrival = 100'003, .outcome = Outcome::unfinished, .delay = 3});
  add_row(&record, {.arrival = 100'004, .delay = 0, .ttft = 5, .e2e = 5, .output = 0});
  RequestTable& t = record.requests;
  t.reason.set(3, Reason::too_long, t.size());
  t.reason.set(4, Reason::other_model, t.size());
  t.cached_tokens.set(5, 64, t.size());
  t.preemptions.set(5, 2, t.size());
  record.requests.itl_sum[6] = milliseconds(3);  // no answer, no gap
  return record;
}

TEST_F(ResultsFile, has_one_csv_row_per_request_whatever_became_of_it) {
  ASSERT_TRUE(write_results(path("r.csv"), every_outcome(), {}));
  EXPECT_EQ(read_file(path("r.csv")).value(),
            "request_id,arrival_ms,input_tokens,output_tokens,ttft_ms,e2e_ms,itl_ms,"
            "scheduling_delay_ms,handled_by,status,gateway_ms,queue_ms,prefill_ms,"
            "prefill_stall_ms,decode_ms,preemption_ms,slo_class,tenant,session,round,"
            "cached_tokens,generated_tokens,preemptions,client,reason\n"
            "request_0,0,100,8,51.103,251.103,28.571428571428573,0,instance_0,completed,"
            "0,0,51.103,0,200,0,,,,0,0,8,0,,\n"
            "request_1,49.999,100,4,10,40,15,2,instance_1,length_capped,0,2,8,0,30,0,,,,0,0,4,0,,\n"
            "request_2,100000,100,11,12.5,0,0,1,instance_0,timed_out,0,0,0,0,0,0,,,,0,0,0,0,,\n"
            "request_3,100001,100,11,0,0,0,0,instance_0,dropped,0,0,0,0,0,0,,,,0,0,0,0,,"
            "max-model-len\n"
            "request_4,100002,100,11,0,0,0,0,,rejected,0,0,0,0,0,0,,,,0,0,0,0,,"
            "other-model\n"
            "request_5,100003,100,11,0,0,0,3,instance_0,unfinished,0,0,0,0,0,0,,,,0,64,0,2,,\n"
            "request_6,100004,100,0,5,5,0,0,instance_0,completed,0,0,5,0,0,0,,,,0,0,0,0,,\n");
}

TEST_F(ResultsFile, is_a_json_array_when_the_name_says_so) {
  RunRecord record;
  ASSERT_TRUE(write_results(path("r.json"), record, {}));
  EXPECT_EQ(read_file(path("r.json")).value(), "[\n]\n");
  add_row(&record, {.arrival = 1, .delay = 0, .ttft = 2, .e2e = 12});
  add_row(&record, {.arrival = 2, .outcome = Outcome::rejected, .instance = -1});
  record.requests.reason.set(1, Reason::admission_policy, 2);
  ASSERT_TRUE(write_results(path("r.json"), record, {}));
  EXPECT_EQ(read_file(path("r.json")).value(),
            "[\n"
            R"({"request_id": "request_0", "arrival_ms": 1, "input_tokens": 100, )"
            R"("output_tokens": 11, "ttft_ms": 2, "e2e_ms": 12, "itl_ms": 1, )"
            R"("scheduling_delay_ms": 0, "handled_by": "instance_0", "status": "completed", )"
            R"("gateway_ms": 0, "queue_ms": 0, "prefill_ms": 2, "prefill_stall_ms": 0, )"
            R"("decode_ms": 10, "preemption_ms": 0, "slo_class": "", "tenant": "", )"
            R"("session": "", "round": 0, "cached_tokens": 0, "generated_tokens": 11, )"
            R"("preemptions": 0, "client": "", "reason": ""},)"
            "\n"
            R"({"request_id": "request_1", "arrival_ms": 2, "input_tokens": 100, )"
            R"("output_tokens": 11, "ttft_ms": 0, "e2e_ms": 0, "itl_ms": 0, )"
            R"("scheduling_delay_ms": 0, "handled_by": "", "status": "rejected", )"
            R"("gateway_ms": 0, "queue_ms": 0, "prefill_ms": 0, "prefill_stall_ms": 0, )"
            R"("decode_ms": 0, "preemption_ms": 0, "slo_class": "", "tenant": "", )"
            R"("session": "", "round": 0, "cached_tokens": 0, "generated_tokens": 0, )"
            R"("preemptions": 0, "client": "", "reason": "admission-policy"})"
            "\n]\n");
}

TEST_F(ResultsFile, names_class_tenant_session_round_and_client) {
  Labels labels;
  labels.tenants = {"plain", "a \"b\", c"};
  labels.sessions = {"first"};
  labels.clients.emplace_back().id = "mobile";
  RunRecord record;
  add_row(&record, {.delay = 0,
                    .ttft = 2,
                    .e2e = 12,
                    .slo_class = SloClass::critical,
                    .tenant = 1,
                    .session = 0,
                    .round = 3,
                    .client = 0});
  add_row(&record,
          {.delay = 0, .ttft = 2, .e2e = 12, .slo_class = SloClass::standard, .session = 1});
  ASSERT_TRUE(write_results(path("r.csv"), record, labels));
  const std::string csv = read_file(path("r.csv")).value();
  EXPECT_NE(csv.find(",critical,\"a \"\"b\"\", c\",first,3,0,11,0,mobile,\n"), std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",standard,,session_1,0,0,11,0,,\n"), std::string::npos) << csv;
  ASSERT_TRUE(write_results(path("r.json"), record, labels));
  const std::string json = read_file(path("r.json")).value();
  EXPECT_NE(json.find(R"("tenant": "a \"b\", c")"), std::string::npos) << json;
}

TEST_F(ResultsFile, can_leave_out_requests_that_reached_no_instance) {
  RunRecord record;
  add_row(&record, {.arrival = 1, .outcome = Outcome::unfinished, .delay = 0});
  add_row(&record, {.arrival = 2, .outcome = Outcome::rejected, .instance = -1});
  add_row(&record, {.arrival = 3, .outcome = Outcome::unfinished, .instance = -1});
  ASSERT_TRUE(write_results(path("all.csv"), record, {}));
  EXPECT_NE(read_file(path("all.csv")).value().find("request_2,"), std::string::npos);
  ASSERT_TRUE(write_results(path("known.csv"), record, {}, false));
  const std::string known = read_file(path("known.csv")).value();
  EXPECT_NE(known.find("request_0,"), std::string::npos);
  EXPECT_NE(known.find("request_1,"), std::string::npos);
  EXPECT_EQ(known.find("request_2,"), std::string::npos);
}

TEST_F(ResultsFile, replaces_an_older_file_and_leaves_nothing_else_behind) {
  std::ofstream(path("r.csv")) << "old";
  ASSERT_TRUE(write_results(path("r.csv"), every_outcome(), {}));
  EXPECT_TRUE(read_file(path("r.csv")).value().starts_with("request_id,"));
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 1);
}

TEST_F(ResultsFile, reports_a_missing_folder_as_an_io_error) {
  const auto written = write_results(path("missing/r.csv"), every_outcome(), {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::io);
  EXPECT_NE(format(written.error()).find("No such file or directory"), std::string::npos);
}

TEST_F(ResultsFile, does_not_replace_a_folder) {
  std::filesystem::create_directory(path("r.csv"));
  const auto written = write_results(path("r.csv"), every_outcome(), {});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::io);
}

TEST_F(ResultsFile, names_the_formats_when_the_ending_is_unknown) {
  const auto checked = check_results_path("out.txt");
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::usage);
  EXPECT_FALSE(write_results(path("out.txt"), every_outcome(), {}));
  EXPECT_FALSE(std::filesystem::exists(path("out.txt")));
}

}  // namespace
}  // namespace plimsoll
