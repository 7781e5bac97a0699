#include "workload/workload.h"

#include <algorithm>
#include <numeric>

#include "base/hash.h"

namespace plimsoll {
namespace {

// Reorders an optional column; `order[i]` is the old place of the new i-th row.
template <class T>
void permute(const std::vector<std::size_t>& order, std::vector<T>* column) {
  if (column->empty()) return;
  std::vector<T> sorted;
  sorted.reserve(order.size());
  for (const std::size_t from : order) sorted.push_back((*column)[from]);
  *column = std::move(sorted);
}

template <class T>
T value_or(const std::vector<T>& column, std::size_t i, T absent) {
  return column.empty() ? absent : column[i];
}

}  // namespace

void Workload::sort_by_arrival() {
  if (std::is_sorted(arrival.begin(), arrival.end())) return;
  std::vector<std::size_t> order(size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](std::size_t a, std::size_t b) { return arrival[a] < arrival[b]; });
  permute(order, &id);
  permute(order, &arrival);
  permute(order, &input_tokens);
  permute(order, &output_tokens);
  permute(order, &max_output_tokens);
  permute(order, &deadline);
  permute(order, &slo_class);
  permute(order, &tags);
  permute(order, &other_model);
  permute(order, &prefix_begin);
  permute(order, &prefix_count);
  permute(order, &reusable);
}

Request request_at(const Workload& w, std::size_t i) {
  Request request;
  request.id = w.id[i];
  request.arrival = w.arrival[i];
  request.input_tokens = w.input_tokens[i];
  request.output_tokens = w.output_tokens[i];
  request.max_output_tokens = value_or(w.max_output_tokens, i, 0);
  request.slo_class = value_or(w.slo_class, i, SloClass::unset);
  request.tags = value_or(w.tags, i, RequestTags{});
  request.deadline = value_or(w.deadline, i, kNever);
  request.other_model = value_or(w.other_model, i, std::uint8_t{0}) != 0;
  if (!w.prefix_count.empty() && w.prefix_count[i] > 0) {
    request.prefix = {w.prefix_segments.data() + w.prefix_begin[i], w.prefix_count[i]};
  }
  request.own_content = unique_content(i);
  request.reusable = value_or(w.reusable, i, std::uint8_t{0}) != 0;
  return request;
}

bool WorkloadSource::next(Request* request) {
  if (position_ == workload_.size()) return false;
  *request = request_at(workload_, position_++);
  return true;
}

std::uint64_t unique_content(std::uint64_t request_index) { return mix64(2 * request_index + 1); }
std::uint64_t shared_content(std::uint64_t segment_number) { return mix64(2 * segment_number); }

}  // namespace plimsoll
