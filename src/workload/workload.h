// A finite workload in memory: a struct of arrays sorted by arrival, shared read-only between runs.
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/units.h"
#include "workload/request.h"

namespace plimsoll {

// Numbers names in the order in which they first come: the indices of RequestTags into the lists of
// Labels. For sources, which meet the same name again and again.

class LabelNumbers {
 public:
  /// A new name is added to `names`, always the same list; -1 for the empty name.
  std::int32_t of(std::string_view name, std::vector<std::string>* names) {
    if (name.empty()) return -1;
    const auto next = static_cast<std::int32_t>(names->size());
    const auto [known, is_new] = numbers_.emplace(name, next);
    if (is_new) names->emplace_back(name);
    return known->second;
  }

 private:
  std::unordered_map<std::string, std::int32_t> numbers_;
};

/// Columns have one entry per request. The optional ones are empty when no request needs them.
struct Workload {
  std::vector<std::int64_t> id;
  std::vector<Time> arrival;
  std::vector<std::int32_t> input_tokens;
  std::vector<std::int32_t> output_tokens;

  std::vector<std::int32_t> max_output_tokens;  ///< optional; absent = no budget
  std::vector<Time> deadline;                   ///< optional; absent = none
  std::vector<SloClass> slo_class;              ///< optional; absent = unset
  std::vector<RequestTags> tags;                ///< optional; absent = none
  std::vector<std::uint8_t> other_model;        ///< optional; absent = all 0; see Request
  /// Optional: request i's prefix is prefix_segments[prefix_begin[i] .. prefix_begin[i] +
  /// prefix_count[i]); requests may point at the same segments.
  std::vector<std::uint32_t> prefix_begin;
  std::vector<std::uint32_t> prefix_count;
  std::vector<PrefixSegment> prefix_segments;
  std::vector<std::uint8_t> reusable;  ///< optional; absent = all 0; see Request
  Labels labels;
  bool begins_sessions = false;  ///< as RequestSource has it

  std::size_t size() const { return arrival.size(); }

  /// Sorts all columns by arrival, keeping the order of equal times.
  void sort_by_arrival();
};

/// Request i, with a content of its own. It points into the workload.
Request request_at(const Workload& workload, std::size_t i);

/// Serves a workload that outlives it.
class WorkloadSource final : public RequestSource {
 public:
  explicit WorkloadSource(const Workload& workload) : workload_(workload) {}
  bool next(Request* request) override;
  const Labels& labels() const override { return workload_.labels; }
  bool begins_sessions() const override { return workload_.begins_sessions; }

 private:
  const Workload& workload_;
  std::size_t position_ = 0;
};

/// Content ids for the first 2^63 requests and as many shared segments: every request and every
/// segment has its own, and none is used for both.
std::uint64_t unique_content(std::uint64_t request_index);
std::uint64_t shared_content(std::uint64_t segment_number);

/// The requests of another source, faster or slower: moments are scaled, lengths stay. What makes a
/// trace or a specification arrive at another rate.
class ScaledSource final : public RequestSource {
 public:
  /// `factor` on all moments, positive: 0.5 is twice the rate. Clients wait as long as before. What
  /// would arrive after the end of the clock does not.
  ScaledSource(std::unique_ptr<RequestSource> source, double factor)
      : source_(std::move(source)), factor_(factor) {
    assert(factor > 0);
  }

  bool next(Request* request) override {
    if (!source_->next(request)) return false;
    const Time arrival = request->arrival;
    const double moved_ns = static_cast<double>(arrival.ns) * factor_;
    if (!(moved_ns < static_cast<double>(Time::kEnd))) return false;
    request->arrival = Time{std::llround(moved_ns)};
    if (request->deadline != kNever) {
      request->deadline = request->arrival + (request->deadline - arrival);
    }
    return true;
  }

  const Labels& labels() const override { return source_->labels(); }

 private:
  std::unique_ptr<RequestSource> source_;
  double factor_;
};

}  // namespace plimsoll
