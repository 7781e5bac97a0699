#include "report/run/decision_trace.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "engine/run_record.h"
#include "report/form/field_text.h"

namespace plimsoll {
namespace {

std::string_view reason_of(AdmissionStage stage, bool admitted, std::string_view policy) {
  if (stage == AdmissionStage::tenant_budget) return name_of(Reason::tenant_budget);
  if (stage == AdmissionStage::policy) return policy;
  return admitted ? "gateway-queue" : name_of(Reason::gateway_full);
}

double least_load(const InstanceViews& views) {
  double least = views.effective_load(0);
  for (std::size_t i = 1; i < views.size(); ++i) least = std::min(least, views.effective_load(i));
  return least;
}

}  // namespace

void DecisionTrace::Sum::add(double value) {
  sum += value;
  max = std::max(max, value);
}

DecisionTrace::DecisionTrace(const DecisionTraceOptions& options) : options_(options) {
  if (!options_.path.empty()) file_.emplace(options_.path);
  summary_.targets.resize(options_.instances);
}

ViewNeeds DecisionTrace::needs() const {
  const bool compares = options_.counterfactual_k > 0;
  return {.counters = compares, .in_flight = compares};
}

void DecisionTrace::admission(const Request& request, Time at, AdmissionStage stage,
                              bool admitted) {
  ++(admitted ? summary_.admitted : summary_.rejected);
  if (!file_) return;
  begin(request, at, "admission");
  append(fmt::format(", \"admitted\": {}, \"reason\": \"{}\"", admitted,
                     reason_of(stage, admitted, options_.admission_policy)));
  end();
}

void DecisionTrace::no_target(const Request& request, Time at) {
  ++summary_.no_target;
  if (!file_) return;
  begin(request, at, "routing");
  append(", \"instance\": null, \"reason\": \"other-model\"");
  end();
}

void DecisionTrace::routing(const Request& request, Time at, std::size_t chosen,
                            std::span<const double> scores, const InstanceViews& views) {
  ++summary_.targets[views.first + chosen];
  const bool compares = options_.counterfactual_k > 0;
  double regret = 0;
  double excess = 0;
  if (compares) {
    rank(scores, views);
    regret = std::max(0.0, scores_[order_.front()] - scores_[chosen]);
    excess = views.effective_load(chosen) - least_load(views);
    regret_.add(regret);
    excess_load_.add(excess);
  }
  if (!file_) return;
  begin(request, at, "routing");
  append(fmt::format(", \"policy\": \"{}\", \"instance\": \"instance_{}\"", options_.router,
                     views.first + chosen));
  if (compares) {
    append_number("score", scores_[chosen]);
    append_number("regret", regret);
    append_number("excess_load", excess);
    append_candidates(views);
  } else if (!scores.empty()) {
    append_number("score", scores[chosen]);
  }
  end();
}

void DecisionTrace::division(const Request& request, Time at, std::int64_t uncached,
                             std::optional<std::size_t> prefill) {
  ++(prefill ? summary_.prompts_apart : summary_.prompts_kept);
  if (!file_) return;
  begin(request, at, "division");
  append(fmt::format(", \"policy\": \"{}\", \"uncached_tokens\": {}, \"instance\": {}",
                     options_.pd_decider, uncached,
                     prefill ? fmt::format("\"instance_{}\"", *prefill) : "null"));
  end();
}

void DecisionTrace::transfer(const Request& request, Time at, std::size_t from, std::size_t to,
                             Time began) {
  if (!file_) return;
  begin(request, at, "transfer");
  append(fmt::format(", \"from\": \"instance_{}\", \"instance\": \"instance_{}\"", from, to));
  append(", \"began_us\": ");
  append_decimal((began - Time{}).ns, 3, &buffer_);
  end();
}

// Best first; equals by number.
void DecisionTrace::rank(std::span<const double> scores, const InstanceViews& views) {
  scores_.resize(views.size());
  order_.resize(views.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  for (std::size_t i = 0; i < views.size(); ++i) {
    scores_[i] = scores.empty() ? -views.effective_load(i) : scores[i];
  }
  const auto k = std::min(static_cast<std::size_t>(options_.counterfactual_k), order_.size());
  std::ranges::partial_sort(order_, order_.begin() + static_cast<std::ptrdiff_t>(k),
                            [&](std::size_t a, std::size_t b) {
                              return scores_[a] != scores_[b] ? scores_[a] > scores_[b] : a < b;
                            });
}

void DecisionTrace::append_candidates(const InstanceViews& views) {
  const auto k = std::min(static_cast<std::size_t>(options_.counterfactual_k), order_.size());
  append(", \"candidates\": [");
  for (std::size_t rank = 0; rank < k; ++rank) {
    const std::size_t i = order_[rank];
    const double free =
        (1 - views.kv_utilization[i]) * static_cast<double>(options_.total_kv_blocks[i]);
    append(
        fmt::format("{}{{\"instance\": \"instance_{}\"", rank == 0 ? "" : ", ", views.first + i));
    append_number("score", scores_[i]);
    append_number("queue_depth", views.queue_depth[i]);
    append_number("batch_size", views.batch_size[i]);
    append_number("in_flight", views.in_flight[i]);
    append_number("kv_utilization", views.kv_utilization[i]);
    append_number("free_kv_blocks", std::round(free));
    append("}");
  }
  append("]");
}

void DecisionTrace::append_number(std::string_view key, double value) {
  append(fmt::format(", \"{}\": {}", key, shortest(value == 0 ? 0 : value)));
}

void DecisionTrace::begin(const Request& request, Time at, std::string_view decision) {
  append("{\"at_us\": ");
  append_decimal((at - Time{}).ns, 3, &buffer_);
  append(fmt::format(", \"request\": \"request_{}\", \"decision\": \"{}\"", request.id, decision));
}

void DecisionTrace::end() {
  append("}\n");
  file_->write_if_long(&buffer_);
}

DecisionSummary DecisionTrace::summary() const {
  DecisionSummary out = summary_;
  out.counterfactual_k = options_.counterfactual_k;
  if (options_.counterfactual_k == 0) return out;
  const auto mean_of = [&](const Sum& sum) {
    return Extent{sum.sum / static_cast<double>(std::max<std::int64_t>(out.routed(), 1)), sum.max};
  };
  out.regret = mean_of(regret_);
  out.excess_load = mean_of(excess_load_);
  return out;
}

Result<void> DecisionTrace::finish() {
  if (!file_) return {};
  file_->write({buffer_.data(), buffer_.size()});
  return file_->finish();
}

}  // namespace plimsoll
