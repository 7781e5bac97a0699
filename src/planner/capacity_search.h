// The searches behind an answer of `plimsoll capacity`: the largest rate or the fewest instances,
// what is to spare beyond that, what the error of the step-time model means for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "planner/capacity_answer.h"

namespace plimsoll {

struct CapacitySearchOptions {
  /// For the fewest instances, of which the system has one, or one group; else for the largest
  /// rate.
  bool for_instances = false;
  double precision = 0.01;                    ///< of the rate, relatively
  std::optional<std::int64_t> most_requests;  ///< of a test; none: as many as it takes to settle
  std::int64_t whole_requests = 0;  ///< of traffic that is finite, all in every test; 0: it is not
  std::optional<ModelError> error;  ///< whose ends are answered, too
  std::size_t threads = 1;
  bool draws_curve = false;  ///< short tests are added for the chart of a page
};

/// A test is done: of so many parts of the work it belongs to that one.
enum class CapacityPart { load, headroom, model_error };

struct CapacityProgress {
  CapacityPart now = CapacityPart::load;
  int part = 1;
  int parts = 1;
  std::int64_t tests = 0;  ///< so far
  /// The answer to the question itself, as far as it was tested: rates, or numbers of instances (of
  /// all pools), of which one held and the other failed; none: no test said so yet. Not confirmed
  /// before the end.
  std::optional<double> holds;
  std::optional<double> fails;
};

/// The calls by which a search tells how far it is, one at a time.
struct CapacityWatch {
  std::function<bool()> keep_going = [] { return true; };  ///< false ends the search early
  /// Before the first test of traffic without end: of so many instances, which take so many
  /// requests to settle.
  std::function<void(std::int64_t instances, std::int64_t to_settle, const ProbeEffort&)> begins;
  std::function<void(const CapacityProgress&, const LoadProbe&, const std::vector<Slo>&)> tested;
  /// The curve of latency against load is better known: at first of as many instances as arithmetic
  /// asks for, then of the answer. None: the curve is drawn at the end, if at all.
  std::function<void(const CapacityAnswer&)> drawn;
};

class CapacitySearch {
 public:
  /// `system` and `answer` have to outlive it. `answer` has the question and the estimate, and
  /// gets what is found.
  CapacitySearch(const ProbedSystem& system, CapacitySearchOptions options, CapacityWatch watch,
                 CapacityAnswer* answer)
      : system_(system), options_(std::move(options)), watch_(std::move(watch)), answer_(*answer) {}

  Result<void> run();

 private:
  /// The effort of tests of so many; of finite traffic they have all of it.
  ProbeEffort effort_for(std::int64_t instances) const;
  std::int64_t instances_to_test() const;
  /// Instances of what is counted: of one group of several pools.
  std::int64_t group() const { return system_.deployment.num_instances(); }
  MinimumSearchOptions instance_search(double guess, bool confirms) const;
  double arithmetic_rps() const;  ///< of all instances together, if steps were always full
  Execution execution(std::size_t threads);
  void take_note(const LoadProbe& test);
  CapacityProgress progress() const;
  bool interrupted() const { return !watch_.keep_going(); }
  bool confirms() const { return !system_.other_loads.empty(); }
  double lowest_rps() const { return kIdleShare * answer_.estimate.rate_rps; }
  int parts() const { return 1 + (options_.for_instances ? 1 : 0) + (options_.error ? 1 : 0); }

  CapacityPart part() const {
    if (parts_done_ == 0) return CapacityPart::load;
    return options_.for_instances && parts_done_ == 1 ? CapacityPart::headroom
                                                      : CapacityPart::model_error;
  }

  Result<void> ask();
  Result<void> search_rate();
  Result<void> test_asked_rate();
  Result<void> test_promised_rate();
  Result<void> look_at(double rate_rps);
  Result<void> search_instances();
  Result<void> measure_headroom();
  Result<void> test_numbers_named();
  Result<void> test_headroom();
  Result<void> test_idle();
  Result<void> test_curve();
  Result<void> vary_model(const ModelError& error);
  Result<double> answer_with(double factor);

  const ProbedSystem& system_;
  CapacitySearchOptions options_;
  CapacityWatch watch_;
  CapacityAnswer& answer_;
  ProbeEffort effort_;
  std::mutex one_at_a_time_;
  std::int64_t tests_ = 0;
  int parts_done_ = 0;
  std::vector<std::pair<double, Answer>> noted_;  ///< tests of the question itself
};

}  // namespace plimsoll
