#include "random/stream.h"

#include <Random123/philox.h>

namespace plimsoll {
namespace {

std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }
std::uint64_t joined(std::uint32_t lo, std::uint32_t hi) {
  return lo | static_cast<std::uint64_t>(hi) << 32;
}

}  // namespace

void RandomStream::refill() {
  const r123::Philox4x32 philox;
  const r123::Philox4x32::key_type key{{low(seed_), high(seed_)}};
  const r123::Philox4x32::ctr_type counter{
      {block_++, static_cast<std::uint32_t>(purpose_), low(index_), high(index_)}};
  const r123::Philox4x32::ctr_type out = philox(counter, key);
  buffer_ = {joined(out[2], out[3]), joined(out[0], out[1])};
  left_ = 2;
}

}  // namespace plimsoll
