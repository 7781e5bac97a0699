#include "cluster/admission.h"

#include <algorithm>

#include "cluster/saturation_signal.h"

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
  TokenBucket(const Parameters& p, const SloPriorities&)
      : capacity_(p["token-bucket-capacity"]),
        refill_per_second_(p["token-bucket-refill-rate"]),
        tokens_(capacity_) {}

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
  TierShed(const Parameters& p, const SloPriorities& priorities)
      : threshold_(p["tier-shed-threshold"]),
        min_priority_(p["tier-shed-min-priority"]),
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
  double min_priority_;
  SloPriorities priorities_;
};

/// The rule of the Kubernetes Gateway API Inference Extension: sheddable requests enter only while
/// the instances have room.
class GaieLegacy final : public AdmissionPolicy {
 public:
  GaieLegacy(const Parameters& p, const SloPriorities& priorities)
      : queue_depth_threshold_(p["gaie-qd-threshold"]),
        kv_threshold_(p["gaie-kv-threshold"]),
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

const std::vector<AdmissionRow>& admission_policies() {
  static const std::vector<AdmissionRow> rows{
      {"always-admit", "everything enters", {}, made<AdmissionPolicy, AlwaysAdmit>},
      {"token-bucket",
       "prompt tokens are taken from a bucket that refills at a fixed rate",
       {{"token-bucket-capacity", 10000, kPositive, "TOKENS",
         "Prompt tokens that the token bucket holds"},
        {"token-bucket-refill-rate", 1000, kPositive, "TOKENS/S",
         "Prompt tokens per second that refill the token bucket"}},
       made<AdmissionPolicy, TokenBucket>},
      {"reject-all", "nothing enters (to test clients)", {}, made<AdmissionPolicy, RejectAll>},
      {"tier-shed",
       "above a load of the busiest instance only urgent classes enter",
       {{"tier-shed-threshold", 0, kAnyCount, "N",
         "Effective load of the busiest instance above which tier-shed turns requests away", true},
        {"tier-shed-min-priority",
         0,
         {SloPriorities::kLowest, SloPriorities::kHighest},
         "N",
         "Classes of this priority or a higher one always enter",
         true}},
       made<AdmissionPolicy, TierShed>},
      {"gaie-legacy",
       "sheddable classes enter only while queues and KV caches have room",
       {{"gaie-qd-threshold", 5, kPositive, "N",
         "Waiting requests per instance at which gaie-legacy counts it as full"},
        {"gaie-kv-threshold", 0.8, kSomeShare, "SHARE",
         "Share of KV blocks in use at which gaie-legacy counts an instance as full"}},
       made<AdmissionPolicy, GaieLegacy>},
  };
  return rows;
}

std::unique_ptr<AdmissionPolicy> make_admission(const Deployment& deployment) {
  return make_policy(admission_policies(), deployment.admission, deployment.parameters,
                     deployment.main().engine.priorities);
}

}  // namespace plimsoll
