// The decisions of admission, routing and of prefill apart from decode, as JSON lines
// (`--decisions-output`) and in sum
// (`--trace-level decisions`). Written while the simulation runs.
//
// Regret is the reference's: best score - score of the chosen instance, over all instances
// that answer, where the score is the policy's own or, if it has none, minus the effective load. It
// says how far a decision lies from the best by the policy's own lights, never what would have
// become of the request elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/replacement_file.h"
#include "base/result.h"
#include "cluster/decision_log.h"
#include "metrics/summary.h"

namespace plimsoll {

struct DecisionTraceOptions {
  std::string path;                   ///< empty: no file
  std::int64_t counterfactual_k = 0;  ///< candidates per decision; 0: neither they nor regret
  std::size_t instances = 0;
  std::vector<std::int64_t> total_kv_blocks;  ///< in the order of the views
  std::string router;
  std::string admission_policy;
  std::string pd_decider = {};
};

class DecisionTrace final : public DecisionLog {
 public:
  explicit DecisionTrace(const DecisionTraceOptions& options);

  ViewNeeds needs() const override;
  void admission(const Request& request, Time at, AdmissionStage stage, bool admitted) override;
  void routing(const Request& request, Time at, std::size_t chosen, std::span<const double> scores,
               const InstanceViews& views) override;
  void no_target(const Request& request, Time at) override;
  void division(const Request& request, Time at, std::int64_t uncached,
                std::optional<std::size_t> prefill) override;
  void transfer(const Request& request, Time at, std::size_t from, std::size_t to,
                Time began) override;

  DecisionSummary summary() const;

  /// Gives the file its name. Failures are io errors; without a file there is none.
  Result<void> finish();

 private:
  /// Sum and greatest.
  struct Sum {
    double sum = 0;
    double max = 0;

    void add(double value);
  };

  void begin(const Request& request, Time at, std::string_view decision);
  void end();
  void append(std::string_view text) { buffer_.append(text); }
  void append_number(std::string_view key, double value);
  void append_candidates(const InstanceViews& views);
  /// Fills scores_ and ranks the first k in order_.
  void rank(std::span<const double> scores, const InstanceViews& views);

  const DecisionTraceOptions options_;
  std::optional<ReplacementFile> file_;
  fmt::memory_buffer buffer_;
  DecisionSummary summary_;
  Sum regret_;
  Sum excess_load_;
  std::vector<double> scores_;      ///< scratch
  std::vector<std::size_t> order_;  ///< scratch
};

}  // namespace plimsoll
