// One number for a run, to rank many by: a weighted sum of figures that are each brought to a range
// from 0 to 1. Formula and default references: the public simulator BLIS.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "metrics/figures.h"

namespace plimsoll {

/// Keys of figures with a weight, or with a reference point, in the order of the text.
using FitnessValues = std::vector<std::pair<std::string, double>>;

struct FitnessRequest {
  FitnessValues weights;         ///< empty = no fitness wanted
  FitnessValues references;      ///< those that differ from the default; ms, 1/s or tokens/s
  bool nothing_is_fast = false;  ///< Semantics::latency_of_nothing_is_best
};

/// `p99_ttft:3,throughput:2`; weights are finite and not negative.
Result<FitnessValues> parse_fitness_weights(std::string_view text);
/// `p99_ttft:500ms,throughput:100`; a time for latencies, a number per second for rates.
Result<FitnessValues> parse_fitness_references(std::string_view text);

/// A figure that may be given a weight.
struct FitnessTerm {
  std::string key;
  double reference = 0;  ///< unless asked otherwise; as in FitnessComponent
  Figure figure;         ///< of metrics/figures.h

  bool latency() const { return figure.is_latency(); }
};

const std::vector<FitnessTerm>& fitness_terms();

struct FitnessComponent {
  std::string key;
  double weight = 0;
  double value = 0;      ///< x / (x + reference) of a rate, 1 / (1 + x / reference) of a latency
  double reference = 0;  ///< where the value is 1/2: ms, 1/s or tokens/s
  bool latency = false;
  bool measured = true;  ///< else the value is 0
};

struct Fitness {
  double score = 0;                          ///< sum of weight x value; weights are not normalised
  std::vector<FitnessComponent> components;  ///< sorted by key
};

Fitness find_fitness(const GroupSummary& cluster, const FitnessRequest& request);

}  // namespace plimsoll
