#include "cluster/saturation_signal.h"

#include <algorithm>
#include <numeric>

namespace plimsoll {
namespace {

class Never final : public SaturationSignal {
 public:
  double saturation(const InstanceViews&) const override { return 0; }
};

class Utilization final : public SaturationSignal {
 public:
  explicit Utilization(const Parameters& p)
      : queue_depth_threshold_(p["queue-depth-threshold"]),
        kv_threshold_(p["kv-cache-util-threshold"]) {}

  double saturation(const InstanceViews& instances) const override {
    return mean_utilization(instances, queue_depth_threshold_, kv_threshold_);
  }
  ViewNeeds needs() const override { return {.counters = true}; }

 private:
  double queue_depth_threshold_;
  double kv_threshold_;
};

/// Requests in flight by places.
class Concurrency final : public SaturationSignal {
 public:
  explicit Concurrency(const Parameters& p) : places_(p["max-concurrency"]) {}

  double saturation(const InstanceViews& instances) const override {
    if (instances.size() == 0) return 1;
    const double in_flight =
        std::accumulate(instances.in_flight.begin(), instances.in_flight.end(), 0.0);
    return in_flight / (static_cast<double>(instances.size()) * places_);
  }
  ViewNeeds needs() const override { return {.in_flight = true}; }

 private:
  double places_;  ///< of an instance
};

}  // namespace

const std::vector<SaturationSignalRow>& saturation_signals() {
  static const std::vector<SaturationSignalRow> rows{
      {"never", "nothing is held back", {}, made<SaturationSignal, Never>},
      {"utilization",
       "waiting requests and KV use of the instances, each by its threshold",
       {{"queue-depth-threshold", 5, kPositive, "N",
         "Waiting requests per instance at which the detector utilization is at its limit"},
        {"kv-cache-util-threshold", 0.8, kPositive, "SHARE",
         "Share of KV blocks in use at which the detector utilization is at its limit"}},
       made<SaturationSignal, Utilization>},
      {"concurrency",
       "requests in flight",
       {{"max-concurrency", 100, kOneOrMore, "N",
         "Requests in flight per instance at which the detector concurrency is at its limit",
         true}},
       made<SaturationSignal, Concurrency>},
  };
  return rows;
}

double mean_utilization(const InstanceViews& instances, double queue_depth_threshold,
                        double kv_threshold) {
  if (instances.size() == 0) return 1;
  double sum = 0;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    sum += std::max(instances.queue_depth[i] / queue_depth_threshold,
                    instances.kv_utilization[i] / kv_threshold);
  }
  return sum / static_cast<double>(instances.size());
}

}  // namespace plimsoll
