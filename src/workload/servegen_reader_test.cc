#include "workload/servegen.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

LineReader lines_of(const std::string& text) {
  auto lines = LineReader::over(text, "t");
  EXPECT_TRUE(lines);
  return std::move(*lines);
}

std::vector<ServegenWindow> windows_of(const std::string& text) {
  auto windows = read_servegen_windows(lines_of(text));
  EXPECT_TRUE(windows) << format(windows.error());
  return *windows;
}

std::vector<ServegenLengths> lengths_of_text(const std::string& text) {
  auto lengths = parse_servegen_dataset(text, "t");
  EXPECT_TRUE(lengths) << format(lengths.error());
  return *lengths;
}

TEST(ServegenReader, are_rows_read_with_and_without_names) {
  for (const char* header : {"", "time,rate,cv,pattern,shape,scale\n"}) {
    const auto windows = windows_of(std::string(header) +
                                    "0,1.5,2.0,Gamma,0.25,2.5\n600,0,1,\n1200.0,3,0.9,Weibull\n");
    ASSERT_EQ(windows.size(), 3u);
    EXPECT_EQ(windows[0].rate_rps, 1.5);
    EXPECT_EQ(windows[0].process, ArrivalProcess::gamma);
    EXPECT_EQ(windows[0].shape, 0.25);
    EXPECT_EQ(windows[1].process, ArrivalProcess::poisson);
    EXPECT_EQ(windows[2].start_s, 1200);
    EXPECT_EQ(windows[2].process, ArrivalProcess::weibull);
  }
}

TEST(ServegenReader, are_datasets_dicts_of_python) {
  const auto lengths = lengths_of_text(
      R"({"0": {"input_tokens": "{20: 0.75, 10: 0.25}", "output_tokens": "{5: 1.0}"},
          "600": {"input_tokens": "{7: 1}", "output_tokens": "{ 8 : 1e-2 , 9: 0 }",
                  "reason_ratio": "{0.5: 1, 0.25: 3}"}})");
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_EQ(lengths[0].input.weights,
            (std::vector<std::pair<std::int64_t, double>>{{10, 0.25}, {20, 0.75}}));
  EXPECT_FALSE(lengths[0].reason_percent);
  EXPECT_EQ(lengths[1].output.weights, (std::vector<std::pair<std::int64_t, double>>{{8, 0.01}}));
  EXPECT_EQ(lengths[1].reason_percent->weights,
            (std::vector<std::pair<std::int64_t, double>>{{25, 3}, {50, 1}}));
}

TEST(ServegenReader, does_each_bad_trace_give_one_clear_error) {
  const std::pair<const char*, const char*> cases[]{
      {"0,1,1\n", "t:1:6: error: the row has 3 fields"},
      {"0,1,1,Gamma\n5\n", "t:2:2: error: the row has 1 fields"},
      {"0,1,1,Gamma\nx,1,1,Gamma\n", "t:2:1: error: the start must be a whole second"},
      {"-1,1,1,Gamma\n", "t:1:1: error: the start must be"},
      {"0.5,1,1,Gamma\n", "t:1:1: error: the start must be"},
      {"1e12,1,1,Gamma\n", "t:1:1: error: the start must be"},
      {"0,x,1,Gamma\n", "t:1:3: error: the rate must be"},
      {"0,-1,1,Gamma\n", "t:1:3: error: the rate must be"},
      {"0,1e9,1,Gamma\n", "t:1:3: error: the rate must be"},
      {"0,1,,Gamma\n", "t:1:5: error: the coefficient of variation must be"},
      {"0,1,-2,Gamma\n", "t:1:5: error: the coefficient of variation must be"},
      {"0,1,1,Gamma,-1\n", "t:1:13: error: the shape must be"},
      {"0,1,1,Gamma,?\n", "t:1:13: error: the shape must be"},
      {"0,1,1,\"Gam\n", "t:1:"},
  };
  for (const auto& [text, expected] : cases) {
    const auto windows = read_servegen_windows(lines_of(text));
    ASSERT_FALSE(windows) << text;
    EXPECT_EQ(format(windows.error()).rfind(expected, 0), 0u) << format(windows.error());
  }
}

TEST(ServegenReader, does_each_bad_dataset_give_one_clear_error) {
  const auto entry = [](const std::string& input) {
    return "{\"0\": {\"input_tokens\": " + input + ", \"output_tokens\": \"{1: 1}\"}}";
  };
  ASSERT_TRUE(parse_servegen_dataset(entry("\"{1: 1}\""), "t"));
  const std::pair<std::string, const char*> cases[]{
      {"[]", "found a list"},
      {"{", "t:1"},
      {"{\"x\": {}}", "the keys are the seconds"},
      {"{\"-5\": {}}", "the keys are the seconds"},
      {"{\"8e83\": {}}", "the keys are the seconds"},
      {"{\"0\": 5}", "must hold keys and values"},
      {"{\"0\": {\"output_tokens\": \"{1: 1}\"}}", "missing key \"input_tokens\""},
      {entry("5"), "must look like"},
      {entry("\"\""), "must look like"},
      {entry("\"{}\""), "must look like"},
      {entry("\"{1}\""), "must look like"},
      {entry("\"{1: }\""), "must look like"},
      {entry("\"{1: x}\""), "must look like"},
      {entry("\"{-1: 1}\""), "must look like"},
      {entry("\"{1: -1}\""), "must look like"},
      {entry("\"{1: 0}\""), "must look like"},
      {entry("\"{1: 1\""), "must look like"},
      {entry("\"1: 1}\""), "must look like"},
      {entry("\"{1e20: 1}\""), "must look like"},
      {entry("\"{nan: 1}\""), "must look like"},
      {entry("\"{1: inf}\""), "must look like"},
      {entry("[1]"), "\"input_tokens\""},
  };
  for (const auto& [text, expected] : cases) {
    const auto lengths = parse_servegen_dataset(text, "t");
    ASSERT_FALSE(lengths) << text;
    EXPECT_NE(format(lengths.error()).find(expected), std::string::npos) << text << "\n"
                                                                         << format(lengths.error());
  }
}

