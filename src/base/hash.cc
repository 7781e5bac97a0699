#include "base/hash.h"

#include <zlib.h>

namespace plimsoll {

std::uint32_t crc32_of(std::string_view bytes) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(crc32_z(0, data, bytes.size()));
}

}  // namespace plimsoll
