// A source for tests: the requests of a list, which is sorted by arrival, and the names they need.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "workload/request.h"

namespace plimsoll::test {

class ListedRequests final : public RequestSource {
 public:
  explicit ListedRequests(std::vector<Request> requests, Labels labels = {})
      : requests_(std::move(requests)), labels_(std::move(labels)) {}

  bool next(Request* request) override {
    if (next_ == requests_.size()) return false;
    *request = requests_[next_++];
    return true;
  }
  const Labels& labels() const override { return labels_; }

 private:
  std::vector<Request> requests_;
  Labels labels_;
  std::size_t next_ = 0;
};

}  // namespace plimsoll::test
