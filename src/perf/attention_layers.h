// All attention layers of a model: what tokens cost that look back at others, and the kernels that
// take the sequences of a batch together. Microseconds throughout; formulas are those of the
// operators (perf/operators/attention.h).
//
// Remembers a pure function of a small whole number, value by value as they are asked for. Safe to
// use from many threads: whoever computes a value, it is the same.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/numbers.h"
#include "catalog/model.h"
#include "perf/operators/attention.h"
#include "perf/operators/device.h"

namespace plimsoll {

class StepMemo {
 public:
  explicit StepMemo(std::size_t size) : values_(size) {}

  template <class Function>
  double at(std::int64_t n, const Function& function) const {
    const auto i = static_cast<std::size_t>(n);
    if (i >= values_.size()) return function(n);
    const double known = values_[i].load();
    if (!std::isnan(known)) return known;
    const double value = function(n);
    values_[i].store(value);
    return value;
  }

 private:
  /// Starts as "not known"; a vector needs its elements to be movable.
  class Slot {
   public:
    double load() const { return value_.load(std::memory_order_relaxed); }
    void store(double value) const { value_.store(value, std::memory_order_relaxed); }

   private:
    mutable std::atomic<double> value_{std::numeric_limits<double>::quiet_NaN()};
  };

  std::vector<Slot> values_;
};

/// The cost of a token of context to a decoding request, of layers that look back equally far.
struct ContextRate {
  double reach = 0;  ///< tokens; 0 = all
  double us = 0;
  double us_in_mixed_steps = 0;

  /// Tokens that so many requests read of the context that they have together.
  double most(double requests) const {
    return reach > 0 ? requests * reach : std::numeric_limits<double>::infinity();
  }
};

class AttentionLayers {
 public:
  /// Split over `tp` GPUs.
  AttentionLayers(const ModelConfig& model, double tp, const Device& device);

  /// The time of all kernels that a step starts once, whatever they read.
  double decode_launch_us() const { return decode_launch_us_; }
  double prefill_launch_us() const { return prefill_launch_us_; }
  /// What a step with prompts takes if the GPU takes so long: it works while the host launches what
  /// comes next, but not all the time (a p-norm of the two, p = 2); where the host does not
  /// schedule ahead, one after the other.
  double with_host_us(double gpu_us) const {
    if (prefill_host_us_ == 0) return gpu_us;
    if (host_goes_first_) return gpu_us + prefill_host_us_;
    return std::sqrt(gpu_us * gpu_us + prefill_host_us_ * prefill_host_us_);
  }
  /// Where a step has both: of the slower of them, layer by layer, and for a graph in pieces.
  double mixed_launch_us() const { return mixed_launch_us_; }

  /// Decoding requests but for what they read of their context.
  double decode_rows_us(std::int64_t requests) const {
    const double us =
        decode_launch_us_ + (decode_us_per_request_ + state_us_per_request_) * as_double(requests);
    return latent_.empty() ? us : us + latent_rows_us(requests);
  }
  const std::vector<ContextRate>& context_rates() const { return contexts_; }
  /// Their contexts, in tokens of all of them together.
  double decode_context_us(double requests, double context) const {
    double us = 0;
    for (const ContextRate& r : contexts_) us += r.us * std::min(context, r.most(requests));
    return us;
  }
  double mixed_context_us(double requests, double context) const {
    double us = 0;
    for (const ContextRate& r : contexts_) {
      us += r.us_in_mixed_steps * std::min(context, r.most(requests));
    }
    return us;
  }
  double prefill_us(const AttentionShape& shape) const;

 private:
  /// Attention that several layers have alike.
  template <typename Cost>
  struct Alike {
    Cost cost;
    double count = 0;
    double reach = 0;
  };

  void add(const Attention& attention, double count, const ModelConfig& model, double tp,
           const Device& device);
  void add_index(const Attention& attention, double count, double tp, const Device& device);
  ContextRate& context_rate(double reach);
  double latent_rows_us(std::int64_t requests) const;

  std::vector<Alike<AttentionCost>> standard_;
  std::vector<Alike<LatentAttentionCost>> latent_;
  std::vector<ContextRate> contexts_;
  double state_us_per_request_ = 0;
  double index_us_per_pair_ = 0;
  double decode_launch_us_ = 0;
  double decode_us_per_request_ = 0;
  double prefill_launch_us_ = 0;
  double mixed_launch_us_ = 0;
  double prefill_host_us_ = 0;
  bool host_goes_first_ = false;
  StepMemo latent_rows_memo_;
};

}  // namespace plimsoll