// 0, 1, ..., 100 tokens: the middles of the hundredths are 0.5, 1.5, ..., rounded away from zero.
std::string quantiles(double step) {
  std::string row;
  for (int i = 0; i <= 100; ++i) row += "," + std::to_string(static_cast<int>(step * i));
  return row;
}

std::string quantile_header() {
  std::string header = "client,t_s,field";
  for (int i = 0; i <= 100; ++i) header += (i < 10 ? ",q0" : ",q") + std::to_string(i);
  return header + "\n";
}

constexpr const char* kWindowHeader = "client,t_s,rate_rps,cv,arrival_dist,p1,p2\n";

TEST(ServegenReader, are_quantiles_of_the_trimmed_form_hundred_equal_weights) {
  const auto data = read_trimmed_servegen(
      lines_of(std::string(kWindowHeader) + "7,600,2,1,Gamma,1,0.5\n7,0,1,1,Weibull,0.5,1\n"),
      lines_of(quantile_header() + "7,0,input_tokens" + quantiles(1) + "\n7,0,output_tokens" +
               quantiles(10) + "\n"));
  ASSERT_TRUE(data) << format(data.error());
  ASSERT_EQ(data->clients.size(), 1u);
  const ServegenClient& client = data->clients[0];
  EXPECT_EQ(client.id, "7");
  ASSERT_EQ(client.windows.size(), 2u);
  const auto& weights = client.lengths.at(0).input.weights;
  ASSERT_EQ(weights.size(), 100u);
  EXPECT_EQ(weights.front(), (std::pair<std::int64_t, double>{1, 1}));
  EXPECT_EQ(weights.back(), (std::pair<std::int64_t, double>{100, 1}));
  EXPECT_EQ(client.lengths.at(0).output.weights.front().first, 5);
  EXPECT_EQ(client.lengths_at(700), &client.lengths[0]);
  EXPECT_FALSE(data->is_reasoning());
}

TEST(ServegenReader, does_each_bad_trimmed_file_give_one_clear_error) {
  const std::string window = std::string(kWindowHeader) + "7,0,2,1,Gamma,1,0.5\n";
  const std::string input = "7,0,input_tokens" + quantiles(1) + "\n";
  const std::string output = "7,0,output_tokens" + quantiles(1) + "\n";
  const std::pair<std::pair<std::string, std::string>, const char*> cases[]{
      {{"", quantile_header()}, "t:1: error: the file is empty"},
      {{"client,t_s\n", quantile_header()}, "missing column \"rate_rps\""},
      {{std::string(kWindowHeader) + "x,0,1,1,Gamma,1,1\n", ""}, "\"client\" must be"},
      {{std::string(kWindowHeader) + "1,-5,1,1,Gamma,1,1\n", ""}, "\"t_s\" must be"},
      {{std::string(kWindowHeader) + "1,0,-1,1,Gamma,1,1\n", ""}, "\"rate_rps\" must be"},
      {{std::string(kWindowHeader) + "1,0,1,nan,Gamma,1,1\n", ""}, "\"cv\" must be"},
      {{std::string(kWindowHeader) + "1,0,1,1,Gamma,-1,1\n", ""}, "\"p1\" must be"},
      {{window, ""}, "the file is empty"},
      {{window, "client,t_s,field,q00\n"}, "missing column \"q01\""},
      {{window, quantile_header() + input}, "client 7 has no output_tokens at second 0"},
      {{window, quantile_header() + output}, "client 7 has no input_tokens at second 0"},
      {{window, quantile_header() + "7,0,inputs" + quantiles(1) + "\n"},
       "unknown field \"inputs\""},
      {{window, quantile_header() + "7,0,input_tokens" + quantiles(-1) + "\n"}, "\"q01\" must be"},
      {{window, quantile_header() + "7,0,reason_ratio" + quantiles(1) + "\n"}, "\"q02\" must be"},
      {{window, quantile_header() + "7,0,input_tokens,1,2\n"}, "the row has 5 fields"},
  };
  for (const auto& [files, expected] : cases) {
    auto data = read_trimmed_servegen(lines_of(files.first), lines_of(files.second));
    ASSERT_FALSE(data) << expected;
    EXPECT_NE(format(data.error()).find(expected), std::string::npos) << format(data.error());
  }
}

}  // namespace
}  // namespace plimsoll
