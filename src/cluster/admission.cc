#include "cluster/admission.h"

#include <algorithm>

namespace plimsoll {
namespace {

class AlwaysAdmit final : public AdmissionPolicy {
 public:
  bool admit(const Request&, Time) override { return true; }
};

class RejectAll final : public AdmissionPolicy {
 public:
  bool admit(const Request&, Time) override { return false; }
};

/// A bucket of prompt tokens that starts full; a request costs its prompt.
class TokenBucket final : public AdmissionPolicy {
 public:
  TokenBucket(double capacity, double refill_per_second)
      : capacity_(capacity), refill_per_second_(refill_per_second), tokens_(capacity) {}

  bool admit(const Request& request, Time now) override {
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

}  // namespace

std::unique_ptr<AdmissionPolicy> make_admission(const Deployment& deployment) {
  switch (deployment.admission) {
    case AdmissionPolicyKind::always_admit:
      break;
    case AdmissionPolicyKind::reject_all:
      return std::make_unique<RejectAll>();
    case AdmissionPolicyKind::token_bucket:
      return std::make_unique<TokenBucket>(deployment.token_bucket_capacity,
                                           deployment.token_bucket_refill_rate);
  }
  return std::make_unique<AlwaysAdmit>();
}

}  // namespace plimsoll
