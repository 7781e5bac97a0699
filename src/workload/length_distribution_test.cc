#include "workload/length_distribution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "distribution_fit.h"

namespace plimsoll {
namespace {

std::vector<double> draws(const LengthDistribution& distribution, std::uint64_t seed,
                          std::size_t count = 20'000) {
  const LengthSampler sampler(distribution);
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(sampler.draw(RandomStream(seed, Purpose::prompt_length, i)));
  }
  return out;
}

double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// Large tokens, so that rounding to whole ones does not show.
void expect_fit(const LengthDistribution& distribution, const std::function<double(double)>& cdf) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 42u}) {
    EXPECT_LT(ks_distance(draws(distribution, seed), cdf), kKsLimit) << "seed " << seed;
  }
}

TEST(LengthDistribution, is_a_gaussian_normal) {
  expect_fit(GaussianLength{1e6, 1e5, 1, kMaxTokens},
             [](double x) { return normal_cdf((x - 1e6) / 1e5); });
}

TEST(LengthDistribution, is_an_exponential_exponential) {
  expect_fit(ExponentialLength{1e6}, [](double x) { return 1 - std::exp(-x / 1e6); });
}

TEST(LengthDistribution, is_a_lognormal_lognormal) {
  expect_fit(LognormalLength{12, 0.7},
             [](double x) { return normal_cdf((std::log(x) - 12) / 0.7); });
}

TEST(LengthDistribution, is_a_mixture_a_mixture) {
  expect_fit(ParetoLognormalLength{2.5, 1e5, 12, 0.5, 0.3}, [](double x) {
    const double pareto = x < 1e5 ? 0 : 1 - std::pow(1e5 / x, 2.5);
    return 0.3 * pareto + 0.7 * normal_cdf((std::log(x) - 12) / 0.5);
  });
}

TEST(LengthDistribution, does_an_empirical_one_give_its_weights) {
  const EmpiricalLength histogram{{{16, 1}, {64, 3}, {256, 4}, {1024, 2}}, ""};
  for (const std::uint64_t seed : {1u, 2u, 3u, 42u}) {
    std::vector<double> counts(4);
    for (const double tokens : draws(histogram, seed)) {
      counts[static_cast<std::size_t>(std::log2(tokens) - 4) / 2] += 1;
    }
    EXPECT_LT(chi_square(counts, {2000, 6000, 8000, 4000}, 1), kChiSquareLimit) << seed;
  }
}

TEST(LengthDistribution, do_draws_stay_within_their_limits) {
  for (const double tokens : draws(LognormalLength{5, 3, 10, 2000}, 1)) {
    ASSERT_GE(tokens, 10);
    ASSERT_LE(tokens, 2000);
  }
  // Half of the lognormal lies beyond any double, half of the exponential rounds to nothing.
  for (const double tokens : draws(LognormalLength{1e6, 1e7}, 1, 1000)) {
    ASSERT_TRUE(tokens == 1 || tokens == kMaxTokens) << tokens;
  }
  for (const double tokens : draws(ExponentialLength{0.1}, 1, 1000)) ASSERT_GE(tokens, 1);
}

TEST(LengthDistribution, may_a_count_be_zero_but_no_length) {
  const RandomStream stream(1, Purpose::image_tokens, 0);
  EXPECT_EQ(LengthSampler(ConstantLength{0}, 0).draw(stream), 0);
  EXPECT_EQ(LengthSampler(ConstantLength{0}, 1).draw(stream), 1);
  EXPECT_EQ(LengthSampler(EmpiricalLength{{{0, 1}}, ""}, 0).draw(stream), 0);
  EXPECT_EQ(LengthSampler(EmpiricalLength{{{0, 1}}, ""}, 1).draw(stream), 1);
}

TEST(LengthDistribution, are_the_numbers_the_same_as_ever) {
  const auto three = [](const LengthDistribution& d) { return draws(d, 42, 3); };
  EXPECT_EQ(three(ExponentialLength{1000}), (std::vector<double>{18, 762, 1460}));
  EXPECT_EQ(three(LognormalLength{6, 1}), (std::vector<double>{3302, 371, 194}));
  EXPECT_EQ(three(ParetoLognormalLength{1.5, 100, 6, 1, 0.5}),
            (std::vector<double>{498, 238, 195}));
}

class LengthFile : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }
  void TearDown() override { std::remove(path_.c_str()); }

  std::string path_ =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + ".txt";
};

using Weights = std::vector<std::pair<std::int64_t, double>>;

TEST_F(LengthFile, are_csv_and_json_read_alike) {
  const Weights expected{{16, 0.25}, {512, 0.75}};
  for (const char* text : {"tokens,weight\n512,0.75\n16,0.25\n64,0\n", "16,0.25\r\n512,0.75",
                           "{\"512\": 0.75, \"16\": 0.25}"}) {
    const auto weights = read_length_file(write(text));
    ASSERT_TRUE(weights) << format(weights.error());
    EXPECT_EQ(*weights, expected) << text;
  }
}

TEST_F(LengthFile, does_each_bad_file_give_its_error) {
  const struct {
    const char* text;
    const char* error;
  } cases[] = {
      {"", "no token count has a weight above 0"},
      {"tokens,weight\n", "no token count has a weight above 0"},
      {"16,0\n", "no token count has a weight above 0"},
      {"16\n", ":1:1: error: a row is \"tokens,weight\""},
      {"16,1,2\n", "a row is \"tokens,weight\""},
      {"16,1\ntokens,weight\n", ":2:1: error: expected a number of tokens"},
      {"16,1\n-3,1\n", ":2:1: error: expected a number of tokens"},
      {"16,1\n1.5,1\n", "expected a number of tokens"},
      {"16,1\n2000000000,1\n", "expected a number of tokens"},
      {"16,x\n", ":1:4: error: expected a weight"},
      {"16,-1\n", "expected a weight of at least 0"},
      {"16,nan\n", "expected a weight of at least 0"},
      {"16,1e300\n", "expected a weight of at least 0"},
      {"\xff\xfe", "UTF-8"},
      {"{\"16\": -1}", "must be at least 0"},
      {"{\"a\": 1}", "\"a\" is not a number of tokens"},
      {"{\"16\": 0}", "no token count has a weight above 0"},
      {"{\"16\": ", "may be left open"},
      {"{}", "no token count has a weight above 0"},
      {"{\"16\": [1]}", "must be a number, got a list"},
  };
  for (const auto& [text, error] : cases) {
    const auto weights = read_length_file(write(text));
    ASSERT_FALSE(weights) << text;
    EXPECT_NE(format(weights.error()).find(error), std::string::npos)
        << text << "\n"
        << format(weights.error()) << "expected " << error;
  }
  EXPECT_EQ(exit_code(read_length_file("no/such/file").error()), 3);
}

TEST(LengthDistribution, knows_the_mean_that_clamping_leaves) {
  EXPECT_EQ(clamped_mean({100, 0, 1, 1000}), 100);
  EXPECT_NEAR(clamped_mean({500, 100, 0, 1000}), 500, 1e-3);
  for (const GaussianLength& length :
       {GaussianLength{100, 300, 2, 1367}, {512, 256, 2, 7000}, {1000, 800, 1, 1200}}) {
    const LengthSampler sampler{length};
    RandomStream stream(1, Purpose::prompt_length, 0);
    double sum = 0;
    for (int i = 0; i < 200'000; ++i) sum += sampler.draw_from(stream);
    EXPECT_NEAR(sum / 200'000, clamped_mean(length), 2.5);
  }
}

}  // namespace
}  // namespace plimsoll
