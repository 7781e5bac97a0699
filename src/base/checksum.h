// A checksum of bytes, for what comes back from a disk: it tells any change of up to 32 bits in a
// row, and all others but one in four thousand million. No protection against people.
#pragma once

#include <cstdint>
#include <string_view>

namespace plimsoll {

/// CRC-32 as zlib, gzip and PNG have it (ISO 3309).
std::uint32_t crc32_of(std::string_view bytes);

}  // namespace plimsoll
