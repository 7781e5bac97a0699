// Deterministic 64-bit mixing, for the identities of cached blocks and for hash tables; and the
// CRC-32 of a line that comes back from a disk.
#pragma once

#include <cstdint>
#include <string_view>

namespace plimsoll {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection in which every input bit
/// changes every output bit with probability about one half.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

constexpr std::uint64_t mix64(std::uint64_t a, std::uint64_t b) { return mix64(mix64(a) ^ b); }

/// A checksum of bytes, for what comes back from a disk: it tells any change of up to 32 bits in a
/// row, and all others but one in four thousand million. No protection against people. CRC-32 as
/// zlib, gzip and PNG have it (ISO 3309).
std::uint32_t crc32_of(std::string_view bytes);

}  // namespace plimsoll
