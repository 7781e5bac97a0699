// Arrival processes and length distributions of a workload specification.
#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "base/text.h"
#include "spec/spec_file.h"
#include "workload/client_reader.h"
#include "workload/csv.h"

namespace plimsoll {
namespace {

constexpr double kMaxWeight = 1e15;

// The reference reads every parameter as a floating-point number: 512.0 is a length, too.
std::int64_t whole(SpecMap params, std::string_view key, std::int64_t least, double value) {
  if (value == std::floor(value)) return static_cast<std::int64_t>(value);
  params.error(key, "a length is a whole number of tokens");
  return least;
}

NumberRange token_range(std::int64_t least) {
  return {static_cast<double>(least), static_cast<double>(kMaxTokens)};
}

std::int64_t read_tokens(SpecMap params, std::string_view key, std::int64_t least) {
  return whole(params, key, least, params.number(key, token_range(least)));
}

template <class Distribution>
void read_limits(SpecMap params, Distribution* d) {
  if (const auto min = params.optional_number("min", token_range(0))) {
    d->min = whole(params, "min", 0, *min);
  }
  if (const auto max = params.optional_number("max", token_range(1))) {
    d->max = whole(params, "max", 1, *max);
  }
  if (d->min > d->max) params.error("min", "the minimum exceeds the maximum");
}

// Of exp(mu + sigma z): lengths far below one token and far above the longest are mistakes.
constexpr NumberRange kMu{-20, 21};
constexpr NumberRange kSigma{0, 20};

GaussianLength read_gaussian(SpecMap params) {
  GaussianLength d;
  const auto mean = params.optional_number("mean", token_range(0));
  if (!params.has("mean")) params.number("mean");
  d.stdev = params.number("std_dev", token_range(0));
  d.min = read_tokens(params, "min", 0);
  d.max = read_tokens(params, "max", 1);
  if (d.min > d.max) {
    params.error("min", "the minimum exceeds the maximum");
  } else if (mean && (*mean < static_cast<double>(d.min) || *mean > static_cast<double>(d.max))) {
    params.error("mean",
                 "the mean " + shortest(*mean) + " lies outside of [" + std::to_string(d.min) +
                     ", " + std::to_string(d.max) + "]",
                 "\"min\" and \"max\" set the range");
  }
  d.mean = mean.value_or(d.mean);
  return d;
}

ExponentialLength read_exponential(SpecMap params) {
  ExponentialLength d;
  d.mean = params.number("mean", {0, static_cast<double>(kMaxTokens), true});
  read_limits(params, &d);
  return d;
}

LognormalLength read_lognormal(SpecMap params) {
  LognormalLength d{.mu = params.number("mu", kMu), .sigma = params.number("sigma", kSigma)};
  read_limits(params, &d);
  return d;
}

ParetoLognormalLength read_pareto_lognormal(SpecMap params) {
  ParetoLognormalLength d;
  d.alpha = params.number("alpha", kPositive);
  d.xm = params.number("xm", {0, static_cast<double>(kMaxTokens), true});
  d.mu = params.number("mu", kMu);
  d.sigma = params.number("sigma", kSigma);
  d.mix_weight = params.number("mix_weight", {0, 1});
  return d;
}

using Weights = std::vector<std::pair<std::int64_t, double>>;

// A map from token counts to weights: the weights of an empirical distribution.
Weights read_weights(SpecMap map) {
  Weights weights;
  for (const std::string& key : map.keys()) {
    long long tokens = 0;
    if (!parse_int(key, &tokens) || tokens < 0 || tokens > kMaxTokens) {
      map.error(key, "\"" + key + "\" is not a number of tokens");
      continue;
    }
    const double weight = map.number(key, {0, kMaxWeight});
    if (weight > 0) weights.emplace_back(tokens, weight);
  }
  if (weights.empty()) map.error("", "no token count has a weight above 0");
  std::ranges::sort(weights);
  return weights;
}

EmpiricalLength read_empirical(SpecMap map) {
  EmpiricalLength d;
  d.file = map.optional_text("file").value_or("");
  d.line = map.position().line;
  if (map.has("file") == map.has("params")) {
    map.error("", "an empirical distribution has either \"params\" or a \"file\"",
              "params: {128: 0.5, 512: 0.3, 2048: 0.2}");
    if (map.has("params")) map.map("params").keys();
    return d;
  }
  if (map.has("params")) d.weights = read_weights(map.map("params"));
  return d;
}

Result<Weights> read_map(const std::string& text, const std::string& path) {
  TRY(spec, SpecFile::parse(text, path));
  Weights weights = read_weights(spec.top());
  return spec.finish(std::move(weights));
}

Result<Weights> read_csv(const std::string& text, const std::string& path) {
  TRY(lines, LineReader::over(text, path));
  CsvReader csv(std::move(lines));
  Weights weights;
  for (bool first = true;; first = false) {
    TRY(more, csv.next());
    if (!more) break;
    if (csv.size() != 2) return csv.error(0, "a row is \"tokens,weight\"");
    long long tokens = 0;
    double weight = 0;
    const bool whole = parse_int(csv.field(0), &tokens);
    const bool number = parse_double(csv.field(1), &weight);
    if (first && !whole && !number) continue;  // the names of the columns
    if (!whole || tokens < 0 || tokens > kMaxTokens) {
      return csv.error(0, "expected a number of tokens");
    }
    if (!number || weight < 0 || weight > 1e15) {
      return csv.error(1, "expected a weight of at least 0");
    }
    if (weight > 0) weights.emplace_back(tokens, weight);
  }
  if (weights.empty()) {
    return fail_in(ErrorKind::spec, path, "no token count has a weight above 0");
  }
  std::ranges::sort(weights);
  const auto twice = std::ranges::adjacent_find(
      weights, [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != weights.end()) {
    return fail_in(ErrorKind::spec, path,
                   "the token count " + std::to_string(twice->first) + " is there twice",
                   "add its weights up");
  }
  return weights;
}

}  // namespace

ArrivalSpec read_arrival(SpecMap map) {
  ArrivalSpec arrival;
  const std::string process = map.choice("process", names_of(arrival_processes()));
  arrival.process = value_of(arrival_processes(), process).value_or(ArrivalProcess::poisson);
  arrival.cv = map.optional_number("cv", kPositive).value_or(1);
  arrival.shape = map.optional_number("shape", kNonNegative).value_or(0);
  arrival.scale_us = map.optional_number("scale", kNonNegative).value_or(0);
  if (const Result<void> ok = validate(arrival); !ok) {
    map.error(arrival.shape > 0 ? "shape" : "cv", ok.error().diagnostics.front().message);
  }
  if (arrival.scale_us > 0 && arrival.shape == 0) {
    map.error("scale", "\"scale\" needs a \"shape\"", "add shape: <number>");
  }
  return arrival;
}

LengthDistribution read_length(SpecMap map, std::int64_t least) {
  const std::string type = map.choice("type", names_of(length_distributions()));
  if (type == "empirical") return read_empirical(map);
  SpecMap params = map.map("params");
  if (type == "constant") return ConstantLength{read_tokens(params, "value", least)};
  if (type == "gaussian") return read_gaussian(params);
  if (type == "exponential") return read_exponential(params);
  if (type == "lognormal") return read_lognormal(params);
  if (type == "pareto_lognormal") return read_pareto_lognormal(params);
  params.keys();  // whatever they are: they belong to a type that is wrong
  map.has("file");
  return {};
}

Result<Weights> read_length_file(const std::string& path) {
  TRY(text, read_file(path));
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const bool json = start != std::string::npos && ((text)[start] == '{' || (text)[start] == '[');
  return json ? read_map(text, path) : read_csv(text, path);
}

}  // namespace plimsoll
