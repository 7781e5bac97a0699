#include "metrics/fitness.h"

#include <algorithm>
#include <functional>

#include "base/duration_text.h"
#include "base/lists.h"
#include "base/text.h"

namespace plimsoll {
namespace {

constexpr double kDefaultLatencyMs = 1;

const FitnessTerm& term(const std::string& key) {
  return *std::ranges::find(fitness_terms(), key, &FitnessTerm::key);
}

using ReadValue = std::function<bool(const FitnessTerm&, std::string_view, double*)>;

Result<FitnessValues> parse_values(const std::string& flag, std::string_view text,
                                   const std::string& form, const ReadValue& read) {
  FitnessValues values;
  const auto refuse = [&](const std::string& what, std::string hint) {
    return fail(ErrorKind::usage, flag + ": " + what, std::move(hint));
  };
  for (const std::string_view item : split_at(text, ',')) {
    const std::size_t colon = item.find(':');
    if (colon == std::string_view::npos) {
      return refuse("\"" + std::string(item) + "\" is not of the form " + form, {});
    }
    std::string key(item.substr(0, colon));
    const auto is_meant = [&](const FitnessTerm& f) {
      return usual_name(f.key) == usual_name(key);
    };
    const auto known = std::ranges::find_if(fitness_terms(), is_meant);
    if (known == fitness_terms().end()) {
      std::vector<std::string> names = mapped(fitness_terms(), &FitnessTerm::key);
      return refuse("unknown figure \"" + key + "\"", suggestion(key, names));
    }
    key = known->key;
    if (contains(values, key, &FitnessValues::value_type::first)) {
      return refuse(key + " is there twice", {});
    }
    double value = 0;
    const std::string_view number = item.substr(colon + 1);
    if (!read(*known, number, &value)) {
      return refuse("\"" + std::string(number) + "\" is not a value for " + key,
                    "expected " + form);
    }
    values.emplace_back(key, value);
  }
  return values;
}

}  // namespace

const std::vector<FitnessTerm>& fitness_terms() {
  static const std::vector<FitnessTerm> all{
      {"throughput", 100, figure("responses_per_sec")},
      {"tokens_per_sec", 10'000, figure("tokens_per_sec")},
      {"p99_ttft", kDefaultLatencyMs, figure("ttft_p99_ms")},
      {"p50_ttft", kDefaultLatencyMs, figure("ttft_p50_ms")},
      {"mean_ttft", kDefaultLatencyMs, figure("ttft_mean_ms")},
      {"p99_e2e", kDefaultLatencyMs, figure("e2e_p99_ms")},
      {"p50_e2e", kDefaultLatencyMs, figure("e2e_p50_ms")},
      {"mean_e2e", kDefaultLatencyMs, figure("e2e_mean_ms")}};
  return all;
}

Result<FitnessValues> parse_fitness_weights(std::string_view text) {
  return parse_values("--fitness-weights", text, "p99_ttft:3,throughput:2 (weights of at least 0)",
                      [](const FitnessTerm&, std::string_view number, double* value) {
                        return parse_double(number, value) && *value >= 0;
                      });
}

Result<FitnessValues> parse_fitness_references(std::string_view text) {
  return parse_values("--fitness-references", text,
                      "p99_ttft:500ms,throughput:100 (times for latencies, rates per second)",
                      [](const FitnessTerm& f, std::string_view number, double* value) {
                        if (!f.latency()) return parse_double(number, value) && *value > 0;
                        Duration time;
                        if (!parse_duration(number, &time) || time <= Duration{}) return false;
                        *value = to_ms(time);
                        return true;
                      });
}

Fitness find_fitness(const GroupSummary& cluster, const FitnessRequest& request) {
  Fitness fitness;
  for (const auto& [key, weight] : request.weights) {
    const FitnessTerm& f = term(key);
    FitnessComponent c{key, weight, 0, f.reference, f.latency(), true};
    for (const auto& [name, reference] : request.references) {
      if (name == key) c.reference = reference;
    }
    const double x = f.figure.of(cluster);
    c.measured = !c.latency || x > 0 || request.nothing_is_fast;
    if (c.measured) c.value = c.latency ? 1 / (1 + x / c.reference) : x / (x + c.reference);
    fitness.score += weight * c.value;
    fitness.components.push_back(c);
  }
  std::ranges::sort(fitness.components, {}, &FitnessComponent::key);
  return fitness;
}

}  // namespace plimsoll
