#include "cluster/admission.h"

#include <algorithm>

namespace plimsoll {
namespace {

class AlwaysAdmit final : public AdmissionPolicy {
 public:
  bool admit(const Request&, Time, const InstanceViews&) override { return true; }
};

class RejectAll final : public AdmissionPolicy {
 public:
  bool admit(const Request&, Time, const InstanceViews&) override { return false; }
};

/// A bucket of prompt tokens that starts full; a request costs its prompt.
class TokenBucket final : public AdmissionPolicy {
 public:
  TokenBucket(double capacity, double refill_per_second)
      : capacity_(capacity), refill_per_second_(refill_per_second), tokens_(capacity) {}

  bool admit(const Request& request, Time now, const InstanceViews&) override {
    const double refill = to_us(now - last_) * refill_per_second_ / 1e6;
    tokens_ = std::min(capacity_, tokens_ + refill);
    last_ = now;
    const auto cost = static_cast<double>(request.input_tokens);
    if (tokens_ < cost) return false;
    tokens_ -= cost;
    return true;
  }

 private:
  double capacity_;
  double refill_per_second_;
  double tokens_;
  Time last_;
};

/// Above a load of the busiest instance only urgent classes enter.
class TierShed final : public AdmissionPolicy {
 public:
  TierShed(const AdmissionRules& rules, const SloPriorities& priorities)
      : threshold_(static_cast<double>(rules.tier_shed_threshold)),
        min_priority_(rules.tier_shed_min_priority),
        priorities_(priorities) {}

  bool admit(const Request& request, Time, const InstanceViews& instances) override {
    double most = 0;
    for (std::size_t i = 0; i < instances.size(); ++i) {
      most = std::max(most, instances.effective_load(i));
    }
    return most <= threshold_ || priorities_.of(request.slo_class) >= min_priority_;
  }
  ViewNeeds needs() const override { return {.counters = true, .in_flight = true}; }
  bool sheds() const override { return true; }

 private:
  double threshold_;
  std::int64_t min_priority_;
  SloPriorities priorities_;
};

/// The rule of the Kubernetes Gateway API Inference Extension: sheddable requests enter only while
/// the instances have room.
class GaieLegacy final : public AdmissionPolicy {
 public:
  GaieLegacy(const AdmissionRules& rules, const SloPriorities& priorities)
      : queue_depth_threshold_(rules.gaie_queue_depth_threshold),
        kv_threshold_(rules.gaie_kv_threshold),
        priorities_(priorities) {}

  bool admit(const Request& request, Time, const InstanceViews& instances) override {
    return !priorities_.sheddable(request.slo_class) ||
           mean_utilization(instances, queue_depth_threshold_, kv_threshold_) < 1;
  }
  ViewNeeds needs() const override { return {.counters = true}; }
  bool sheds() const override { return true; }

 private:
  double queue_depth_threshold_;
  double kv_threshold_;
  SloPriorities priorities_;
};

}  // namespace

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

std::unique_ptr<AdmissionPolicy> make_admission(const AdmissionRules& rules,
                                                const SloPriorities& priorities) {
  switch (rules.policy) {
    case AdmissionPolicyKind::always_admit:
      break;
    case AdmissionPolicyKind::reject_all:
      return std::make_unique<RejectAll>();
    case AdmissionPolicyKind::token_bucket:
      return std::make_unique<TokenBucket>(rules.token_bucket_capacity,
                                           rules.token_bucket_refill_rate);
    case AdmissionPolicyKind::tier_shed:
      return std::make_unique<TierShed>(rules, priorities);
    case AdmissionPolicyKind::gaie_legacy:
      return std::make_unique<GaieLegacy>(rules, priorities);
  }
  return std::make_unique<AlwaysAdmit>();
}

}  // namespace plimsoll
