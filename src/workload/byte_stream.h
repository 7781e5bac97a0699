// Bytes of a trace, piece by piece, so that a file of any size needs little memory. Plain, gzip and
// zstd are told apart by their content, not by the name.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace plimsoll {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// The next bytes, valid until the next call; empty at the end. A file that is damaged, cut off
  /// or cannot be read is an io error.
  virtual Result<std::string_view> next() = 0;
};

/// The decompressed content of a file.
Result<std::unique_ptr<ByteStream>> open_byte_stream(const std::string& path);

/// The decompressed content of `bytes`; `name` stands for the file in messages.
Result<std::unique_ptr<ByteStream>> memory_byte_stream(std::string bytes, std::string name);

}  // namespace plimsoll
