// Requests that belong together go to the same instance, whatever its load: those of a session, or
// else with the same prefix, or else of the same tenant. Others are spread evenly. Consistent
// hashing: with one more instance only 1/n of the sessions move (Lamping and Veach, "A fast,
// minimal memory, consistent hash algorithm", 2014).
#include <unordered_map>

#include "base/hash.h"
#include "cluster/router.h"

namespace plimsoll {
namespace {

std::size_t consistent_hash(std::uint64_t key, std::size_t n) {
  std::int64_t bucket = 0;
  for (std::int64_t next = 0; next < static_cast<std::int64_t>(n);) {
    bucket = next;
    key = key * 2862933555777941757ULL + 1;
    const auto step = static_cast<double>((key >> 33) + 1);
    next = static_cast<std::int64_t>(static_cast<double>(bucket + 1) * (0x1p31 / step));
  }
  return static_cast<std::size_t>(bucket);
}

// Numbers things as they first appear. A recording keeps that order, and which requests have a
// thing in common, but not by which index or content the source knew it.
class Appearances {
 public:
  std::uint64_t number_of(std::uint64_t thing) {
    return numbers_.emplace(thing, numbers_.size()).first->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;
};

class SessionAffinity final : public Router {
 public:
  std::size_t route(const Request& request, const InstanceViews& views) override {
    return consistent_hash(key_of(request), views.size());
  }

 private:
  std::uint64_t key_of(const Request& request) {
    const RequestTags& tags = request.tags;
    if (tags.session >= 0) {
      return mix64(1, sessions_.number_of(static_cast<std::uint64_t>(tags.session)));
    }
    if (!request.prefix.empty()) {
      return mix64(2, prefixes_.number_of(request.prefix.front().content));
    }
    if (tags.tenant >= 0) {
      return mix64(3, tenants_.number_of(static_cast<std::uint64_t>(tags.tenant)));
    }
    return mix64(4, others_++);
  }

  Appearances sessions_;
  Appearances prefixes_;
  Appearances tenants_;
  std::uint64_t others_ = 0;
};

}  // namespace

RouterRow session_affinity_router() {
  return {"session-affinity",
          "by hash of the session, else of the prefix, else of the tenant",
          {},
          made<Router, SessionAffinity>};
}

}  // namespace plimsoll
